import type { Graph } from './graph.js';
import { NodeKind } from './graph.js';
import type { Recording } from './recording.js';
import { Kind } from './schema.js';
import type { GroupInfo } from './schema.js';

/** The calls in which the nodes of a graph ran, and the blocks of other tapes among them. */
export interface Groups {
  readonly rows: readonly GroupInfo[];
  /** The innermost group of each node, or -1. */
  readonly ofNode: Int32Array;
}

/** Takes the blocks of other tapes in among the groups of a recording. */
class GroupTable implements Groups {
  readonly rows: GroupInfo[];
  readonly ofNode: Int32Array;
  /** The nodes that ran, in this order. */
  private readonly ran: number[] = [];

  constructor(
    recording: Recording,
    private readonly graph: Graph,
  ) {
    const { kinds, fields, starts, header } = recording;
    this.rows = [...header.groups];
    this.ofNode = new Int32Array(graph.nodeCount).fill(-1);
    for (let node = 0; node < graph.nodeCount; node++) {
      const event = graph.nodeEvent[node]!;
      if (event >= 0) this.ran.push(node);
      if (kinds[event] === Kind.Ran) this.ofNode[node] = fields[starts[event]! + 1]!;
    }
    for (const { name, opened, closed } of header.nested ?? []) {
      this.enclose(name, opened, closed < 0 ? recording.eventCount : closed);
    }
  }

  /** The groups around a node, the outermost first. */
  private path(node: number): number[] {
    const path: number[] = [];
    for (let at = this.ofNode[node]!; at >= 0; at = this.rows[at]!.parent) path.unshift(at);
    return path;
  }

  /** Make a group of what ran in the block of another tape, unless it cuts through a call. */
  private enclose(name: string, opened: number, closed: number): void {
    const { nodeEvent, nodeKind, opCount } = this.graph;
    const from = this.ran.findIndex((node) => nodeEvent[node]! >= opened);
    const until = this.ran.findIndex((node) => nodeEvent[node]! >= closed);
    const to = until < 0 ? this.ran.length : until;
    const inside = from < 0 ? [] : this.ran.slice(from, to);
    const ops = inside.filter((node) => nodeKind[node] === NodeKind.Op).length;
    if (inside.length < 2 || ops === opCount) return;
    const [before, after] = [this.ran[from - 1] ?? -1, this.ran[to] ?? -1];
    const first = this.path(inside[0]!);
    let depth = first.length;
    for (const node of inside) {
      const path = this.path(node);
      while (depth && path[depth - 1] !== first[depth - 1]) depth--;
    }
    const cut = (outer: number, inner: number): boolean =>
      outer >= 0 && (this.path(outer)[depth] ?? -1) === (this.path(inner)[depth] ?? -2);
    if (cut(before, inside[0]!) || cut(after, inside.at(-1)!)) return;
    const around = first[depth - 1] ?? -1;
    const block = this.rows.push({ name, parent: around, span: -1, kind: 'tape' }) - 1;
    for (const node of inside) {
      const child = this.path(node)[depth];
      if (child === undefined) this.ofNode[node] = block;
      else if (child !== block) this.rows[child] = { ...this.rows[child]!, parent: block };
    }
  }
}

/** The groups of a recording, each block of another tape as one of them. */
export function groupsOf(recording: Recording, graph: Graph): Groups {
  return new GroupTable(recording, graph);
}
