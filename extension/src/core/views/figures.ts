import type { Tone } from '../appearance.js';
import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { formatNumber, formatShape, grouped } from '../numbers.js';
import { sheetOf } from '../planes.js';
import type { Sheet } from '../planes.js';
import { Form } from '../previews.js';
import type { Recording } from '../recording.js';
import type { TensorInfo } from '../schema.js';
import type { Slices } from '../state.js';
import { say } from '../words.js';

const CELL = 12;
/** The cells of larger maps are smaller, and have no signs of their own. */
const ROOMY = 16;
const MAP_WIDE = 192;
const BARS_WIDE = 336;
const BARS_HIGH = 56;
const TINTS = 16;
/** Of 256 levels of a colour, images in small show 16. */
const SHADE = 17;

const rect = (x: number, y: number, width: number, height: number, more: object): VNode =>
  h('rect', { x, y, width, height, ...more });

const named = (place: string, value: number): VNode =>
  h('title', {}, `${place} ${formatNumber(value)}`);

/** How strongly a number is coloured, from 0 to 100. */
function strengthOf(value: number, most: number): number {
  return Math.round(Math.sqrt(Math.abs(value) / most) * 100) || 0;
}

/** The colour of a number: hue above zero, grey below, ink where it is no number. */
function colourOf(value: number, strength: number, role: Tone): string {
  if (!Number.isFinite(value)) return 'var(--ink)';
  const base = value >= 0 ? `var(--${role})` : 'var(--ink)';
  const share = value >= 0 ? strength : strength * 0.72;
  return `color-mix(in oklab,${base} ${share}%,var(--pane))`;
}

function cellView(value: number, row: number, column: number, most: number, role: Tone): VNode[] {
  const strength = strengthOf(value, most);
  const [x, y] = [column * CELL, row * CELL];
  const style = `fill:${colourOf(value, strength, role)}`;
  const title = named(`[${row}, ${column}]`, value);
  const cell = h('rect', { x, y, width: CELL - 1, height: CELL - 1, rx: 1.5, style }, title);
  if (!Number.isFinite(value)) {
    const cross = `M${x + 3} ${y + 3}l5 5m0-5l-5 5`;
    return [cell, h('path', { class: 'below', d: cross, style: 'stroke:var(--surface)' })];
  }
  if (value >= 0 || strength <= 22) return [cell];
  const stroke = strength > 60 ? 'var(--surface)' : 'var(--ink)';
  const minus = `M${x + 3} ${y + (CELL - 1) / 2}h${CELL - 7}`;
  return [cell, h('path', { class: 'below', d: minus, style: `stroke:${stroke}` })];
}

/** Numbers in rows. */
export type Matrix = Pick<Sheet, 'rows' | 'columns' | 'numbers'>;

/** All cells of one colour in one path; `look` tells their colour and how much smaller they are. */
function cellsInPaths(
  { rows, columns }: Matrix,
  size: number,
  look: (at: number) => readonly [fill: string, inset: number],
): VNode[] {
  const paths = new Map<string, string>();
  for (let at = 0; at < rows * columns; at++) {
    const [fill, inset] = look(at);
    const side = size - 2 * inset;
    const x = (at % columns) * size + inset;
    const y = Math.floor(at / columns) * size + inset;
    paths.set(
      fill,
      `${paths.get(fill) ?? ''}M${+x.toFixed(1)} ${+y.toFixed(1)}h${side}v${side}h-${side}z`,
    );
  }
  return [...paths].map(([fill, d]) => h('path', { d, style: `fill:${fill}` }));
}

/** The cells of a map in few tints; those below zero are smaller. */
export function tintedCells(sheet: Matrix, size: number, most: number, role: Tone): VNode[] {
  return cellsInPaths(sheet, size, (at) => {
    const value = sheet.numbers[at]!;
    const strength = (Math.ceil((strengthOf(value, most) * TINTS) / 100) * 100) / TINTS;
    return [colourOf(value, strength, role), value < 0 ? size / 5 : 0];
  });
}

/** The colour of a pixel, each of its parts, from 0 to 255, a multiple of `step`. */
function pixelOf({ numbers, depth }: Sheet, at: number, dtype: string, step: number): string {
  const unit = dtype === 'uint8' ? 1 : 255;
  const colour = numbers.subarray(at * depth, at * depth + depth);
  const parts = depth < 3 ? [0, 0, 0] : [0, 1, 2];
  const shown = parts.map((part) => Math.round((colour[part]! * unit) / step) * step).join(' ');
  const opaque = depth > 3 ? ((colour[3]! * unit) / 255).toFixed(2) : 1;
  return `rgb(${shown} / ${opaque})`;
}

/** The pixels of an image in few shades. */
export function shadedPixels(sheet: Sheet, size: number, dtype: string): VNode[] {
  return cellsInPaths(sheet, size, (at) => [pixelOf(sheet, at, dtype, SHADE), 0]);
}

function current(width: number, height: number, role: Tone, label: string, inside: Child): VNode {
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

function heatMap(sheet: Sheet, role: Tone, label: string): Child[] {
  const { rows, columns } = sheet;
  const numbers = finite(sheet.numbers);
  const most = Math.max(...numbers.map(Math.abs)) || 1;
  const roomy = rows <= ROOMY && columns <= ROOMY;
  const size = roomy
    ? CELL
    : Math.max(4, Math.min(8, Math.floor(MAP_WIDE / Math.max(rows, columns))));
  const inside = roomy
    ? Array.from(sheet.numbers, (value, at) =>
        cellView(value, Math.floor(at / columns), at % columns, most, role),
      )
    : tintedCells(sheet, size, most, role);
  return [
    current(columns * size, rows * size, role, label, inside),
    scaleView(numbers, most, role),
  ];
}

/** A vector as bars on a line: upwards above zero, downwards and grey below. */
function barsView(sheet: Sheet, role: Tone, label: string): VNode {
  const { columns, depth } = sheet;
  const numbers = finite(sheet.numbers);
  const low = Math.min(0, ...numbers);
  const high = Math.max(0, ...numbers) || (low < 0 ? 0 : 1);
  const unit = BARS_HIGH / (high - low || 1);
  const pitch = Math.min(24, BARS_WIDE / columns);
  const gap = pitch > 4 ? 2 : 0;
  const zero = high * unit;
  const bars = Array.from({ length: columns }, (_, at) => {
    const ends = sheet.numbers.subarray(at * depth, (at + 1) * depth);
    const [least, greatest] = [ends[0]!, ends[depth - 1]!];
    const odd = !Number.isFinite(least + greatest);
    const [bottom, top] = depth > 1 ? [least, greatest] : [Math.min(0, least), Math.max(0, least)];
    const look = odd ? 'odd' : top <= 0 && bottom < 0 ? 'down' : role;
    const y = odd ? 0 : (high - top) * unit;
    const height = odd ? BARS_HIGH : Math.max(1, (top - bottom) * unit);
    const summary = Array.from(ends, formatNumber).join(' … ');
    const place = depth > 1 ? '' : `[${at}] `;
    return h(
      'rect',
      { class: look, x: at * pitch, y: Math.min(y, BARS_HIGH - 1), width: pitch - gap, height },
      h('title', {}, place + summary),
    );
  });
  const wide = columns * pitch;
  const line = h('path', { class: 'zero', d: `M0 ${zero}H${wide}` });
  return current(wide, BARS_HIGH, role, label, [bars, line]);
}

function imageView(sheet: Sheet, role: Tone, label: string, dtype: string): VNode {
  const { rows, columns } = sheet;
  const size = Math.max(4, Math.min(CELL, Math.floor(MAP_WIDE / columns)));
  const pixels = Array.from({ length: rows * columns }, (_, at) => {
    const style = `fill:${pixelOf(sheet, at, dtype, 1)}`;
    return rect((at % columns) * size, Math.floor(at / columns) * size, size, size, { style });
  });
  return current(columns * size, rows * size, role, label, pixels);
}

function sliderView(sheet: Sheet, slices: Slices): VNode {
  const { place } = sheet;
  const oninput = (event: Event): void =>
    slices.dispatch({ kind: 'slice', slice: Number((event.target as HTMLInputElement).value) });
  return h(
    'label',
    { class: 'slice' },
    h('input', {
      type: 'range',
      min: 0,
      max: sheet.slices - 1,
      value: Math.min(slices.at, sheet.slices - 1),
      oninput,
      'aria-label': say('Slice'),
      'aria-valuetext': place,
    }),
    h('code', { dir: 'ltr' }, place),
  );
}

/** What of the tensor the picture shows, where it does not show each of its numbers. */
function caption(sheet: Sheet, dtype: string): string {
  const { form, rows, columns, high, wide, depth, slices, of } = sheet;
  const [shape, parts] = [formatShape([high, wide]), formatShape([rows, columns])];
  const summary = [
    form === Form.Ends && depth > 1
      ? say('{numbers} numbers in {bins} bins, from the least to the greatest of each', {
          numbers: grouped(wide),
          bins: columns,
        })
      : rows === high && columns === wide
        ? ''
        : form === Form.Colours
          ? say('{shape} pixels, drawn as {parts}', { shape, parts })
          : say('{shape} in {parts} blocks: the mean of each', { shape, parts }),
    dtype.startsWith('complex') ? say('distance from 0') : '',
    slices < of ? say('the first {slices} of {of} slices', { slices, of: grouped(of) }) : '',
  ];
  return summary.filter(Boolean).join(', ');
}

const VIEWS: Readonly<
  Record<Form, (sheet: Sheet, role: Tone, label: string, dtype: string) => Child>
> = {
  [Form.Means]: heatMap,
  [Form.Ends]: barsView,
  [Form.Colours]: imageView,
};

/**
 * The picture of a tensor: a vector as bars, a matrix as a heat map with its scale, an image as
 * an image, and what has more axes slice by slice; null where there is nothing to draw.
 */
export function figureOf(
  recording: Recording,
  tensor: TensorInfo,
  role: Tone,
  label: string,
  slices: Slices,
): VNode | null {
  const sheet = sheetOf(recording, tensor, slices.at);
  if (!sheet) return null;
  const summary = caption(sheet, tensor.dtype);
  return h(
    'div',
    { class: 'fig' },
    VIEWS[sheet.form](sheet, role, sheet.place ? `${label} ${sheet.place}` : label, tensor.dtype),
    summary && h('p', { class: 'muted small' }, summary),
    sheet.slices > 1 ? sliderView(sheet, slices) : null,
  );
}
