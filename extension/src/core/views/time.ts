import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import { firstNonFiniteStep } from '../flow.js';
import type { Call, Model } from '../model.js';
import { grouped } from '../numbers.js';
import { labelOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import { SPEEDS } from '../state.js';
import type { Action, Dispatch, State } from '../state.js';
import { say, WORDS } from '../words.js';
import { button } from './parts.js';

/** The ends of a question, in the learner's names: `z → x, y`. */
export function callName(model: Model, call: Call): string {
  const names = (tensors: ArrayLike<number>): string =>
    Array.from(tensors, (tensor) => {
      const node = tensor < 0 ? -1 : model.graph.nodeOfTensor[tensor]!;
      return node < 0 ? '?' : labelOf(model, node);
    }).join(', ');
  return WORDS.gradientOf(names(call.gradientCall.targets), names(call.gradientCall.sources));
}

/**
 * How fast it plays; pressed, the next of the speeds. It is no list to choose from: for every one
 * in every picture of a notebook Chrome lays out the whole picture, whenever a cell is run.
 */
export function speedChoice(speed: number, dispatch: Dispatch): VNode {
  const next = SPEEDS.find((each) => each > speed) ?? SPEEDS[0];
  return button(`${speed}×`, 'quiet speed', () => dispatch({ kind: 'speed', speed: next }), {
    'aria-label': `${say('Speed')} ${speed}×`,
    title: say('Speed'),
  });
}

/** To the next sum, and to the first NaN where there is one. */
export function jumpButtons(model: Model, dispatch: Dispatch): VNode[] {
  const sum = button(say('Next sum'), 'quiet', () => dispatch({ kind: 'nextSum' }), {
    'aria-keyshortcuts': 's',
  });
  const odd = button(say('First NaN'), 'quiet', () => dispatch({ kind: 'firstOdd' }), {
    'aria-keyshortcuts': 'n',
  });
  return firstNonFiniteStep(model) < 0 ? [sum] : [sum, odd];
}

/** One stretch of time: where it begins, how long it is, how much of it is over. */
interface Track {
  readonly name: string;
  readonly tone: 'v' | 'g' | 'w';
  /** Where rows are shared: a call continues the row of the forward pass, or of a tape inside. */
  readonly row: number;
  readonly from: number;
  readonly length: number;
  readonly done: number;
  readonly now: boolean;
  go(at: number): Action;
}

/** So many calls and so many tapes inside get a track; of more calls, the one that is shown. */
const MOST_TRACKS = 4;

function tracksOf(model: Model, current: StepState): Track[] {
  const { frameCount } = model.graph;
  const backward = current.phase === 'backward';
  const forward: Track = {
    name: say('forward'),
    tone: 'v',
    row: 1,
    from: 0,
    length: frameCount,
    done: Math.min(current.step, frameCount),
    now: !backward,
    go: (at) => ({ kind: 'track', call: model.chosen, step: at + 1 }),
  };
  const few = model.calls.length <= MOST_TRACKS;
  const calls = model.calls.flatMap((call, number): Track[] => {
    if (!few && number !== model.chosen) return [];
    const now = backward && number === model.chosen;
    const length = Math.max(1, call.flows.length);
    return [
      {
        name: callName(model, call),
        tone: 'g',
        row: few ? number + 1 : 1,
        from: frameCount,
        length,
        done: now ? current.backwardSteps : 0,
        now,
        go: (at) => ({ kind: 'track', call: number, step: frameCount + at + 1 }),
      },
    ];
  });
  return [forward, ...nested(model, current), ...calls];
}

/** The first frame of an event or of one after it, by bisection. */
function frameFrom(model: Model, event: number): number {
  let [low, high] = [0, model.graph.frameCount];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (model.graph.frameEvent[middle]! < event) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The tapes inside this one, as parts of its forward pass. */
function nested(model: Model, current: StepState): Track[] {
  const { frameCount } = model.graph;
  const tapes = model.recording.header.nested ?? [];
  return tapes.slice(0, MOST_TRACKS).flatMap(({ name, opened, closed }, number): Track[] => {
    const from = frameFrom(model, opened);
    const length = (closed < 0 ? frameCount : frameFrom(model, closed)) - from;
    if (length <= 0) return [];
    return [
      {
        name: say('inside {tape}', { tape: name }),
        tone: 'w',
        row: number + 2,
        from,
        length,
        done: Math.max(0, Math.min(length, current.step - from)),
        now: false,
        go: (at) => ({ kind: 'go', step: from + at + 1 }),
      },
    ];
  });
}

function trackView(track: Track, length: number, dispatch: Dispatch): VNode {
  const { name, tone, row, from, done, now } = track;
  const percent = (part: number): string => `${((100 * part) / length).toFixed(2)}%`;
  const at = (event: PointerEvent): number => {
    const bar = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const part = (event.clientX - bar.left) / (bar.width || 1);
    return Math.max(0, Math.min(track.length - 1, Math.floor(part * track.length)));
  };
  const scrub = (event: PointerEvent): void => {
    if (event.buttons === 1) dispatch(track.go(at(event)));
  };
  const { length: steps } = track;
  return h(
    'button',
    {
      type: 'button',
      class: `track ${tone}${now ? ' now' : ''}`,
      style: `margin-inline-start:${percent(from)};width:${percent(steps)};--row:${row}`,
      title: name,
      'aria-label': say('{name}: {steps} steps', { name, steps: grouped(steps) }),
      'aria-pressed': String(now),
      onpointerdown: scrub,
      onpointermove: scrub,
      onclick: (event: MouseEvent) => event.detail || dispatch(track.go(0)),
    },
    h('i', { style: `width:${((100 * done) / steps).toFixed(2)}%` }),
  );
}

/** How many bars there are at most: for the forward pass, the tapes inside, and the calls. */
export function trackCount({ calls, recording }: Model): number {
  const inside = Math.min(MOST_TRACKS, recording.header.nested?.length ?? 0);
  return 1 + inside + (calls.length <= MOST_TRACKS ? calls.length : 1);
}

/** All steps: the forward pass, inner tapes, then each backward pass; drag to scrub. */
export function tracksView(state: State, current: StepState, dispatch: Dispatch): VNode {
  const tracks = tracksOf(state.model, current);
  const length = Math.max(...tracks.map((track) => track.from + track.length));
  return h(
    'div',
    { class: 'tracks', dir: 'ltr', role: 'toolbar', 'aria-label': say('Time') },
    tracks.map((track) => trackView(track, length, dispatch)),
  );
}
