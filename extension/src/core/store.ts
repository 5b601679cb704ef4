import { withCall } from './model.js';
import type { Model } from './model.js';
import { frameAt, stepForFrame } from './picture.js';

export type View = 'tape' | 'why';

export interface State {
  readonly model: Model;
  readonly step: number;
  /** The node the learner pointed at, or -1. */
  readonly selected: number;
  readonly playing: boolean;
  readonly view: View;
  readonly finding: number;
  /** How many findings there are to walk through. */
  readonly findings: number;
  readonly zoom: number;
}

export type Action =
  | { readonly kind: 'next' | 'previous' | 'first' | 'last' | 'backward' }
  | { readonly kind: 'play' | 'pause' | 'toggle' | 'tick' }
  | { readonly kind: 'go'; readonly step: number }
  | { readonly kind: 'frame'; readonly frame: number }
  | { readonly kind: 'select'; readonly node: number }
  | { readonly kind: 'selectBy'; readonly by: 1 | -1 }
  | { readonly kind: 'call'; readonly call: number }
  | { readonly kind: 'view'; readonly view: View }
  /** Leave the explanation for the tape, at the frame of its culprit. */
  | { readonly kind: 'showOnTape'; readonly frame: number }
  | { readonly kind: 'finding'; readonly by: 1 | -1 }
  | { readonly kind: 'zoom'; readonly by: -1 | 0 | 1 };

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
  const clamped = within(Math.round(step) || 1, 1, Math.max(1, state.model.stepCount));
  return clamped === state.step && state.selected < 0
    ? state
    : { ...state, step: clamped, selected: -1 };
}

function tick(state: State): State {
  if (!state.playing) return state;
  const moved = goTo(state, state.step + 1);
  return moved.step >= state.model.stepCount ? { ...moved, playing: false } : moved;
}

function play(state: State): State {
  const atEnd = state.step >= state.model.stepCount;
  return { ...(atEnd ? goTo(state, 1) : state), playing: state.model.stepCount > 1 };
}

function selectBy(state: State, by: 1 | -1): State {
  const { nodeCount } = state.model.graph;
  const here = state.selected >= 0 ? state.selected : frameAt(state.model, state.step).node;
  return nodeCount ? { ...state, selected: within(here + by, 0, nodeCount - 1) } : state;
}

function chooseCall(state: State, call: number): State {
  const model = withCall(state.model, call);
  return goTo({ ...state, model, selected: -1 }, model.graph.frameCount + 1);
}

/** The next state; a pure function, so that a step forward and a step back end where they began. */
export function reduce(state: State, action: Action): State {
  switch (action.kind) {
    case 'next':
      return { ...goTo(state, state.step + 1), playing: false };
    case 'previous':
      return { ...goTo(state, state.step - 1), playing: false };
    case 'first':
      return { ...goTo(state, 1), playing: false };
    case 'last':
      return { ...goTo(state, state.model.stepCount), playing: false };
    case 'backward':
      return { ...goTo(state, state.model.graph.frameCount + 1), playing: false };
    case 'go':
      return goTo(state, action.step);
    case 'frame': {
      const step = stepForFrame(state.model, frameAt(state.model, state.step), action.frame);
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
      return { ...state, selected: state.selected === action.node ? -1 : action.node };
    case 'selectBy':
      return selectBy(state, action.by);
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
    case 'zoom':
      return {
        ...state,
        zoom: action.by ? within(state.zoom * ZOOM_STEP ** action.by, 0.4, 2.5) : 1,
      };
  }
}

export function createStore(initial: State): Store {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    state: () => current,
    dispatch: (action) => {
      const next = reduce(current, action);
      if (next === current) return;
      current = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
