import { withCall } from './model.js';
import { firstNonFiniteStep } from './flow.js';
import { clampStep, firstStep, stateAt, stepForFrame } from './stepstate.js';
import { extras } from './extras.js';
import type { Question } from './predict.js';
import type { Action, State } from './state.js';
import { foldAll, foldInside, selectBy, toggleFold } from './foldactions.js';
import { stopBy } from './stops.js';

export interface Store {
  state(): State;
  dispatch(action: Action): void;
  subscribe(listener: () => void): () => void;
}

const ZOOM_STEP = 1.25;

function within(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

function goTo(state: State, step: number): State {
  const clamped = clampStep(state.model, step);
  return clamped === state.step && state.selected < 0
    ? state
    : {
        ...state,
        step: clamped,
        selected: -1,
        entry: null,
        predicting: calm(state.predicting),
      };
}

/** A question that was passed by no longer stands. */
function calm(predicting: State['predicting']): State['predicting'] {
  return predicting === 'question' ? 'on' : predicting;
}

/** What to ask here before the next step is shown, once that view is there. */
export function questionOf({ model, step }: State): Question | null {
  return extras()?.questionAt(model, step) ?? null;
}

/** One step on or back; what runs in a closed fold is one step. */
function stepBy(state: State, by: 1 | -1): State {
  return goTo(state, stopBy(state.model, state.open, state.step, by));
}

/** One step on, or first the question about it. */
function next(state: State): State {
  const asks = state.predicting === 'on' && questionOf(state) !== null;
  return {
    ...(asks ? { ...state, predicting: 'question' } : stepBy(state, 1)),
    playing: false,
  };
}

/** So far it is looked for something to ask. */
const LOOKED_AHEAD = 1000;

/** The first step from here on, or else from the start, after which there is something to ask. */
function firstQuestionStep(state: State): number {
  for (const from of [state.step, 1]) {
    for (let step = from; step < from + LOOKED_AHEAD; step++) {
      if (questionOf({ ...state, step })) return step;
    }
  }
  return state.step;
}

/** Ask from here on; or do not ask any more. */
function predict(state: State): State {
  if (state.predicting !== 'off') return { ...state, predicting: 'off' };
  if (!extras()) return { ...state, predicting: 'on' };
  return next({ ...goTo(state, firstQuestionStep(state)), selected: -1, predicting: 'on' });
}

function guess(state: State, said: string): State {
  const question = questionOf(state);
  if (state.predicting !== 'question' || !question) return state;
  const guesses = [...state.guesses, extras()!.judge(state.model, question, said)];
  return { ...goTo(state, question.step), guesses };
}

/** Ask once more what was answered last, as if it had not been. */
function takeBack(state: State): State {
  const last = state.guesses.at(-1);
  if (!last) return state;
  const previous = stopAt({ ...state, predicting: 'on' }, last.step - 1);
  return next({ ...previous, guesses: state.guesses.slice(0, -1) });
}

/** The next step at which the last of several contributions arrives; the first one after the end. */
function nextSum({ model, step }: State): number {
  const { backwardPass, graph } = model;
  const after = (from: number): number =>
    backwardPass?.flows.findIndex((_, flow) => {
      const node = backwardPass.receiver[flow]!;
      const last = node < 0 ? -1 : backwardPass.firstArrival[node + 1]! - 1;
      const several = last > (backwardPass.firstArrival[node] ?? 0);
      return flow >= from && several && backwardPass.arrivals[last] === flow;
    }) ?? -1;
  const here = after(step - graph.frameCount);
  const found = here < 0 ? after(0) : here;
  return found < 0 ? step : graph.frameCount + found + 1;
}

function stopAt(state: State, step: number): State {
  return { ...goTo(state, step), playing: false };
}

/** Another backward pass, at one of its steps. */
function track(state: State, call: number, step: number): State {
  const model = call === state.model.chosen ? state.model : withCall(state.model, call);
  return stopAt({ ...state, model }, step);
}

function tick(state: State): State {
  if (!state.playing) return state;
  if (state.predicting === 'on' && questionOf(state)) return next(state);
  const moved = stepBy(state, 1);
  return moved.step >= state.model.stepCount ? { ...moved, playing: false } : moved;
}

function play(state: State): State {
  const atEnd = state.step >= state.model.stepCount;
  return {
    ...(atEnd ? goTo(state, firstStep(state.model)) : state),
    playing: state.model.stepCount > 1,
  };
}

function chooseCall(state: State, call: number): State {
  const model = withCall(state.model, call);
  return goTo({ ...state, model, selected: -1 }, model.graph.frameCount + 1);
}

/** The next state; a pure function, so that a step forward and a step back end where they began. */
export function reduce(state: State, action: Action): State {
  switch (action.kind) {
    case 'next':
      return next(state);
    case 'previous':
      return { ...stepBy(state, -1), playing: false };
    case 'first':
      return stopAt(state, firstStep(state.model));
    case 'last':
      return stopAt(state, state.model.stepCount);
    case 'backward':
      return stopAt(state, state.model.graph.frameCount + 1);
    case 'nextSum':
      return stopAt(state, nextSum(state));
    case 'firstOdd':
      return firstNonFiniteStep(state.model) < 0
        ? state
        : stopAt(state, firstNonFiniteStep(state.model));
    case 'track':
      return track(state, action.call, action.step);
    case 'go':
      return goTo(state, action.step);
    case 'frame': {
      const step = stepForFrame(state.model, stateAt(state.model, state.step), action.frame);
      return { ...goTo(state, step), playing: false };
    }
    case 'play':
      return play(state);
    case 'pause':
      return { ...state, playing: false };
    case 'toggle':
      return state.playing ? { ...state, playing: false } : play(state);
    case 'tick':
      return tick(state);
    case 'select':
      return {
        ...state,
        slice: 0,
        entry: null,
        selected: state.selected === action.node ? -1 : action.node,
        walk: null,
      };
    case 'selectBy':
      return { ...selectBy(state, action.by), walk: null };
    case 'walk':
      return { ...state, slice: 0, entry: null, selected: action.node, walk: action.walk };
    case 'model':
      return goTo({ ...state, model: action.model }, state.step);
    case 'call':
      return chooseCall(state, action.call);
    case 'view':
      return action.view === 'why' && !state.findings
        ? state
        : { ...state, view: action.view, playing: false };
    case 'showOnTape':
      return { ...goTo(state, action.frame < 0 ? state.step : action.frame + 1), view: 'tape' };
    case 'finding':
      return { ...state, finding: within(state.finding + action.by, 0, state.findings - 1) };
    case 'showFinding':
      return { ...state, finding: within(action.finding, 0, state.findings - 1) };
    case 'pane':
      return { ...state, pane: action.pane, view: 'tape' };
    case 'details':
      return { ...state, details: !state.details };
    case 'speed':
      return { ...state, speed: action.speed };
    case 'entry':
      return { ...state, entry: action.entry };
    case 'slice':
      return { ...state, slice: action.slice };
    case 'overlay':
      return { ...state, overlay: action.overlay };
    case 'search':
      return { ...state, query: action.query, hit: 0 };
    case 'markHit':
      return extras()?.markHit(state, action.by) ?? state;
    case 'goToHit':
      return extras()?.goToHit(state, action.hit ?? state.hit + (action.by ?? 0)) ?? state;
    case 'predict':
      return predict(state);
    case 'guess':
      return guess(state, action.said);
    case 'takeBack':
      return takeBack(state);
    case 'fold':
      return toggleFold(state, action.fold);
    case 'foldInside':
      return foldInside(state, action.fold);
    case 'foldAll':
      return foldAll(state, action.open);
    case 'zoom':
      return {
        ...state,
        zoom: within(action.to ?? (action.by ? state.zoom * ZOOM_STEP ** action.by : 1), 0.02, 3),
      };
  }
}

export function createStore(initial: State): Store {
  let current = initial;
  const subscribers = new Set<() => void>();
  return {
    state: () => current,
    dispatch: (action) => {
      const next = reduce(current, action);
      if (next === current) return;
      current = next;
      for (const listener of [...subscribers]) listener();
    },
    subscribe: (listener) => {
      subscribers.add(listener);
      return () => subscribers.delete(listener);
    },
  };
}
