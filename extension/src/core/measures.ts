import type { Recording } from './recording.js';

/** What the numbers of a tensor come to; all but the first three are of its finite numbers. */
export interface Measure {
  readonly nans: number;
  readonly infinities: number;
  readonly zeros: number;
  readonly least: number;
  readonly greatest: number;
  /** The mean distance from 0. */
  readonly size: number;
  /** NaN in a recording that does not tell it. */
  readonly mean: number;
  /** The Euclidean norm; NaN in a recording that does not tell it. */
  readonly norm: number;
}

export const WIDTH = 6;
const places = new WeakMap<Recording, Map<number, number>>();

/** Where the measures of each large tensor stand in their column. */
function placesIn(recording: Recording): Map<number, number> {
  let found = places.get(recording);
  if (!found) {
    found = new Map(Array.from(recording.measured.tensors, (tensor, at) => [tensor, at * WIDTH]));
    places.set(recording, found);
  }
  return found;
}

/** Measure numbers that are there. */
function measured(values: Float64Array): Measure {
  let [nans, infinities, zeros, total, sum] = [0, 0, 0, 0, 0];
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    if (Number.isNaN(value)) nans++;
    else if (!Number.isFinite(value)) infinities++;
    else {
      if (value === 0) zeros++;
      least = Math.min(least, value);
      greatest = Math.max(greatest, value);
      total += Math.abs(value);
      sum += value;
    }
  }
  const finite = values.length - nans - infinities;
  const norm = normOf(values, Math.max(-least, greatest));
  if (!finite) [least, greatest] = [0, 0];
  const [size, mean] = [total, sum].map((each) => each / Math.max(finite, 1));
  return { nans, infinities, zeros, least, greatest, size: size!, mean: mean!, norm };
}

/** The Euclidean norm of finite numbers up to a size, by which they are divided lest it overflow. */
function normOf(values: Float64Array, largest: number): number {
  if (!(largest > 0)) return 0;
  let squares = 0;
  for (const value of values) if (Number.isFinite(value)) squares += (value / largest) ** 2;
  return largest * Math.sqrt(squares);
}

/** What is known of the numbers of a tensor: of a large one what was measured; null if nothing. */
export function measureOf(recording: Recording, tensor: number): Measure | null {
  const { values } = recording.tensor(tensor);
  if (values) return values.length ? measured(values) : null;
  const at = placesIn(recording).get(tensor);
  if (at === undefined) return null;
  const [nans, infinities, zeros, least, greatest, size] = recording.measured.numbers.subarray(
    at,
    at + WIDTH,
  );
  return {
    nans: nans!,
    infinities: infinities!,
    zeros: zeros!,
    least: least!,
    greatest: greatest!,
    size: size!,
    mean: recording.measured.means[at / WIDTH] ?? NaN,
    norm: recording.measured.norms[at / WIDTH] ?? NaN,
  };
}
