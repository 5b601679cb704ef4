import { FoldKind } from './folds.js';
import type { Folds } from './folds.js';
import { NodeKind } from './graph.js';
import type { Graph } from './graph.js';
import type { Recording } from './recording.js';
import { LEAST } from './repeats.js';

/** Takes what was there without running into the fold in which alone it is used. */
export class InputFolder {
  constructor(
    private readonly recording: Recording,
    private readonly graph: Graph,
    private readonly folds: Folds,
  ) {}

  all(): void {
    const { edgeFrom, edgeTo, edgeCount, nodeCount, nodeEvent, nodeKind } = this.graph;
    const { ofNode } = this.folds;
    const user = new Int32Array(nodeCount).fill(-1);
    const often = new Uint8Array(nodeCount);
    for (let edge = 0; edge < edgeCount; edge++) {
      const node = edgeFrom[edge]!;
      if (nodeEvent[node]! >= 0) continue;
      const to = edgeTo[edge]!;
      const before = user[node]!;
      ofNode[node] = before < 0 ? ofNode[to]! : this.around(ofNode[node]!, ofNode[to]!);
      if (before >= 0 && before !== to) often[node] = 1;
      user[node] = to;
    }
    const own = new Map<number, number[]>();
    for (let node = 0; node < nodeCount; node++) {
      if (user[node]! < 0 || !this.isTheLearners(node)) continue;
      const home = nodeKind[node] === NodeKind.Variable ? this.home(ofNode[node]!) : -1;
      if (home >= 0) {
        ofNode[node] = home;
        continue;
      }
      const fold = this.inOneIteration(ofNode[node]!, !often[node]);
      ofNode[node] = fold;
      const loop = this.loopAround(fold);
      const others = own.get(loop);
      if (others) others.push(node);
      else own.set(loop, [node]);
    }
    for (const [loop, nodes] of own) {
      if (loop < 0 || nodes.length < LEAST) for (const node of nodes) ofNode[node] = -1;
    }
  }

  /** The innermost fold around both; outer folds have smaller numbers. */
  private around(a: number, b: number): number {
    const { parent } = this.folds;
    while (a !== b) {
      if (a > b) a = parent[a]!;
      else b = parent[b]!;
    }
    return a;
  }

  /** The module or the function in which alone a variable is used; -1 for none. */
  private home(fold: number): number {
    const { kind, parent, group, groups } = this.folds;
    const isHome = (at: number): boolean =>
      kind[at] === FoldKind.Stretch || !!groups[group[at]!]?.kind;
    while (fold >= 0 && !isHome(fold)) fold = parent[fold]!;
    return fold;
  }

  private loopAround(fold: number): number {
    const { kind, parent } = this.folds;
    while (fold >= 0 && kind[fold] !== FoldKind.Loop) fold = parent[fold]!;
    return fold;
  }

  private isTheLearners(node: number): boolean {
    const { nodeKind, nodeWatched, nodeTensor } = this.graph;
    return (
      nodeKind[node] === NodeKind.Variable ||
      nodeWatched[node]! ||
      this.recording.named[nodeTensor[node]!] === 1
    );
  }

  /** Where the one iteration stands that uses what the learner made; -1 if several do. */
  private inOneIteration(fold: number, once: boolean): number {
    const { kind, parent, iteration } = this.folds;
    const many = (at: number): boolean => kind[at] === FoldKind.Loop || kind[at] === FoldKind.Range;
    if (once && fold >= 0 && many(fold)) return fold;
    while (fold >= 0 && (!iteration[fold] || kind[fold] === FoldKind.Range)) fold = parent[fold]!;
    return fold < 0 || kind[fold] === FoldKind.Iteration ? fold : parent[fold]!;
  }
}
