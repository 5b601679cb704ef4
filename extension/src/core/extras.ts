import type { Scene } from './canvas.js';
import type { VNode } from './dom.js';
import type { Model } from './model.js';
import type { Picture } from './picture.js';
import type { judge, Question, questionAt } from './predict.js';
import type { Action, State } from './store.js';
import type { storyOf } from './story.js';
import type { turnBy } from './turns.js';
import type { cardMaps } from './views/cardmaps.js';
import type { pictureOf } from './views/pictures.js';
import type { turnsView } from './views/turns.js';
import type { Sliders } from './views/whatif.js';
import type { whyView } from './views/why.js';
import type { Catalogue } from './words.js';

type Dispatch = (action: Action) => void;

/**
 * The views that may come later than the rest. A page brings them along; a widget, of which a
 * notebook keeps one copy for every output, asks its kernel for them when somebody wants to see one.
 */
export interface Extras {
  readonly style: string;
  readonly speak: (catalogue: Catalogue | undefined) => void;
  readonly pane: (
    state: State,
    picture: Picture,
    width: number,
    hatch: string,
    dispatch: Dispatch,
  ) => VNode;
  readonly pictureOf: typeof pictureOf;
  readonly cardMaps: typeof cardMaps;
  readonly question: (model: Model, question: Question, dispatch: Dispatch) => VNode;
  readonly verdict: (state: State, dispatch: Dispatch) => VNode | null;
  readonly questionAt: typeof questionAt;
  readonly judge: typeof judge;
  readonly paint: (canvas: HTMLCanvasElement, scene: Scene) => void;
  readonly turns: typeof turnsView;
  readonly turnBy: typeof turnBy;
  readonly whatIf: (sliders: Sliders) => VNode[];
  readonly storyOf: typeof storyOf;
  readonly why: typeof whyView;
  readonly terms: () => VNode;
}

let present: Extras | null = null;
let ask = (): void => {};
const waiting = new Set<() => void>();

/** Say how to ask for the extras where they are not there yet. */
export function extrasFrom(source: () => void): void {
  ask = source;
}

/** Here they are: whoever waits is told. */
export function provide(extras: Extras): void {
  present = extras;
  for (const tell of [...waiting]) tell();
}

/** The extras, if they have come. */
export function extras(): Extras | null {
  return present;
}

/** The extras; where they are not there yet they are asked for, and null is the answer for now. */
export function wantExtras(): Extras | null {
  if (!present) ask();
  return present;
}

/** Hear of it when they come. */
export function onExtras(tell: () => void): () => void {
  waiting.add(tell);
  return () => waiting.delete(tell);
}
