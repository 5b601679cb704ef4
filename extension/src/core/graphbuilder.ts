import { EdgeKind, FrameKind, NodeKind } from './graph.js';
import type { Graph } from './graph.js';
import type { Recording } from './recording.js';
import { Cause, Role } from './schema.js';
import { Table } from './table.js';

/** Collects nodes, edges and frames while the events pass by, in the order of running. */
export class GraphBuilder {
  private readonly nodes: Table<'kind' | 'tensor' | 'event' | 'frame' | 'firstEdge'>;
  private readonly edges: Table<'from' | 'to' | 'port' | 'kind'>;
  private readonly frames: Table<'kind' | 'event' | 'node'>;
  private readonly nodeWatched: boolean[] = [];
  readonly nodeOfTensor: Int32Array;
  readonly nodeOfEvent: Int32Array;
  opCount = 0;
  private readonly watchedVariables = new Set<number>();

  constructor(
    private readonly recording: Recording,
    ops: number,
    private readonly opened: number,
  ) {
    const room = 2 * ops + 256;
    this.nodes = new Table(['kind', 'tensor', 'event', 'frame', 'firstEdge'], room);
    this.edges = new Table(['from', 'to', 'port', 'kind'], room);
    this.frames = new Table(['kind', 'event', 'node'], room);
    this.nodeOfTensor = new Int32Array(recording.tensorCount).fill(-1);
    this.nodeOfEvent = new Int32Array(recording.eventCount).fill(-1);
  }

  private add(kind: NodeKind, tensor: number, event: number): number {
    const node = this.nodes.add();
    const columns = this.nodes.in;
    columns.kind[node] = kind;
    columns.tensor[node] = tensor;
    columns.event[node] = event;
    columns.frame[node] = -1;
    columns.firstEdge[node] = this.edges.length;
    this.nodeWatched.push(false);
    if (event >= 0) this.nodeOfEvent[event] = node;
    return node;
  }

  private frame(kind: FrameKind, event: number, node: number): void {
    if (event < this.opened) return;
    const at = this.frames.add();
    const columns = this.frames.in;
    if (node >= 0 && this.nodes.in.frame[node]! < 0) this.nodes.in.frame[node] = at;
    columns.kind[at] = kind;
    columns.event[at] = event;
    columns.node[at] = node;
  }

  private connect(from: number, to: number, port: number, kind: EdgeKind): void {
    const edge = this.edges.add();
    const columns = this.edges.in;
    columns.from[edge] = from;
    columns.to[edge] = to;
    columns.port[edge] = port;
    columns.kind[edge] = kind;
  }

  /** The node that stands for a tensor; made now if nothing on record made it. */
  nodeFor(tensor: number): number {
    const known = this.nodeOfTensor[tensor]!;
    if (known >= 0) return known;
    const role = this.recording.roles[tensor] as Role;
    const state = role === Role.State;
    const off = role === Role.OffTape ? NodeKind.Off : NodeKind.Constant;
    const node = this.add(state ? NodeKind.Variable : off, tensor, -1);
    this.nodeOfTensor[tensor] = node;
    if (state) {
      const { variable } = this.recording.tensor(tensor);
      this.nodeWatched[node] = this.watchedVariables.has(variable);
    }
    return node;
  }

  watched(index: number, tensor: number, variable: number): void {
    if (variable >= 0) this.watchedVariables.add(variable);
    const node = this.nodeFor(tensor);
    this.nodeWatched[node] = true;
    if (this.nodes.in.frame[node]! < 0) this.frame(FrameKind.Watch, index, node);
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
    const outputs = inputs + fields[start + 3]!;
    const end = starts[index + 1]!;
    const onTape = fields[start + 2] === Cause.OnTape;
    for (let at = inputs; at < outputs; at++) if (fields[at]! >= 0) this.nodeFor(fields[at]!);
    const made = outputs < end ? fields[outputs]! : -1;
    const node = this.add(onTape ? NodeKind.Op : NodeKind.Off, made, index);
    for (let at = inputs; at < outputs; at++) {
      if (fields[at]! < 0) continue;
      const from = this.nodeOfTensor[fields[at]!]!;
      this.connect(from, node, at - inputs, this.edgeKindFrom(from, onTape));
    }
    for (let at = outputs; at < end; at++) {
      if (fields[at]! >= 0) this.nodeOfTensor[fields[at]!] = node;
    }
    if (onTape) this.opCount++;
    this.frame(onTape ? FrameKind.Op : FrameKind.Off, index, node);
  }

  private edgeKindFrom(from: number, onTape: boolean): EdgeKind {
    if (onTape) return EdgeKind.Taped;
    const kind = this.nodes.in.kind[from];
    const fromTape = kind === NodeKind.Op || (kind === NodeKind.Variable && this.nodeWatched[from]);
    return fromTape ? EdgeKind.Cut : EdgeKind.Off;
  }

  left(index: number, tensor: number, result: number): void {
    if (this.nodeOfTensor[result]! >= 0) return;
    const from = this.nodeFor(tensor);
    const node = this.add(NodeKind.Off, result, index);
    this.nodeOfTensor[result] = node;
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
    const { nodes, edges, frames } = this;
    const firstEdge = new Int32Array(nodes.length + 1);
    firstEdge.set(nodes.column('firstEdge'));
    firstEdge[nodes.length] = edges.length;
    return {
      nodeCount: nodes.length,
      edgeCount: edges.length,
      frameCount: frames.length,
      opCount: this.opCount,
      nodeKind: nodes.column('kind'),
      nodeTensor: nodes.column('tensor'),
      nodeEvent: nodes.column('event'),
      nodeFrame: nodes.column('frame'),
      nodeWatched: this.nodeWatched,
      firstEdge,
      edgeFrom: edges.column('from'),
      edgeTo: edges.column('to'),
      edgePort: edges.column('port'),
      edgeKind: edges.column('kind'),
      frameKind: frames.column('kind'),
      frameEvent: frames.column('event'),
      frameNode: frames.column('node'),
      nodeOfTensor: this.nodeOfTensor,
      nodeOfEvent: this.nodeOfEvent,
      opened: this.opened,
    };
  }
}
