import type { TensorInfo } from './schema.js';
import { say, sayMany } from './words.js';

const MINUS = '−';

/** Print every number alike: four decimals, a true minus, 1.42e−14 where four decimals say little. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+∞' : `${MINUS}∞`;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return scientific(value);
  return withMinus(size === 0 ? '0.0000' : value.toFixed(4));
}

/** A number in so few digits that a small cell holds it: 0.123, −4.5, 1.24e−7. */
export function formatShort(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return formatNumber(value).replace('+', '');
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return scientific(value);
  return withMinus(String(Number(value.toPrecision(3))));
}

function scientific(value: number): string {
  const [mantissa, exponent] = value.toExponential(2).split('e');
  return withMinus(`${mantissa}e${exponent!.replace('+', '')}`);
}

function withMinus(text: string): string {
  return text.replaceAll('-', MINUS);
}

export function elementsOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

export function isWhole(dtype: string): boolean {
  return /^u?int/.test(dtype);
}

/** One element of a tensor, in the manner of its dtype. */
function formatElement(values: Float64Array, at: number, dtype: string): string {
  if (dtype === 'bool') return values[at] ? 'True' : 'False';
  if (isWhole(dtype)) return withMinus(String(values[at]));
  if (dtype.startsWith('complex')) {
    const imaginary = values[2 * at + 1]!;
    const sign = imaginary < 0 ? MINUS : '+';
    return `${formatNumber(values[2 * at]!)}${sign}${formatNumber(Math.abs(imaginary))}j`;
  }
  return formatNumber(values[at]!);
}

/** The fewest decimals, at most four, that tell these numbers apart from rounded ones. */
function decimalsFor(values: Float64Array): number {
  for (let decimals = 0; decimals < 4; decimals++) {
    const scale = 10 ** decimals;
    if (values.every((value) => Math.abs(Math.round(value * scale) / scale - value) < 5e-6)) {
      return decimals;
    }
  }
  return 4;
}

function isPlain(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size >= 1e-4 && size < 1e6);
}

function elementTexts(tensor: TensorInfo, values: Float64Array): string[] {
  const floats = !isWhole(tensor.dtype) && tensor.dtype !== 'bool';
  const finite = values.filter(Number.isFinite);
  if (floats && !tensor.dtype.startsWith('complex') && finite.every(isPlain)) {
    const decimals = decimalsFor(finite);
    const dot = decimals === 0 ? '.' : '';
    return Array.from(values, (value) =>
      Number.isFinite(value)
        ? withMinus((value || 0).toFixed(decimals) + dot)
        : formatNumber(value),
    );
  }
  const count = elementsOf(tensor.shape);
  return Array.from({ length: count }, (_, at) => formatElement(values, at, tensor.dtype));
}

/** Wrap a flat row of texts in brackets, innermost axis first. */
function bracketed(texts: string[], shape: readonly number[]): string {
  let row = texts;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis]!;
    const rows = row.length / size;
    row = Array.from({ length: rows }, (_, at) => {
      return `[${row.slice(at * size, (at + 1) * size).join(' ')}]`;
    });
  }
  return row[0] ?? '[]';
}

/** A tensor's numbers in one line, such as `[1. 4. 9.]`; null when they were not kept. */
export function formatValues(tensor: TensorInfo): string | null {
  const { values, shape, dtype, words } = tensor;
  if (!values) return words || null;
  if (shape.length === 0) return formatElement(values, 0, dtype);
  if (shape.includes(0)) return '[]';
  return bracketed(elementTexts(tensor, values), shape);
}

/** How a tensor looks in so many characters: its numbers, or else its shape, typed if it may be. */
export function formatBrief(tensor: TensorInfo, room: number, typed = true): string {
  const elements = elementsOf(tensor.shape);
  const text = elements <= 16 ? formatValues(tensor) : null;
  if (text !== null && text.length <= room) return text;
  if (!tensor.shape.length) return text ?? say('not kept');
  const shape = formatShape(tensor.shape);
  const long = `${tensor.dtype} ${shape}`;
  return typed && tensor.shape.length === 1 && long.length <= room ? long : shape;
}

/** `(3,)` or `2×3`: never in brackets, as values are. */
export function formatShape(shape: readonly number[]): string {
  return shape.length === 1 ? `(${shape[0]},)` : shape.join('×');
}

/** `float32, a scalar` or `float32, shape 2×3`. */
export function formatType(tensor: TensorInfo): string {
  const { dtype, shape } = tensor;
  if (shape.length === 0) return say('{dtype}, a scalar', { dtype });
  const [length] = shape as [number];
  if (shape.length === 1) {
    return `${dtype}, ${dtype === 'string' ? count(length, 'word') : count(length, 'number')}`;
  }
  return say('{dtype}, shape {shape}', { dtype, shape: formatShape(shape) });
}

/** `1 op`, `2 ops`, `412 000 ops`: thousands apart by a narrow space. */
export function count(amount: number, word: string): string {
  const one = `{count} ${word}`;
  return sayMany(one, `${one}s`, amount, { count: grouped(amount) });
}

export function grouped(amount: number): string {
  return String(amount).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

const SIZES: readonly (readonly [RegExp, number])[] = [
  [/^(bool|u?int8)$/, 1],
  [/^(float16|bfloat16|u?int16)$/, 2],
  [/^(float32|u?int32)$/, 4],
  [/^(float64|u?int64|complex64)$/, 8],
  [/^complex128$/, 16],
];

export function byteSize(tensor: TensorInfo): number {
  const size = SIZES.find(([pattern]) => pattern.test(tensor.dtype))?.[1] ?? 0;
  return tensor.shape.reduce((product, length) => product * length, size);
}
