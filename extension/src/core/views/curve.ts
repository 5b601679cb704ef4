import { h } from '../dom.js';
import type { Child } from '../dom.js';
import type { Series } from '../live.js';

/** A curve in a box: where its steps and its numbers begin and end. */
interface Scale {
  readonly wide: number;
  readonly high: number;
  readonly steps: readonly [number, number];
  readonly numbers: readonly [number, number];
}

const isFinite = (point: readonly [number, number]): boolean => Number.isFinite(point[1]);

/** The room for a series: so wide, so high, and from `least` on if that is below it. */
export function scaleOf(series: Series, wide: number, high: number, least = Infinity): Scale {
  const numbers = series.filter(isFinite).map(([, number]) => number);
  const steps = series.map(([step]) => step);
  return {
    wide,
    high,
    steps: [Math.min(...steps), Math.max(...steps)],
    numbers: [Math.min(least, ...numbers), Math.max(...numbers)],
  };
}

const share = (value: number, [from, to]: readonly [number, number], alone: number): number =>
  to > from ? (value - from) / (to - from) : alone;

function placed({ wide, high, steps, numbers }: Scale, [step, number]: readonly [number, number]) {
  const across = share(step, steps, 1) * wide;
  const down = (1 - share(number, numbers, 0.5)) * high;
  return [across.toFixed(1), down.toFixed(1)] as const;
}

/** The curve through all finite numbers; it is broken where a number is none. */
function curve(series: Series, scale: Scale): string {
  let pen = 'M';
  return series
    .map((point) => {
      if (!isFinite(point)) {
        pen = 'M';
        return '';
      }
      const [x, y] = placed(scale, point);
      const drawn = `${pen}${x} ${y}`;
      pen = 'L';
      return drawn;
    })
    .join('');
}

/** A dot for each number of a series. */
export function dots(series: Series, scale: Scale): Child {
  const places = series.filter(isFinite).map((point) => placed(scale, point));
  return h('path', { class: 'known', d: places.map(([x, y]) => `M${x} ${y}h0`).join('') });
}

/** A small curve with a point at the step that is looked at. */
export function spark(
  series: Series,
  at: readonly [number, number] | undefined,
  scale: Scale,
): Child {
  const [x, y] = at && isFinite(at) ? placed(scale, at) : [];
  return [
    h('path', { class: 'curve', d: curve(series, scale) }),
    x !== undefined && h('circle', { class: 'point', cx: x, cy: y, r: scale.high > 30 ? 4 : 2.8 }),
  ];
}

/** The number at the step that is looked at: the last one until then. */
export function numberAt(
  series: Series,
  chosen: number | null,
): readonly [number, number] | undefined {
  return chosen === null ? series.at(-1) : series.findLast(([step]) => step <= chosen);
}

/** A number of a series as it is drawn on a log scale; 0 stands at the floor. */
export const logarithms = (series: Series): Series =>
  series.map(([step, norm]) => [step, norm > 0 ? Math.log10(norm) : norm === 0 ? -12 : NaN]);
