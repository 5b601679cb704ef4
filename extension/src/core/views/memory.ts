import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { memoryOf } from '../memory.js';
import type { Memory } from '../memory.js';
import type { Model } from '../model.js';
import { count, grouped } from '../numbers.js';
import { labelOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { Dispatch } from '../state.js';
import { say } from '../words.js';
import { prose } from './parts.js';
import { boxOf, label, level, line, plot, present } from './plot.js';
import type { Box } from './plot.js';

const MOST_POINTS = 400;

const thin = new WeakMap<Float64Array, readonly (readonly [number, number])[]>();

/** The most of each stretch of a long row, with where it stands. */
function thinned(values: Float64Array): readonly (readonly [number, number])[] {
  const known = thin.get(values);
  if (known) return known;
  const stretch = Math.ceil(values.length / MOST_POINTS);
  const found: (readonly [number, number])[] = [];
  for (let from = 0; from < values.length; from += stretch) {
    found.push([from, Math.max(...values.subarray(from, from + stretch))]);
  }
  thin.set(values, found);
  return found;
}

/** An area in steps over the steps of the tape. */
function area(
  look: string,
  points: readonly (readonly [number, number])[],
  box: Box,
  x: (step: number) => number,
  y: (bytes: number) => number,
): VNode {
  const floor = box.top + box.high;
  const [start] = points[0]!;
  const steps = points.map(([step, bytes]) => `H${x(step)}V${y(bytes)}`).join('');
  return line(look, `M${x(start)} ${floor}${steps}H${box.left + box.wide}V${floor}Z`);
}

/** Bytes with their size in words: `281 860 bytes`. */
const inBytes = (amount: number): string => count(amount, 'byte');

/** What the picture shows, in words with the numbers of this step. */
function account(model: Model, memory: Memory, step: number): Child {
  const released = (memory.tape[model.graph.frameCount] ?? 0) - memory.tape[step]!;
  const backward = step > model.graph.frameCount;
  const end = memory.freed
    ? say(
        'The backward pass releases what it no longer needs, and at its end everything: {freed}.',
        {
          freed: inBytes(memory.freed),
        },
      )
    : model.recording.header.tape.persistent
      ? say('This tape is persistent: it keeps them until you write `del tape`.')
      : say('No gradient was computed yet, so it keeps them.');
  const row = (term: string, fact: Child): VNode[] => [h('dt', {}, term), h('dd', {}, fact)];
  return h(
    'div',
    {},
    h(
      'dl',
      { class: 'facts' },
      row(say('held by the tape'), h('b', { class: 'vt num' }, inBytes(memory.tape[step]!))),
      backward && memory.freed ? row(say('released so far'), inBytes(released)) : null,
      row(say('held by gradients'), h('b', { class: 'gt num' }, inBytes(memory.gradients[step]!))),
      row(
        say('most at once'),
        say('{bytes}, at step {step}', {
          bytes: inBytes(memory.peak),
          step: grouped(memory.peakStep),
        }),
      ),
    ),
    h(
      'p',
      {},
      prose(
        `${say('The tape keeps the inputs and results of everything that it records, each buffer once: the gradient rules may need them in the backward pass.')} ${end}`,
      ),
    ),
    backward &&
      h(
        'p',
        { class: 'muted small' },
        say('A sparse gradient of up to 256 numbers counts as if it were whole.'),
      ),
  );
}

/** More bars than one in so many pixels are drawn one for several: the highest. */
const CLOSEST = 4;

/** What each op has added, in the order of the tape; hollow where it is released. */
function opBars(
  model: Model,
  memory: Memory,
  current: StepState,
  width: number,
  dispatch: Dispatch,
): Child {
  const { frameCount, frameNode } = model.graph;
  const added = (frame: number): number => memory.tape[frame + 1]! - memory.tape[frame]!;
  const box = boxOf(width, 90);
  const stretch = Math.ceil((frameCount * CLOSEST) / box.wide);
  const shown: number[] = [];
  let most = 0;
  for (let from = 0; from < frameCount; from += stretch) {
    let best = from;
    for (let at = from; at < Math.min(frameCount, from + stretch); at++) {
      if (added(at) > added(best)) best = at;
    }
    if (!added(best)) continue;
    shown.push(best);
    most = Math.max(most, added(best));
  }
  const pitch = box.wide / frameCount;
  const held = memory.held[current.step]!;
  const floor = box.top + box.high;
  const title = say('bytes that each op adds');
  const bars = shown.map((frame) => {
    const high = Math.max(1, (box.high * added(frame)) / most);
    const wide = Math.min(24, Math.max(2, pitch * stretch - 2));
    const look = frame < held ? 'held' : current.phase === 'backward' ? 'gone' : 'todo';
    const x = box.left + (frame + 0.5) * pitch - wide / 2;
    return h(
      'rect',
      {
        class: `bytes ${look}`,
        key: frame,
        x: x.toFixed(1),
        y: (floor - high).toFixed(1),
        width: wide.toFixed(1),
        height: high.toFixed(1),
        onclick: () => dispatch({ kind: 'frame', frame }),
      },
      h('title', {}, `${labelOf(model, frameNode[frame]!)}: ${inBytes(added(frame))}`),
    );
  });
  const largest = shown.reduce(
    (best, frame) => (added(frame) > added(best) ? frame : best),
    shown[0]!,
  );
  return shown.length
    ? [
        h('h4', {}, title),
        plot(
          box,
          say('{title}: most by {label}, {bytes}', {
            title,
            label: labelOf(model, frameNode[largest]!),
            bytes: inBytes(added(largest)),
          }),
          level(box, box.top, grouped(most)),
          bars,
          line('axis', `M${box.left} ${floor}h${box.wide}`),
          current.frame >= 0 &&
            present(
              box,
              box.left + (current.frame + 0.5) * pitch,
              current.phase === 'backward' ? 'g' : 'v',
            ),
          label(box.left, floor + 18, say('start of the tape')),
          label(box.left + box.wide, floor + 18, say('end'), 'end'),
        ),
      ]
    : null;
}

/** How many bytes the tape and the backward pass hold, step by step. */
export function memoryView(
  model: Model,
  current: StepState,
  width: number,
  dispatch: Dispatch,
): Child[] {
  const memory = memoryOf(model);
  const box = boxOf(width, 150);
  const steps = memory.tape.length - 1;
  const x = (step: number): number =>
    Math.round((box.left + (step / (steps + 1)) * box.wide) * 10) / 10;
  const y = (bytes: number): number =>
    Math.round((box.top + box.high * (1 - bytes / (memory.peak || 1))) * 10) / 10;
  const floor = box.top + box.high;
  const turn = model.graph.frameCount;
  const title = say('bytes held, step by step');
  const low =
    memory.peak < 2 ? null : level(box, y(memory.peak / 2), grouped(Math.round(memory.peak / 2)));
  return [
    h('h4', {}, title),
    plot(
      box,
      title,
      level(box, y(memory.peak), grouped(memory.peak)),
      low,
      area('area g', thinned(memory.both), box, x, y),
      area('area v', thinned(memory.tape), box, x, y),
      line('limit', `M${x(turn + 1)} ${box.top}V${floor}`),
      line('axis', `M${box.left} ${floor}h${box.wide}`),
      label(x(turn + 1) - 8, box.top - 8, say('forward'), 'end'),
      model.backwardPass && label(x(turn + 1) + 8, box.top - 8, say('backward')),
      present(box, x(current.step + 0.5), current.phase === 'backward' ? 'g' : 'v'),
      label(box.left, floor + 18, say('step {step}', { step: 1 })),
      label(box.left + box.wide, floor + 18, grouped(steps), 'end'),
    ),
    opBars(model, memory, current, width, dispatch),
    account(model, memory, current.step),
  ];
}
