import type { Chart } from '../chart.js';
import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import type { Model } from '../model.js';
import type { Picture } from '../picture.js';
import { WORDS } from '../words.js';
import { graphContent, graphSummary, WHOLE_GRAPH, wholePart } from './graph.js';
import type { GraphOptions } from './graph.js';
import { overhang } from './road.js';
import type { Part } from './road.js';

/** The part of a large graph that is looked at: its middle, and the size of the pane. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const MARGIN = 14;
const SMALLEST_TYPE = 0.957;
const BUSY = 48;

export function isWindowed(chart: Chart): boolean {
  return chart.nodes.length > WHOLE_GRAPH;
}

/** The middle of a node. */
export function middleOf(chart: Chart, node: number): { x: number; y: number } | null {
  const place = chart.placeOf(node);
  if (place < 0) return null;
  return {
    x: chart.layout.x[place]! + chart.widthOf(place) / 2,
    y: chart.layout.y[place]! + chart.ports.height / 2,
  };
}

function firstLayerEndingAfter(ends: Float64Array, at: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of a painted graph no more than this at once, however small it is drawn. */
const PAINTED = 6000;

/** The nodes inside the camera's view and the roads that touch them. */
export function visiblePart(chart: Chart, camera: Camera): Part {
  const { layout } = chart;
  const down = layout.direction === 'down';
  const [along, across] = down ? [camera.y, camera.x] : [camera.x, camera.y];
  const [length, breadth] = down ? [camera.height, camera.width] : [camera.width, camera.height];
  const position = down ? layout.x : layout.y;
  const size = (place: number): number => (down ? chart.widthOf(place) : chart.ports.height);
  const places: number[] = [];
  const last = along + length / 2;
  let layer = firstLayerEndingAfter(layout.layerEnd, along - length / 2);
  for (; layer < layout.layers.length && layout.layerStart[layer]! <= last; layer++) {
    for (const place of layout.layers[layer]!) {
      const from = position[place]!;
      const inside = from <= across + breadth / 2 && from + size(place) >= across - breadth / 2;
      if (inside && places.length < PAINTED) places.push(place);
    }
  }
  const edges = new Set<number>();
  for (const place of places) {
    Array.prototype.forEach.call(chart.edgesInto(place), (edge: number) => edges.add(edge));
    const leaving = chart.edgesFrom(place);
    if (leaving.length <= BUSY)
      Array.prototype.forEach.call(leaving, (edge: number) => edges.add(edge));
  }
  return { places, edges: [...edges] };
}

/** The place under a point of the graph, or -1. */
export function placeAt(chart: Chart, camera: Camera, x: number, y: number): number {
  const { layout, ports } = chart;
  const under = (place: number): boolean => {
    const [right, below] = [x - layout.x[place]!, y - layout.y[place]!];
    return right >= 0 && below >= 0 && right <= chart.widthOf(place) && below <= ports.height;
  };
  return visiblePart(chart, camera).places.find(under) ?? -1;
}

/** The pane of a graph: it takes the focus, scrolls, and has arrows to walk its nodes. */
export function stageBox(look: string, svg: VNode): VNode {
  return h('div', { class: look, tabindex: 0, role: 'group', 'aria-label': WORDS.graph }, svg);
}

function wholeStage(
  model: Model,
  chart: Chart,
  picture: Picture,
  zoom: number,
  options: GraphOptions,
): VNode {
  const part = wholePart(chart);
  const width = chart.layout.width + MARGIN;
  const height = chart.layout.height + overhang(model, chart, part) + MARGIN;
  const fixed = `width:${Math.round(width * zoom)}px;max-width:none;min-width:0`;
  const fluid = `max-width:${width}px;min-width:${Math.round(width * SMALLEST_TYPE)}px;margin-inline:auto`;
  return stageBox(
    'stage',
    h(
      'svg',
      {
        viewBox: `-7 -7 ${width} ${height}`,
        style: zoom === 1 ? fluid : fixed,
        role: 'img',
        'aria-label': graphSummary(model, picture),
      },
      graphContent(model, chart, picture, part, options),
    ),
  );
}

/** A large graph is painted, and only what the camera sees of it; the reel is its twin to read. */
function paintedStage(model: Model, picture: Picture): VNode {
  const label = graphSummary(model, picture);
  return stageBox('stage windowed', h('canvas', { role: 'img', 'aria-label': label }));
}

/** The graph, whole where it is small enough, otherwise the part that the camera sees. */
export function stageView(
  model: Model,
  chart: Chart,
  picture: Picture,
  zoom: number,
  options: GraphOptions,
): VNode {
  return isWindowed(chart)
    ? paintedStage(model, picture)
    : wholeStage(model, chart, picture, zoom, options);
}
