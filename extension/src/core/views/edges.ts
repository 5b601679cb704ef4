import { hasReturned, isBegun, isNow } from '../appearance.js';
import type { Chart } from '../chart.js';
import { h } from '../dom.js';
import { magnitudeOfEdge, strengthOf } from '../flow.js';
import type { VNode } from '../dom.js';
import { EdgeKind } from '../graph.js';
import { passingText, returningText } from '../edgetexts.js';
import { LABEL_HEIGHT, labelWidth, placeLabels } from '../labels.js';
import type { Label } from '../labels.js';
import type { Model } from '../model.js';
import { formatBrief } from '../numbers.js';
import { isLit, labelOf, slotAt, tensorOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { Point } from '../routes.js';
import type { Part } from '../scene.js';

const LABELLED = 60;
const LABEL_ROOM = 14;
/** At most this many ends of an edge are named. */
const MOST_NAMED = 4;

const HEADS = {
  right: (x: number, y: number) => `M${x} ${y}l-8-4.5v9z`,
  left: (x: number, y: number) => `M${x} ${y}l9-5v10z`,
  down: (x: number, y: number) => `M${x} ${y}l-4.5-8h9z`,
  up: (x: number, y: number) => `M${x} ${y}l-5 9h10z`,
} as const;

function arrowHead(to: keyof typeof HEADS, [x, y]: Point, tone: 'f' | 'b' | 'm'): VNode {
  return h('path', { class: `ah ${tone}`, d: HEADS[to](x, y) });
}

const OFF_LOOK: Readonly<Record<EdgeKind, string>> = {
  [EdgeKind.Taped]: 'f',
  [EdgeKind.Off]: 'off',
  [EdgeKind.Cut]: 'cut',
};

/** Whether several contributions are added at a node. */
function meetsAt(model: Model, node: number): boolean {
  const { backwardPass } = model;
  return (
    !!backwardPass && backwardPass.firstArrival[node + 1]! - backwardPass.firstArrival[node]! > 1
  );
}

const named = new WeakMap<Chart, { model: Model; names: readonly string[] }>();

/** The ends of each edge in words: `h, 64×128 → loss`, with all that sets out on it. */
function edgeNames(model: Model, chart: Chart): readonly string[] {
  const known = named.get(chart);
  if (known?.model === model) return known.names;
  const from = Array.from(chart.edges, () => new Set<number>());
  for (let id = 0; id < model.graph.edgeCount; id++) {
    const nodes = from[chart.placeOfEdge(id)];
    if (nodes && nodes.size <= MOST_NAMED) nodes.add(model.graph.edgeFrom[id]!);
  }
  const names = from.map((nodes, edge) => {
    const endNames = [...nodes].slice(0, MOST_NAMED).map((node) => {
      const tensor = tensorOf(model, node);
      const label = labelOf(model, node);
      return tensor ? `${label}, ${formatBrief(tensor, LABEL_ROOM)}` : label;
    });
    const more = nodes.size > endNames.length ? '; …' : '';
    return `${endNames.join('; ')}${more} → ${chart.faceOf(chart.ends(edge).to).label}`;
  });
  named.set(chart, { model, names });
  return names;
}

/** Labels of a whole small graph, placed once so that they stay where they are. */
function allLabels(model: Model, chart: Chart, part: Part): Label[] {
  if (!model.backwardPass || chart.nodes.length > LABELLED) return [];
  return part.edges.flatMap((edge) => {
    const [passing, text] = [passingText, returningText].map((of) => of(model, chart, edge));
    if (passing) {
      const wider = labelWidth(passing) > labelWidth(text!) ? passing : text!;
      return [{ edge, text: wider, route: chart.route(edge, false, false) }];
    }
    const meets = meetsAt(model, chart.nodes[chart.ends(edge).from]!);
    return text ? [{ edge, text, route: chart.route(edge, true, meets) }] : [];
  });
}

function plusBoxes(model: Model, chart: Chart, part: Part) {
  return part.places
    .filter((place) => meetsAt(model, chart.nodes[place]!))
    .map((place) => {
      const [x, y] = chart.plus(place);
      return { x: x - 30, y: y - 11, width: 42, height: 22 };
    });
}

const placed = new WeakMap<Chart, { model: Model; places: Map<number, Point> }>();

function labelPlaces(model: Model, chart: Chart, part: Part): Map<number, Point> {
  const known = placed.get(chart);
  if (known?.model === model) return known.places;
  const labels = allLabels(model, chart, part);
  const routes = labels.length ? part.edges.map((edge) => chart.route(edge, false, false)) : [];
  const places = placeLabels(chart, labels, plusBoxes(model, chart, part), routes);
  placed.set(chart, { model, places });
  return places;
}

/** What an edge is; where one finding is shown, cuts of others are only off the tape. */
function kindOf(model: Model, edge: number, cut: number | undefined): EdgeKind {
  const { edgeFrom, edgeTo, edgeKind } = model.graph;
  const kind = edgeKind[edge]!;
  if (cut === undefined) return kind;
  if (edgeFrom[edge] === edgeFrom[cut] && edgeTo[edge] === edgeTo[cut]) return EdgeKind.Cut;
  return kind === EdgeKind.Cut && edgeTo[edge] !== edgeTo[cut] ? EdgeKind.Off : kind;
}

function edgeView(
  model: Model,
  chart: Chart,
  current: StepState,
  edge: number,
  cut: number | undefined,
  origin: Point,
): VNode {
  const id = chart.edges[edge]!;
  const ends = chart.ends(edge);
  const from = chart.nodes[ends.from]!;
  const down = chart.layout.direction === 'down';
  const kind = kindOf(model, id, cut);
  const lit = isBegun(model, chart, current, ends.to) && isLit(model, current, from);
  const look = lit || kind !== EdgeKind.Taped ? OFF_LOOK[kind] : 'todo';
  const route = chart.route(edge, false, false, origin);
  const tip: Point = down ? [route.end[0], route.end[1] + 7] : [route.end[0] + 7, route.end[1]];
  return h(
    'g',
    { key: `e${id}` },
    chart.nodes.length <= LABELLED && [
      h('title', {}, edgeNames(model, chart)[edge]),
      h('path', { class: 'reach', d: route.path }),
    ],
    h('path', { class: `ed ${look}`, d: route.path }),
    arrowHead(down ? 'down' : 'right', tip, look === 'f' ? 'f' : 'm'),
  );
}

function backView(
  model: Model,
  chart: Chart,
  current: StepState,
  edge: number,
  origin: Point,
): VNode | null {
  const id = chart.edges[edge]!;
  if (!hasReturned(model, chart, current, edge)) return null;
  const down = chart.layout.direction === 'down';
  const meets = meetsAt(model, chart.nodes[chart.ends(edge).from]!);
  const route = chart.route(edge, true, meets, origin);
  const now = isNow(chart, current, edge);
  const magnitude = magnitudeOfEdge(model, id);
  const [x, y] = route.start;
  const tip: Point = down ? [x, y - 9] : [x - 9, y];
  return h(
    'g',
    { key: `b${id}` },
    h('path', {
      class: `ed b ${magnitude?.health ?? ''}${now ? ' now' : ''}`,
      style: magnitude && `--wide:${strengthOf(magnitude.size).toFixed(2)}`,
      d: route.path,
    }),
    now ? h('path', { class: 'ed flow', d: route.reverse }) : null,
    meets ? null : arrowHead(down ? 'up' : 'left', tip, 'b'),
  );
}

function labelView(
  model: Model,
  chart: Chart,
  current: StepState,
  edge: number,
  places: Map<number, Point>,
  origin: Point,
): VNode | null {
  const id = chart.edges[edge]!;
  const now = isNow(chart, current, edge);
  const returned = hasReturned(model, chart, current, edge);
  const known = places.get(edge);
  if (!known && !now) return null;
  const returning = returned ? returningText(model, chart, edge) : '';
  const text = returning || passingText(model, chart, edge);
  if (!text) return null;
  const meets = meetsAt(model, chart.nodes[chart.ends(edge).from]!);
  const [x, y] = known ?? chart.route(edge, true, meets, origin).at(0.5);
  const width = labelWidth(text);
  return h(
    'g',
    {
      class: `elab${now ? ' now' : !returning ? ' shape' : ''}`,
      key: `l${id}`,
      transform: `translate(${Math.round(x - width / 2)} ${Math.round(y - LABEL_HEIGHT / 2)})`,
    },
    h('rect', { width, height: LABEL_HEIGHT, rx: 4 }),
    h('text', { x: width / 2, y: 13 }, text),
  );
}

/** The ⊕ where contributions are added; there from the first of several. */
function plusView(
  model: Model,
  chart: Chart,
  current: StepState,
  place: number,
  origin: Point,
): VNode | null {
  const node = chart.nodes[place]!;
  if (!meetsAt(model, node) || slotAt(model, current, node).arrived === 0) return null;
  const [plusX, plusY] = chart.plus(place);
  const [x, y] = [plusX - origin[0], plusY - origin[1]];
  const down = chart.layout.direction === 'down';
  const now = current.edge >= 0 && chart.placeOf(current.node) === place;
  const stem = down ? `M${x} ${y - 8}V${y - 13}` : `M${x - 8} ${y}H${x - 14}`;
  return h(
    'g',
    { class: 'plus', key: `p${node}` },
    h('path', { class: `ed b${now ? ' now' : ''}`, d: stem }),
    arrowHead(down ? 'up' : 'left', down ? [x, y - 22] : [x - 23, y], 'b'),
    h('circle', { cx: x, cy: y, r: 8.5 }),
    h('path', { class: 'cross', d: `M${x - 4} ${y}h8M${x} ${y - 4}v8` }),
  );
}

/** How far labels reach below the graph. */
export function overhang(model: Model, chart: Chart, part: Part): number {
  let lowest = 0;
  for (const [, y] of labelPlaces(model, chart, part).values()) lowest = Math.max(lowest, y + 12);
  return Math.max(0, Math.round(lowest - chart.layout.height));
}

function present(items: readonly (VNode | null)[]): VNode[] {
  return items.filter((item): item is VNode => item !== null);
}

/** Both routes of the edges: beneath the nodes. */
export function edgesBelow(
  model: Model,
  chart: Chart,
  current: StepState,
  part: Part,
  origin: Point,
  cut?: number,
): VNode[] {
  return [
    ...part.edges.map((edge) => edgeView(model, chart, current, edge, cut, origin)),
    ...present(part.edges.map((edge) => backView(model, chart, current, edge, origin))),
  ];
}

/** The numbers beside the edges where they can be read, and the signs where they are added. */
export function signsAbove(
  model: Model,
  chart: Chart,
  current: StepState,
  part: Part,
  origin: Point,
  legible: boolean,
): VNode[] {
  const places = labelPlaces(model, chart, part);
  return present([
    ...(legible ? part.edges : []).map((edge) =>
      labelView(model, chart, current, edge, places, origin),
    ),
    ...part.places.map((place) => plusView(model, chart, current, place, origin)),
  ]);
}
