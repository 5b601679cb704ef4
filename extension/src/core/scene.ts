/**
 * Which part of a laid-out graph is drawn: all of it, or, of a large one, what a camera sees.
 */
import type { Highlight } from './appearance.js';
import { WHOLE_GRAPH } from './chart.js';
import type { Chart } from './chart.js';
import type { Model } from './model.js';
import type { StepState } from './stepstate.js';

/** The part of a large graph that is looked at: its middle, and the size of the pane. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The nodes and edges of a chart that are drawn, by their places in it. */
export interface Part {
  readonly places: readonly number[];
  readonly edges: readonly number[];
}

/** Everything that a canvas needs to paint a large graph at one step. */
export interface Scene {
  readonly model: Model;
  readonly chart: Chart;
  readonly current: StepState;
  readonly camera: Camera;
  readonly zoom: number;
  readonly highlight: Highlight;
}

/** Of a node with more outgoing edges, only those that lead to a visible node are drawn. */
const MANY_EDGES = 48;

/** Whether a graph is too large to be drawn whole. */
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

/** The most nodes that are painted at once, however small they are drawn. */
const PAINTED = 6000;

/** The nodes inside the camera's view and the edges that touch them. */
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
    if (leaving.length <= MANY_EDGES)
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

/** All nodes and edges of a chart. */
export function wholePart(chart: Chart): Part {
  const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
  return { places: range(chart.nodes.length), edges: range(chart.edges.length) };
}
