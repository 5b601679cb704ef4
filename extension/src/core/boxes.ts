import { WHOLE_GRAPH } from './chart.js';
import type { Chart } from './chart.js';
import { FoldKind } from './folds.js';

/** A frame around the nodes of an open call, with the room for its name at the top. */
export interface CallBox {
  readonly fold: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The room between a box and what it is drawn around, and that of the name. */
const [ROOM, NAME] = [9, 18];
/** The room of both routes of an edge, to either side. */
const BESIDE = 14;

export interface Extent {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const NOTHING: Extent = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };

function around(a: Extent, b: Extent): Extent {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

function overlap(a: Extent, b: Extent): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function nodeExtent(chart: Chart, place: number): Extent {
  const [left, top] = [chart.layout.x[place]!, chart.layout.y[place]!];
  return { left, top, right: left + chart.widthOf(place), bottom: top + chart.ports.height };
}

/** A long edge at a place across the direction of running, within what it passes. */
function routeExtent(chart: Chart, { left, top, right, bottom }: Extent, across: number): Extent {
  const [near, far] = [across - BESIDE, across + BESIDE];
  return chart.layout.direction === 'down'
    ? { left: near, right: far, top, bottom }
    : { left, right, top: near, bottom: far };
}

/** The room that a chart takes: its layout, and the boxes around it. */
export function extentOf(chart: Chart): Extent {
  const { width, height } = chart.layout;
  return boxesOf(chart).reduce(
    (sum, box) =>
      around(sum, {
        left: box.x,
        top: box.y,
        right: box.x + box.width,
        bottom: box.y + box.height,
      }),
    { left: 0, top: 0, right: width, bottom: height },
  );
}

const known = new WeakMap<Chart, readonly CallBox[]>();

/** The boxes of the open calls of a chart, the outer first: of those that nothing else stands in. */
export function boxesOf(chart: Chart): readonly CallBox[] {
  let boxes = known.get(chart);
  if (!boxes) known.set(chart, (boxes = findBoxes(chart)));
  return boxes;
}

function findBoxes(chart: Chart): CallBox[] {
  if (!chart.folded || chart.nodes.length > WHOLE_GRAPH) return [];
  const { folds } = chart.folded;
  const { parent, kind } = folds;
  const places = new Map<number, number[]>();
  for (let place = 0; place < chart.nodes.length; place++) {
    const closed = chart.foldAt(place);
    let fold = closed < 0 ? folds.ofNode[chart.nodes[place]!]! : parent[closed]!;
    for (; fold >= 0; fold = parent[fold]!) {
      if (kind[fold] !== FoldKind.Composite && kind[fold] !== FoldKind.Iteration) continue;
      const inside = places.get(fold);
      if (inside) inside.push(place);
      else places.set(fold, [place]);
    }
  }
  const extents = new Map<number, Extent>();
  // The inner ones first: the outer ones are drawn around them.
  for (const [fold, inside] of [...places].sort(([a], [b]) => b - a)) {
    if (inside.length < 2) continue;
    const members = new Set(inside);
    let extent = inside.reduce((sum, place) => around(sum, nodeExtent(chart, place)), NOTHING);
    for (const [edge, bends] of chart.layout.bends) {
      const { from, to } = chart.ends(edge);
      if (!members.has(from) || !members.has(to)) continue;
      for (const { across } of bends) extent = around(extent, routeExtent(chart, extent, across));
    }
    for (const [inner, other] of extents) {
      if (isInside(parent, inner, fold)) extent = around(extent, other);
    }
    extent = {
      left: extent.left - ROOM,
      top: extent.top - ROOM - NAME,
      right: extent.right + ROOM,
      bottom: extent.bottom + ROOM,
    };
    const foreign = (place: number): boolean =>
      !members.has(place) && overlap(extent, nodeExtent(chart, place));
    const crossed = [...extents].some(
      ([inner, other]) => !isInside(parent, inner, fold) && overlap(extent, other),
    );
    if (crossed || Array.from(chart.nodes, (_, place) => place).some(foreign)) continue;
    extents.set(fold, extent);
  }
  return [...extents].reverse().map(([fold, { left, top, right, bottom }]) => ({
    fold,
    x: left,
    y: top,
    width: right - left,
    height: bottom - top,
  }));
}

function isInside(parent: readonly number[], fold: number, outer: number): boolean {
  while (fold > outer) fold = parent[fold]!;
  return fold === outer;
}
