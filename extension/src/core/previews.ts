import type { Recording } from './recording.js';

/** How a preview is drawn. */
export enum Form {
  /** The means of blocks. */
  Means,
  /** The least and the greatest number of each bin. */
  Ends,
  /** Pixels, each with its colours. */
  Colours,
}

/** What a large tensor looks like; NaN where a block holds a number that is none. */
export interface Preview {
  readonly form: Form;
  readonly slices: number;
  readonly rows: number;
  readonly columns: number;
  /** The numbers of a cell: a mean, two ends, or the parts of a colour. */
  readonly depth: number;
  readonly numbers: Float64Array;
}

const FORM = 5;
const NONE = 255;
const places = new WeakMap<Recording, ReadonlyMap<number, readonly [at: number, from: number]>>();

/** Which preview a tensor has, and where its levels begin. */
function placesIn(recording: Recording): ReadonlyMap<number, readonly [number, number]> {
  const known = places.get(recording);
  if (known) return known;
  const { tensors, forms, levels } = recording.looks;
  const found = new Map<number, readonly [number, number]>();
  let from = 0;
  for (const [at, tensor] of tensors.entries()) {
    const shape = forms.subarray(at * FORM + 1, (at + 1) * FORM);
    const to = from + shape.reduce((product, size) => product * size, 1);
    if (shape.length !== FORM - 1 || shape.some((size) => size < 1) || to > levels.length) break;
    found.set(tensor, [at, from]);
    from = to;
  }
  places.set(recording, found);
  return found;
}

/** The preview of a large tensor, if its numbers were there when the recording was made. */
export function previewOf(recording: Recording, tensor: number): Preview | null {
  const place = placesIn(recording).get(tensor);
  if (!place) return null;
  const [at, from] = place;
  const { forms, scales, levels } = recording.looks;
  const [form, slices, rows, columns, depth] = forms.subarray(at * FORM, (at + 1) * FORM);
  const [zero, step] = scales.subarray(2 * at, 2 * at + 2);
  const size = slices! * rows! * columns! * depth!;
  const numbers = Float64Array.from(levels.subarray(from, from + size), (level) =>
    level === NONE ? NaN : (level - zero!) * step!,
  );
  return { form: form!, slices: slices!, rows: rows!, columns: columns!, depth: depth!, numbers };
}
