import { foldsOf } from './foldbuilder.js';
import { FoldKind, foldName, hiddenBy, openAtFirst } from './folds.js';
import type { Folds } from './folds.js';
import { EdgeKind } from './graph.js';
import type { Graph } from './graph.js';
import type { Model } from './model.js';
import { count } from './numbers.js';
import { glyphOf, labelOf } from './stepstate.js';
import { Kind } from './schema.js';

/** The folds that are open; null until the learner opens or closes one. */
export type Open = ReadonlySet<number> | null;

/** A graph in which every closed fold is one node. */
export interface Folded {
  readonly folds: Folds;
  /** The node at each place: of a fold the last one on the tape, whose value goes on. */
  readonly nodes: Int32Array;
  /** The closed fold at each place, or -1. */
  readonly foldAt: Int32Array;
  /** One edge for all that lead from one place to another, where a fold is at an end. */
  readonly edges: Int32Array;
  /** How many edges each stands for. */
  readonly edgeCounts: Int32Array;
  readonly placeOfNode: Int32Array;
  /** The place of each edge in `edges`, or -1 inside a fold. */
  readonly placeOfEdge: Int32Array;
}

const known = new WeakMap<Graph, { folds: Folds; first: ReadonlySet<number> }>();

function foldable({ recording, graph }: Model): { folds: Folds; first: ReadonlySet<number> } {
  let found = known.get(graph);
  if (!found) {
    const folds = foldsOf(recording, graph);
    known.set(graph, (found = { folds, first: openAtFirst(folds) }));
  }
  return found;
}

export function foldsIn(model: Model): Folds {
  return foldable(model).folds;
}

export function opened(model: Model, open: Open): ReadonlySet<number> {
  return open ?? foldable(model).first;
}

let lastHidden: { folds: Folds; open: ReadonlySet<number>; hidden: Int32Array } | null = null;

/** For each fold the outermost closed one that hides it, or -1 where it is open. */
function hiddenIn(folds: Folds, open: ReadonlySet<number>): Int32Array {
  if (lastHidden?.folds !== folds || lastHidden.open !== open) {
    lastHidden = { folds, open, hidden: hiddenBy(folds, open) };
  }
  return lastHidden.hidden;
}

/** The closed fold that a node is hidden in, or -1. */
export function foldAround(model: Model, open: Open, node: number): number {
  const folds = foldsIn(model);
  const inner = folds.ofNode[node] ?? -1;
  return inner < 0 ? -1 : hiddenIn(folds, opened(model, open))[inner]!;
}

/** The node that stands for another in the picture: the last of a closed fold. */
export function shownFor(model: Model, open: Open, node: number): number {
  const fold = node < 0 ? -1 : foldAround(model, open, node);
  return fold < 0 ? node : foldsIn(model).last[fold]!;
}

/** The innermost open fold around what shows a node, or -1. */
export function openAround(model: Model, open: Open, node: number): number {
  const { parent, ofNode } = foldsIn(model);
  const closed = foldAround(model, open, node);
  return closed >= 0 ? parent[closed]! : (ofNode[node] ?? -1);
}

/** The open folds around what shows a node, the outermost first. */
export function openFoldsAround(model: Model, open: Open, node: number): number[] {
  const { parent } = foldsIn(model);
  const folds: number[] = [];
  for (let fold = openAround(model, open, node); fold >= 0; fold = parent[fold]!) {
    folds.unshift(fold);
  }
  return folds;
}

/** Draw together what is hidden in closed folds. */
export function foldedGraph(model: Model, open: Open): Folded {
  const { graph } = model;
  const folds = foldsIn(model);
  const placeOfNode = new Int32Array(graph.nodeCount);
  const places = new Int32Array(folds.kind.length).fill(-1);
  const hidden = hiddenIn(folds, opened(model, open));
  const [nodes, foldAt]: [number[], number[]] = [[], []];
  for (let node = 0; node < graph.nodeCount; node++) {
    const inner = folds.ofNode[node]!;
    const fold = inner < 0 ? -1 : hidden[inner]!;
    let place = fold < 0 ? -1 : places[fold]!;
    if (place < 0) {
      place = nodes.push(fold < 0 ? node : folds.last[fold]!) - 1;
      foldAt.push(fold);
      if (fold >= 0) places[fold] = place;
    }
    placeOfNode[node] = place;
  }
  return {
    folds,
    nodes: Int32Array.from(nodes),
    foldAt: Int32Array.from(foldAt),
    placeOfNode,
    ...foldedEdges(graph, placeOfNode, foldAt),
  };
}

function foldedEdges(graph: Graph, placeOfNode: Int32Array, foldAt: readonly number[]) {
  const { edgeFrom, edgeTo, edgeKind, edgeCount } = graph;
  const placeOfEdge = new Int32Array(edgeCount).fill(-1);
  const [edges, edgeCounts]: [number[], number[]] = [[], []];
  const merged = new Map<number, number>();
  for (let edge = 0; edge < edgeCount; edge++) {
    const from = placeOfNode[edgeFrom[edge]!]!;
    const to = placeOfNode[edgeTo[edge]!]!;
    if (from === to) continue;
    const key = from * foldAt.length + to;
    const ofFold = foldAt[from]! >= 0 || foldAt[to]! >= 0;
    let place = ofFold ? merged.get(key) : undefined;
    if (place === undefined) {
      place = edges.push(edge) - 1;
      edgeCounts.push(0);
      if (ofFold) merged.set(key, place);
    } else if (edgeKind[edge] === EdgeKind.Cut) edges[place] = edge;
    placeOfEdge[edge] = place;
    edgeCounts[place]!++;
  }
  return { placeOfEdge, edges: Int32Array.from(edges), edgeCounts: Int32Array.from(edgeCounts) };
}

/** What the title of a node says. */
export interface Face {
  readonly label: string;
  /** The op's glyph, or how much is folded here. */
  readonly glyph: string;
  /** What stands in the upper right corner: which iterations these are, or how a value left. */
  readonly corner: string;
}

const HOW_LONG = 12;

/** How a value left the tape, such as `np.mean`. */
function wayOut(model: Model, node: number): string {
  const event = model.graph.nodeEvent[node]!;
  const left = event < 0 ? null : model.recording.event(event);
  return left?.kind === Kind.Left ? left.how.slice(0, HOW_LONG) : '';
}

export function isLoop(folds: Folds, fold: number): boolean {
  return folds.kind[fold] === FoldKind.Loop || folds.kind[fold] === FoldKind.Range;
}

/** The title of a node, or of a closed fold. */
export function faceOf(model: Model, node: number, folds: Folds | null, fold: number): Face {
  if (!folds || fold < 0) {
    return {
      label: labelOf(model, node),
      glyph: glyphOf(model, node),
      corner: wayOut(model, node),
    };
  }
  const size = folds.size[fold]!;
  const iteration = folds.iteration[fold]!;
  const many = isLoop(folds, fold);
  const until = folds.kind[fold] === FoldKind.Range ? `–${iteration + size - 1}` : '';
  return {
    label: foldName(model, folds, fold),
    glyph: many ? `×${size}` : count(size, 'op'),
    corner: iteration ? `${iteration}${until}` : '',
  };
}

/** Which iteration of a loop a node belongs to, and the node it ends with; null outside. */
export function iterationOf(
  { nodeEvent }: Graph,
  folds: Folds,
  loop: number,
  node: number,
): { node: number; iteration: number } | null {
  const { kind, parent, iteration, last, first, ofNode } = folds;
  let found = -1;
  let fold = ofNode[node] ?? -1;
  for (; fold > loop; fold = parent[fold]!) {
    if (iteration[fold] && kind[fold] !== FoldKind.Range) found = fold;
  }
  if (fold !== loop) return null;
  if (found >= 0) return { node: last[found]!, iteration: iteration[found]! };
  const inner = ofNode[node]!;
  let at = iteration[inner] || 1;
  for (let before = first[inner]!; before < node; before++) if (nodeEvent[before]! >= 0) at++;
  return { node, iteration: at };
}
