import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { memoryOf } from '../memory.js';
import type { Memory } from '../memory.js';
import type { Model } from '../model.js';
import { count, grouped } from '../numbers.js';
import type { Picture } from '../picture.js';
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

/** What the picture shows, in words with the numbers of this step. */
function account(model: Model, memory: Memory, step: number): Child {
  const bytes = (amount: number): string => count(amount, 'byte');
  const end = memory.freed
    ? say('When it has answered, the tape lets go of {freed}.', { freed: bytes(memory.freed) })
    : model.recording.header.tape.persistent
      ? say('This tape is persistent: it keeps them until you write `del tape`.')
      : say('Nobody has asked yet, so it keeps them.');
  return h(
    'div',
    {},
    h(
      'dl',
      { class: 'facts' },
      h('dt', {}, say('held by the tape')),
      h('dd', {}, h('b', { class: 'vt num' }, bytes(memory.tape[step]!))),
      h('dt', {}, say('held by gradients')),
      h('dd', {}, h('b', { class: 'gt num' }, bytes(memory.gradients[step]!))),
      h('dt', {}, say('most at once')),
      h(
        'dd',
        {},
        say('{bytes}, at step {step}', {
          bytes: bytes(memory.peak),
          step: grouped(memory.peakStep),
        }),
      ),
    ),
    h(
      'p',
      {},
      prose(
        `${say('The tape keeps the inputs and results of all that it records, each once: the rules may need them on the way back.')} ${end}`,
      ),
    ),
  );
}

/** How many bytes the tape and its way back hold, step by step. */
export function memoryView(model: Model, picture: Picture, width: number): Child[] {
  const memory = memoryOf(model);
  const box = boxOf(width, 170);
  const steps = memory.tape.length - 1;
  const x = (step: number): number =>
    Math.round((box.left + (step / (steps + 1)) * box.wide) * 10) / 10;
  const y = (bytes: number): number =>
    Math.round((box.top + box.high * (1 - bytes / (memory.peak || 1))) * 10) / 10;
  const floor = box.top + box.high;
  const turn = model.graph.frameCount;
  const title = say('bytes held, step by step');
  const now = account(model, memory, picture.step);
  return [
    h('h4', {}, title),
    plot(
      box,
      title,
      level(box, y(memory.peak), grouped(memory.peak)),
      level(box, y(memory.peak / 2), grouped(Math.round(memory.peak / 2))),
      area('area g', thinned(memory.both), box, x, y),
      area('area v', thinned(memory.tape), box, x, y),
      line('limit', `M${x(turn + 1)} ${box.top}V${floor}`),
      line('axis', `M${box.left} ${floor}h${box.wide}`),
      label(x(turn + 1) - 8, box.top - 8, say('forward'), 'end'),
      model.passage && label(x(turn + 1) + 8, box.top - 8, say('backward')),
      present(box, x(picture.step + 0.5), picture.phase === 'backward' ? 'g' : 'v'),
      label(box.left, floor + 18, say('step {step}', { step: 1 })),
      label(box.left + box.wide, floor + 18, grouped(steps), 'end'),
    ),
    now,
  ];
}
