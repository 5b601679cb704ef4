/** Layered drawing, the abstract part: layers, order within a layer, place along it. No recursion. */

export interface Links {
  /** Neighbours of an item: list[first[i]] up to list[first[i + 1]]. */
  readonly first: Int32Array;
  readonly list: Int32Array;
}

export function linksOf(count: number, from: ArrayLike<number>, to: ArrayLike<number>): Links {
  const first = new Int32Array(count + 1);
  for (let at = 0; at < from.length; at++) first[from[at]! + 1]!++;
  for (let item = 0; item < count; item++) first[item + 1]! += first[item]!;
  const next = first.slice();
  const list = new Int32Array(from.length);
  for (let at = 0; at < from.length; at++) list[next[from[at]!]!++] = to[at]!;
  return { first, list };
}

/** The layer of each node; what nothing feeds moves next to the first that uses it. */
export function assignLayers(
  count: number,
  from: ArrayLike<number>,
  to: ArrayLike<number>,
): Int32Array {
  const layer = new Int32Array(count);
  const nearest = new Int32Array(count).fill(-1);
  const fed = new Uint8Array(count);
  for (let edge = 0; edge < from.length; edge++) {
    fed[to[edge]!] = 1;
    layer[to[edge]!] = Math.max(layer[to[edge]!]!, layer[from[edge]!]! + 1);
  }
  for (let edge = 0; edge < from.length; edge++) {
    const source = from[edge]!;
    const target = layer[to[edge]!]!;
    if (nearest[source]! < 0 || target < nearest[source]!) nearest[source] = target;
  }
  for (let node = 0; node < count; node++) {
    if (!fed[node] && nearest[node]! > 0) layer[node] = nearest[node]! - 1;
  }
  return layer;
}

/** Break layers that hold more than `limit` nodes into several, one after the other. */
export function splitLayers(layer: Int32Array, limit: number): Int32Array {
  const sizes = new Int32Array(layer.reduce((most, at) => Math.max(most, at), 0) + 1);
  for (const at of layer) sizes[at]!++;
  const base = new Int32Array(sizes.length);
  for (let at = 1; at < sizes.length; at++) {
    base[at] = base[at - 1]! + Math.ceil(sizes[at - 1]! / limit);
  }
  const seen = new Int32Array(sizes.length);
  return layer.map((at) => base[at]! + Math.floor(seen[at]!++ / limit));
}

export function groupByLayer(layer: ArrayLike<number>): number[][] {
  const groups: number[][] = [];
  for (let item = 0; item < layer.length; item++) {
    while (groups.length <= layer[item]!) groups.push([]);
    groups[layer[item]!]!.push(item);
  }
  return groups;
}

function sortLayer(items: number[], links: Links, rank: Float64Array, place: Int32Array): void {
  for (const item of items) {
    const [start, end] = [links.first[item]!, links.first[item + 1]!];
    let sum = 0;
    for (let at = start; at < end; at++) sum += place[links.list[at]!]!;
    rank[item] = end > start ? sum / (end - start) : place[item]!;
  }
  items.sort((a, b) => rank[a]! - rank[b]! || place[a]! - place[b]!);
  items.forEach((item, at) => (place[item] = at));
}

/** How many lines of two items of a layer cross, if the one stands before the other. */
function crossed(links: Links, place: Int32Array, one: number, other: number): number {
  let found = 0;
  for (let a = links.first[one]!; a < links.first[one + 1]!; a++) {
    for (let b = links.first[other]!; b < links.first[other + 1]!; b++) {
      if (place[links.list[a]!]! > place[links.list[b]!]!) found++;
    }
  }
  return found;
}

function crossingsOf(layers: readonly number[][], before: Links, place: Int32Array): number {
  let found = 0;
  for (const items of layers) {
    for (let a = 0; a < items.length; a++) {
      for (let b = a + 1; b < items.length; b++) {
        found += crossed(before, place, items[a]!, items[b]!);
      }
    }
  }
  return found;
}

/** Swap neighbours in a layer as long as fewer lines cross after that. */
function swapNeighbours(items: number[], sides: readonly Links[], place: Int32Array): void {
  for (let better = true; better;) {
    better = false;
    for (let at = 1; at < items.length; at++) {
      const [one, other] = [items[at - 1]!, items[at]!];
      const gained = sides.reduce(
        (sum, links) => sum + crossed(links, place, one, other) - crossed(links, place, other, one),
        0,
      );
      if (gained <= 0) continue;
      [items[at - 1], items[at]] = [other, one];
      [place[one], place[other]] = [at, at - 1];
      better = true;
    }
  }
}

/** So many rounds are tried on graphs up to a size; larger ones get fewer, and no swaps. */
const ROUNDS = 12;
const ENOUGH = 4;
/** Small graphs are sorted again from so many other initial orders. */
const RESTARTS = 10;
const SMALL = 600;
const LARGE = 5000;

/** Reorder each layer so that few lines cross: every item near the middle of its neighbours. */
export function reduceCrossings(
  layers: number[][],
  count: number,
  before: Links,
  after: Links,
): void {
  const rank = new Float64Array(count);
  const place = new Int32Array(count);
  for (const items of layers) items.forEach((item, at) => (place[item] = at));
  const several = layers.filter((items) => items.length > 1);
  const small = count <= SMALL;
  let [best, fewest] = [layers, Infinity];
  const sweep = (down: boolean, swap: boolean): void => {
    const links = down ? before : after;
    for (let at = 0; at < several.length; at++) {
      const items = several[down ? at : several.length - 1 - at]!;
      sortLayer(items, links, rank, place);
      if (swap) swapNeighbours(items, [before, after], place);
    }
    const found = small ? crossingsOf(several, before, place) : Infinity;
    if (small && found <= fewest) [best, fewest] = [layers.map((items) => [...items]), found];
  };
  const search = (): void => {
    sweep(true, false);
    const rounds = small ? ROUNDS : count > LARGE ? 1 : ENOUGH;
    for (let round = 0; round < rounds && (fewest > 0 || round < ENOUGH); round++) {
      const swap = small && round >= ENOUGH;
      sweep(false, swap);
      sweep(true, swap);
    }
  };
  search();
  for (let again = 1; small && fewest > 0 && again <= RESTARTS; again++) {
    const mixed = (item: number): number => ((item + again) * 7919 * again) % 1009;
    for (const items of several) {
      items.sort((a, b) => mixed(a) - mixed(b));
      items.forEach((item, at) => (place[item] = at));
    }
    search();
  }
  if (small) layers.forEach((items, at) => items.splice(0, items.length, ...best[at]!));
}

interface Block {
  wishes: number[];
  size: number;
}

/** The middle wish; between two equally good ones, halfway. */
function median(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Place the items of one layer as near as possible to where their neighbours are, in their order
 * and with their gaps: items that push each other join into a block, which settles at its median.
 */
function settle(
  items: readonly number[],
  wishesOf: (item: number) => number[],
  offsets: readonly number[],
): number[] {
  const blocks: Block[] = [];
  items.forEach((item, at) => {
    let block = { wishes: wishesOf(item).map((wish) => wish - offsets[at]!), size: 1 };
    block.wishes.sort((a, b) => a - b);
    for (
      let last = blocks.at(-1);
      last && median(last.wishes) > median(block.wishes);
      last = blocks.at(-1)
    ) {
      blocks.pop();
      const wishes = [...last.wishes, ...block.wishes].sort((a, b) => a - b);
      block = { wishes, size: last.size + block.size };
    }
    blocks.push(block);
  });
  const settled = blocks.flatMap((block) => Array<number>(block.size).fill(median(block.wishes)));
  return settled.map((place, at) => place + offsets[at]!);
}

const NO_OFFSET: readonly number[] = [0];

function offsetsOf(items: readonly number[], gap: (a: number, b: number) => number): number[] {
  const offsets = [0];
  for (let at = 1; at < items.length; at++) {
    offsets.push(offsets[at - 1]! + gap(items[at - 1]!, items[at]!));
  }
  return offsets;
}

/**
 * The place of every item along its layer, so that as many lines as possible run straight. Items
 * from `nodes` on are stand-ins; what they, or nodes that nothing feeds, would wish for gives way.
 */
export function placeItems(
  layers: readonly number[][],
  nodes: number,
  count: number,
  before: Links,
  after: Links,
  gap: (a: number, b: number) => number,
): Float64Array {
  const place = new Float64Array(count);
  const offsets = layers.map((items) => (items.length > 1 ? offsetsOf(items, gap) : NO_OFFSET));
  layers.forEach((items, layer) => {
    items.forEach((item, at) => (place[item] = offsets[layer]![at]!));
  });
  const weak = (item: number): boolean =>
    item >= nodes || before.first[item + 1] === before.first[item];
  const wishes = (item: number, links: Links): number[] => {
    const [start, end] = [links.first[item]!, links.first[item + 1]!];
    if (start === end) return [place[item]!];
    const all = Array.from(links.list.subarray(start, Math.min(end, start + 64)));
    const strong = links === before ? all.filter((neighbour) => !weak(neighbour)) : all;
    const wanted = (strong.length ? strong : all).map((neighbour) => place[neighbour]!);
    return weak(item) ? wanted : [...wanted, ...wanted, ...wanted];
  };
  const sweep = (layer: number, links: Links): void => {
    const items = layers[layer]!;
    const [only] = items;
    const alone = items.length === 1 && links.first[only! + 1]! - links.first[only!]! === 1;
    if (alone) {
      place[only!] = place[links.list[links.first[only!]!]!]!;
      return;
    }
    const settled = settle(items, (item) => wishes(item, links), offsets[layer]!);
    items.forEach((item, at) => (place[item] = settled[at]!));
  };
  const rounds = count > 5000 ? 1 : 2;
  for (let round = 0; round < rounds; round++) {
    for (let layer = 1; layer < layers.length; layer++) sweep(layer, before);
    for (let layer = layers.length - 2; layer >= 0; layer--) sweep(layer, after);
  }
  for (let layer = 1; layer < layers.length; layer++) sweep(layer, before);
  return place;
}
