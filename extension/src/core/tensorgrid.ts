import { coordinatesOf, placeOf } from './indexmaps.js';
import type { Shape } from './indexmaps.js';
import type { Plane } from './tensorrules.js';
import { planeOf } from './planes.js';
import { Form, previewOf } from './previews.js';
import type { Preview } from './previews.js';
import type { Recording } from './recording.js';
import type { TensorInfo } from './schema.js';

/** A grid shows each entry of so many rows and columns; of larger planes it shows samples. */
export const MOST_SIDE = 64;

/** One plane of a tensor as rows and columns of cells, each of which stands for an entry. */
export interface Grid {
  readonly shape: Shape;
  readonly plane: Plane;
  /** Where the plane lies on the other axes. */
  readonly slice: Shape;
  readonly high: number;
  readonly wide: number;
  readonly rows: number;
  readonly columns: number;
  /** A number for each cell, NaN where it is not known: an entry, or the mean of a block. */
  readonly numbers: Float64Array;
}

/** The numbers of a tensor by their places, NaN where they were not kept. */
export interface Entries {
  /** Whether they are rounded, because the recording holds a preview of them only. */
  readonly rounded: boolean;
  at(place: number): number;
}

/** The axis of a plane that a tensor has; a vector has no rows, a number no columns either. */
const sizeOf = (shape: Shape, axis: number): number => shape[axis] ?? 1;

/** The slice of a preview that shows a plane; -1 where it does not. */
function sliceOf(preview: Preview, shape: Shape, plane: Plane, slice: Shape): number {
  const [rows, columns] = planeOf(shape);
  if (preview.form !== Form.Means || rows !== plane[0] || columns !== plane[1]) return -1;
  const others = shape.map((_, axis) => axis).filter((axis) => !plane.includes(axis));
  const at = placeOf(
    others.map((axis) => shape[axis]!),
    others.map((axis) => slice[axis]!),
  );
  return at < preview.slices ? at : -1;
}

const unknown: Entries = { rounded: false, at: () => NaN };

/** What is known of each entry of a tensor. */
export function entriesOf(recording: Recording, tensor: TensorInfo): Entries {
  const { values, shape, dtype, index } = tensor;
  if (values)
    return dtype.startsWith('complex') ? unknown : { rounded: false, at: (p) => values[p]! };
  const preview = shape.length > 1 ? previewOf(recording, index) : null;
  const plane = planeOf(shape);
  if (preview?.rows !== shape[plane[0]] || preview?.columns !== shape[plane[1]]) return unknown;
  return {
    rounded: true,
    at: (place) => {
      const at = coordinatesOf(shape, place);
      const slice = sliceOf(preview!, shape, plane, at);
      const cell = at[plane[0]]! * preview!.columns + at[plane[1]]!;
      return slice < 0 ? NaN : preview!.numbers[slice * preview!.rows * preview!.columns + cell]!;
    },
  };
}

const cut = (at: number, parts: number, size: number): number => Math.floor((at * size) / parts);
/** The middle of the part that a cell stands for. */
const middle = (at: number, parts: number, size: number): number =>
  (cut(at, parts, size) + cut(at + 1, parts, size) - 1) >> 1;

/** The plane of a tensor in which an entry lies. */
export function gridOf(
  recording: Recording,
  tensor: TensorInfo,
  entry: number,
  drawn?: Plane | null,
): Grid {
  const { shape, index, values } = tensor;
  const rank = shape.length;
  const plane: Plane = drawn ?? (rank > 1 ? [rank - 2, rank - 1] : [-1, rank - 1]);
  const slice = coordinatesOf(shape, entry);
  const [high, wide] = [sizeOf(shape, plane[0]), sizeOf(shape, plane[1])];
  const preview = values || rank < 2 ? null : previewOf(recording, index);
  const at = preview ? sliceOf(preview, shape, plane, slice) : -1;
  const [rows, columns] =
    preview && at >= 0
      ? [preview.rows, preview.columns]
      : [Math.min(high, MOST_SIDE), Math.min(wide, MOST_SIDE)];
  const empty: Grid = {
    ...{ shape, plane, slice, high, wide, rows, columns },
    numbers: new Float64Array(rows * columns),
  };
  const entries = entriesOf(recording, tensor);
  const numbers =
    preview && at >= 0
      ? preview.numbers.subarray(at * rows * columns, (at + 1) * rows * columns)
      : empty.numbers.map((_, cell) => entries.at(placeAt(empty, cell)));
  return { ...empty, numbers };
}

/** The place of the entry that a cell stands for. */
export function placeAt({ shape, plane, slice, high, wide, rows, columns }: Grid, cell: number) {
  const coordinates = [...slice];
  if (plane[0] >= 0) coordinates[plane[0]] = middle(Math.floor(cell / columns), rows, high);
  if (plane[1] >= 0) coordinates[plane[1]] = middle(cell % columns, columns, wide);
  return placeOf(shape, coordinates);
}

/** The cell in which an entry lies; -1 where it is on another plane. */
export function cellAt({ shape, plane, slice, high, wide, rows, columns }: Grid, place: number) {
  const at = coordinatesOf(shape, place);
  if (at.some((coordinate, axis) => !plane.includes(axis) && coordinate !== slice[axis])) return -1;
  const part = (coordinate: number, parts: number, size: number): number =>
    Math.floor(((coordinate + 1) * parts - 1) / size);
  return part(at[plane[0]] ?? 0, rows, high) * columns + part(at[plane[1]] ?? 0, columns, wide);
}
