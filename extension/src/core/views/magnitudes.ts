import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { firstNonFiniteStep, EXPLODED, flowOf, VANISHED } from '../flow.js';
import type { Flow } from '../flow.js';
import { FrameKind } from '../graph.js';
import type { Model } from '../model.js';
import { formatNumber, grouped } from '../numbers.js';
import { labelOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { Dispatch } from '../state.js';
import { say, sayMany } from '../words.js';
import { hatchView } from './graph.js';
import { button, chip } from './parts.js';
import { boxOf, label, level, line, plot, present } from './plot.js';
import type { Box } from './plot.js';

/** More marks than one in so many pixels are drawn one for several. */
const CLOSEST = 5;
const BAND = 20;
const BAND_WORD = 34;
const ROOM_FOR_WORDS = 420;
/** Beside the plot, where no mark can stand under a name. */
const ROOM_FOR_NAMES = 76;
const LEAST_DECADE = -18;
const MOST_LINES = 6;

const decade = (power: number): string =>
  power >= -3 && power <= 3 ? String(10 ** power) : `1e${power}`.replace('-', '−');

/** The powers of ten between which all sizes lie. */
function decadesOf({ magnitudes }: Flow): { low: number; high: number } {
  let [least, most] = [Infinity, 0];
  for (const { size, health } of magnitudes) {
    if (!(size > 0) || health === 'nan') continue;
    const power = Math.max(LEAST_DECADE, Math.log10(size));
    least = Math.min(least, power);
    most = Math.max(most, power);
  }
  const high = Math.ceil(most);
  return { low: Math.floor(Math.min(least, high - 2)), high };
}

/** What is the same at every step: the scale, the places to draw, and what they say in words. */
interface Plan {
  readonly width: number;
  readonly scale: Scale;
  readonly places: readonly number[];
  readonly description: string;
}

const plans = new WeakMap<Flow, Plan>();

function planFor(model: Model, flow: Flow, width: number): Plan {
  let plan = plans.get(flow);
  if (plan?.width !== width) {
    const scale = scaleFor(model, flow, width);
    const places = drawn(flow, scale.by);
    plan = { width, scale, places, description: summary(flow) };
    plans.set(flow, plan);
  }
  return plan;
}

interface Scale {
  readonly box: Box;
  /** How far apart frames are: the first is the first that a gradient reaches. */
  readonly pitch: number;
  /** How many frames share a mark. */
  readonly by: number;
  readonly low: number;
  readonly high: number;
  x(frame: number): number;
  y(size: number): number;
}

function scaleFor(model: Model, flow: Flow, width: number): Scale {
  const { low, high } = decadesOf(flow);
  const named = 10 ** low < VANISHED || 10 ** high > EXPLODED;
  const box = boxOf(
    width,
    Math.max(220, Math.min(360, width * 0.28)),
    named ? ROOM_FOR_NAMES : undefined,
  );
  const first = flow.frames[0]!;
  const pitch = box.wide / (model.graph.frameCount - first);
  const room = Math.floor(box.wide / CLOSEST);
  return {
    box,
    pitch,
    by: flow.frames.length <= room ? 1 : model.graph.frameCount / room,
    low,
    high,
    x: (frame) => Math.round((box.left + Math.max(0, frame - first + 0.5) * pitch) * 10) / 10,
    y: (size) => {
      const part = (high - Math.log10(size)) / (high - low);
      return Math.round(box.top + Math.max(0, Math.min(1, part)) * box.high);
    },
  };
}

/** The places in `flow` to draw: all, or of each stretch of a long tape the least one. */
function drawn(flow: Flow, by: number): number[] {
  const least = new Map<number, number>();
  for (let at = 0; at < flow.frames.length; at++) {
    const stretch = Math.floor(flow.frames[at]! / by);
    const rival = least.get(stretch);
    const size = (place: number): number =>
      flow.magnitudes[place]!.health === 'nan' ? -1 : flow.magnitudes[place]!.size;
    if (rival === undefined || size(at) < size(rival)) least.set(stretch, at);
  }
  return [...least.values()];
}

/** Where sizes mean that a gradient has vanished or exploded. */
function zones(scale: Scale, hatch: string): Child[] {
  const { box, low, high } = scale;
  const border = scale.y(VANISHED);
  const place = { x: box.left, y: border, width: box.wide, height: box.top + box.high - border };
  const limit = (y: number): VNode => line('limit', `M${box.left} ${y}h${box.wide}`);
  return [
    10 ** low < VANISHED && [h('rect', { ...place, style: `fill:url(#${hatch})` }), limit(border)],
    10 ** high > EXPLODED && limit(scale.y(EXPLODED)),
  ];
}

function zoneNames(scale: Scale): Child[] {
  const { box, low, high } = scale;
  const x = box.left + box.wide + 6;
  return [
    10 ** low < VANISHED && label(x, scale.y(VANISHED) + 14, say('Vanished'), 'strong'),
    10 ** high > EXPLODED && label(x, scale.y(EXPLODED) - 6, say('Exploded'), 'strong'),
  ];
}

const square = (x: number, y: number): string => `M${x - 4} ${y - 4}h8v8h-8z`;
const circle = (x: number, y: number): string => `M${x - 4} ${y}a4 4 0 1 1 8 0a4 4 0 1 1 -8 0z`;

/** From where on, and how wide, the place of a frame is in the band. */
function stretchAt(frame: number, { box, by, pitch, x }: Scale): readonly [number, number] {
  const from = x(Math.floor(frame / by) * by) - pitch / 2;
  return [Math.max(box.left, from), by * pitch];
}

/** One mark: round for an op, square for what is watched, hollow while its gradient is to come. */
function markView(
  model: Model,
  flow: Flow,
  at: number,
  scale: Scale,
  current: StepState,
  dispatch: Dispatch,
): VNode {
  const [frame, step] = [flow.frames[at]!, flow.steps[at]!];
  const { size, health } = flow.magnitudes[at]!;
  const { box } = scale;
  const x = scale.x(frame);
  const floor = box.top + box.high;
  const y = size > 0 ? scale.y(size) : floor;
  const come = current.phase === 'backward' && step <= current.step;
  const [from, wide] = stretchAt(frame, scale);
  const watched = model.graph.frameKind[frame] === FrameKind.Watch;
  const d = watched ? square(x, y) : circle(x, y);
  const name = labelOf(model, model.graph.frameNode[frame]!);
  const description = { nan: 'NaN', zero: '0', unknown: say('not kept') }[health as 'nan'];
  return h(
    'g',
    {
      class: `magnitude ${health}${come ? '' : ' todo'}${frame === current.frame ? ' here' : ''}`,
      key: frame,
      onclick: () => dispatch({ kind: 'go', step }),
    },
    h('title', {}, `${name}: ${description ?? formatNumber(size)}`),
    health === 'nan'
      ? h('rect', { x: from, y: box.top, width: wide + 0.5, height: BAND })
      : [line('stem', `M${x} ${y}V${floor}`), line('mark', d)],
  );
}

/** What a title says, and what the forms of the marks mean. */
function titleView(title: string): VNode {
  const mark = (d: string): VNode =>
    h('svg', { viewBox: '-5 -5 10 10', 'aria-hidden': 'true' }, line('mark', d));
  return h(
    'div',
    { class: 'key' },
    h('h4', {}, title),
    h('span', {}, mark(square(0, 0)), say('watched')),
    h('span', {}, mark(circle(0, 0)), say('op')),
  );
}

/** The word in each stretch of the band that has room for it. */
function bandNames({ frames, magnitudes }: Flow, places: readonly number[], scale: Scale): VNode[] {
  const found: VNode[] = [];
  const odd = places.filter((at) => magnitudes[at]!.health === 'nan').map((at) => frames[at]!);
  const stretch = (frame: number): number => Math.floor(frame / scale.by);
  for (let from = 0, to = 0; from < odd.length; from = to) {
    while (to < odd.length && stretch(odd[to]!) - stretch(odd[from]!) === to - from) to++;
    const [left] = stretchAt(odd[from]!, scale);
    const [last, wide] = stretchAt(odd[to - 1]!, scale);
    if (last + wide - left < BAND_WORD) continue;
    found.push(label((left + last + wide) / 2, scale.box.top + 14, 'NaN', 'mid strong band'));
  }
  return found;
}

function levels({ box, low, high, y }: Scale): VNode[] {
  const by = Math.ceil((high - low) / MOST_LINES);
  const powers = Array.from(
    { length: Math.floor((high - low) / by) + 1 },
    (_, at) => high - at * by,
  );
  return powers.flatMap((power) => level(box, y(10 ** power), decade(power)));
}

/** What the picture shows, in words. */
function summary(flow: Flow): string {
  const { magnitudes } = flow;
  const sized = magnitudes.filter(({ size, health }) => size > 0 && health !== 'nan');
  const of = magnitudes.length;
  const many = (health: string): number =>
    magnitudes.filter((magnitude) => magnitude.health === health).length;
  const [vanished, zero, exploded, nan] = ['vanished', 'zero', 'exploded', 'nan'].map(many);
  const [first, last] = [sized[0], sized.at(-1)];
  return [
    first &&
      last &&
      say('The gradient is {last} where it sets out and {first} where it ends.', {
        last: formatNumber(last.size),
        first: formatNumber(first.size),
      }),
    vanished && say('It has vanished at {some} of {of} places.', { some: vanished, of }),
    vanished && say('Below {limit} an update no longer moves a weight near 1.', { limit: '1e−7' }),
    exploded && say('It has exploded at {some} of {of} places.', { some: exploded, of }),
    zero &&
      sayMany('It is zero at one place.', 'It is zero at {some} places.', zero, { some: zero }),
    nan && say('It is NaN or infinite at {some} of {of} places.', { some: nan, of }),
  ]
    .filter(Boolean)
    .join(' ');
}

function nonFiniteView(model: Model, dispatch: Dispatch): VNode | null {
  const step = firstNonFiniteStep(model);
  if (step < 0) return null;
  const description = say('The first NaN or ∞ appears at step {step}.', { step: grouped(step) });
  const show = say('Show step {step}', { step: grouped(step) });
  return h(
    'p',
    { class: 'nonfinite' },
    chip('nan', 'NaN'),
    h('span', {}, description),
    button(show, '', () => dispatch({ kind: 'firstOdd' })),
  );
}

/** How large the gradient is along the tape, on a log scale. */
export function magnitudesView(
  model: Model,
  current: StepState,
  width: number,
  hatch: string,
  hidden: boolean,
  dispatch: Dispatch,
): Child[] {
  const flow = flowOf(model);
  if (!flow?.frames.length) {
    return [h('p', { class: 'muted' }, say('No gradient has come back on this tape.'))];
  }
  const { scale, places: all, description } = planFor(model, flow, width);
  const { box } = scale;
  const floor = box.top + box.high;
  const places = all.filter((at) => !hidden || flow.steps[at]! <= current.step);
  const title = say('mean size of the gradient, log scale');
  return [
    titleView(title),
    plot(
      box,
      `${title}. ${hidden ? '' : description}`,
      hatchView(hatch),
      levels(scale),
      zones(scale, hatch),
      places.map((at) => markView(model, flow, at, scale, current, dispatch)),
      bandNames(flow, places, scale),
      zoneNames(scale),
      line('axis', `M${box.left} ${floor}h${box.wide}`),
      current.frame >= 0 &&
        present(box, scale.x(current.frame), current.phase === 'backward' ? 'g' : 'v'),
      label(box.left, floor + 18, say('start of the tape')),
      box.wide > ROOM_FOR_WORDS &&
        label(
          box.left + box.wide / 2,
          floor + 18,
          say('← the gradient flows this way'),
          'mid strong',
        ),
      label(box.left + box.wide, floor + 18, say('end'), 'end'),
    ),
    hidden ? null : h('p', {}, description),
    hidden ? null : nonFiniteView(model, dispatch),
  ];
}
