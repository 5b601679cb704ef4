import type { CellPort } from './cellcode.js';
import { patch } from './dom.js';
import type { Explanation } from './explanation.js';
import { clear, Explorer } from './explorer.js';
import type { Handle } from './explorer.js';
import { foldsIn } from './folded.js';
import { buildModel } from './model.js';
import type { Model } from './model.js';
import { parseRecording, RecordingError } from './recording.js';
import type { Recording } from './recording.js';
import { createRoot } from './root.js';
import { Kind } from './schema.js';
import { clampStep } from './stepstate.js';
import { AT_FIRST } from './state.js';
import { createStore } from './store.js';
import type { State } from './state.js';
import type { Store } from './store.js';
import type { Guess } from './predict.js';
import { extras, onExtras } from './extras.js';
import type { Replays, Source } from './whatif.js';
import { loadingView, stateView } from './views/explorer.js';
import { speak, WORDS } from './words.js';
import type { Catalogue } from './words.js';

export type { Handle } from './explorer.js';

export interface MountOptions {
  readonly recording: Uint8Array;
  readonly explanation?: Explanation | null;
  /** The step to begin with, from 1; without one, an explanation comes first. */
  readonly step?: number;
  /** Begin with the explanation, whatever it says of the gradient. */
  readonly why?: boolean;
  readonly language?: string | undefined;
  /** What the language says in place of the English; without it English stands. */
  readonly words?: Catalogue | undefined;
  /** Where the moments of a function come from whose inputs can be moved. */
  readonly whatIf?: Source | undefined;
  /** What runs the ops again at other values of the variables. */
  readonly replays?: Replays | undefined;
  /** The way to the cell that the code came from, where it may be shown there. */
  readonly cell?: CellPort | null;
  /** For a page that follows what is looked at, and says what to look at. */
  readonly onStore?: ((store: Store) => void) | undefined;
  /** What the learner has predicted already. */
  readonly guesses?: readonly Guess[] | undefined;
  /** Whether the learner is asked from the beginning. */
  readonly predict?: boolean | undefined;
}

/** Above so many events, reading is announced before it begins. */
const MANY_EVENTS = 400_000;
/** After a part of reading that took longer, the page draws before the next, in milliseconds. */
const PATIENCE = 100;
const PAUSE = 16;

/** Say that a recording of so many ops is on its way. */
export function announce(host: Element, ops: number, language?: string): void {
  patch(createRoot(host, language, WORDS.widget), [loadingView(ops, 0.1)]);
}

function initialState(model: Model, options: MountOptions): State {
  const { explanation, guesses = [] } = options;
  const findings = explanation?.findings.length ?? 0;
  const lacks = explanation?.connected === false || explanation?.partial;
  const asks = options.why || (lacks && !options.step && !options.predict);
  const asksWhy = findings > 0 && asks;
  const step = clampStep(model, options.step ?? (options.whatIf ? model.stepCount : 0));
  const view = asksWhy ? 'why' : 'tape';
  return { ...AT_FIRST, model, step, view, findings, guesses };
}

function failed(root: HTMLElement, error: unknown): Handle {
  if (!(error instanceof RecordingError)) throw error;
  patch(root, [stateView(error.title, error.advice)]);
  return {
    destroy: () => clear(root),
    dispatch: () => {},
    step: () => 0,
    onChange: () => () => {},
    onGuess: () => () => {},
  };
}

/** A handle for a widget that is still being read: calls made now take effect later. */
function deferred(
  root: HTMLElement,
  recording: Recording,
  start: (model: Model) => Explorer,
): Handle {
  let explorer: Explorer | null = null;
  let cancelled = false;
  const waiting: ((ready: Explorer) => void)[] = [];
  const later = (what: (ready: Explorer) => void): void => {
    if (explorer) what(explorer);
    else waiting.push(what);
  };
  let ops = 0;
  for (const kind of recording.kinds) if (kind === Kind.Ran) ops++;
  let model: Model;
  const parts: readonly (() => void)[] = [
    () => (model = buildModel(recording)),
    () => foldsIn(model),
    () => (explorer = start(model)),
    () => waiting.forEach((what) => what(explorer!)),
  ];
  const read = (part: number, pause: number): void => {
    if (cancelled || part === parts.length) return;
    if (!explorer) patch(root, [loadingView(ops, (part + 1) / parts.length)]);
    setTimeout(() => {
      if (cancelled) return;
      const begun = performance.now();
      parts[part]!();
      read(part + 1, performance.now() - begun > PATIENCE ? PAUSE : 0);
    }, pause);
  };
  read(0, 0);
  return {
    destroy: () => {
      cancelled = true;
      explorer?.destroy();
      clear(root);
    },
    dispatch: (action) => later((ready) => ready.dispatch(action)),
    step: () => explorer?.step() ?? 1,
    onChange: (listener) => {
      let stop = (): void => {};
      later((ready) => (stop = ready.onChange(listener)));
      return () => stop();
    },
    onGuess: (listener) => {
      let stop = (): void => {};
      later((ready) => (stop = ready.onGuess(listener)));
      return () => stop();
    },
  };
}

/** Let the values of variables be moved, once the views for that are there. */
function moveVariables(
  explorer: Explorer,
  root: HTMLElement,
  store: Store,
  replays: Replays | null,
): void {
  let end: (() => void) | undefined;
  const start = (): void => void (end ??= extras()?.nudges(root, store, replays));
  start();
  explorer.onDestroy(onExtras(start));
  explorer.onDestroy(() => end?.());
  if (!replays) return;
  const show = (bytes: Uint8Array | null): void => {
    if (bytes) explorer.show(buildModel(parseRecording(bytes)));
  };
  explorer.onDestroy(replays.listen(show));
}

/** Show a recording inside an element. */
export function mount(host: Element, options: MountOptions): Handle {
  speak(options.words);
  const root = createRoot(host, options.language, WORDS.widget);
  try {
    const recording = parseRecording(options.recording);
    const start = (model: Model): Explorer => {
      const store = createStore(initialState(model, options));
      const { explanation, words, whatIf, cell } = options;
      const explorer = new Explorer(root, store, explanation ?? null, words, whatIf, cell);
      if (options.predict) store.dispatch({ kind: 'predict' });
      options.onStore?.(store);
      if (!whatIf) moveVariables(explorer, root, store, options.replays ?? null);
      whatIf?.listen((bytes) => explorer.show(buildModel(parseRecording(bytes))));
      return explorer;
    };
    return recording.eventCount > MANY_EVENTS
      ? deferred(root, recording, start)
      : start(buildModel(recording));
  } catch (error) {
    return failed(root, error);
  }
}
