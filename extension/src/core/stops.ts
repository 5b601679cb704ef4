/**
 * Where stepping stops: what runs in a closed fold is one step, and so is one iteration of a closed
 * loop. Steps of the backward pass through a closed fold stop where the gradient has left it.
 */
import { foldsIn, isLoop, opened } from './folded.js';
import type { Open } from './folded.js';
import { FoldKind, hiddenBy } from './folds.js';
import type { Folds } from './folds.js';
import type { Model } from './model.js';
import { firstStep } from './stepstate.js';

interface Stops {
  readonly open: Open;
  readonly chosen: number;
  /** The steps to stop at, in order; those of the forward pass come first. */
  readonly steps: Int32Array;
  readonly forwardCount: number;
  /** For each frame of the tape, what is one step together with it, or -1. */
  readonly ofFrame: Int32Array;
}

/** For each fold, what is one step together with it: a closed fold, or one iteration; else -1. */
function unitsOf(folds: Folds, open: ReadonlySet<number>): Int32Array {
  const { kind, parent, iteration } = folds;
  const units = new Int32Array(kind.length).fill(-1);
  hiddenBy(folds, open).forEach((closed, fold) => {
    if (closed < 0) return;
    const around = fold === closed ? -1 : units[parent[fold]!]!;
    const isIteration = fold !== closed && iteration[fold]! > 0 && kind[fold] !== FoldKind.Range;
    units[fold] = !isLoop(folds, closed) ? closed : around >= 0 || !isIteration ? around : fold;
  });
  return units;
}

/** The unit of each frame; a variable that is assigned inside a call is part of the call. */
function frameUnits({ graph }: Model, unitOf: (node: number) => number): Int32Array {
  const units = new Int32Array(graph.frameCount).fill(-1);
  let last = -1;
  for (let frame = 0; frame < graph.frameCount; frame++) {
    const node = graph.frameNode[frame]!;
    if (node < 0) continue;
    const unit = (units[frame] = unitOf(node));
    if (unit >= 0 && last >= 0 && units[last] === unit) units.fill(unit, last + 1, frame);
    last = frame;
  }
  return units;
}

function findStops(model: Model, open: Open): Stops {
  const { graph, backwardPass, stepCount, chosen } = model;
  const folds = foldsIn(model);
  const units = unitsOf(folds, opened(model, open));
  const unitOf = (node: number): number => units[folds.ofNode[node] ?? -1] ?? -1;
  const steps = new Int32Array(stepCount);
  const ofFrame = frameUnits(model, unitOf);
  let count = 0;
  for (let frame = 0; frame < graph.frameCount; frame++) {
    const unit = ofFrame[frame]!;
    if (unit < 0 || ofFrame[frame + 1] !== unit) steps[count++] = frame + 1;
  }
  const forwardCount = count;
  const flows = backwardPass?.flows.length ?? 0;
  let left = -1;
  for (let flow = 0; flow < flows; flow++) {
    const unit = unitOf(backwardPass!.through[flow]!);
    if (unitOf(backwardPass!.receiver[flow]!) !== unit) left = flow;
    if (flow + 1 < flows) {
      if (unit >= 0 && unitOf(backwardPass!.through[flow + 1]!) === unit) continue;
    } else left = flow;
    steps[count++] = graph.frameCount + (unit >= 0 && left >= 0 ? left : flow) + 1;
    left = -1;
  }
  return { open, chosen, steps: steps.subarray(0, count), forwardCount, ofFrame };
}

const known = new WeakMap<Model['graph'], Stops>();

function stopsOf(model: Model, open: Open): Stops {
  let stops = known.get(model.graph);
  if (stops?.open !== open || stops.chosen !== model.chosen) {
    known.set(model.graph, (stops = findStops(model, open)));
  }
  return stops;
}

/** How many of some ascending numbers are smaller than a limit, by bisection. */
function countBelow(numbers: Int32Array, limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The next or the previous step to stop at; the first or the last one where there is none. */
export function stopBy(model: Model, open: Open, step: number, by: 1 | -1): number {
  const { steps } = stopsOf(model, open);
  const at = by > 0 ? countBelow(steps, step + 1) : countBelow(steps, step) - 1;
  return steps[at] ?? (by > 0 ? model.stepCount : firstStep(model));
}

interface FramedState {
  readonly model: Model;
  readonly open: Open;
  readonly view: 'tape' | 'why';
}

/** The frames of a timeline, by their places in it. */
export interface Frames {
  readonly count: number;
  /** The frame of the tape at a place; of what runs in a closed fold, the last one. */
  frameAt(place: number): number;
  placeOf(frame: number): number;
  /** The closed fold, or the iteration of a closed loop, that is one frame; or -1. */
  foldAt(place: number): number;
}

/** The timeline without folds. */
function allFrames({ graph }: Model): Frames {
  const same = (frame: number): number => frame;
  return { count: graph.frameCount, frameAt: same, placeOf: same, foldAt: () => -1 };
}

/** The frames that a view shows: a story of what is missing names each frame of the tape. */
export function framesOf({ model, open, view }: FramedState): Frames {
  return view === 'why' ? allFrames(model) : foldedFrames(model, open);
}

/** The timeline with one frame for all that is one step. */
function foldedFrames(model: Model, open: Open): Frames {
  const { steps, forwardCount, ofFrame } = stopsOf(model, open);
  const forward = steps.subarray(0, forwardCount);
  return {
    count: forwardCount,
    frameAt: (place) => forward[place]! - 1,
    placeOf: (frame) => (frame < 0 ? -1 : countBelow(forward, frame + 1)),
    foldAt: (place) => ofFrame[forward[place]! - 1]!,
  };
}
