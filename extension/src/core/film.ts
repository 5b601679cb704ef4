/**
 * The film of a training: a heat map of gradient norms, steps across and variables down.
 *
 * A pure function of the recorded series. `tapelab/views/training_heatmap.py` draws the same one;
 * the golden films hold both to it.
 */
import type { Carried } from './carried.js';

/** A norm as it travels: 'none' where the gradient is None, null where nothing was measured. */
export type Norm = Carried;
export type FilmRow = readonly [
  step: number,
  loss: Carried,
  norms: readonly Norm[],
  question?: number,
];

/** The steps of a training as the kernel recorded them. */
export interface TrainingSeries {
  readonly target: string;
  /** The name and the number of elements of each variable. */
  readonly variables: readonly (readonly [string, number])[];
  readonly rows: readonly FilmRow[];
  /** The first step of each epoch. */
  readonly epochs: readonly number[];
  /** The steps whose tapes can be opened; null where all can. */
  readonly kept: readonly number[] | null;
}

/** A level of the scale from 0 to LEVELS - 1, a state that is no level, or '' where unknown. */
export type Cell = number | 'nan' | 'none' | 'zero' | '';

export interface FilmLine {
  readonly name: string;
  readonly norms: readonly Norm[];
  readonly cells: readonly Cell[];
  /** The size of what stands in this line. */
  readonly size: number;
}

export interface Film {
  /** The last step of each column. */
  readonly columns: readonly number[];
  readonly lines: readonly FilmLine[];
  /** The powers of ten at both ends of the scale. */
  readonly low: number;
  readonly high: number;
}

/** Where the gradient of a line went wrong, and how. */
export interface Trouble {
  readonly line: number;
  readonly column: number;
  readonly state: 'nan' | 'none' | 'zero' | 'vanished';
}

export const LEVELS = 9;
/** Of more variables, those of one layer share a line. */
const MOST_LINES = 24;
const [LOWEST, HIGHEST, DECADES] = [-12, 6, 3];
const VANISHED = 1e-7;
/** So many rows of a training that runs are kept. */
const MOST_ROWS = 320;

type Variables = TrainingSeries['variables'];

/** The names without the component that begins all of them. */
function shortNames(variables: Variables): string[] {
  const names = variables.map(([name]) => name);
  const first = names[0]?.split('/')[0];
  const shared = names.length > 1 && names.every((name) => name.startsWith(`${first}/`));
  return shared ? names.map((name) => name.slice(first!.length + 1)) : names;
}

/** Which variables stand in each line: one, or all of a layer. */
function linesOf(variables: Variables): readonly (readonly [string, readonly number[]])[] {
  const names = shortNames(variables);
  if (names.length <= MOST_LINES) return names.map((name, at) => [name, [at]]);
  const layers = new Map<string, number[]>();
  names.forEach((name, at) => {
    const layer = name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : name;
    layers.set(layer, [...(layers.get(layer) ?? []), at]);
  });
  return [...layers];
}

const isNumber = (norm: Norm | undefined): norm is number => typeof norm === 'number';
const isBroken = (norm: Norm | undefined): boolean => typeof norm === 'string' && norm !== 'none';

/** The norm of several gradients together: NaN and None win over numbers. */
function together(norms: readonly (Norm | undefined)[]): Norm {
  const broken = norms.find(isBroken);
  if (broken !== undefined) return broken;
  if (norms.includes('none')) return 'none';
  const numbers = norms.filter(isNumber);
  return numbers.length ? Math.hypot(...numbers) : null;
}

/** The norm of a column of steps: the newest, unless one of them is NaN or None. */
function ofColumn(norms: readonly (Norm | undefined)[]): Norm {
  const broken = norms.find(isBroken);
  if (broken !== undefined) return broken;
  if (norms.includes('none')) return 'none';
  return norms.findLast(isNumber) ?? null;
}

/** Rows in at most so many groups of equal size, the newest last. */
function grouped(rows: readonly FilmRow[], most: number): FilmRow[][] {
  const size = Math.max(1, Math.ceil(rows.length / most));
  const groups: FilmRow[][] = [];
  for (let end = rows.length; end > 0; end -= size) {
    groups.unshift(rows.slice(Math.max(0, end - size), end));
  }
  return groups;
}

function levelOf(norm: Norm, low: number, high: number): Cell {
  if (norm === null) return '';
  if (norm === 'none') return 'none';
  if (!isNumber(norm)) return 'nan';
  if (norm === 0) return 'zero';
  const share = (Math.log10(norm) - low) / (high - low);
  return Math.max(0, Math.min(LEVELS - 1, Math.floor(share * LEVELS)));
}

/** The powers of ten between which the norms lie. */
function scaleOf(norms: readonly Norm[]): readonly [number, number] {
  const logs = norms
    .filter(isNumber)
    .filter((norm) => norm > 0)
    .map(Math.log10);
  if (!logs.length) return [-DECADES, 0];
  const within = (value: number): number => Math.max(LOWEST, Math.min(HIGHEST, value));
  const high = within(Math.ceil(Math.max(...logs))) + 0; // never −0
  return [Math.min(within(Math.floor(Math.min(...logs))), high - DECADES), high];
}

/** The film of a series, in at most so many columns; to be compared it shares another's scale. */
export function filmOf(
  series: Pick<TrainingSeries, 'variables' | 'rows'>,
  mostColumns: number,
  beside?: Film,
): Film {
  const groups = grouped(series.rows, mostColumns);
  const lines = linesOf(series.variables).map(([name, members]) => ({
    name,
    size: members.reduce((sum, at) => sum + series.variables[at]![1], 0),
    norms: groups.map((rows) =>
      ofColumn(rows.map(([, , norms]) => together(members.map((at) => norms[at])))),
    ),
  }));
  const [least, most] = scaleOf(lines.flatMap(({ norms }) => norms));
  const low = Math.min(least, beside?.low ?? least);
  const high = Math.max(most, beside?.high ?? most);
  return {
    columns: groups.map((rows) => rows.at(-1)![0]),
    lines: lines.map((line) => ({
      ...line,
      cells: line.norms.map((norm) => levelOf(norm, low, high)),
    })),
    low,
    high,
  };
}

function stateOf(norm: Norm, size: number): Trouble['state'] | null {
  if (norm === 'none') return 'none';
  if (isBroken(norm)) return 'nan';
  if (norm === 0) return 'zero';
  return isNumber(norm) && norm < VANISHED * Math.sqrt(size) ? 'vanished' : null;
}

/**
 * Where gradients first went wrong, the gravest first: NaN in any step, what is None, 0 or vanished
 * only where it is so in the newest.
 */
export function troublesOf({ lines }: Film): Trouble[] {
  const troubles = lines.flatMap(({ norms, size }, line): Trouble[] => {
    const states = norms.map((norm) => stateOf(norm, size));
    const broken = states.indexOf('nan');
    if (broken >= 0) return [{ line, column: broken, state: 'nan' }];
    const last = states.at(-1);
    if (!last) return [];
    return [{ line, column: states.findLastIndex((each) => each !== last) + 1, state: last }];
  });
  const order: readonly Trouble['state'][] = ['nan', 'none', 'zero', 'vanished'];
  return troubles.sort(
    (one, other) =>
      order.indexOf(one.state) - order.indexOf(other.state) || one.column - other.column,
  );
}

/** Rows with those that are new; of many every second one is left out, but none before a NaN. */
export function withRows(rows: readonly FilmRow[], more: readonly FilmRow[]): readonly FilmRow[] {
  const all = [...rows, ...more];
  if (all.length <= MOST_ROWS) return all;
  const bad = ([, , norms]: FilmRow): boolean => norms.some(isBroken);
  const first = all.findIndex(bad);
  return all.filter((_, at) => (all.length - 1 - at) % 2 === 0 || at === first);
}

/** The column that shows a step: the first that reaches it, or else the last. */
export function columnOf({ columns }: Film, step: number | null): number {
  const at = step === null ? -1 : columns.findIndex((last) => last >= step);
  return at < 0 ? columns.length - 1 : at;
}
