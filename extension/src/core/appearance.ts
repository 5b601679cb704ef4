/**
 * What each node and edge of a chart shows at a step: a pure function of model, chart and picture.
 * The views only draw it, as SVG or on a canvas.
 */
import type { Chart, Detail } from './chart.js';
import { isLoop, iterationOf } from './folded.js';
import { NodeKind } from './graph.js';
import type { Model, BackwardPass } from './model.js';
import { formatBrief } from './numbers.js';
import { isLit, slotAt, slotText, tensorOf } from './stepstate.js';
import type { StepState, SlotState } from './stepstate.js';

/** What a number is coloured as: a value or a gradient. */
export type Tone = 'v' | 'g';

/** Everything that a node shows, whether SVG or a canvas draws it. */
export interface NodeLook {
  readonly kind: NodeKind;
  readonly label: string;
  readonly glyph: string;
  /** In the upper right corner: how a value left the tape, or which iteration this is. */
  readonly corner: string;
  /** Whether more is folded in here. */
  readonly stacked: boolean;
  readonly watched: boolean;
  readonly value: string;
  readonly slot: SlotState | null;
  readonly slotText: string;
  /** The tensors of value and gradient, as far as there are numbers to draw; else -1. */
  readonly tensors: readonly [value: number, gradient: number];
  readonly lit: boolean;
  readonly halo: '' | 'v' | 'g' | 'n' | 's';
  readonly detail: Detail;
  readonly width: number;
  readonly height: number;
}

/** The nodes that a drawing points at, whatever the step. */
export interface Highlight {
  /** The node the learner pointed at, or -1. */
  readonly selected: number;
  /** The node to point at as the culprit, instead of that of the step. */
  readonly culprit?: number;
  /** The node whose gradient the learner is asked for. */
  readonly questionNode?: number;
}

function haloOf(
  chart: Chart,
  current: StepState,
  place: number,
  highlight: Highlight,
): NodeLook['halo'] {
  if (highlight.culprit !== undefined) return highlight.culprit === chart.nodes[place] ? 'n' : '';
  if (highlight.selected >= 0 && chart.placeOf(highlight.selected) === place) return 's';
  if (chart.placeOf(current.node) !== place) return '';
  return current.phase === 'backward' ? 'g' : 'v';
}

/** Of a closed loop, the iteration that this step is about; else what stands there anyway. */
function shownNodeOf(
  model: Model,
  chart: Chart,
  current: StepState,
  place: number,
): { node: number; corner: string } {
  const { corner } = chart.faceOf(place);
  const fold = chart.foldAt(place);
  const folds = chart.folded?.folds;
  const here = chart.placeOf(current.node) === place;
  const iteration =
    here && folds && isLoop(folds, fold)
      ? iterationOf(model.graph, folds, fold, current.node)
      : null;
  if (!iteration) return { node: chart.nodes[place]!, corner };
  const first = folds!.iteration[fold]! || 1;
  return {
    node: iteration.node,
    corner: `${iteration.iteration}/${first + folds!.size[fold]! - 1}`,
  };
}

/** Whether what stands at a place has begun to run. */
export function isBegun(model: Model, chart: Chart, current: StepState, place: number): boolean {
  const fold = chart.foldAt(place);
  const first = fold < 0 ? chart.nodes[place]! : chart.folded!.folds.first[fold]!;
  return isLit(model, current, first);
}

/** What a node shows at a step. */
export function lookOf(
  model: Model,
  chart: Chart,
  current: StepState,
  place: number,
  highlight: Highlight,
): NodeLook {
  const { node, corner } = shownNodeOf(model, chart, current, place);
  const { label, glyph } = chart.faceOf(place);
  const width = chart.widthOf(place);
  const lit = isBegun(model, chart, current, place);
  const tensor = isLit(model, current, node) ? tensorOf(model, node) : null;
  const kind = model.graph.nodeKind[node]!;
  const slot = slotAt(model, current, node);
  const unrecorded = kind === NodeKind.Off && slot.state !== 'value';
  const room = chart.detail === 'title' ? 8 : Math.floor((width - 20) / 7.3);
  return {
    kind,
    label,
    glyph,
    corner,
    stacked: chart.foldAt(place) >= 0,
    watched: model.graph.nodeWatched[node]!,
    // Without a dtype there is room for the bars of a vector.
    value: tensor ? formatBrief(tensor, room, false) : '',
    slot: unrecorded ? null : slot.state,
    tensors: [tensor?.index ?? -1, unrecorded || slot.state === 'zero' ? -1 : slot.tensor],
    slotText: unrecorded
      ? ''
      : node === highlight.questionNode
        ? '?'
        : slotText(model, slot, room, false),
    lit,
    halo: haloOf(chart, current, place, highlight),
    detail: chart.detail,
    width,
    height: chart.ports.height,
  };
}

const firstFlows = new WeakMap<Chart, { backwardPass: BackwardPass; first: Int32Array }>();

/** For each edge the backward step at which a gradient first comes back along it, or -1. */
function firstFlowOn(chart: Chart, backwardPass: BackwardPass): Int32Array {
  const known = firstFlows.get(chart);
  if (known?.backwardPass === backwardPass) return known.first;
  const first = new Int32Array(chart.edges.length).fill(-1);
  backwardPass.edgeOfFlow.forEach((id, flow) => {
    const edge = id < 0 || backwardPass.flowOfEdge[id] !== flow ? -1 : chart.placeOfEdge(id);
    if (edge >= 0 && first[edge]! < 0) first[edge] = flow;
  });
  firstFlows.set(chart, { backwardPass, first });
  return first;
}

/** Whether a gradient has come back along an edge. */
export function hasReturned(model: Model, chart: Chart, current: StepState, edge: number): boolean {
  const flow = model.backwardPass ? firstFlowOn(chart, model.backwardPass)[edge]! : -1;
  return flow >= 0 && flow < current.backwardSteps;
}

/** Whether a gradient runs along an edge at this step. */
export function isNow(chart: Chart, current: StepState, edge: number): boolean {
  return current.edge >= 0 && chart.placeOfEdge(current.edge) === edge;
}
