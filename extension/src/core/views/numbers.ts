import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { measureOf } from '../measures.js';
import { count, formatNumber, formatValues, isWhole } from '../numbers.js';
import type { Recording } from '../recording.js';
import type { TensorInfo } from '../schema.js';
import type { Action } from '../store.js';
import { say, sayMany, WORDS } from '../words.js';

type Tone = 'v' | 'g';

/** Which slice of a tensor of higher rank is looked at, and how to look at another. */
export interface Slices {
  readonly at: number;
  readonly dispatch: (action: Action) => void;
}

const CELL = 12;
const MOST = 16;
const BARS_WIDE = 336;
const BARS_HIGH = 56;
/** Smaller pictures than this are tables of numbers with three columns. */
const SMALLEST_IMAGE = 4;

/** One flat piece of a tensor: rows and columns of numbers, or of colours. */
interface Plane {
  readonly rows: number;
  readonly columns: number;
  /** The numbers of a cell: one, or the three or four of a colour. */
  readonly depth: number;
  readonly slices: number;
}

function isImage({ shape, dtype, values }: TensorInfo): boolean {
  const [high, wide, depth] = shape.slice(-3);
  const most = dtype === 'uint8' ? 255 : 1;
  return (
    (shape.length === 3 || shape.length === 4) &&
    (depth === 3 || depth === 4) &&
    high! >= SMALLEST_IMAGE &&
    wide! >= SMALLEST_IMAGE &&
    (dtype === 'uint8' || !isWhole(dtype)) &&
    values!.every((value) => value >= 0 && value <= most)
  );
}

/** How a tensor is cut into planes; without slices its leading axes are stacked. */
function planeOf(tensor: TensorInfo, sliced: boolean): Plane {
  const { shape, values } = tensor;
  const depth = isImage(tensor) ? shape.at(-1)! : 1;
  const [rows, columns] = (depth > 1 ? shape.slice(-3) : [1, 1, ...shape].slice(-2)) as [
    number,
    number,
  ];
  const whole = values!.length / (rows * columns * depth);
  if (sliced || depth > 1) return { rows, columns, depth, slices: whole };
  return { rows: rows * whole, columns, depth, slices: 1 };
}

/** Average a row-major matrix down to at most `MOST` rows and columns. */
function averaged(values: Float64Array, rows: number, columns: number): number[][] {
  const [high, wide] = [Math.min(rows, MOST), Math.min(columns, MOST)];
  const cut = (at: number, of: number, size: number): number => Math.floor((at * size) / of);
  return Array.from({ length: high }, (_, row) =>
    Array.from({ length: wide }, (_, column) => {
      let [sum, amount] = [0, 0];
      for (let y = cut(row, high, rows); y < cut(row + 1, high, rows); y++) {
        for (let x = cut(column, wide, columns); x < cut(column + 1, wide, columns); x++) {
          sum += values[y * columns + x]!;
          amount++;
        }
      }
      return sum / amount;
    }),
  );
}

const rect = (x: number, y: number, width: number, height: number, more: object): VNode =>
  h('rect', { x, y, width, height, ...more });

const named = (place: string, value: number): VNode =>
  h('title', {}, `${place} ${formatNumber(value)}`);

/** The colour of a number: hue above zero, grey below, ink where it is no number. */
function colourOf(value: number, most: number, role: Tone): { strength: number; fill: string } {
  if (!Number.isFinite(value)) return { strength: 0, fill: 'var(--ink)' };
  const strength = Math.round(Math.sqrt(Math.abs(value) / most) * 100) || 0;
  const base = value >= 0 ? `var(--${role})` : 'var(--ink)';
  const share = value >= 0 ? strength : strength * 0.72;
  return { strength, fill: `color-mix(in oklab,${base} ${share}%,var(--pane))` };
}

function cellView(value: number, row: number, column: number, most: number, role: Tone): VNode[] {
  const { strength, fill } = colourOf(value, most, role);
  const [x, y] = [column * CELL, row * CELL];
  const title = named(`[${row}, ${column}]`, value);
  const cell = h(
    'rect',
    { x, y, width: CELL - 1, height: CELL - 1, rx: 1.5, style: `fill:${fill}` },
    title,
  );
  if (!Number.isFinite(value)) {
    const cross = `M${x + 3} ${y + 3}l5 5m0-5l-5 5`;
    return [cell, h('path', { class: 'below', d: cross, style: 'stroke:var(--surface)' })];
  }
  if (value >= 0 || strength <= 22) return [cell];
  const stroke = strength > 60 ? 'var(--surface)' : 'var(--ink)';
  const minus = `M${x + 3} ${y + (CELL - 1) / 2}h${CELL - 7}`;
  return [cell, h('path', { class: 'below', d: minus, style: `stroke:${stroke}` })];
}

function picture(width: number, height: number, role: Tone, label: string, inside: Child): VNode {
  return h(
    'svg',
    {
      class: 'heat',
      viewBox: `-2 -2 ${width + 3} ${height + 3}`,
      style: `width:${width + 3}px;height:${height + 3}px`,
      role: 'img',
      'aria-label': label,
    },
    inside,
    rect(-1.5, -1.5, width + 2, height + 2, { class: `rim ${role}`, rx: 2.5 }),
  );
}

const finite = (values: Iterable<number>): number[] => [...values].filter(Number.isFinite);

/** What the colours mean: from the least number to the greatest, on the scale of the cells. */
function scaleView(values: readonly number[], most: number, role: Tone): VNode {
  const below = values.some((value) => value < 0);
  const number = (value: number): VNode => h('bdi', { class: 'num' }, formatNumber(value));
  return h(
    'span',
    { class: 'scale', dir: 'ltr' },
    number(below ? -most : 0),
    h('i', { class: `${role}${below ? ' both' : ''}`, 'aria-hidden': 'true' }),
    number(most),
  );
}

function heatMap(values: Float64Array, plane: Plane, role: Tone, label: string): VNode[] {
  const cells = averaged(values, plane.rows, plane.columns);
  const numbers = finite(cells.flat());
  const most = Math.max(...numbers.map(Math.abs)) || 1;
  const [width, height] = [cells[0]!.length * CELL, cells.length * CELL];
  const inside = cells.map((line, row) =>
    line.map((value, column) => cellView(value, row, column, most, role)),
  );
  return [picture(width, height, role, label, inside), scaleView(numbers, most, role)];
}

/** A vector as bars on a line: upwards above zero, downwards and grey below. */
function barsView(values: Float64Array, role: Tone, label: string): VNode {
  const numbers = finite(values);
  const low = Math.min(0, ...numbers);
  const high = Math.max(0, ...numbers) || (low < 0 ? 0 : 1);
  const unit = BARS_HIGH / (high - low || 1);
  const pitch = Math.min(24, BARS_WIDE / values.length);
  const gap = pitch > 4 ? 2 : 0;
  const zero = high * unit;
  const bars = Array.from(values, (value, at) => {
    const odd = !Number.isFinite(value);
    const size = odd ? BARS_HIGH : Math.max(1, Math.abs(value) * unit);
    const y = odd ? 0 : value < 0 ? zero : zero - size;
    const look = odd ? 'odd' : value < 0 ? 'down' : role;
    return h(
      'rect',
      { class: look, x: at * pitch, y, width: pitch - gap, height: size },
      named(`[${at}]`, value),
    );
  });
  const wide = values.length * pitch;
  const line = h('path', { class: 'zero', d: `M0 ${zero}H${wide}` });
  return picture(wide, BARS_HIGH, role, label, [bars, line]);
}

function imageView(values: Float64Array, plane: Plane, role: Tone, label: string): VNode {
  const { rows, columns, depth } = plane;
  const unit = values.some((value) => value > 1) ? 1 : 255;
  const size = Math.max(6, Math.min(CELL, Math.floor(192 / columns)));
  const pixels = Array.from({ length: rows * columns }, (_, at) => {
    const colour = values.subarray(at * depth, at * depth + depth);
    const [red, green, blue] = colour.subarray(0, 3).map((part) => part * unit);
    const style = `fill:rgb(${red} ${green} ${blue} / ${depth > 3 ? (colour[3]! * unit) / 255 : 1})`;
    return rect((at % columns) * size, Math.floor(at / columns) * size, size, size, { style });
  });
  return picture(columns * size, rows * size, role, label, pixels);
}

/** The place of a slice among the leading axes, such as `[0, 2, :, :]`. */
function placeOf(shape: readonly number[], slice: number, kept: number): string {
  const places: (number | string)[] = Array<string>(kept).fill(':');
  for (let axis = shape.length - kept - 1, rest = slice; axis >= 0; axis--) {
    places.unshift(rest % shape[axis]!);
    rest = Math.floor(rest / shape[axis]!);
  }
  return `[${places.join(', ')}]`;
}

function sliderView(tensor: TensorInfo, plane: Plane, at: number, slices: Slices): VNode {
  const place = placeOf(tensor.shape, at, plane.depth > 1 ? 3 : 2);
  const oninput = (event: Event): void =>
    slices.dispatch({ kind: 'slice', slice: Number((event.target as HTMLInputElement).value) });
  return h(
    'label',
    { class: 'slice' },
    h('input', {
      type: 'range',
      min: 0,
      max: plane.slices - 1,
      value: at,
      oninput,
      'aria-label': say('Slice'),
      'aria-valuetext': place,
    }),
    h('code', { dir: 'ltr' }, place),
  );
}

/**
 * The picture of a tensor: a vector as bars, a matrix as a heat map with its scale, an image as
 * an image, and what has more axes slice by slice; null where there is nothing to draw.
 */
export function heatView(
  tensor: TensorInfo,
  role: Tone,
  label: string,
  slices: Slices | null = null,
): VNode | null {
  const { values, shape, dtype } = tensor;
  const drawable = values && values.length > 1 && shape.length > 0 && !dtype.startsWith('complex');
  if (!drawable || !values.some(Number.isFinite)) return null;
  const drawn = (...inside: Child[]): VNode => h('div', { class: 'fig' }, inside);
  if (Math.max(...shape) === values.length) return drawn(barsView(values, role, label));
  const plane = planeOf(tensor, slices !== null);
  const size = plane.rows * plane.columns * plane.depth;
  const at = Math.min(slices?.at ?? 0, plane.slices - 1);
  const part = values.subarray(at * size, (at + 1) * size);
  const name = plane.slices > 1 ? `${label} ${placeOf(shape, at, plane.depth > 1 ? 3 : 2)}` : label;
  return drawn(
    plane.depth > 1 ? imageView(part, plane, role, name) : heatMap(part, plane, role, name),
    slices && plane.slices > 1 ? sliderView(tensor, plane, at, slices) : null,
  );
}

/** `−1.2000 to 3.0000, 0.8000 from 0 on average, 3 zeros`: what several numbers come to. */
export function rangeFacts(recording: Recording, tensor: number): (readonly [string, string])[] {
  const measure = tensor < 0 ? null : measureOf(recording, tensor);
  if (!measure || !recording.tensor(tensor).shape.length) return [];
  const { nans, infinities, zeros } = measure;
  const [least, greatest, size] = [measure.least, measure.greatest, measure.size].map(formatNumber);
  const told = [
    say('{least} to {greatest}', { least: least!, greatest: greatest! }),
    say('{size} from 0 on average', { size: size! }),
    zeros && sayMany('one zero', '{zeros} zeros', zeros, { zeros }),
    nans && `${count(nans, 'NaN')}`,
    infinities && `${infinities} × ∞`,
  ];
  return [['range', told.filter(Boolean).join(', ')]];
}

const LONGEST = 120;

/** All the numbers of a tensor, as far as they were kept and can be read. */
export function valuesView(tensor: TensorInfo, role: Tone): VNode {
  const text = formatValues(tensor);
  if (text === null) return h('span', { class: 'muted' }, WORDS.notKept);
  const shown = text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
  return h('bdi', { class: `num ${role}t` }, shown);
}
