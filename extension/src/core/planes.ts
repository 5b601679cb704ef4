import { Form, previewOf } from './previews.js';
import type { Preview } from './previews.js';
import { isWhole } from './numbers.js';
import type { Recording } from './recording.js';
import { Role } from './schema.js';
import type { TensorInfo } from './schema.js';

/** Smaller pictures than this are tables of numbers with three columns. */
const SMALLEST_IMAGE = 4;
/** A map has at most so many rows and columns; what is larger is drawn in means of blocks. */
const MOST = 32;

/** Whether tensors of a shape may be an image or a stack of them. */
function showsImage(shape: readonly number[]): boolean {
  const [high, wide, depth] = shape.slice(-3) as [number, number, number];
  return (
    (shape.length === 3 || shape.length === 4) &&
    [1, 3, 4].includes(depth) &&
    Math.min(high, wide) >= SMALLEST_IMAGE
  );
}

function isImage({ role, shape, dtype, values }: TensorInfo): boolean {
  const most = dtype === 'uint8' ? 255 : 1;
  return (
    role !== Role.Gradient &&
    showsImage(shape) &&
    (dtype === 'uint8' || !(isWhole(dtype) || dtype === 'bool')) &&
    values!.every((value) => value >= 0 && value <= most)
  );
}

/**
 * The axes drawn as rows and columns: the last two, or where the last one counts the channels of
 * square maps or of what may be an image, the two before it. The same rule as in `tapelab/recording/previews.py`.
 */
export function planeOf(shape: readonly number[]): readonly [number, number] {
  const last = shape.length - 1;
  if (showsImage(shape)) return [last - 2, last - 1];
  const [, high, wide, channels] = shape;
  const square = last === 3 && high === wide && wide! >= SMALLEST_IMAGE && channels !== wide;
  return square ? [1, 2] : [last - 1, last];
}

/** One slice of a tensor, ready to be drawn. */
export interface Sheet extends Preview {
  /** How many numbers are in a row and in a column of the tensor, of which these are blocks. */
  readonly high: number;
  readonly wide: number;
  /** How many slices the tensor has; the first `slices` can be looked at. */
  readonly of: number;
  /** Where in the tensor this is, such as `[0, 2, :, :]`. */
  readonly place: string;
}

/** Average a row-major matrix down to at most `MOST` rows and columns. */
function averaged(
  values: Float64Array,
  high: number,
  wide: number,
): Pick<Preview, 'rows' | 'columns' | 'numbers'> {
  const [rows, columns] = [Math.min(high, MOST), Math.min(wide, MOST)];
  const numbers = new Float64Array(rows * columns);
  const cut = (at: number, of: number, size: number): number => Math.floor((at * size) / of);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let [sum, amount] = [0, 0];
      for (let y = cut(row, rows, high); y < cut(row + 1, rows, high); y++) {
        for (let x = cut(column, columns, wide); x < cut(column + 1, columns, wide); x++) {
          sum += values[y * wide + x]!;
          amount++;
        }
      }
      numbers[row * columns + column] = sum / amount;
    }
  }
  return { rows, columns, numbers };
}

/** The axes of a tensor, and where its numbers stand. */
interface Axes {
  readonly kept: readonly number[];
  readonly strides: readonly number[];
  readonly of: number;
}

function axesOf(shape: readonly number[], image: boolean): Axes {
  const strides = shape.map((_, axis) =>
    shape.slice(axis + 1).reduce((product, size) => product * size, 1),
  );
  const last = shape.length - 1;
  const kept = image ? [last - 2, last - 1, last] : [...planeOf(shape)];
  const of = shape.reduce((count, size, axis) => (kept.includes(axis) ? count : count * size), 1);
  return { kept, strides, of };
}

/** The place of a slice among the axes that are not drawn, and where its numbers begin. */
function sliceAt(
  shape: readonly number[],
  { kept, strides }: Axes,
  slice: number,
): [string, number] {
  let [rest, start] = [slice, 0];
  const places = shape.map(() => ':');
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (kept.includes(axis)) continue;
    const at = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
    places[axis] = String(at);
    start += at * strides[axis]!;
  }
  return [places.length > kept.length ? `[${places.join(', ')}]` : '', start];
}

/** The numbers of a small tensor, of complex ones their distances from 0. */
function realOf({ values, dtype }: TensorInfo): Float64Array {
  if (!dtype.startsWith('complex')) return values!;
  return Float64Array.from({ length: values!.length / 2 }, (_, at) =>
    Math.hypot(values![2 * at]!, values![2 * at + 1]!),
  );
}

function sheetOfKept(tensor: TensorInfo, slice: number): Sheet {
  const { shape } = tensor;
  const values = realOf(tensor);
  if (Math.max(...shape) === values.length) {
    const wide = values.length;
    const row = { rows: 1, columns: wide, depth: 1, high: 1, wide, slices: 1, of: 1, place: '' };
    return { ...row, form: Form.Ends, numbers: values };
  }
  const image = isImage(tensor);
  const axes = axesOf(shape, image);
  const at = Math.min(slice, axes.of - 1);
  const [place, start] = sliceAt(shape, axes, at);
  const [rowAxis, columnAxis] = axes.kept as [number, number];
  const [high, wide] = [shape[rowAxis]!, shape[columnAxis]!];
  const around = { high, wide, of: axes.of, slices: axes.of, place };
  if (image) {
    const depth = shape.at(-1)!;
    const numbers = values.subarray(start, start + high * wide * depth);
    return { ...around, form: Form.Colours, rows: high, columns: wide, depth, numbers };
  }
  const plane = Float64Array.from({ length: high * wide }, (_, cell) => {
    const [y, x] = [Math.floor(cell / wide), cell % wide];
    return values[start + y * axes.strides[rowAxis]! + x * axes.strides[columnAxis]!]!;
  });
  return { ...around, form: Form.Means, depth: 1, ...averaged(plane, high, wide) };
}

function sheetOfPreview(tensor: TensorInfo, preview: Preview, slice: number): Sheet {
  const { shape } = tensor;
  const { form, slices, rows, columns, depth } = preview;
  const at = Math.min(slice, slices - 1);
  const size = rows * columns * depth;
  const numbers = preview.numbers.subarray(at * size, (at + 1) * size);
  if (form === Form.Ends) {
    const wide = Math.max(...shape);
    return { ...preview, numbers, high: 1, wide, of: 1, place: '' };
  }
  const axes = axesOf(shape, form === Form.Colours);
  const [place] = sliceAt(shape, axes, at);
  const [high, wide] = axes.kept.map((axis) => shape[axis]!) as [number, number];
  return { ...preview, numbers, high, wide, of: axes.of, place };
}

/** A slice of a tensor as it is drawn; null where there is nothing to draw. */
export function sheetOf(recording: Recording, tensor: TensorInfo, slice: number): Sheet | null {
  const { values, shape, index } = tensor;
  if (!shape.length || shape.includes(0)) return null;
  const preview = values ? null : previewOf(recording, index);
  const sheet = values
    ? values.length > 1 && sheetOfKept(tensor, slice)
    : preview && sheetOfPreview(tensor, preview, slice);
  return sheet && sheet.numbers.some(Number.isFinite) ? sheet : null;
}
