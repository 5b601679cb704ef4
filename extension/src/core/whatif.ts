/** The numbers of `tapelab/views/what_if_page.py`: a function of a few inputs, as far as it is drawn. */
export interface Input {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly start: number;
}

export type Range = readonly [number, number];

export interface Experiment {
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly bounds: { readonly results: Range; readonly derivatives: readonly Range[] };
}

/** A number, a word where it is none such as NaN, or null where no path leads back. */
export type Derivative = number | string | null;

/** The function along one input, in even steps; null where it has no place. */
export interface Curve {
  readonly results: readonly (number | null)[];
  readonly derivatives: readonly (number | null)[];
}

export interface Evaluation {
  readonly values: readonly number[];
  readonly result: number | string;
  readonly derivatives: readonly Derivative[];
  readonly curves: readonly Curve[];
  /** What the function raised; the recording is still that of the last evaluation. */
  readonly error?: string;
}

/** The source of evaluations: a kernel that runs the function, or a precomputed grid. */
export interface Source {
  readonly experiment: Experiment;
  /** How many places each slider has; null where a kernel answers at any. */
  readonly counts: readonly number[] | null;
  evaluation(): Evaluation;
  move(values: readonly number[]): void;
  /** Observe new evaluations; a recording comes along where it changes. */
  listen(listener: (recording: Uint8Array) => void): () => void;
}

/** Runs the ops of a recording again at other values of its variables, as a kernel can. */
export interface Replays {
  /** Set some variables, by their tensors; the others have the values that were recorded. */
  move(values: ReadonlyMap<number, number>): void;
  /** Observe new recordings, or why there is none. */
  listen(listener: (recording: Uint8Array | null, error: string) => void): () => void;
}

/** Where the sliders stand, and what moves them. */
export interface Sliders {
  readonly source: Source;
  readonly values: readonly number[];
  /** The input that was moved last. */
  readonly moved: number;
  readonly move: (input: number, value: number) => void;
  readonly reset: () => void;
}

/** What a page holds: the evaluation at the start, then those on the grid, the last input fastest. */
export interface GridData extends Experiment {
  readonly counts: readonly number[];
  readonly sizes: readonly number[];
  readonly evaluations: readonly Omit<Evaluation, 'curves'>[];
  readonly curves: readonly (readonly Curve[])[];
}

/** The place on a grid, without the axis of one input where its curve is asked for. */
function placeOf(counts: readonly number[], digits: readonly number[], without = -1): number {
  return digits.reduce(
    (place, digit, at) => (at === without ? place : place * counts[at]! + digit),
    0,
  );
}

/** The evaluations that a page holds; sliders move from one to the next. */
export function gridSource(data: GridData, recordings: Uint8Array): Source {
  const { counts, inputs, evaluations, curves, sizes } = data;
  const starts: number[] = [];
  sizes.reduce((sum, size, at) => (starts[at] = sum) + size, 0);
  const subscribers = new Set<(recording: Uint8Array) => void>();
  let [at, digits]: [number, number[] | null] = [0, null];
  return {
    experiment: data,
    counts,
    evaluation: () => ({
      ...evaluations[at]!,
      curves: curves.map(
        (family, input) => family[digits ? 1 + placeOf(counts, digits, input) : 0]!,
      ),
    }),
    move: (values) => {
      const started = inputs.every(({ start }, input) => values[input] === start);
      digits = started
        ? null
        : values.map((value, input) => {
            const { low, high } = inputs[input]!;
            return Math.round(((value - low) / (high - low)) * (counts[input]! - 1));
          });
      at = digits ? 1 + placeOf(counts, digits) : 0;
      const bytes = recordings.slice(starts[at]!, starts[at]! + sizes[at]!);
      for (const listener of subscribers) listener(bytes);
    },
    listen: (listener) => {
      subscribers.add(listener);
      return () => subscribers.delete(listener);
    },
  };
}
