import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { formatNumber } from '../numbers.js';
import { say } from '../words.js';
import type { Curve, Input, Evaluation, Range, Sliders, Derivative, Source } from '../whatif.js';
import { button, chip, prose } from './parts.js';

const WIDTH = 318;
const LEFT = 44;
const RIGHT = 298;
/** About so many numbers stand below a plot. */
const TICKS = 8;
/** About so many steps has a slider that a kernel answers; they are of a round length. */
const FINE = 120;

const shown = (value: Derivative): string =>
  value === null ? 'None' : typeof value === 'number' ? formatNumber(value) : value;

/** The round number next above a length: 1, 2 or 5, times a power of ten. */
function roundUp(length: number): number {
  const unit = 10 ** Math.floor(Math.log10(length) + 1e-9);
  return unit * ([1, 2, 5].find((factor) => factor * unit >= length * (1 - 1e-9)) ?? 10);
}

/** About so many round numbers between two ends. */
function ticks([low, high]: Range, about: number): number[] {
  const step = roundUp((high - low) / about);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/** A line through the places that a curve has. */
function linePath(values: readonly (number | null)[], x: Scale, y: Scale): string {
  let pen = 'M';
  return values
    .map((value, at) => {
      if (value === null) return ((pen = 'M'), '');
      const point = `${pen}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = 'L';
      return point;
    })
    .join('');
}

type Scale = (value: number) => number;
const scale =
  ([low, high]: Range, from: number, to: number): Scale =>
  (value) =>
    from + ((value - low) / (high - low)) * (to - from);

const text = (look: string, x: number, y: number, words: string, more = {}): VNode =>
  h('text', { class: `note ${look}`, x, y, ...more }, words);

/** Round numbers at the side of a plot, each with a line across. */
function axis(range: Range, y: Scale, about: number): VNode[] {
  return ticks(range, about).flatMap((tick) => [
    h('path', { class: tick ? 'grid' : 'grid zero', d: `M${LEFT} ${y(tick)}H${RIGHT}` }),
    text('end', LEFT - 6, y(tick) + 4, String(tick).replace('-', '−')),
  ]);
}

interface Plotted {
  readonly input: Input;
  readonly at: number;
  readonly x: Scale;
  readonly curve: Curve;
}

/** What lies inside of a plot; the rest is cut off at its edges. */
function inside(top: number, bottom: number, ...drawn: Child[]): VNode {
  const size = { x: LEFT, y: top, width: WIDTH - LEFT, height: bottom - top };
  const viewBox = `${LEFT} ${top} ${size.width} ${size.height}`;
  return h('svg', { ...size, viewBox, class: 'inside' }, drawn);
}

function curvePath(values: Curve['results'], plotted: Plotted, y: Scale, look: string): VNode {
  const { low, high } = plotted.input;
  const along: Scale = (at) => plotted.x(low + ((high - low) * at) / (values.length - 1));
  return h('path', { class: look, d: linePath(values, along, y) });
}

/** The tangent, and the triangle that shows how far it rises over a piece of the way. */
function tangent(plotted: Plotted, y: Scale, result: number, derivative: number): VNode[] {
  const { input, at, x } = plotted;
  const rise = (to: number): number => y(result + derivative * (to - at));
  const piece = ticks([0, input.high - input.low], TICKS)[1]!;
  const run = at + piece <= input.high ? piece : -piece;
  const [x0, x1, y0, y1] = [x(at), x(at + run), y(result), rise(at + run)];
  const below = y1 < y0 ? 16 : -8;
  const left = run < 0 || x1 + 54 > WIDTH;
  return [
    h('path', {
      class: new Set(plotted.curve.derivatives).size > 1 ? 'tangent' : 'tangent on',
      d: `M${x(input.low)} ${rise(input.low)}L${x(input.high)} ${rise(input.high)}`,
    }),
    h('path', { class: 'rise', d: `M${x0} ${y0}H${x1}V${y1}` }),
    text('knock mid', (x0 + x1) / 2, y0 + below, String(run).replace('-', '−')),
    text(
      left ? 'knock g strong end' : 'knock g strong',
      x1 + (left ? -6 : 6),
      (y0 + y1) / 2 + 4,
      formatNumber(derivative * run),
    ),
  ];
}

const TOP = 28;
const FLOOR = 232;
const LOW_TOP = 284;
const LOW_FLOOR = 352;
const HEIGHT = 376;

/** A function along one input with its tangent, and its derivative below. */
function plotView(source: Source, evaluation: Evaluation, number: number): VNode {
  const { inputs, bounds, name } = source.experiment;
  const input = inputs[number]!;
  const [at, derivative] = [evaluation.values[number]!, evaluation.derivatives[number]!];
  const curve = evaluation.curves[number]!;
  const range: Range = [input.low, input.high];
  const x = scale(range, LEFT, RIGHT);
  const y = scale(bounds.results, FLOOR, TOP);
  const low = scale(bounds.derivatives[number]!, LOW_FLOOR, LOW_TOP);
  const plotted = { input, at, x, curve };
  const { result } = evaluation;
  const known = typeof result === 'number' ? result : null;
  const said = say('{name} along {input}: {result} at {at}, slope {slope}', {
    name,
    input: input.name,
    result: shown(result),
    at: formatNumber(at),
    slope: shown(derivative),
  });
  return h(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': said },
    text('strong', 0, 12, say('along {input}', { input: input.name })),
    text('strong end g', RIGHT, 12, say('slope {slope}', { slope: shown(derivative) })),
    axis(bounds.results, y, 5),
    text('strong', 0, LOW_TOP - 14, say('slope along {input}', { input: input.name })),
    axis(bounds.derivatives[number]!, low, 2),
    ticks(range, TICKS).map((tick) =>
      text('mid', x(tick), HEIGHT - 6, String(tick).replace('-', '−')),
    ),
    inside(
      TOP - 6,
      FLOOR + 6,
      curvePath(curve.results, plotted, y, 'curve'),
      known !== null && typeof derivative === 'number'
        ? tangent(plotted, y, known, derivative)
        : null,
      known === null
        ? null
        : [
            h('path', { class: 'drop', d: `M${x(at)} ${y(known)}V${HEIGHT}` }),
            h('circle', { class: 'here', cx: x(at), cy: y(known), r: 6 }),
            text(
              `knock v strong ${x(at) > 120 ? 'end' : ''}`,
              x(at) + (x(at) > 120 ? -10 : 10),
              y(known) - 12,
              `${name} = ${shown(result)}`,
            ),
          ],
    ),
    inside(
      LOW_TOP - 6,
      LOW_FLOOR + 6,
      curvePath(curve.derivatives, plotted, low, 'curve g'),
      typeof derivative === 'number'
        ? h('circle', { class: 'here g', cx: x(at), cy: low(derivative), r: 4.5 })
        : null,
    ),
  );
}

function sliderView(sliders: Sliders, number: number): VNode {
  const { source, values, move } = sliders;
  const { name, low, high } = source.experiment.inputs[number]!;
  const places = source.counts?.[number];
  const oninput = (event: Event): void =>
    move(number, Number((event.target as HTMLInputElement).value));
  return h(
    'label',
    { class: 'slider' },
    h('b', {}, name),
    h('input', {
      type: 'range',
      min: low,
      max: high,
      step: places ? (high - low) / (places - 1 || 1) : roundUp((high - low) / FINE),
      value: values[number],
      disabled: places === 1,
      'aria-valuetext': formatNumber(values[number]!),
      oninput,
    }),
    h('output', { class: 'num vt', dir: 'ltr' }, formatNumber(values[number]!)),
  );
}

/** What the derivative means, for the input that was moved last. */
function meaning(name: string, input: string, derivative: Derivative): Child[] {
  const named = { name: `\`${name}\``, input: `\`${input}\``, slope: shown(derivative) };
  const meaningText =
    derivative === null
      ? say('No path leads from {name} to {input}: move {input}, and the tape sees nothing.', named)
      : say('Move {input} by a little, and {name} moves {slope} times as far.', named);
  return prose(meaningText);
}

/** Sliders over a function, and what it does along each of them. */
export function whatIfView(sliders: Sliders): VNode[] {
  const { source, moved, reset } = sliders;
  const { name, inputs } = source.experiment;
  const evaluation = source.evaluation();
  return [
    h(
      'div',
      { class: 'bar', key: 'whatifbar' },
      h('h3', {}, say('What if')),
      h('span', { class: 'muted small' }, say('drag an input, the tape runs again')),
      h('span', { class: 'push' }),
      button(say('Reset'), 'quiet', reset),
    ),
    h(
      'div',
      { class: 'whatif', key: 'whatif' },
      h(
        'div',
        { class: 'sliders', role: 'group', 'aria-label': say('Inputs') },
        inputs.map((_, number) => sliderView(sliders, number)),
        h('h4', {}, say('The gradient is the slope')),
        h(
          'p',
          { class: 'muted' },
          meaning(name, inputs[moved]!.name, evaluation.derivatives[moved]!),
        ),
        evaluation.derivatives.map((derivative, number) =>
          h(
            'p',
            { class: 'num', dir: 'ltr' },
            `∂${name}/∂${inputs[number]!.name} = `,
            derivative === null ? chip('none', 'None') : h('b', { class: 'gt' }, shown(derivative)),
          ),
        ),
        evaluation.error ? h('p', { class: 'nt' }, evaluation.error) : null,
        source.counts
          ? h(
              'p',
              { class: 'small muted' },
              say(
                'Without a kernel the sliders move over {places} moments worked out beforehand.',
                {
                  places: source.counts.join(' × '),
                },
              ),
            )
          : null,
      ),
      h(
        'div',
        { class: 'plots' },
        inputs.map((_, number) => plotView(source, evaluation, number)),
      ),
    ),
  ];
}
