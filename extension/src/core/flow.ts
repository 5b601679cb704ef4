import { FrameKind } from './graph.js';
import { measureOf, WIDTH } from './measures.js';
import type { Model, Passage } from './model.js';
import type { Recording } from './recording.js';
import { Kind } from './schema.js';

/** Smaller on average than this, a gradient no longer moves a weight near 1. */
export const VANISHED = 1e-7;
/** Larger on average than this, a step along the gradient leaps. */
export const EXPLODED = 1e6;

export type Health = 'fine' | 'zero' | 'vanished' | 'exploded' | 'nan' | 'unknown';

/** How large a gradient is, and what that means. */
export interface Pulse {
  /** The mean distance from 0 of its numbers. */
  readonly size: number;
  readonly health: Health;
}

const UNKNOWN: Pulse = { size: NaN, health: 'unknown' };

/** How large the numbers of a tensor are. */
function pulseOf(recording: Recording, tensor: number): Pulse {
  const measure = tensor < 0 ? null : measureOf(recording, tensor);
  if (!measure) return UNKNOWN;
  const { size } = measure;
  if (measure.nans + measure.infinities) return { size, health: 'nan' };
  if (!measure.least && !measure.greatest) return { size, health: 'zero' };
  return {
    size,
    health: size < VANISHED ? 'vanished' : size > EXPLODED ? 'exploded' : 'fine',
  };
}

/** Where a size stands between vanished (0) and 1 or more (1), on a log scale. */
export function strengthOf(size: number): number {
  return Math.max(0, Math.min(1, 1 - Math.log10(size || VANISHED) / Math.log10(VANISHED))) || 0;
}

/** What the gradient brings along an edge on its way back; null where it does not come. */
export function pulseOfEdge(model: Model, edge: number): Pulse | null {
  const flow = model.passage?.flowOfEdge[edge] ?? -1;
  const index = flow < 0 ? -1 : model.passage!.flows[flow]!;
  const event = index < 0 ? null : model.recording.event(index);
  return event?.kind === Kind.Flowed ? pulseOf(model.recording, event.contribution) : null;
}

/** The gradient at every frame of the tape, once it has all arrived. */
export interface Flow {
  /** The frames that a gradient reaches, in the order of recording. */
  readonly frames: readonly number[];
  readonly pulses: readonly Pulse[];
  /** The step at which each has arrived. */
  readonly steps: readonly number[];
}

const flows = new WeakMap<Passage, Flow>();

/** How large the gradient is along the tape. */
export function flowOf(model: Model): Flow | null {
  const { passage, graph } = model;
  if (!passage) return null;
  const known = flows.get(passage);
  if (known) return known;
  const [frames, pulses, steps]: [number[], Pulse[], number[]] = [[], [], []];
  for (let frame = 0; frame < graph.frameCount; frame++) {
    const node = graph.frameNode[frame]!;
    const kind = graph.frameKind[frame];
    const inside = kind === FrameKind.Op || kind === FrameKind.Watch;
    if (!inside || node < 0 || graph.nodeFrame[node] !== frame) continue;
    const last = passage.firstArrival[node + 1]! - 1;
    if (last < passage.firstArrival[node]!) continue;
    const flow = passage.arrivals[last]!;
    const event = model.recording.event(passage.flows[flow]!);
    if (event.kind !== Kind.Flowed) continue;
    frames.push(frame);
    pulses.push(pulseOf(model.recording, event.sum));
    steps.push(graph.frameCount + flow + 1);
  }
  const made = { frames, pulses, steps };
  flows.set(passage, made);
  return made;
}

/** The step at which a number that is none is first there: -1 if there is no such step. */
export function birthOf(model: Model): number {
  const key = model.passage ?? model.graph;
  const known = births.get(key) ?? (isOdd(model.recording) ? searchBirth(model) : -1);
  births.set(key, known);
  return known;
}

const births = new WeakMap<object, number>();

/** Whether there is anything to search for: most recordings hold no such number at all. */
function isOdd({ numbers, measured }: Recording): boolean {
  const odd = (value: number): boolean => !Number.isFinite(value);
  return numbers.some(odd) || measured.numbers.some((count, at) => at % WIDTH < 2 && count > 0);
}

function searchBirth(model: Model): number {
  const { graph, recording, passage } = model;
  const odd = (tensor: number): boolean => pulseOf(recording, tensor).health === 'nan';
  for (let frame = 0; frame < graph.frameCount; frame++) {
    const node = graph.frameNode[frame]!;
    if (node >= 0 && odd(graph.nodeTensor[node]!)) return frame + 1;
  }
  const at = (passage?.flows ?? []).findIndex((index) => {
    const event = index < 0 ? null : recording.event(index);
    return event?.kind === Kind.Flowed && odd(event.sum);
  });
  return at < 0 ? -1 : graph.frameCount + at + 1;
}
