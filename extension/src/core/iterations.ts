import { foldsIn } from './folded.js';
import { FoldKind } from './folds.js';
import type { Folds } from './folds.js';
import type { Model } from './model.js';
import { stateAt } from './stepstate.js';
import type { Action, State } from './state.js';

/** The first and the last node of an iteration. */
type Stretch = readonly [first: number, last: number];

/** A loop, and the iteration of it that a step is about. */
export interface Loop {
  readonly fold: number;
  readonly iterations: readonly Stretch[];
  /** From 1; 0 where the step is about something else. */
  readonly iteration: number;
}

const known = new WeakMap<Folds, Map<number, readonly Stretch[]>>();

/** The iterations of a loop: folds of their own, or where each is one op, those ops. */
function iterationsOf({ graph }: Model, folds: Folds, loop: number): readonly Stretch[] {
  const made = known.get(folds) ?? new Map<number, readonly Stretch[]>();
  known.set(folds, made);
  const before = made.get(loop);
  if (before) return before;
  const { kind, parent, iteration, first, last } = folds;
  const found: Stretch[] = [];
  for (let fold = loop + 1; fold < kind.length && first[fold]! <= last[loop]!; fold++) {
    if (!iteration[fold] || kind[fold] === FoldKind.Range) continue;
    let around = parent[fold]!;
    while (kind[around] === FoldKind.Range) around = parent[around]!;
    if (around === loop) found.push([first[fold]!, last[fold]!]);
  }
  if (!found[0]) {
    for (let node = first[loop]!; node <= last[loop]!; node++) {
      if (graph.nodeEvent[node]! >= 0) found.push([node, node]);
    }
  }
  made.set(loop, found);
  return found;
}

/** At first sight so many loops can be walked, before the learner is inside one. */
const OUTERMOST = 2;

/** The node that a step is about: that which ran, or which the gradient passes through. */
function nodeAt({ model, selected, step }: State): number {
  const { phase, through, node } = stateAt(model, step);
  return selected >= 0 ? selected : phase === 'backward' && through >= 0 ? through : node;
}

/** The loops that a fold lies in, the outer ones first. */
function loopsAround({ kind, parent }: Folds, fold: number): number[] {
  const around: number[] = [];
  for (; fold >= 0; fold = parent[fold]!) if (kind[fold] === FoldKind.Loop) around.unshift(fold);
  return around;
}

/** The loops around what a step is about, the outer ones first; else the first ones there are. */
export function loopsAt(state: State): Loop[] {
  const { model } = state;
  const folds = foldsIn(model);
  const node = nodeAt(state);
  const around = loopsAround(folds, folds.ofNode[node] ?? -1);
  const outermost = folds.kind.flatMap((kind, fold) =>
    kind === FoldKind.Loop && !loopsAround(folds, folds.parent[fold]!).length ? [fold] : [],
  );
  return (around.length ? around : outermost.slice(0, OUTERMOST)).map((fold) => {
    const iterations = iterationsOf(model, folds, fold);
    const at = iterations.findIndex(([first, last]) => node >= first && node <= last);
    return { fold, iterations, iteration: at + 1 };
  });
}

/** The places in a list of nodes that lie in a stretch: where they begin, and how many. */
function within(nodes: ArrayLike<number>, [first, last]: Stretch): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at < nodes.length; at++) {
    if (nodes[at]! >= first && nodes[at]! <= last) found.push(at);
  }
  return found;
}

/** The step at the same place of another iteration, counted from 1. */
export function goToIteration(
  state: State,
  { iterations, iteration }: Loop,
  wanted: number,
): Action {
  const { model, step } = state;
  const { frameCount, frameNode } = model.graph;
  const backward = step > frameCount;
  const nodes = backward ? model.backwardPass!.through : frameNode;
  const from = backward ? frameCount : 0;
  const to = Math.max(1, Math.min(iterations.length, Math.round(wanted) || 1));
  const places = within(nodes, iterations[to - 1]!);
  const here = iteration ? within(nodes, iterations[iteration - 1]!).indexOf(step - from - 1) : -1;
  const place = places[Math.max(0, Math.min(here, places.length - 1))];
  return { kind: 'go', step: place === undefined ? step : from + place + 1 };
}

/** One iteration on or back, in the innermost loop; null where there is none. */
export function iterationBy(state: State, by: 1 | -1): Action | null {
  const loop = loopsAt(state).at(-1);
  return loop ? goToIteration(state, loop, loop.iteration + by) : null;
}
