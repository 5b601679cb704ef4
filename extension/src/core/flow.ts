import { FrameKind } from './graph.js';
import { measureOf, WIDTH } from './measures.js';
import type { Model, BackwardPass } from './model.js';
import type { Recording } from './recording.js';
import { Kind } from './schema.js';

/** Smaller on average than this, a gradient no longer moves a weight near 1. */
export const VANISHED = 1e-7;
/** Larger on average than this, a step along the gradient leaps. */
export const EXPLODED = 1e6;

export type Health = 'fine' | 'zero' | 'vanished' | 'exploded' | 'nan' | 'unknown';

/** How large a gradient is, and what that means. */
export interface Magnitude {
  /** The mean distance from 0 of its numbers. */
  readonly size: number;
  readonly health: Health;
  /** Its Euclidean norm, which is written beside edges; NaN where it is not known. */
  readonly norm: number;
}

const UNKNOWN: Magnitude = { size: NaN, health: 'unknown', norm: NaN };

/** How large the numbers of a tensor are. */
function magnitudeOf(recording: Recording, tensor: number): Magnitude {
  const measure = tensor < 0 ? null : measureOf(recording, tensor);
  if (!measure) return UNKNOWN;
  const { size, norm } = measure;
  if (measure.nans + measure.infinities) return { size, health: 'nan', norm };
  if (!measure.least && !measure.greatest) return { size, health: 'zero', norm };
  const health = size < VANISHED ? 'vanished' : size > EXPLODED ? 'exploded' : 'fine';
  return { size, health, norm };
}

/** Where a size stands between vanished (0) and 1 or more (1), on a log scale. */
export function strengthOf(size: number): number {
  return Math.max(0, Math.min(1, 1 - Math.log10(size || VANISHED) / Math.log10(VANISHED))) || 0;
}

/** How large the gradient along an edge is; null where none is propagated. */
export function magnitudeOfEdge(model: Model, edge: number): Magnitude | null {
  const flow = model.backwardPass?.flowOfEdge[edge] ?? -1;
  const index = flow < 0 ? -1 : model.backwardPass!.flows[flow]!;
  const event = index < 0 ? null : model.recording.event(index);
  return event?.kind === Kind.Flowed ? magnitudeOf(model.recording, event.contribution) : null;
}

/** How large the whole gradient of a node is; null where none arrives. */
export function magnitudeOfNode(model: Model, node: number): Magnitude | null {
  const { backwardPass } = model;
  const last = backwardPass ? backwardPass.firstArrival[node + 1]! - 1 : -1;
  if (!backwardPass || last < backwardPass.firstArrival[node]!) return null;
  const event = model.recording.event(backwardPass.flows[backwardPass.arrivals[last]!]!);
  return event.kind === Kind.Flowed ? magnitudeOf(model.recording, event.sum) : null;
}

/** The gradient at every frame of the tape, once it has all arrived. */
export interface Flow {
  /** The frames that a gradient reaches, in the order of recording. */
  readonly frames: readonly number[];
  readonly magnitudes: readonly Magnitude[];
  /** The step at which each has arrived. */
  readonly steps: readonly number[];
}

const flows = new WeakMap<BackwardPass, Flow>();

/** How large the gradient is along the tape. */
export function flowOf(model: Model): Flow | null {
  const { backwardPass, graph } = model;
  if (!backwardPass) return null;
  const known = flows.get(backwardPass);
  if (known) return known;
  const [frames, magnitudes, steps]: [number[], Magnitude[], number[]] = [[], [], []];
  for (let frame = 0; frame < graph.frameCount; frame++) {
    const node = graph.frameNode[frame]!;
    const kind = graph.frameKind[frame];
    const inside = kind === FrameKind.Op || kind === FrameKind.Watch;
    if (!inside || node < 0 || graph.nodeFrame[node] !== frame) continue;
    const magnitude = magnitudeOfNode(model, node);
    if (!magnitude) continue;
    frames.push(frame);
    magnitudes.push(magnitude);
    const flow = backwardPass.arrivals[backwardPass.firstArrival[node + 1]! - 1]!;
    steps.push(graph.frameCount + flow + 1);
  }
  const made = { frames, magnitudes, steps };
  flows.set(backwardPass, made);
  return made;
}

/** The step at which a number that is none is first there: -1 if there is no such step. */
export function firstNonFiniteStep(model: Model): number {
  const key = model.backwardPass ?? model.graph;
  const known = nonFiniteSteps.get(key) ?? (isOdd(model.recording) ? findNonFinite(model) : -1);
  nonFiniteSteps.set(key, known);
  return known;
}

const nonFiniteSteps = new WeakMap<object, number>();

/** Whether there is anything to search for: most recordings hold no such number at all. */
function isOdd({ numbers, measured }: Recording): boolean {
  const odd = (value: number): boolean => !Number.isFinite(value);
  return numbers.some(odd) || measured.numbers.some((count, at) => at % WIDTH < 2 && count > 0);
}

function findNonFinite(model: Model): number {
  const { graph, recording, backwardPass } = model;
  const odd = (tensor: number): boolean => magnitudeOf(recording, tensor).health === 'nan';
  for (let frame = 0; frame < graph.frameCount; frame++) {
    const node = graph.frameNode[frame]!;
    if (node >= 0 && odd(graph.nodeTensor[node]!)) return frame + 1;
  }
  const at = (backwardPass?.flows ?? []).findIndex((index) => {
    const event = index < 0 ? null : recording.event(index);
    return event?.kind === Kind.Flowed && odd(event.sum);
  });
  return at < 0 ? -1 : graph.frameCount + at + 1;
}
