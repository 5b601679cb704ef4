import type { NodeLook, Tone } from './appearance.js';
import type { Child, VNode } from './dom.js';
import type { Explanation } from './explanation.js';
import type { Model } from './model.js';
import type { StepState } from './stepstate.js';
import type { judge, Question, questionAt } from './predict.js';
import type { Recording } from './recording.js';
import type { Scene } from './scene.js';
import type { TensorInfo } from './schema.js';
import type { goToHit, markHit } from './search.js';
import type { Dispatch, Slices, State, StateSource } from './state.js';
import type { BrokenPath, brokenPathOf } from './brokenpath.js';
import type { iterationBy } from './iterations.js';
import type { Replays, Sliders } from './whatif.js';
import type { Catalogue } from './words.js';

/** How much room a pane has. */
export interface Room {
  readonly width: number;
  readonly height: number;
}

/** What a page contributes to the view of a finding. */
export interface FindingSurroundings {
  /** The name of the hatching in this drawing; no two on a page may share one. */
  readonly hatch: string;
  readonly explanation: Explanation | null;
  readonly copied: boolean;
  readonly copy: (() => void) | null;
}

/**
 * The views that may come later than the rest. A page brings them along; a widget, of which a
 * notebook keeps one copy for every output, asks its kernel for them when somebody wants to see one.
 * Those above this module are named by their signatures: nothing below the views depends on one.
 * An exported page leaves out what its recordings do not need: the optional ones.
 */
export interface Extras {
  readonly style: string;
  readonly speak: (catalogue: Catalogue | undefined) => void;
  readonly pane: (
    state: State,
    current: StepState,
    room: Room,
    hatch: string,
    dispatch: Dispatch,
  ) => VNode;
  readonly entries?: (state: State, current: StepState, room: Room, dispatch: Dispatch) => Child;
  readonly figureOf?: (
    recording: Recording,
    tensor: TensorInfo,
    tone: Tone,
    label: string,
    slices: Slices,
  ) => VNode | null;
  readonly nodeMaps?: (recording: Recording, look: NodeLook) => Child;
  readonly question: (model: Model, question: Question, dispatch: Dispatch) => VNode;
  readonly verdict: (state: State, dispatch: Dispatch) => VNode | null;
  readonly questionAt: typeof questionAt;
  readonly judge: typeof judge;
  readonly paint: (canvas: HTMLCanvasElement, scene: Scene) => void;
  readonly iterations: (state: State, dispatch: Dispatch) => VNode[];
  readonly iterationBy: typeof iterationBy;
  readonly whatIf?: (sliders: Sliders) => VNode[];
  readonly brokenPathOf?: typeof brokenPathOf;
  readonly why?: (
    state: State,
    story: BrokenPath,
    around: FindingSurroundings,
    dispatch: Dispatch,
  ) => VNode[];
  readonly terms: () => VNode;
  readonly markHit: typeof markHit;
  readonly goToHit: typeof goToHit;
  /** What lies over the picture; the ids of its parts begin with `id`. */
  readonly overlay: (state: State, id: string, dispatch: Dispatch) => VNode | null;
  /** Let the values of variables be moved in the graph; returns what ends that. */
  readonly nudges: (root: HTMLElement, store: StateSource, replays: Replays | null) => () => void;
}

let present: Extras | null = null;
let ask = (): void => {};
const waiting = new Set<() => void>();

/** Say how to ask for the extras where they are not there yet. */
export function extrasFrom(source: () => void): void {
  ask = source;
}

/** Provide the extras and notify everyone who waits. */
export function provide(extras: Extras): void {
  present = extras;
  for (const notify of [...waiting]) notify();
}

/** Add a part of the extras to those that are there. */
export function extend(part: Partial<Extras>): void {
  present = { ...present!, ...part, style: present!.style + (part.style ?? '') };
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

/** Call a function once the extras are there. */
export function onExtras(notify: () => void): () => void {
  waiting.add(notify);
  return () => waiting.delete(notify);
}
