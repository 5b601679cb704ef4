/**
 * Which entries of tensors belong together in an op, as loops over integers.
 *
 * An op is a nest of loops, such as `Y[i, j] += A[i, k] * B[k, j]` over i, k and j. Each tensor is
 * addressed by the loops: each of its coordinates is a sum of multiples of them. From this one
 * declaration follows what makes an entry of the result, and where an entry of an input goes:
 * `points` solves the coordinates of the entry for the loops.
 */
export type Shape = readonly number[];

/** A coordinate: `offset` and so many times each of some loops. */
export interface Coordinate {
  readonly offset: number;
  readonly steps: readonly (readonly [loop: number, step: number])[];
}

/** How the loops address the entries of a tensor, or of its numbers in another shape. */
export interface Access {
  readonly shape: Shape;
  readonly at: readonly Coordinate[];
}

export const loop = (number: number, step = 1, offset = 0): Coordinate => ({
  offset,
  steps: [[number, step]],
});
export const fixed = (offset: number): Coordinate => ({ offset, steps: [] });

/** The coordinates of an entry from its place in row-major order. */
export function coordinatesOf(shape: Shape, place: number): number[] {
  const coordinates: number[] = [];
  let rest = place;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    coordinates[axis] = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
  }
  return coordinates;
}

/** The place of an entry in row-major order; -1 where it lies outside. */
export function placeOf(shape: Shape, coordinates: Shape): number {
  let place = 0;
  for (let axis = 0; axis < shape.length; axis++) {
    const at = coordinates[axis]!;
    if (at < 0 || at >= shape[axis]!) return -1;
    place = place * shape[axis]! + at;
  }
  return place;
}

/** Where the loops stand in a tensor; -1 outside of it, as in the margin of a convolution. */
export function addressed({ shape, at }: Access, loops: Shape): number {
  const coordinates = at.map(({ offset, steps }) =>
    steps.reduce((sum, [number, step]) => sum + step * loops[number]!, offset),
  );
  return placeOf(shape, coordinates);
}

/** All points of the loops, of such sizes, that address one entry of a tensor. */
export function* points(sizes: Shape, access: Access, place: number): Generator<number[]> {
  const wanted = coordinatesOf(access.shape, place);
  const now = sizes.map(() => -1);

  function* each(number: number, onwards: () => Generator<number[]>): Generator<number[]> {
    for (let value = 0; value < sizes[number]!; value++) {
      now[number] = value;
      yield* onwards();
    }
    now[number] = -1;
  }

  /** The loops that no coordinate has decided. */
  function* free(number: number): Generator<number[]> {
    if (number === sizes.length) yield now.slice();
    else if (now[number]! >= 0) yield* free(number + 1);
    else yield* each(number, () => free(number + 1));
  }

  function* solve(axis: number): Generator<number[]> {
    if (axis === access.at.length) return yield* free(0);
    const { offset, steps } = access.at[axis]!;
    const open = steps.filter(([number]) => now[number]! < 0);
    const rest = steps.reduce(
      (left, [number, step]) => left - step * Math.max(0, now[number]!),
      wanted[axis]! - offset,
    );
    if (!open.length) {
      if (rest === 0) yield* solve(axis + 1);
      return;
    }
    const [number, step] = open[0]!;
    if (open.length > 1) return yield* each(number, () => solve(axis));
    const value = rest / step;
    if (!Number.isInteger(value) || value < 0 || value >= sizes[number]!) return;
    now[number] = value;
    yield* solve(axis + 1);
    now[number] = -1;
  }

  yield* solve(0);
}
