import { Cause, Kind, Role } from './schema.js';
import type { Recording } from './recording.js';

export enum NodeKind {
  Variable,
  Constant,
  Op,
  Off,
}

export enum EdgeKind {
  /** A value that went from the tape to the tape. */
  Taped,
  /** A value used where nothing was recorded. */
  Off,
  /** The value stepped off the tape here. */
  Cut,
}

export enum FrameKind {
  Watch,
  Op,
  Off,
  Assign,
}

/** A column of a table. */
export interface Numbers<T = number> extends ArrayLike<T>, Iterable<T> {
  findIndex(test: (value: T, at: number) => boolean): number;
}

/** What happened, as nodes, edges and frames of the reel; columns, because a tape may be long. */
export interface Graph {
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly frameCount: number;
  readonly opCount: number;
  readonly nodeKind: Numbers<NodeKind>;
  /** The tensor a node shows: the (first) result of an op. */
  readonly nodeTensor: Numbers;
  /** The event that made the node, or -1. */
  readonly nodeEvent: Numbers;
  /** The frame that runs or watches the node, or -1 where it stands there from the start. */
  readonly nodeFrame: Numbers;
  readonly nodeWatched: readonly boolean[];
  /** The edges into a node: firstEdge[n] up to firstEdge[n + 1]. */
  readonly firstEdge: Numbers;
  readonly edgeFrom: Numbers;
  readonly edgeTo: Numbers;
  readonly edgePort: Numbers;
  readonly edgeKind: Numbers<EdgeKind>;
  readonly frameKind: Numbers<FrameKind>;
  readonly frameEvent: Numbers;
  readonly frameNode: Numbers;
  readonly nodeOfTensor: Int32Array;
  readonly nodeOfEvent: Int32Array;
}

const NONE: readonly number[] = [];

/** Whole numbers that keep coming, without an object for each. */
class Column {
  private room = new Int32Array(256);
  length = 0;

  push(value: number): void {
    if (this.length === this.room.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.room);
      this.room = larger;
    }
    this.room[this.length++] = value;
  }

  at(place: number): number {
    return this.room[place]!;
  }

  put(place: number, value: number): void {
    this.room[place] = value;
  }

  all(): Int32Array {
    return this.room.subarray(0, this.length);
  }
}

/** Collects nodes, edges and frames while the events pass by, in the order of running. */
class Builder {
  private readonly nodeKind = new Column();
  private readonly nodeTensor = new Column();
  private readonly nodeEvent = new Column();
  private readonly nodeFrame = new Column();
  readonly nodeWatched: boolean[] = [];
  private readonly firstEdge = new Column();
  private readonly edgeFrom = new Column();
  private readonly edgeTo = new Column();
  private readonly edgePort = new Column();
  private readonly edgeKind = new Column();
  private readonly frameKind = new Column();
  private readonly frameEvent = new Column();
  private readonly frameNode = new Column();
  readonly nodeOfTensor: Int32Array;
  readonly nodeOfEvent: Int32Array;
  opCount = 0;
  private readonly watchedVariables = new Set<number>();

  constructor(private readonly recording: Recording) {
    this.nodeOfTensor = new Int32Array(recording.tensorCount).fill(-1);
    this.nodeOfEvent = new Int32Array(recording.eventCount).fill(-1);
  }

  private add(kind: NodeKind, tensor: number, event: number): number {
    const node = this.nodeKind.length;
    this.nodeKind.push(kind);
    this.nodeTensor.push(tensor);
    this.nodeEvent.push(event);
    this.nodeFrame.push(-1);
    this.nodeWatched.push(false);
    this.firstEdge.push(this.edgeFrom.length);
    if (tensor >= 0) this.nodeOfTensor[tensor] = node;
    if (event >= 0) this.nodeOfEvent[event] = node;
    return node;
  }

  private frame(kind: FrameKind, event: number, node: number): void {
    if (node >= 0 && this.nodeFrame.at(node) < 0) this.nodeFrame.put(node, this.frameKind.length);
    this.frameKind.push(kind);
    this.frameEvent.push(event);
    this.frameNode.push(node);
  }

  private connect(from: number, to: number, port: number, kind: EdgeKind): void {
    this.edgeFrom.push(from);
    this.edgeTo.push(to);
    this.edgePort.push(port);
    this.edgeKind.push(kind);
  }

  /** The node that stands for a tensor; made now if nothing on record made it. */
  nodeFor(tensor: number): number {
    const known = this.nodeOfTensor[tensor]!;
    if (known >= 0) return known;
    const role = this.recording.roles[tensor] as Role;
    if (role === Role.State) {
      const node = this.add(NodeKind.Variable, tensor, -1);
      const { variable } = this.recording.tensor(tensor);
      this.nodeWatched[node] = this.watchedVariables.has(variable);
      return node;
    }
    return this.add(role === Role.OffTape ? NodeKind.Off : NodeKind.Constant, tensor, -1);
  }

  watched(index: number, tensor: number, variable: number): void {
    if (variable >= 0) this.watchedVariables.add(variable);
    const node = this.nodeFor(tensor);
    this.nodeWatched[node] = true;
    if (this.nodeFrame.at(node) < 0) this.frame(FrameKind.Watch, index, node);
  }

  read(index: number, variable: number, tensor: number): void {
    if (!this.watchedVariables.has(variable) || this.nodeOfTensor[tensor]! >= 0) return;
    const node = this.nodeFor(tensor);
    this.frame(FrameKind.Watch, index, node);
  }

  /** Enter an op straight from the columns: there may be a million. */
  ran(index: number): void {
    const { fields, starts } = this.recording;
    const start = starts[index]!;
    const inputs = start + 4;
    const [outputs, end] = [inputs + fields[start + 3]!, starts[index + 1]!];
    const onTape = fields[start + 2] === Cause.OnTape;
    for (let at = inputs; at < outputs; at++) if (fields[at]! >= 0) this.nodeFor(fields[at]!);
    const made = outputs < end ? fields[outputs]! : -1;
    const from = inputs < outputs ? this.nodesAt(inputs, outputs) : NONE;
    const node = this.add(onTape ? NodeKind.Op : NodeKind.Off, made, index);
    for (let at = outputs; at < end; at++) {
      if (fields[at]! >= 0) this.nodeOfTensor[fields[at]!] = node;
    }
    for (let port = 0; port < from.length; port++) {
      if (from[port]! < 0) continue;
      this.connect(from[port]!, node, port, this.edgeKindFrom(from[port]!, onTape));
    }
    if (onTape) this.opCount++;
    this.frame(onTape ? FrameKind.Op : FrameKind.Off, index, node);
  }

  private nodesAt(start: number, end: number): number[] {
    const nodes: number[] = [];
    for (let at = start; at < end; at++) {
      const tensor = this.recording.fields[at]!;
      nodes.push(tensor < 0 ? -1 : this.nodeOfTensor[tensor]!);
    }
    return nodes;
  }

  private edgeKindFrom(from: number, onTape: boolean): EdgeKind {
    if (onTape) return EdgeKind.Taped;
    const kind = this.nodeKind.at(from);
    const fromTape = kind === NodeKind.Op || (kind === NodeKind.Variable && this.nodeWatched[from]);
    return fromTape ? EdgeKind.Cut : EdgeKind.Off;
  }

  left(index: number, tensor: number, result: number): void {
    if (this.nodeOfTensor[result]! >= 0) return;
    const from = this.nodeFor(tensor);
    const node = this.add(NodeKind.Off, result, index);
    this.connect(from, node, 0, this.edgeKindFrom(from, false));
    this.frame(FrameKind.Off, index, node);
  }

  returned(value: number, tensor: number): void {
    this.nodeOfTensor[tensor] = this.nodeFor(value);
  }

  assigned(index: number): void {
    this.frame(FrameKind.Assign, index, -1);
  }

  finish(): Graph {
    this.firstEdge.push(this.edgeFrom.length);
    return {
      nodeCount: this.nodeKind.length,
      edgeCount: this.edgeFrom.length,
      frameCount: this.frameKind.length,
      opCount: this.opCount,
      nodeKind: this.nodeKind.all(),
      nodeTensor: this.nodeTensor.all(),
      nodeEvent: this.nodeEvent.all(),
      nodeFrame: this.nodeFrame.all(),
      nodeWatched: this.nodeWatched,
      firstEdge: this.firstEdge.all(),
      edgeFrom: this.edgeFrom.all(),
      edgeTo: this.edgeTo.all(),
      edgePort: this.edgePort.all(),
      edgeKind: this.edgeKind.all(),
      frameKind: this.frameKind.all(),
      frameEvent: this.frameEvent.all(),
      frameNode: this.frameNode.all(),
      nodeOfTensor: this.nodeOfTensor,
      nodeOfEvent: this.nodeOfEvent,
    };
  }
}

/** After the tape, only what leads to something that was asked for belongs in the picture. */
function wantedAfterTape(recording: Recording): { from: number; wanted: Set<number> } {
  const { kinds, eventCount } = recording;
  const from = kinds.lastIndexOf(Kind.Closed);
  const wanted = new Set<number>();
  const tensors = new Set<number>();
  for (let index = eventCount - 1; from >= 0 && index > from; index--) {
    if (kinds[index] === Kind.Flowed) continue;
    const event = recording.event(index);
    if (event.kind === Kind.Asked) event.targets.forEach((tensor) => tensors.add(tensor));
    if (event.kind === Kind.Returned && tensors.has(event.tensor)) {
      tensors.add(event.value);
      wanted.add(index);
    }
    if (event.kind === Kind.Left && tensors.has(event.result)) {
      tensors.add(event.tensor);
      wanted.add(index);
    }
    if (event.kind !== Kind.Ran || !event.outputs.some((tensor) => tensors.has(tensor))) continue;
    event.inputs.forEach((tensor) => tensors.add(tensor));
    wanted.add(index);
  }
  return { from: from < 0 ? eventCount : from, wanted };
}

/** The values that left the tape and came back: a departure without return breaks no path. */
function returnedValues(recording: Recording): Set<number> {
  const found = new Set<number>();
  recording.kinds.forEach((kind, index) => {
    if (kind !== Kind.Returned) return;
    const event = recording.event(index);
    if (event.kind === Kind.Returned) found.add(event.value);
  });
  return found;
}

/** Build the graph and the reel from the events. */
export function buildGraph(recording: Recording): Graph {
  const builder = new Builder(recording);
  const returned = returnedValues(recording);
  const after = wantedAfterTape(recording);
  for (let index = 0; index < recording.eventCount; index++) {
    if (recording.kinds[index] === Kind.Flowed) continue;
    const late = index > after.from && !after.wanted.has(index);
    if (recording.kinds[index] === Kind.Ran) {
      if (!late) builder.ran(index);
      continue;
    }
    const event = recording.event(index);
    if (event.kind === Kind.Asked) {
      for (const tensor of [...event.targets, ...event.sources]) {
        if (tensor >= 0) builder.nodeFor(tensor);
      }
    }
    if (late) continue;
    switch (event.kind) {
      case Kind.Watched:
        builder.watched(index, event.tensor, event.variable);
        break;
      case Kind.Read:
        builder.read(index, event.variable, event.tensor);
        break;
      case Kind.Left:
        if (returned.has(event.result)) builder.left(index, event.tensor, event.result);
        break;
      case Kind.Returned:
        builder.returned(event.value, event.tensor);
        break;
      case Kind.Assigned:
        builder.assigned(index);
        break;
      default:
        break;
    }
  }
  return builder.finish();
}
