/** What a screen reader says of the graph: each node with its numbers, and where its edges lead. */
import { lookOf } from './appearance.js';
import type { Chart } from './chart.js';
import { NodeKind } from './graph.js';
import { measureOf } from './measures.js';
import type { Model } from './model.js';
import { formatBrief, formatNumber, formatType } from './numbers.js';
import type { Recording } from './recording.js';
import { Kind } from './schema.js';
import { opOf, slotAt, tensorOf } from './stepstate.js';
import type { StepState } from './stepstate.js';
import { neighbours } from './walk.js';
import type { Walk, Way } from './state.js';
import { say, WORDS } from './words.js';

/** So many ends of edges are named; of more, how many there are. */
const NAMED = 4;
const ROOM = 40;

function namesOf(chart: Chart, places: readonly number[]): string {
  const names = places.slice(0, NAMED).map((place) => chart.faceOf(place).label);
  const more = places.length - names.length;
  return more > 0
    ? say('{names} and {more} more', { names: names.join(', '), more })
    : names.join(', ');
}

function edgesOf(chart: Chart, place: number, way: Way): string {
  const places = neighbours(chart, place, way);
  if (!places.length) return '';
  const names = namesOf(chart, places);
  return way === 'in' ? say('From {names}.', { names }) : say('To {names}.', { names });
}

/** What a node is: an op by its title, or a variable, or how much is folded there. */
function kindOf(model: Model, chart: Chart, place: number): string {
  const node = chart.nodes[place]!;
  if (chart.foldAt(place) >= 0) return say('folded, {size}', { size: chart.faceOf(place).glyph });
  const op = opOf(model, node);
  if (op) return say(op.title);
  if (model.graph.nodeKind[node] === NodeKind.Variable) return say('variable');
  return model.graph.nodeKind[node] === NodeKind.Off ? WORDS.notRecorded : say('constant');
}

/** The numbers of a gradient; the shape and the norm of one that has too many of them. */
function gradientText(recording: Recording, tensor: number): string {
  const info = recording.tensor(tensor);
  const text = formatBrief(info, ROOM);
  if (!info.shape.length || text.startsWith('[')) return text;
  const norm = measureOf(recording, tensor)?.norm ?? NaN;
  return Number.isNaN(norm)
    ? text
    : say('{gradient}, norm {norm}', { gradient: text, norm: formatNumber(norm) });
}

function gradientOf(model: Model, current: StepState, node: number): string {
  const slot = slotAt(model, current, node);
  if (slot.tensor >= 0) {
    const gradient = gradientText(model.recording, slot.tensor);
    return slot.state === 'part'
      ? say('gradient so far {gradient}', { gradient })
      : say('gradient {gradient}', { gradient });
  }
  if (slot.state === 'pending') return say('gradient not computed yet');
  return say('gradient {gradient}', { gradient: slot.state === 'none' ? 'None' : '0' });
}

/** The gradient that comes back from one node to another, once it has come. */
function contributionTo(
  model: Model,
  chart: Chart,
  current: StepState,
  from: number,
  to: number,
): string {
  const { backwardPass } = model;
  if (!backwardPass || current.phase !== 'backward') return '';
  for (const edge of Array.from(chart.edgesInto(to))) {
    if (chart.ends(edge).from !== from || chart.edgeCount(edge) > 1) continue;
    const flow = backwardPass.flowOfEdge[chart.edges[edge]!]!;
    const event = flow < 0 ? null : model.recording.event(backwardPass.flows[flow]!);
    if (event?.kind !== Kind.Flowed || flow >= current.backwardSteps) continue;
    const gradient = formatBrief(model.recording.tensor(event.contribution), ROOM);
    return say('{gradient} comes back along this edge.', { gradient });
  }
  return '';
}

/** The edge that was walked to come here. */
function walkedTo(
  model: Model,
  chart: Chart,
  current: StepState,
  place: number,
  walk: Walk,
): string[] {
  const from = chart.placeOf(walk.from);
  const places = neighbours(chart, from, walk.way);
  const at = places.indexOf(place) + 1;
  if (!at) return [];
  const where = { at, of: places.length, label: chart.faceOf(from).label };
  return walk.way === 'in'
    ? [
        say('Input {at} of {of} of {label}.', where),
        contributionTo(model, chart, current, place, from),
      ]
    : [
        say('Output {at} of {of} of {label}.', where),
        contributionTo(model, chart, current, from, place),
      ];
}

/** A node in words: its name, how one came here, its op, its value, its gradient, its edges. */
export function spokenNode(
  model: Model,
  chart: Chart,
  current: StepState,
  place: number,
  walk: Walk | null,
): string {
  const node = chart.nodes[place]!;
  const look = lookOf(model, chart, current, place, { selected: -1 });
  const tensor = tensorOf(model, node);
  const value = !look.lit
    ? WORDS.notRun
    : tensor &&
      `${say('value {value}', { value: formatBrief(tensor, ROOM) })}, ${formatType(tensor)}`;
  const facts = [kindOf(model, chart, place), value, gradientOf(model, current, node)];
  return [
    `${look.label}.`,
    ...(walk ? walkedTo(model, chart, current, place, walk) : []),
    `${facts.filter(Boolean).join(', ')}.`,
    edgesOf(chart, place, 'in'),
    edgesOf(chart, place, 'out'),
  ]
    .filter(Boolean)
    .join(' ');
}
