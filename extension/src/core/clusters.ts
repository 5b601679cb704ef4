/**
 * Where the nodes of open calls stand: side by side in layers of their own, and clear of what runs
 * past them, so that a box can be drawn around each call.
 */
import { linksOf } from './layers.js';
import type { Links } from './layers.js';

/** The innermost open call of each node, or -1, and the call around each; outer ones come first. */
export interface Clusters {
  readonly of: ArrayLike<number>;
  readonly parent: readonly number[];
}

/** The room that a box takes before and after its nodes, across the direction of running. */
const [BEFORE, AFTER] = [27, 9];
const BETWEEN = 14;

export function isWithin({ parent }: Clusters, cluster: number, outer: number): boolean {
  while (cluster > outer) cluster = parent[cluster]!;
  return cluster === outer;
}

/** For each call, the nodes outside whose values go into it. */
function inputsOf(clusters: Clusters, from: ArrayLike<number>, to: ArrayLike<number>) {
  const inputs = new Map<number, number[]>();
  for (let edge = 0; edge < from.length; edge++) {
    let cluster = clusters.of[to[edge]!]!;
    for (; cluster >= 0; cluster = clusters.parent[cluster]!) {
      if (isWithin(clusters, clusters.of[from[edge]!]!, cluster)) break;
      const nodes = inputs.get(cluster);
      if (nodes) nodes.push(from[edge]!);
      else inputs.set(cluster, [from[edge]!]);
    }
  }
  return inputs;
}

/** The layer of each node: what is in a call comes after all that the call is given. */
export function clusteredLayers(
  count: number,
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  clusters: Clusters,
): Int32Array {
  const before = linksOf(count, to, from);
  const inputs = inputsOf(clusters, from, to);
  const layer = new Int32Array(count);
  const first = new Map<number, number>();
  const isFed = (node: number): boolean => before.first[node + 1]! > before.first[node]!;
  const startOf = (cluster: number): number => {
    let start = first.get(cluster);
    if (start === undefined) {
      const fed = (inputs.get(cluster) ?? []).filter(isFed);
      start = fed.reduce((most, node) => Math.max(most, layer[node]! + 1), 0);
      first.set(cluster, start);
    }
    return start;
  };
  for (let node = 0; node < count; node++) {
    for (const input of membersOf(before, node)) {
      layer[node] = Math.max(layer[node]!, layer[input]! + 1);
    }
    let cluster = clusters.of[node]!;
    for (; cluster >= 0; cluster = clusters.parent[cluster]!) {
      layer[node] = Math.max(layer[node]!, startOf(cluster));
    }
  }
  const after = linksOf(count, from, to);
  for (let node = 0; node < count; node++) {
    const users = membersOf(after, node);
    if (isFed(node) || !users.length) continue;
    const nearest = users.reduce((least, user) => Math.min(least, layer[user]!), Infinity);
    if (nearest > 0) layer[node] = nearest - 1;
  }
  return layer;
}

function membersOf({ first, list }: Links, item: number): Int32Array {
  return list.subarray(first[item]!, first[item + 1]!);
}

/** What stands in the layers of a drawing: nodes first, then the stand-ins of long edges. */
export interface Standing {
  readonly layers: readonly (readonly number[])[];
  readonly layerOf: ArrayLike<number>;
  /** The middle of each item across the direction of running. */
  readonly across: Float64Array;
  readonly size: (item: number) => number;
  /** The nodes that an item stands for: itself, or the ends of edges. */
  readonly nodesOf: (item: number) => readonly number[];
}

/** Move what belongs to no part of a call out of the way of its box. */
export function clearBoxes(clusters: Clusters, count: number, standing: Standing): void {
  const { layers, layerOf, across, size, nodesOf } = standing;
  const members = new Map<number, number[]>();
  for (let node = 0; node < count; node++) {
    let cluster = clusters.of[node]!;
    for (; cluster >= 0; cluster = clusters.parent[cluster]!) {
      const nodes = members.get(cluster);
      if (nodes) nodes.push(node);
      else members.set(cluster, [node]);
    }
  }
  const standIns = layers.flatMap((items) => items.filter((item) => item >= count));
  const extents = new Map<number, readonly [number, number]>();
  // The inner ones first: what they push aside may make the outer ones larger.
  for (const [cluster, nodes] of [...members].sort(([a], [b]) => b - a)) {
    const isMember = (node: number): boolean => isWithin(clusters, clusters.of[node]!, cluster);
    const inside = [...extents].filter(([inner]) => isWithin(clusters, inner, cluster));
    const items = [...nodes, ...standIns.filter((item) => nodesOf(item).every(isMember))];
    const lows = items.map((item) => across[item]! - size(item) / 2);
    const highs = items.map((item) => across[item]! + size(item) / 2);
    const low = Math.min(...lows, ...inside.map(([, [from]]) => from)) - BEFORE;
    const high = Math.max(...highs, ...inside.map(([, [, to]]) => to)) + AFTER;
    extents.set(cluster, [low, high]);
    const within = nodes.map((node) => layerOf[node]!);
    for (let layer = Math.min(...within); layer <= Math.max(...within); layer++) {
      const isForeign = (item: number): boolean => !nodesOf(item).some(isMember);
      const [foreign, own] = [true, false].map((wanted) =>
        layers[layer]!.filter((item) => isForeign(item) === wanted).sort(
          (a, b) => across[a]! - across[b]!,
        ),
      ) as [number[], number[]];
      const isBefore = (item: number): boolean => across[item]! < (low + high) / 2;
      const [before, after] = [
        foreign.filter(isBefore).reverse(),
        foreign.filter((item) => !isBefore(item)),
      ];
      let limit = Math.min(low, ...own.map((item) => across[item]! - size(item) / 2)) - BETWEEN;
      for (const item of before) {
        across[item] = Math.min(across[item]!, limit - size(item) / 2);
        limit = across[item]! - size(item) / 2 - BETWEEN;
      }
      limit = Math.max(high, ...own.map((item) => across[item]! + size(item) / 2)) + BETWEEN;
      for (const item of after) {
        across[item] = Math.max(across[item]!, limit + size(item) / 2);
        limit = across[item]! + size(item) / 2 + BETWEEN;
      }
    }
  }
}
