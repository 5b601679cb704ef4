import { clearBoxes, clusteredLayers } from './clusters.js';
import type { Clusters } from './clusters.js';
import {
  assignLayers,
  groupByLayer,
  linksOf,
  placeItems,
  reduceCrossings,
  splitLayers,
} from './layers.js';

export type Direction = 'right' | 'down';

/** What to lay out: nodes in the order of running, edges from earlier to later nodes. */
export interface Net {
  readonly count: number;
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
}

export interface Measures {
  readonly direction: Direction;
  readonly height: number;
  /** The width of a node; all alike where the graph turns downwards. */
  readonly width: (node: number) => number;
  /** The room between a layer and the one before it. */
  readonly layerGap: (layer: number) => number;
  readonly besideGap: number;
  /** What is to stand together, each in a box. */
  readonly clusters?: Clusters | null;
}

/** A place where a long edge crosses a layer it does not stop at. */
export interface Bend {
  readonly layer: number;
  readonly across: number;
}

export interface Layout {
  readonly direction: Direction;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly width: number;
  readonly height: number;
  readonly layerOf: Int32Array;
  /** Where each layer begins and ends along the direction of running. */
  readonly layerStart: Float64Array;
  readonly layerEnd: Float64Array;
  readonly layers: readonly (readonly number[])[];
  readonly bends: ReadonlyMap<number, readonly Bend[]>;
  /** For a very long edge, the bypass beside the graph that it takes. */
  readonly bypasses: ReadonlyMap<number, number>;
}

/** So many nodes stand beside each other at most, where the graph turns downwards. */
export const PER_ROW = 2;
const BYPASS_GAP = 34;
const BEND_ROOM = 30;

interface Items {
  readonly count: number;
  readonly layer: Int32Array;
  readonly from: number[];
  readonly to: number[];
  /** The first stand-in of each long edge; its others follow. */
  readonly bendsOf: Map<number, number[]>;
  readonly far: number[];
}

/**
 * Give every edge a stand-in in each layer it crosses, except where it crosses too many. Edges
 * from the same node share theirs: they run as one until they part.
 */
function withStandIns(net: Net, layer: Int32Array, reach: number): Items {
  const layers = Array.from(layer);
  const [from, to, far]: [number[], number[], number[]] = [[], [], []];
  const bendsOf = new Map<number, number[]>();
  const shared = new Map<number, number[]>();
  for (let edge = 0; edge < net.from.length; edge++) {
    const [start, end] = [net.from[edge]!, net.to[edge]!];
    const crossed = layer[end]! - layer[start]! - 1;
    if (crossed >= reach) {
      far.push(edge);
      continue;
    }
    const standIns = shared.get(start) ?? [];
    while (standIns.length < crossed) {
      from.push(standIns.at(-1) ?? start);
      standIns.push(layers.push(layer[start]! + standIns.length + 1) - 1);
      to.push(standIns.at(-1)!);
    }
    from.push(standIns[crossed - 1] ?? start);
    to.push(end);
    if (!crossed) continue;
    shared.set(start, standIns);
    bendsOf.set(edge, standIns.slice(0, crossed));
  }
  return { count: layers.length, layer: Int32Array.from(layers), from, to, bendsOf, far };
}

/** The nodes at the ends of the edges that each stand-in stands for. */
function endsOf(net: Net, { bendsOf }: Items): Map<number, number[]> {
  const ends = new Map<number, number[]>();
  for (const [edge, standIns] of bendsOf) {
    for (const item of standIns) {
      ends.set(item, [...(ends.get(item) ?? [net.from[edge]!]), net.to[edge]!]);
    }
  }
  return ends;
}

function reachFor(net: Net): number {
  return net.count > 20_000 ? 3 : net.count > 400 ? 8 : 16;
}

/** One lane per far-reaching node; nodes whose spans do not overlap share one. */
function assignBypasses(net: Net, layer: Int32Array, far: readonly number[]): Map<number, number> {
  const reaches = new Map<number, number>();
  for (const edge of far) {
    const end = layer[net.to[edge]!]!;
    reaches.set(net.from[edge]!, Math.max(end, reaches.get(net.from[edge]!) ?? 0));
  }
  const sources = [...reaches.keys()].sort((a, b) => layer[a]! - layer[b]!);
  const ends: number[] = [];
  const bypassOf = new Map<number, number>();
  for (const source of sources) {
    const free = ends.findIndex((end) => end < layer[source]!);
    const bypass = free >= 0 ? free : Math.min(ends.length, 40);
    ends[bypass] = reaches.get(source)!;
    bypassOf.set(source, bypass);
  }
  return new Map(far.map((edge) => [edge, bypassOf.get(net.from[edge]!)!]));
}

/** Lay out a graph in layers; a node's layer is the number of ops that lead to it. */
export function layOut(net: Net, measures: Measures): Layout {
  const { direction, height } = measures;
  const down = direction === 'down';
  const clusters = down ? null : measures.clusters;
  const raw = clusters
    ? clusteredLayers(net.count, net.from, net.to, clusters)
    : assignLayers(net.count, net.from, net.to);
  const layer = down ? splitLayers(raw, PER_ROW) : raw;
  const items = withStandIns(net, layer, reachFor(net));
  const layers = groupByLayer(items.layer);
  const before = linksOf(items.count, items.to, items.from);
  const after = linksOf(items.count, items.from, items.to);
  reduceCrossings(layers, items.count, before, after);
  const sizeAcross = (node: number): number => (down ? measures.width(node) : height);
  const room = (item: number): number => (item < net.count ? sizeAcross(item) : BEND_ROOM);
  const gap = (a: number, b: number): number => {
    const both = a < net.count && b < net.count;
    return (room(a) + room(b)) / 2 + (both ? measures.besideGap : measures.besideGap / 3);
  };
  const across = placeItems(layers, net.count, items.count, before, after, gap);
  if (clusters) {
    const ends = endsOf(net, items);
    clearBoxes(clusters, net.count, {
      layers,
      layerOf: items.layer,
      across,
      size: room,
      nodesOf: (item) => ends.get(item) ?? [item],
    });
  }
  const bypasses = assignBypasses(net, layer, items.far);
  return finish(net, measures, items, layers, across, bypasses);
}

function layerSpans(net: Net, measures: Measures, layers: readonly number[][]) {
  const start = new Float64Array(layers.length);
  const end = new Float64Array(layers.length);
  let at = 0;
  layers.forEach((members, layer) => {
    if (layer) at += measures.layerGap(layer);
    start[layer] = at;
    let size = measures.direction === 'down' ? measures.height : 0;
    if (measures.direction === 'right') {
      for (const item of members) if (item < net.count) size = Math.max(size, measures.width(item));
    }
    end[layer] = at + size;
    at += size;
  });
  return { start, end };
}

function finish(
  net: Net,
  measures: Measures,
  items: Items,
  layers: readonly number[][],
  across: Float64Array,
  bypasses: ReadonlyMap<number, number>,
): Layout {
  const down = measures.direction === 'down';
  const { start, end } = layerSpans(net, measures, layers);
  const half = (item: number): number =>
    item >= net.count ? BEND_ROOM / 2 : (down ? measures.width(item) : measures.height) / 2;
  let [low, high] = [Infinity, -Infinity];
  for (let item = 0; item < items.count; item++) {
    low = Math.min(low, across[item]! - half(item));
    high = Math.max(high, across[item]! + half(item));
  }
  const bypassCount = [...bypasses.values()].reduce(
    (most, bypass) => Math.max(most, bypass + 1),
    0,
  );
  const shift = bypassCount * BYPASS_GAP - (items.count ? low : 0);
  const along = new Float64Array(net.count);
  const beside = new Float64Array(net.count);
  for (let node = 0; node < net.count; node++) {
    along[node] = start[items.layer[node]!]!;
    beside[node] = across[node]! - half(node) + shift;
  }
  const bends = new Map<number, Bend[]>();
  for (const [edge, standIns] of items.bendsOf) {
    const bendAt = (item: number): Bend => ({
      layer: items.layer[item]!,
      across: across[item]! + shift,
    });
    bends.set(edge, standIns.map(bendAt));
  }
  const length = end.at(-1) ?? 0;
  const breadth = items.count ? high + shift : 0;
  return {
    direction: measures.direction,
    x: down ? beside : along,
    y: down ? along : beside,
    width: down ? breadth : length,
    height: down ? length : breadth,
    layerOf: items.layer.slice(0, net.count),
    layerStart: start,
    layerEnd: end,
    layers: layers.map((members) => members.filter((item) => item < net.count)),
    bends,
    bypasses: new Map(
      [...bypasses].map(([edge, bypass]) => [edge, (bypassCount - bypass - 0.5) * BYPASS_GAP - 12]),
    ),
  };
}
