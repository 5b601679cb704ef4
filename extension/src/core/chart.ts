import type { Clusters } from './clusters.js';
import { layOut, PER_ROW } from './layout.js';
import type { Direction, Layout } from './layout.js';
import type { Model } from './model.js';
import { faceOf } from './folded.js';
import type { Face, Folded } from './folded.js';
import { NodeKind } from './graph.js';
import { assignLayers, linksOf, splitLayers } from './layers.js';
import type { Links } from './layers.js';
import { cells } from './text.js';
import { drawRoute, plusAt } from './routes.js';
import type { Junction, Route, Point, Ports } from './routes.js';

/** How much a node says: maps, all rows with words, all rows without, or its title and its slot. */
export type Detail = 'maps' | 'full' | 'plain' | 'title';

/** A laid-out part of the graph. Positions are by place in `nodes`, not by number of the node. */
export interface Chart {
  readonly nodes: ArrayLike<number>;
  readonly edges: ArrayLike<number>;
  readonly layout: Layout;
  readonly detail: Detail;
  readonly ports: Ports;
  /** What is folded here, or null where nothing is. */
  readonly folded: Folded | null;
  /** The place of a node in `nodes`, or -1. */
  placeOf(node: number): number;
  /** The place of an edge in `edges`, or -1. */
  placeOfEdge(edge: number): number;
  /** The closed fold at a place, or -1. */
  foldAt(place: number): number;
  faceOf(place: number): Face;
  /** How many edges of the graph an edge in `edges` stands for. */
  edgeCount(edge: number): number;
  widthOf(place: number): number;
  /** The places in `edges` that touch a node, by its place. */
  edgesInto(place: number): ArrayLike<number>;
  edgesFrom(place: number): ArrayLike<number>;
  ends(edge: number): { from: number; to: number };
  /** A lane of an edge, as seen from `origin`. */
  route(edge: number, back: boolean, meets: boolean, origin?: Point): Route;
  plus(place: number): Point;
}

/** The most nodes of a graph that is drawn whole; of a larger one the camera sees a part. */
export const WHOLE_GRAPH = 300;
const NODE_WIDTH = 136;
/** What the learner named is never cut short for its width; a piece of code may be. */
const WIDEST = { named: 420, code: 240 } as const;
/** Where the graph turns downwards there is less room, above all for two beside each other. */
const WIDEST_DOWN = { named: 210, code: 150 } as const;
const WIDEST_ALONE = { named: 300, code: 300 } as const;
export const PORTS: Readonly<Record<Detail, Ports>> = {
  maps: { height: 116, valueY: 51, gradientY: 94 },
  full: { height: 78, valueY: 39, gradientY: 61 },
  plain: { height: 78, valueY: 39, gradientY: 61 },
  title: { height: 54, valueY: 16, gradientY: 39 },
};
const GAPS: Readonly<Record<Detail, { layerGap: number; besideGap: number }>> = {
  maps: { layerGap: 100, besideGap: 40 },
  full: { layerGap: 116, besideGap: 102 },
  plain: { layerGap: 100, besideGap: 64 },
  title: { layerGap: 84, besideGap: 46 },
};
const DOWN_GAPS = { layerGap: 84, besideGap: 36 };

/** Of so many nodes the cards may be tall enough for maps that can be read. */
const MAPPED = 24;

/** Whether the numbers of a matrix are there to be drawn. */
function hasMap({ graph, recording }: Model, node: number): boolean {
  const tensor = graph.nodeTensor[node]!;
  if (tensor < 0) return false;
  const { shape, values } = recording.tensor(tensor);
  return shape.length > 1 && (!!values || recording.looks.tensors.includes(tensor));
}

function detailFor(model: Model, nodes: ArrayLike<number>): Detail {
  const count = nodes.length;
  if (count <= MAPPED && Array.from(nodes).some((node) => hasMap(model, node))) return 'maps';
  return count > 60 ? 'title' : count > 12 ? 'plain' : 'full';
}

/** What to lay out, and how tightly; all of the graph, loosely, if nothing is said. */
export interface ChartOptions {
  readonly wanted?: ReadonlySet<number>;
  readonly narrowest?: number;
  readonly layerGap?: (layer: number) => number;
  readonly folded?: Folded;
}

/** The width of an op's pill. */
export function pillWidth(glyph: string): number {
  return glyph ? Math.max(20, [...glyph].length * 7 + 10) : 0;
}

/** The width of a letter in a title. */
export const LETTER = 7.55;
const SMALL_LETTER = 6.2;
/** A chart of more nodes does without measuring each title. */
const MEASURED = 20_000;

/** The room of what stands in the upper right corner. */
export function cornerWidth(corner: string): number {
  return corner ? cells(corner) * SMALL_LETTER + 8 : 0;
}

function titleWidth(model: Model, node: number, face: Face): number {
  const head = face.glyph ? 16 + pillWidth(face.glyph) : 12;
  const eye = model.graph.nodeKind[node] === NodeKind.Variable ? 22 : 0;
  return head + Math.ceil(cells(face.label) * LETTER) + eye + cornerWidth(face.corner) + 12;
}

/** Wide enough for the title, within reason. */
function widthFor(
  model: Model,
  node: number,
  face: Face,
  narrowest: number,
  limits: Readonly<Record<'named' | 'code', number>>,
): number {
  const tensor = model.graph.nodeTensor[node]!;
  const named = tensor >= 0 && model.recording.tensor(tensor).named;
  const widest = limits[named ? 'named' : 'code'];
  return Math.round(Math.max(narrowest, Math.min(widest, titleWidth(model, node, face))));
}

const range = (count: number): Int32Array => new Int32Array(count).map((_, at) => at);

function wholeGraph(model: Model): { nodes: Int32Array; edges: Int32Array } {
  return { nodes: range(model.graph.nodeCount), edges: range(model.graph.edgeCount) };
}

function partOfGraph(
  model: Model,
  wanted: ReadonlySet<number>,
): { nodes: Int32Array; edges: Int32Array } {
  const { edgeFrom, edgeTo } = model.graph;
  const edges: number[] = [];
  for (let edge = 0; edge < model.graph.edgeCount; edge++) {
    if (wanted.has(edgeFrom[edge]!) && wanted.has(edgeTo[edge]!)) edges.push(edge);
  }
  edges.sort((a, b) => edgeTo[a]! - edgeTo[b]!);
  return {
    nodes: Int32Array.from([...wanted].sort((a, b) => a - b)),
    edges: Int32Array.from(edges),
  };
}

/** Where nodes and edges stand in a chart. */
function placesOf(
  nodes: Int32Array,
  edges: Int32Array,
  partial: boolean,
  folded: Folded | null,
): Pick<Chart, 'placeOf' | 'placeOfEdge'> {
  if (folded) {
    return {
      placeOf: (node) => folded.placeOfNode[node] ?? -1,
      placeOfEdge: (edge) => folded.placeOfEdge[edge] ?? -1,
    };
  }
  if (!partial) {
    return {
      placeOf: (node) => (node < nodes.length ? node : -1),
      placeOfEdge: (edge) => (edge < edges.length ? edge : -1),
    };
  }
  const places = new Map(Array.from(nodes, (node, place) => [node, place]));
  return {
    placeOf: (node) => places.get(node) ?? -1,
    placeOfEdge: (edge) => edges.indexOf(edge),
  };
}

/** Rank the edges of each node by where they come from or go to, so that lanes do not cross. */
function ranked(groups: Links, key: (edge: number) => number): Int32Array {
  const rank = new Int32Array(groups.list.length);
  for (let node = 0; node + 1 < groups.first.length; node++) {
    if (groups.first[node + 1]! - groups.first[node]! < 2) continue;
    const members = groups.list.subarray(groups.first[node]!, groups.first[node + 1]!);
    members.sort((a, b) => key(a) - key(b) || a - b);
    members.forEach((edge, at) => (rank[edge] = at));
  }
  return rank;
}

/** Which nodes of a graph that turns downwards have a row for themselves. */
function aloneIn(count: number, from: Int32Array, to: Int32Array): (place: number) => boolean {
  const rows = splitLayers(assignLayers(count, from, to), PER_ROW);
  const sizes = new Int32Array(count + 1);
  for (const row of rows) sizes[row]!++;
  return (place) => sizes[rows[place]!] === 1;
}

/** What stands in open folds: only a graph that is drawn whole has boxes around them. */
function clustersOf({ folds, nodes, foldAt }: Folded): Clusters | null {
  const of = nodes.map((node, place) => {
    const closed = foldAt[place]!;
    return closed >= 0 ? folds.parent[closed]! : folds.ofNode[node]!;
  });
  return of.some((fold) => fold >= 0) ? { of, parent: folds.parent } : null;
}

/** Lay out the graph of a recording, or a part of it. */
export function chartOf(model: Model, direction: Direction, options: ChartOptions = {}): Chart {
  const { wanted, narrowest = NODE_WIDTH, folded = null } = options;
  const { nodes, edges } = folded ?? (wanted ? partOfGraph(model, wanted) : wholeGraph(model));
  const detail = detailFor(model, nodes);
  const { placeOf, placeOfEdge } = placesOf(nodes, edges, wanted !== undefined, folded);
  const foldAt = (place: number): number => folded?.foldAt[place] ?? -1;
  const face = (place: number): Face =>
    faceOf(model, nodes[place]!, folded?.folds ?? null, foldAt(place));
  const from = edges.map((edge) => placeOf(model.graph.edgeFrom[edge]!));
  const to = edges.map((edge) => placeOf(model.graph.edgeTo[edge]!));
  const alone = direction === 'down' ? aloneIn(nodes.length, from, to) : null;
  const limitsFor = (place: number): Readonly<Record<'named' | 'code', number>> =>
    !alone ? WIDEST : alone(place) ? WIDEST_ALONE : WIDEST_DOWN;
  const widths =
    nodes.length > MEASURED
      ? null
      : Float64Array.from(nodes, (node, place) =>
          widthFor(model, node, face(place), narrowest, limitsFor(place)),
        );
  const widthOf = (place: number): number => widths?.[place] ?? NODE_WIDTH;
  const ports = PORTS[detail];
  const { layerGap, besideGap } = direction === 'down' ? DOWN_GAPS : GAPS[detail];
  const net = { count: nodes.length, from, to };
  const layout = layOut(net, {
    direction,
    height: ports.height,
    width: widthOf,
    layerGap: options.layerGap ?? (() => layerGap),
    besideGap,
    clusters: folded && nodes.length <= WHOLE_GRAPH ? clustersOf(folded) : null,
  });
  return {
    nodes,
    edges,
    layout,
    detail,
    ports,
    folded,
    placeOf,
    placeOfEdge,
    foldAt,
    faceOf: face,
    edgeCount: (edge) => folded?.edgeCounts[edge] ?? 1,
    widthOf,
    ...connections(layout, ports, widthOf, net.count, from, to),
  };
}

function connections(
  layout: Layout,
  ports: Ports,
  widthOf: (place: number) => number,
  count: number,
  from: Int32Array,
  to: Int32Array,
): Pick<Chart, 'edgesInto' | 'edgesFrom' | 'ends' | 'route' | 'plus'> {
  const across = layout.direction === 'down' ? layout.x : layout.y;
  const lastBend = (edge: number, node: number): number =>
    layout.bypasses.has(edge) ? -1 : (layout.bends.get(edge)?.at(-1)?.across ?? across[node]!);
  const firstBend = (edge: number, node: number): number =>
    layout.bends.get(edge)?.[0]?.across ?? across[node]!;
  const into = linksOf(count, to, range(to.length));
  const outOf = linksOf(count, from, range(from.length));
  const port = ranked(into, (edge) => lastBend(edge, from[edge]!));
  const exit = ranked(outOf, (edge) => firstBend(edge, to[edge]!));
  const size = (groups: Links, node: number): number =>
    groups.first[node + 1]! - groups.first[node]!;
  const members = (groups: Links, node: number): Int32Array =>
    groups.list.subarray(groups.first[node]!, groups.first[node + 1]!);
  return {
    edgesInto: (place) => members(into, place),
    edgesFrom: (place) => members(outOf, place),
    ends: (edge) => ({ from: from[edge]!, to: to[edge]! }),
    plus: (place) => plusAt(layout, widthOf, ports, place),
    route: (edge, back, meets, origin = [0, 0]) => {
      const ends = { edge, from: from[edge]!, to: to[edge]! };
      const junction: Junction = {
        port: port[edge]!,
        ports: size(into, ends.to),
        exit: exit[edge]!,
        exits: size(outOf, ends.from),
        meets,
      };
      return drawRoute(layout, widthOf, ports, ends, junction, back, origin);
    },
  };
}
