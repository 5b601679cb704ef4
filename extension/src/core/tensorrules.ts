/**
 * The rules of tensors: for each kind of op, which entries of its inputs make an entry of its
 * result, and by how much. One declaration per op; the reverse, for gradients, follows from it.
 */
import { addressed, fixed, loop, points } from './indexmaps.js';
import type { Access, Coordinate, Shape } from './indexmaps.js';
import { elementsOf } from './numbers.js';
import type { Settings } from './schema.js';

/** One tensor that an entry is made of. */
export interface Factor extends Access {
  readonly input: number;
}

/** Loops over which products of factors are summed into the result. */
export interface Part {
  readonly sizes: Shape;
  readonly result: Access;
  readonly factors: readonly Factor[];
}

/** An entry of the result, and the entries of the factors of a part that belong to it. */
export interface Term {
  readonly part: Part;
  readonly result: number;
  readonly places: readonly number[];
}

/** How an op combines entries. */
export interface TensorRule {
  readonly parts: readonly Part[];
  /**
   * `product`: the result is the sum of the products; a part of one factor is plainly added.
   * `local`: an op on each element, whose derivatives are recorded.
   * Otherwise the derivative by the first factor is computed from the values.
   */
  readonly how: 'product' | 'local' | Derivative;
  /** What the derivative is read from, where it is computed: drawn beside the gradient. */
  readonly from?: 'result' | number;
  /** What a sum is multiplied by. */
  readonly scale: number;
  /** The axes that are drawn as rows and columns: of the result, then of each input. */
  readonly planes: readonly (Plane | null)[];
  /** For a product of two matrices: whether each is transposed. */
  readonly transposed?: readonly [boolean, boolean];
}
export type Plane = readonly [rows: number, columns: number];

/** The numbers of the tensors of an op; NaN where they are not known. */
export interface Numbers {
  result(place: number): number;
  input(input: number, place: number): number;
}

/** The derivative of a term's entry of the result by its entry of the first factor. */
export type Derivative = (term: Term, numbers: Numbers, peers: () => readonly Term[]) => number;

/** What a rule is declared for: an op as it ran. */
export interface Run {
  readonly settings: Settings;
  readonly inputs: readonly Shape[];
  readonly result: Shape;
  /** Which of several results it is. */
  readonly output: number;
  /** The numbers of an input that says which entries are chosen; null where they were not kept. */
  readonly chosen: (input: number) => ArrayLike<number> | null;
}

type Declaration = (run: Run) => TensorRule | null;
/** More parts than this are not listed one by one. */
const MOST_PARTS = 256;

const rule = (
  parts: readonly Part[],
  how: TensorRule['how'] = 'product',
  more: Partial<TensorRule> = {},
): TensorRule => ({ parts, how, scale: 1, planes: [], ...more });

const own = (shape: Shape): Access => ({ shape, at: shape.map((_, axis) => loop(axis)) });
const factor = (input: number, access: Access): Factor => ({ input, ...access });
const flat = (shape: Shape): Access => ({ shape: [elementsOf(shape)], at: [loop(0)] });
const axisAt = (axis: unknown, rank: number): number => ((axis as number) + rank) % rank;

/** The loops of a result address an input that is broadcast to it. */
function broadcast(input: Shape, result: Shape): Access {
  const first = result.length - input.length;
  return {
    shape: input,
    at: input.map((size, axis) => (size === 1 ? fixed(0) : loop(first + axis))),
  };
}

/** An op on each element, with its inputs broadcast to each other. */
function elementwise({ inputs, result }: Run): TensorRule {
  const parts = inputs.map((shape, input) => ({
    sizes: result,
    result: own(result),
    factors: [factor(input, broadcast(shape, result))],
  }));
  return rule(parts, 'local');
}

const multiply: Declaration = ({ inputs, result }) =>
  rule([
    {
      sizes: result,
      result: own(result),
      factors: inputs.map((shape, input) => factor(input, broadcast(shape, result))),
    },
  ]);

/** The same numbers in the same order, in another shape. */
const reshaped: Declaration = ({ inputs, result }) =>
  rule([
    {
      sizes: [elementsOf(result)],
      result: flat(result),
      factors: [factor(0, flat(inputs[0]!))],
    },
  ]);

const broadcastTo: Declaration = ({ inputs, result }) =>
  rule([
    {
      sizes: result,
      result: own(result),
      factors: [factor(0, broadcast(inputs[0]!, result))],
    },
  ]);

const matmul: Declaration = ({ settings, inputs, result }) => {
  const [a, b] = inputs as [Shape, Shape];
  const { transpose_a: turnA = false, transpose_b: turnB = false } = settings;
  const batch = result.length - 2;
  if (batch < 0 || a.length < 2 || b.length < 2) return null;
  const shared = a.at(turnA ? -2 : -1)!;
  if (b.at(turnB ? -1 : -2) !== shared) return null;
  const [row, column, inner] = [batch, batch + 1, batch + 2];
  const access = (shape: Shape, first: number, second: number, turned: unknown): Access => ({
    shape,
    at: [
      ...broadcast(shape.slice(0, -2), result.slice(0, -2)).at,
      ...(turned ? [loop(second), loop(first)] : [loop(first), loop(second)]),
    ],
  });
  const part = {
    sizes: [...result, shared],
    result: own(result),
    factors: [factor(0, access(a, row, inner, turnA)), factor(1, access(b, inner, column, turnB))],
  };
  return rule([part], 'product', { transposed: [!!turnA, !!turnB] });
};

const einsum: Declaration = ({ settings, inputs, result }) => {
  const [from = '', to] = String(settings['equation'] ?? '')
    .replaceAll(' ', '')
    .split('->');
  const operands = from.split(',');
  if (to === undefined || from.includes('.') || operands.length !== inputs.length) return null;
  const letters = [...new Set([...to, ...operands.join('')])];
  const access = (shape: Shape, word: string): Access => ({
    shape,
    at: [...word].map((letter) => loop(letters.indexOf(letter))),
  });
  const sizes = letters.map((letter) => {
    const input = operands.findIndex((word) => word.includes(letter));
    return inputs[input]![operands[input]!.indexOf(letter)]!;
  });
  const factors = operands.map((word, input) => factor(input, access(inputs[input]!, word)));
  return rule([{ sizes, result: access(result, to), factors }]);
};

interface Sliding {
  readonly size: Shape;
  readonly strides: Shape;
  readonly dilations: Shape;
  readonly margins: readonly (readonly [number, number])[];
}

/** Where a window stands along each axis: its own loop and that of the place inside of it. */
function windows(how: Sliding, outer: number, inner: number): Coordinate[] {
  return how.size.map((_, axis) => ({
    offset: -how.margins[axis]![0],
    steps: [
      [outer + axis, how.strides[axis]!],
      [inner + axis, how.dilations[axis]!],
    ],
  }));
}

const PICTURE: Plane = [1, 2];

const convolution: Declaration = ({ settings, inputs, result }) => {
  const [x, w] = inputs as [Shape, Shape];
  const how = settings['how'] as Sliding | undefined;
  if (!how) return null;
  const rank = how.size.length;
  const depth = w[rank]!;
  const groups = x.at(-1)! / depth;
  const made = result.at(-1)! / groups;
  // The loops: the picture, the window's place, group and channel made, place inside, channel read.
  const [group, channel, inner, read] = [rank + 1, rank + 2, rank + 3, 2 * rank + 3];
  const joined = (size: number, within: number): Coordinate => ({
    offset: 0,
    steps: [
      [within, 1],
      [group, size],
    ],
  });
  const within = how.size.map((_, axis) => loop(inner + axis));
  const part = {
    sizes: [...result.slice(0, -1), groups, made, ...how.size, depth],
    result: {
      shape: result,
      at: [...result.slice(0, -1).map((_, axis) => loop(axis)), joined(made, channel)],
    },
    factors: [
      factor(0, { shape: x, at: [loop(0), ...windows(how, 1, inner), joined(depth, read)] }),
      factor(1, { shape: w, at: [...within, loop(read), joined(made, channel)] }),
    ],
  };
  const planes = rank === 2 ? [PICTURE, PICTURE, [0, 1] as const] : [];
  return rule([part], 'product', { planes });
};

/** Pooling: each channel by itself. */
const pooled =
  (how: Derivative): Declaration =>
  ({ settings, inputs, result }) => {
    const sliding = settings['how'] as Sliding | undefined;
    if (!sliding) return null;
    const rank = sliding.size.length;
    const x = {
      shape: inputs[0]!,
      at: [loop(0), ...windows(sliding, 1, rank + 2), loop(rank + 1)],
    };
    const part = {
      sizes: [...result, ...sliding.size],
      result: own(result),
      factors: [factor(0, x)],
    };
    return rule([part], how, { from: 0, planes: rank === 2 ? [PICTURE, PICTURE] : [] });
  };

/** The first of the largest takes it all. */
const isFirstLargest: Derivative = (term, numbers, peers) => {
  const largest = numbers.result(term.result);
  const first = peers().find(({ places }) => numbers.input(0, places[0]!) === largest);
  return first?.places[0] === term.places[0] ? 1 : 0;
};

const meanOfPeers: Derivative = (_, __, peers) => 1 / peers().length;

/** The axes that a reduction sums over. */
function reducedAxes({ axis }: Settings, rank: number): Set<number> {
  const all = axis === null || axis === undefined;
  const some = all ? Array.from({ length: rank }, (_, at) => at) : [axis].flat();
  return new Set(some.map((each) => axisAt(each, rank)));
}

const reduced =
  (how: TensorRule['how'] = 'product', scale = (_count: number): number => 1): Declaration =>
  ({ settings, inputs, result }) => {
    const [x] = inputs as [Shape];
    const axes = reducedAxes(settings, x.length);
    const kept = x.map((_, axis) => axis).filter((axis) => !axes.has(axis));
    const at = settings['keepdims']
      ? x.map((_, axis) => (axes.has(axis) ? fixed(0) : loop(axis)))
      : kept.map((axis) => loop(axis));
    if (at.length !== result.length) return null;
    const part = { sizes: x, result: { shape: result, at }, factors: [factor(0, own(x))] };
    return rule([part], how, { from: 0, scale: scale(elementsOf(x) / elementsOf(result)) });
  };

/** Where several are largest (or least), they share. */
const shareOfExtreme: Derivative = (term, numbers, peers) => {
  const extreme = numbers.result(term.result);
  const isIt = ({ places }: Term): boolean => numbers.input(0, places[0]!) === extreme;
  return isIt(term) ? 1 / peers().filter(isIt).length : 0;
};

/** Ops on each row along an axis: every entry of the row goes into every other. */
const alongAxis =
  (how: Derivative): Declaration =>
  ({ settings, inputs, result }) => {
    const [x] = inputs as [Shape];
    if (!x.length) return null;
    const axis = axisAt(settings['axis'] ?? -1, x.length);
    const from = { shape: x, at: x.map((_, at) => loop(at === axis ? x.length : at)) };
    const sizes = [...x, x[axis]!];
    const part = { sizes, result: own(result), factors: [factor(0, from)] };
    return rule([part], how, { from: 'result' });
  };

const isOwn = ({ result, places }: Term): number => (result === places[0] ? 1 : 0);

const softmaxDerivative: Derivative = (term, { result }) =>
  result(term.result) * (isOwn(term) - result(term.places[0]!));

const logSoftmaxDerivative: Derivative = (term, { result }) =>
  isOwn(term) - Math.exp(result(term.places[0]!));

/** The softmax of a row of logits at one of its entries. */
function softmaxAt(term: Term, numbers: Numbers, peers: readonly Term[], input: number): number {
  const logits = peers.map(({ places }) => numbers.input(input, places[0]!));
  const most = Math.max(...logits);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - most), 0);
  return Math.exp(numbers.input(input, term.places[0]!) - most) / sum;
}

/** A loss of each row of logits, of which the classes or their probabilities are given. */
const crossEntropy =
  (target: (term: Term, numbers: Numbers, classes: number) => number): Declaration =>
  ({ inputs, result }) => {
    const logits = inputs[1]!;
    const row = own(logits);
    const classes = logits.at(-1)!;
    const part = {
      sizes: logits,
      result: { shape: result, at: row.at.slice(0, -1) },
      factors: [factor(1, row)],
    };
    const how: Derivative = (term, numbers, peers) =>
      softmaxAt(term, numbers, peers(), 1) - target(term, numbers, classes);
    return rule([part], how, { from: 1 });
  };

const transpose: Declaration = ({ settings, inputs, result }) => {
  const [x] = inputs as [Shape];
  const perm = (settings['perm'] as Shape | null | undefined) ?? x.map((_, at) => at).reverse();
  const at = x.map((_, axis) => loop(perm.indexOf(axis)));
  return rule([{ sizes: result, result: own(result), factors: [factor(0, { shape: x, at })] }]);
};

/** Inputs one after the other along an axis. */
const concat: Declaration = ({ settings, inputs, result }) => {
  const axis = axisAt(settings['axis'] ?? 0, result.length);
  let offset = 0;
  const parts = inputs.map((shape, input) => {
    const at = shape.map((_, each) => loop(each, 1, each === axis ? offset : 0));
    offset += shape[axis]!;
    return { sizes: shape, result: { shape: result, at }, factors: [factor(input, own(shape))] };
  });
  return rule(parts);
};

const stack: Declaration = ({ settings, inputs, result }) => {
  const axis = axisAt(settings['axis'] ?? 0, result.length);
  const parts = inputs.map((shape, input) => {
    const at = shape.map((_, each) => loop(each)).toSpliced(axis, 0, fixed(input));
    return { sizes: shape, result: { shape: result, at }, factors: [factor(input, own(shape))] };
  });
  return rule(parts);
};

/** One of several results that an input is cut into along an axis. */
const split: Declaration = ({ settings, inputs, result, output }) => {
  const [x] = inputs as [Shape];
  const axis = axisAt(settings['axis'] ?? 0, x.length);
  const sizes = settings['sizes'] as Shape | undefined;
  if (!sizes || sizes.length <= output) return null;
  const offset = sizes.slice(0, output).reduce((sum, size) => sum + size, 0);
  const at = x.map((_, each) => loop(each, 1, each === axis ? offset : 0));
  return rule([{ sizes: result, result: own(result), factors: [factor(0, { shape: x, at })] }]);
};

const unstack: Declaration = ({ settings, inputs, result, output }) => {
  const [x] = inputs as [Shape];
  const axis = axisAt(settings['axis'] ?? 0, x.length);
  const at = result.map((_, each) => loop(each)).toSpliced(axis, 0, fixed(output));
  return rule([{ sizes: result, result: own(result), factors: [factor(0, { shape: x, at })] }]);
};

type Key = null | '...' | number | { readonly slice: readonly (number | null)[] };

/** Where a slice begins, as Python counts. */
function sliceStart(start: number | null, step: number, size: number): number {
  if (start === null) return step > 0 ? 0 : size - 1;
  const from = start < 0 ? start + size : start;
  return Math.max(step > 0 ? 0 : -1, Math.min(from, step > 0 ? size : size - 1));
}

const stridedSlice: Declaration = ({ settings, inputs, result }) => {
  const [x] = inputs as [Shape];
  const given = settings['key'] as Key | readonly Key[] | undefined;
  if (given === undefined) return null;
  const keys = Array.isArray(given) ? (given as readonly Key[]) : [given as Key];
  const named = keys.filter((key) => key !== null && key !== '...').length;
  const whole = Array.from({ length: x.length - named }, (): Key => ({ slice: [null, null, 1] }));
  const dots = keys.indexOf('...');
  const all = dots < 0 ? [...keys, ...whole] : keys.toSpliced(dots, 1, ...whole);
  const at: Coordinate[] = [];
  let made = 0;
  for (const key of all) {
    const size = x[at.length]!;
    if (key === null) made++;
    else if (typeof key === 'number') at.push(fixed(key < 0 ? key + size : key));
    else if (typeof key === 'object') {
      const [start, , step] = key.slice;
      at.push(loop(made++, step ?? 1, sliceStart(start!, step ?? 1, size)));
    }
  }
  if (made !== result.length || at.length !== x.length) return null;
  return rule([{ sizes: result, result: own(result), factors: [factor(0, { shape: x, at })] }]);
};

const reverse: Declaration = ({ settings, inputs, result }) => {
  const [x] = inputs as [Shape];
  const axes = reducedAxes(settings, x.length);
  const at = x.map((size, axis) => (axes.has(axis) ? loop(axis, -1, size - 1) : loop(axis)));
  return rule([{ sizes: result, result: own(result), factors: [factor(0, { shape: x, at })] }]);
};

/** An input with a margin around; where another mode than 0 fills it, there is no rule here. */
const pad: Declaration = ({ settings, inputs, result }) => {
  const [x] = inputs as [Shape];
  const margins = settings['paddings'] as readonly Shape[] | undefined;
  if (!margins || settings['mode'] !== 'CONSTANT') return null;
  const at = x.map((_, axis) => loop(axis, 1, margins[axis]![0]!));
  return rule([{ sizes: x, result: { shape: result, at }, factors: [factor(0, own(x))] }]);
};

/** An input several times over along each axis. */
const tile: Declaration = ({ inputs, result }) => {
  const [x] = inputs as [Shape];
  const times = result.map((size, axis) => size / x[axis]!);
  const at = x.map((size, axis): Coordinate => ({
    offset: 0,
    steps: [
      [axis, 1],
      [x.length + axis, size],
    ],
  }));
  return rule([
    { sizes: [...x, ...times], result: { shape: result, at }, factors: [factor(0, own(x))] },
  ]);
};

/** Each entry is the sum of those up to it: as many before it as there are. */
const cumsum: Declaration = ({ settings, inputs, result }) => {
  const [x] = inputs as [Shape];
  const axis = axisAt(settings['axis'] ?? 0, x.length);
  const way = settings['reverse'] ? 1 : -1;
  const at = x.map((_, each): Coordinate =>
    each === axis
      ? {
          offset: settings['exclusive'] ? way : 0,
          steps: [
            [each, 1],
            [x.length, way],
          ],
        }
      : loop(each),
  );
  const factors = [factor(0, { shape: x, at })];
  return rule([{ sizes: [...x, x[axis]!], result: own(result), factors }]);
};

/** Rows that indices choose: a part for each. */
const gather: Declaration = ({ settings, inputs, result, chosen }) => {
  const [x, indices] = inputs as [Shape, Shape];
  const rows = chosen(1);
  if (settings['batch_dims'] || !rows || rows.length > MOST_PARTS) return null;
  const axis = axisAt(settings['axis'] ?? 0, x.length);
  const sizes = x.toSpliced(axis, 1);
  const place = (wide: number, at: readonly Coordinate[]): Coordinate[] => [
    ...sizes.slice(0, axis).map((_, each) => loop(each)),
    ...at,
    ...Array.from({ length: wide }, (_, each) => loop(axis + each)),
  ];
  const after = x.length - axis - 1;
  const parts = Array.from(rows, (row, number) => {
    let rest = number;
    const chosenAt = indices.map(() => 0);
    for (let each = indices.length - 1; each >= 0; each--) {
      chosenAt[each] = rest % indices[each]!;
      rest = Math.floor(rest / indices[each]!);
    }
    return {
      sizes,
      result: { shape: result, at: place(after, chosenAt.map(fixed)) },
      factors: [factor(0, { shape: x, at: place(after, [fixed(row)]) })],
    };
  });
  return rule(parts);
};

const plainSum = reduced();

/** One declaration for each kind of op. */
const DECLARATIONS: Readonly<Record<string, Declaration>> = {
  multiply,
  matmul,
  einsum,
  convolution,
  conv: convolution,
  max_pool: pooled(isFirstLargest),
  avg_pool: pooled(meanOfPeers),
  reduce_sum: plainSum,
  reduce_mean: reduced('product', (count) => 1 / count),
  reduce_max: reduced(shareOfExtreme),
  reduce_min: reduced(shareOfExtreme),
  reduce_logsumexp: reduced(({ result, places }, numbers) =>
    Math.exp(numbers.input(0, places[0]!) - numbers.result(result)),
  ),
  reduce_euclidean_norm: reduced(
    ({ result, places }, numbers) => numbers.input(0, places[0]!) / numbers.result(result),
  ),
  softmax: alongAxis(softmaxDerivative),
  log_softmax: alongAxis(logSoftmaxDerivative),
  softmax_cross_entropy: crossEntropy(({ places }, numbers) => numbers.input(0, places[0]!)),
  sparse_softmax_cross_entropy: crossEntropy(({ result, places }, numbers, classes) =>
    numbers.input(0, result) === places[0]! % classes ? 1 : 0,
  ),
  transpose,
  reshape: reshaped,
  expand_dims: reshaped,
  squeeze: reshaped,
  broadcast_to: broadcastTo,
  concat,
  stack,
  split,
  unstack,
  strided_slice: stridedSlice,
  reverse,
  pad,
  tile,
  cumsum,
  gather,
};

/** The rule of an op as it ran; null where none is declared, or its settings were not kept. */
export function tensorRule(
  op: { readonly name: string; readonly rules: readonly { readonly local: string }[] },
  run: Run,
): TensorRule | null {
  if (!elementsOf(run.result) || run.inputs.some((shape) => !elementsOf(shape))) return null;
  const declared = Object.hasOwn(DECLARATIONS, op.name) ? DECLARATIONS[op.name]! : null;
  if (declared) return declared(run);
  return op.rules.some(({ local }) => local) ? elementwise(run) : null;
}

/** The terms of the rule through one entry: of the result (-1), or of an input. */
export function* termsAt({ parts }: TensorRule, tensor: number, place: number): Generator<Term> {
  for (const part of parts) {
    const { sizes, result, factors } = part;
    const accesses = tensor < 0 ? [result] : factors.filter(({ input }) => input === tensor);
    for (const access of accesses) {
      for (const loops of points(sizes, access, place)) {
        const to = addressed(result, loops);
        const places = factors.map((each) => addressed(each, loops));
        if (to >= 0 && !places.includes(-1)) yield { part, result: to, places };
      }
    }
  }
}

/** The derivative of a term's entry of the result by its entry of the factor at a position. */
export type DerivativeAt = (term: Term, at: number) => number;

/** The derivatives of a rule at some values; `local` has those of an op on each element. */
export function derivativesOf(
  rule: TensorRule,
  numbers: Numbers,
  local: (result: number) => number,
): DerivativeAt {
  const { how, scale } = rule;
  if (how === 'local') return ({ result }) => local(result);
  if (how === 'product') {
    return ({ part, places }, at) =>
      part.factors.reduce(
        (product, { input }, each) =>
          each === at ? product : product * numbers.input(input, places[each]!),
        scale,
      );
  }
  const known = new Map<number, readonly Term[]>();
  return (term) =>
    how(term, numbers, () => {
      const peers = known.get(term.result) ?? [...termsAt(rule, -1, term.result)];
      known.set(term.result, peers);
      return peers;
    });
}
