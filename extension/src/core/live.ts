import { numberOf } from './carried.js';
import type { Carried } from './carried.js';
import { withRows } from './film.js';
import type { FilmRow, TrainingSeries } from './film.js';

export type GradientState = 'gradient' | 'none' | 'zero' | 'nan' | 'pending';

export interface LiveVariable {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly value?: string;
  readonly norm: Carried;
  readonly state: GradientState;
  readonly line?: number | null;
}

export interface LiveFinding {
  readonly code: string;
  readonly title: string;
  readonly line: number | null;
  readonly cell: string | null;
  /** The variable that it is about, where it is about one. */
  readonly source?: string | null;
  /** Whether the newest step still shows it. */
  readonly now?: boolean;
}

/** What the kernel sends while a cell runs; `history` holds only what is new. */
export interface LiveMessage {
  readonly running: boolean;
  /** Which run of a cell this is; another one begins with nothing. */
  readonly run: number;
  /** What was differentiated; empty where it has no name. */
  readonly target: string;
  readonly tape: {
    readonly ops: number;
    readonly bytes: number;
    readonly recording: boolean;
    readonly persistent: boolean;
    /** Whether the backward pass has consumed it, and its buffers are released. */
    readonly consumed?: boolean;
    /** Who keeps the bytes, in the order of the tape; the smaller ones may be left out. */
    readonly parts?: readonly (readonly [string, number])[];
  } | null;
  readonly step: number;
  readonly calls: number;
  /** How many of the steps were only counted, because they ran compiled. */
  readonly counted?: number;
  /** Whether the last gradient call came before the panel was visible, and its tape is gone. */
  readonly missed?: boolean;
  readonly loss: Carried;
  /** Step, loss, norms of the variables, and which question it was, where there are several. */
  readonly history: readonly (readonly [number, Carried, readonly Carried[], number?])[];
  readonly variables: readonly LiveVariable[];
  /** How many variables were left out. */
  readonly more?: number;
  /** The steps whose tapes can be opened; all of them where nothing is said. */
  readonly kept?: readonly number[];
  /** The first step of each epoch of `fit`. */
  readonly epochs?: readonly number[];
  readonly findings: readonly LiveFinding[];
}

/** A number for each of some steps, in their order. */
export type Series = readonly (readonly [number, number])[];

/** What is known of a cell that runs, and what the learner looks at. */
export interface LiveState {
  readonly link: 'none' | 'waiting' | 'absent' | 'failed' | 'open';
  /** What went wrong, and what there is to know about it. */
  readonly trouble: string;
  readonly error: string;
  /** The notebook or console whose kernel it is. */
  readonly name: string;
  readonly paused: boolean;
  readonly now: LiveMessage | null;
  readonly losses: Series;
  readonly norms: Readonly<Record<string, Series>>;
  /** The step that the learner looks back at; null follows the newest. */
  readonly chosen: number | null;
  /** The newest steps, for the film; older ones are thinned. */
  readonly rows: readonly FilmRow[];
  /** The film of the run before this one, to compare. */
  readonly before: Pick<TrainingSeries, 'variables' | 'rows'> | null;
  readonly focus: FilmFocus;
}

/** What is pointed at in the film: the line of the keys, and the cell under the mouse. */
export interface FilmFocus {
  readonly line: number;
  readonly hover: { readonly column: number; readonly line: number } | null;
}

export const NOTHING_YET: LiveState = {
  link: 'waiting',
  trouble: '',
  error: '',
  name: '',
  paused: false,
  now: null,
  losses: [],
  norms: {},
  chosen: null,
  rows: [],
  before: null,
  focus: { line: 0, hover: null },
};

/** What the buttons of the panel do. One that is left out has no button. */
export interface LiveActions {
  readonly pause?: () => void;
  /** Look back at a step, or follow the newest again. */
  readonly choose?: (step: number | null) => void;
  /** Point at a part of the film. */
  readonly point?: (focus: FilmFocus) => void;
  /** Show the tape of a step in the Explorer. */
  readonly open?: (step: number | null) => void;
  readonly explain?: (step: number | null) => void;
  readonly goTo?: (cell: string | null, line: number) => void;
  readonly example?: () => void;
  readonly connect?: () => void;
}

/** A curve of more points is thinned to half of them: it is a few hundred pixels wide. */
const MOST_POINTS = 320;

function longer(series: Series, more: Series): Series {
  const all = [...series, ...more];
  return all.length <= MOST_POINTS
    ? all
    : all.filter((_, at) => at % 2 === 0 || at === all.length - 1);
}

/** The state after a message. Where steps begin again, so do the curves. */
export function withMessage(state: LiveState, message: LiveMessage): LiveState {
  const first = message.history[0]?.[0] ?? Infinity;
  const again = first <= (state.losses.at(-1)?.[0] ?? -1);
  const anew = again || (state.now !== null && message.run !== state.now.run);
  const latest = message.history.at(-1)?.[3];
  const norms: Record<string, Series> = {};
  message.variables.forEach(({ name }, at) => {
    const more = message.history.flatMap(([step, , all]) => {
      const norm = all[at];
      return norm === null || norm === undefined || norm === 'none'
        ? []
        : [[step, numberOf(norm)] as const];
    });
    norms[name] = longer(anew ? [] : (state.norms[name] ?? []), more);
  });
  const losses = message.history.flatMap(([step, loss, , question]) =>
    loss === null || question !== latest ? [] : [[step, numberOf(loss)] as const],
  );
  return {
    ...state,
    link: 'open',
    error: '',
    now: message,
    losses: longer(anew ? [] : state.losses, losses),
    norms,
    chosen: anew ? null : state.chosen,
    rows: withRows(anew ? [] : state.rows, message.history),
    before: anew && state.now && state.rows.length > 1 ? seriesOf(state, state.now) : state.before,
    focus: anew ? NOTHING_YET.focus : state.focus,
  };
}

/** The steps that are known of a run, as the film takes them. */
export function seriesOf(
  { rows }: LiveState,
  { variables }: LiveMessage,
): Pick<TrainingSeries, 'variables' | 'rows'> {
  const sizeOf = (shape: readonly number[]): number => shape.reduce((size, axis) => size * axis, 1);
  return { rows, variables: variables.map(({ name, shape }) => [name, sizeOf(shape)] as const) };
}
