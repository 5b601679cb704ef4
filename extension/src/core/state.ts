import type { Open } from './folded.js';
import type { Model } from './model.js';
import type { Guess } from './predict.js';

export type View = 'tape' | 'why';

/** What lies over the picture: the field of the search and its results, the one line that is left of
 * them while one goes through the results, or the list of keys. */
export type Overlay = 'search' | 'hits' | 'keys' | null;

/** What stands beside the code. */
export const PANES = ['graph', 'flow', 'memory', 'watched', 'entries'] as const;
export type Pane = (typeof PANES)[number];

/** @said */
export const TITLES: Readonly<Record<Pane, string>> = {
  graph: 'Graph',
  flow: 'Flow',
  memory: 'Memory',
  watched: 'Watched',
  entries: 'Entries',
};

/** How fast it plays: so many times a step each PLAY_PACE. */
export const SPEEDS = [0.5, 1, 2, 4] as const;

/** An entry of a tensor that somebody points at. */
export interface Entry {
  /** What is looked at: the result of the op (-1), or the gradient of its input at a position. */
  readonly target: number;
  /** Which of the drawn tensors it is in; -1 for the entry farthest from 0. */
  readonly figure: number;
  readonly place: number;
}

export type Way = 'in' | 'out';

/** The last edge that was walked: from which node, and whether to an input or to an output of it. */
export interface Walk {
  readonly from: number;
  readonly way: Way;
}

export interface State {
  readonly model: Model;
  readonly step: number;
  /** The node the learner pointed at, or -1. */
  readonly selected: number;
  /** The edge along which the learner came to the selected node, or null. */
  readonly walk: Walk | null;
  readonly playing: boolean;
  readonly view: View;
  readonly finding: number;
  /** How many findings there are to walk through. */
  readonly findings: number;
  readonly zoom: number;
  /** The folds of the graph that are open; null until the learner opens or closes one. */
  readonly open: Open;
  readonly pane: Pane;
  /** Whether what is said about a step stands beside the graph, also where one line could. */
  readonly details: boolean;
  readonly speed: number;
  /** The slice of a tensor of higher rank that is looked at. */
  readonly slice: number;
  /** The entry of a tensor that is pointed at; null for the one farthest from 0. */
  readonly entry: Entry | null;
  /** Whether questions come before backward steps, and whether one is open. */
  readonly predicting: 'off' | 'on' | 'question';
  readonly guesses: readonly Guess[];
  readonly overlay: Overlay;
  /** What is searched for, and which of the results is marked. */
  readonly query: string;
  readonly hit: number;
}

/** How everything stands before anyone has touched it. */
export const AT_FIRST = {
  selected: -1,
  walk: null,
  playing: false,
  finding: 0,
  zoom: 1,
  open: null,
  pane: 'graph',
  details: false,
  speed: 1,
  slice: 0,
  entry: null,
  predicting: 'off',
  guesses: [],
  overlay: null,
  query: '',
  hit: 0,
} as const;

export type Action =
  | { readonly kind: 'next' | 'previous' | 'first' | 'last' | 'backward' }
  | { readonly kind: 'play' | 'pause' | 'toggle' | 'tick' }
  | { readonly kind: 'go'; readonly step: number }
  | { readonly kind: 'frame'; readonly frame: number }
  | { readonly kind: 'select'; readonly node: number }
  | { readonly kind: 'selectBy'; readonly by: 1 | -1 }
  /** To a node at the other end of an edge. */
  | { readonly kind: 'walk'; readonly node: number; readonly walk: Walk | null }
  | { readonly kind: 'call'; readonly call: number }
  /** The same program at other values. */
  | { readonly kind: 'model'; readonly model: Model }
  | { readonly kind: 'view'; readonly view: View }
  /** Leave the explanation for the tape, at the frame of its culprit. */
  | { readonly kind: 'showOnTape'; readonly frame: number }
  | { readonly kind: 'finding'; readonly by: 1 | -1 }
  | { readonly kind: 'showFinding'; readonly finding: number }
  /** By steps of a quarter, or (`to`) to a size. */
  | { readonly kind: 'zoom'; readonly by: -1 | 0 | 1; readonly to?: number }
  /** Open or close a fold; without one, that around the current node. */
  | { readonly kind: 'fold'; readonly fold?: number }
  /** Close everything inside an open fold; of the whole graph (-1), open what is open at first. */
  | { readonly kind: 'foldInside'; readonly fold: number }
  | { readonly kind: 'foldAll'; readonly open: boolean }
  | { readonly kind: 'pane'; readonly pane: Pane }
  | { readonly kind: 'speed'; readonly speed: number }
  | { readonly kind: 'slice'; readonly slice: number }
  | { readonly kind: 'entry'; readonly entry: Entry }
  /** To the next place where paths meet, or to the first NaN. */
  | { readonly kind: 'nextSum' | 'firstOdd' }
  /** To a step of a call, which is shown from then on. */
  | { readonly kind: 'track'; readonly call: number; readonly step: number }
  | { readonly kind: 'overlay'; readonly overlay: Overlay }
  | { readonly kind: 'search'; readonly query: string }
  | { readonly kind: 'markHit'; readonly by: 1 | -1 }
  /** To a result; without one, to that which is so many further on. */
  | { readonly kind: 'goToHit'; readonly hit?: number; readonly by?: 1 | -1 }
  | { readonly kind: 'predict' | 'takeBack' | 'details' }
  | { readonly kind: 'guess'; readonly said: string };

/** Where the state is, for what only looks at it. */
export interface StateSource {
  state(): State;
  subscribe(listener: () => void): () => void;
}

export type Dispatch = (action: Action) => void;

/** Which slice of a tensor of higher rank is looked at, and how to look at another. */
export interface Slices {
  readonly at: number;
  readonly dispatch: Dispatch;
}
