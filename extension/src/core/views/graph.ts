import type { Chart } from '../chart.js';
import { h } from '../dom.js';
import { extras, wantExtras } from '../extras.js';
import type { VNode } from '../dom.js';
import { isLoop, turnOf } from '../folded.js';
import { NodeKind } from '../graph.js';
import type { Model } from '../model.js';
import { count, formatBrief } from '../numbers.js';
import { isLit, labelOf, slotAt, slotText, tensorOf } from '../picture.js';
import type { Picture } from '../picture.js';
import type { Point } from '../roads.js';
import type { Action } from '../store.js';
import { nodeClass, nodeView } from './node.js';
import type { NodeLook } from './node.js';
import { roadsBelow, signsAbove } from './road.js';
import type { Part } from './road.js';
import { say, WORDS } from '../words.js';

/** Up to so many nodes the graph is drawn whole; above, the part around the current step. */
export const WHOLE_GRAPH = 300;

export interface GraphOptions {
  readonly hatch: string;
  readonly selected: number;
  readonly dispatch: (action: Action) => void;
  /** Nodes to point at as the culprit, instead of those of the step. */
  readonly culprit?: number;
  /** An edge at which the path ends, though both its ends are off the tape. */
  readonly cut?: number;
  readonly over?: readonly VNode[];
  /** The point that is drawn at zero. */
  readonly origin?: Point;
  /** The node whose gradient the learner is asked for. */
  readonly asked?: number;
}

function haloOf(
  chart: Chart,
  picture: Picture,
  place: number,
  options: GraphOptions,
): NodeLook['halo'] {
  if (options.culprit !== undefined) return options.culprit === chart.nodes[place] ? 'n' : '';
  if (options.selected >= 0 && chart.placeOf(options.selected) === place) return 's';
  if (chart.placeOf(picture.node) !== place) return '';
  return picture.phase === 'backward' ? 'g' : 'v';
}

/** Of a closed loop, the iteration that this step is about; else what stands there anyway. */
function momentOf(
  model: Model,
  chart: Chart,
  picture: Picture,
  place: number,
): { node: number; corner: string } {
  const { corner } = chart.faceOf(place);
  const fold = chart.foldAt(place);
  const folds = chart.folded?.folds;
  const here = chart.placeOf(picture.node) === place;
  const turn =
    here && folds && isLoop(folds, fold) ? turnOf(model.graph, folds, fold, picture.node) : null;
  if (!turn) return { node: chart.nodes[place]!, corner };
  const first = folds!.turn[fold]! || 1;
  return { node: turn.node, corner: `${turn.turn}/${first + folds!.size[fold]! - 1}` };
}

/** Whether what stands at a place has begun to run. */
export function isBegun(model: Model, chart: Chart, picture: Picture, place: number): boolean {
  const fold = chart.foldAt(place);
  const first = fold < 0 ? chart.nodes[place]! : chart.folded!.folds.first[fold]!;
  return isLit(model, picture, first);
}

/** What a node shows at a step. */
export function lookOf(
  model: Model,
  chart: Chart,
  picture: Picture,
  place: number,
  options: GraphOptions,
): NodeLook {
  const { node, corner } = momentOf(model, chart, picture, place);
  const { label, glyph } = chart.faceOf(place);
  const width = chart.widthOf(place);
  const lit = isBegun(model, chart, picture, place);
  const tensor = isLit(model, picture, node) ? tensorOf(model, node) : null;
  const kind = model.graph.nodeKind[node]!;
  const slot = slotAt(model, picture, node);
  const unrecorded = kind === NodeKind.Off && slot.state !== 'value';
  const room = chart.detail === 'title' ? 8 : Math.floor((width - 20) / 7.3);
  return {
    kind,
    label,
    glyph,
    corner,
    stacked: chart.foldAt(place) >= 0,
    watched: model.graph.nodeWatched[node]!,
    value: tensor ? formatBrief(tensor, room) : '',
    slot: unrecorded ? null : slot.state,
    tensors: [tensor?.index ?? -1, unrecorded || slot.state === 'zero' ? -1 : slot.tensor],
    slotText: unrecorded ? '' : node === options.asked ? '?' : slotText(model, slot, room),
    lit,
    halo: haloOf(chart, picture, place, options),
    detail: chart.detail,
    width,
    height: chart.ports.height,
  };
}

export function hatchView(id: string): VNode {
  return h(
    'defs',
    {},
    h(
      'pattern',
      {
        id,
        width: 7,
        height: 7,
        patternUnits: 'userSpaceOnUse',
        patternTransform: 'rotate(45)',
      },
      h('rect', { class: 'hatchground', width: 7, height: 7 }),
      h('path', { class: 'hatchline', d: 'M0 0V7' }),
    ),
  );
}

/** What a click on a place does: select the node, or open what is folded there. */
export function choiceAt(chart: Chart, place: number): Action {
  const fold = chart.foldAt(place);
  return fold < 0 ? { kind: 'select', node: chart.nodes[place]! } : { kind: 'fold', fold };
}

/** The nodes and roads of a part of the graph at one step. */
export function graphContent(
  model: Model,
  chart: Chart,
  picture: Picture,
  part: Part,
  options: GraphOptions,
): VNode[] {
  const origin = options.origin ?? [0, 0];
  const maps = (chart.detail === 'maps' ? wantExtras() : extras())?.cardMaps;
  const cards = part.places.map((place) => {
    const look = lookOf(model, chart, picture, place, options);
    const node = chart.nodes[place]!;
    const x = Math.round(chart.layout.x[place]! - origin[0]);
    const y = Math.round(chart.layout.y[place]! - origin[1]);
    const fold = chart.foldAt(place);
    const choose = (): void => options.dispatch(choiceAt(chart, place));
    return h(
      'g',
      {
        class: nodeClass(look),
        transform: `translate(${x} ${y})`,
        key: fold < 0 ? `n${node}` : `f${fold}`,
        onclick: choose,
      },
      nodeView(look, options.hatch),
      node !== options.asked && maps?.(model.recording, look),
    );
  });
  return [
    hatchView(options.hatch),
    ...roadsBelow(model, chart, picture, part, origin, options.cut),
    ...cards,
    ...signsAbove(model, chart, picture, part, origin),
    ...(options.over ?? []),
  ];
}

export function wholePart(chart: Chart): Part {
  const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
  return { places: range(chart.nodes.length), edges: range(chart.edges.length) };
}

/** A sentence for those who do not see the picture; the reel says the rest. */
export function graphSummary(model: Model, picture: Picture): string {
  const name = model.recording.header.tape.name || WORDS.untitled;
  const nodes = count(model.graph.nodeCount, 'node');
  return picture.node >= 0
    ? say('Graph of {name}: {nodes}, at {label}', {
        name,
        nodes,
        label: labelOf(model, picture.node),
      })
    : say('Graph of {name}: {nodes}', { name, nodes });
}
