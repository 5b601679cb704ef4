import type { Model } from './model.js';
import { formatNumber } from './numbers.js';
import { stateAt, glyphOf, isOffFrame, labelOf, opOf, tensorOf } from './stepstate.js';
import type { StepState } from './stepstate.js';
import type { TensorInfo } from './schema.js';

type Way = 'forward' | 'backward';
type Asks = 'number' | 'vector' | 'shape' | 'op';

/** What the learner is asked before the next step is shown. */
export interface Question {
  /** The step that answers it. */
  readonly step: number;
  readonly way: Way;
  readonly asks: Asks;
  /** What the answer is about: the value that is made, or the value that a gradient reaches. */
  readonly node: number;
  /** The op that runs, or that the gradient passes through. */
  readonly through: number;
  /** The numbers, the shape or the node that is right; null where nothing arrives. */
  readonly truth: readonly number[] | null;
  /** Nodes to choose from, where the next op is asked for. */
  readonly options: readonly number[];
}

/** An answer, as exercises read it; see `tapelab/exercises/predictions.py`. */
export interface Guess {
  readonly step: number;
  readonly way: Way;
  readonly asks: Asks;
  /** What the question was about, in the learner's names. */
  readonly of: string;
  readonly said: string;
  readonly truth: string;
  readonly right: boolean;
}

/** A guess may be off by a part of the number, and by what is lost in writing it down. */
const RELATIVE = 0.01;
const WRITTEN = 0.002;
/** Numbers smaller than that are not rounded to 0. */
const SMALL = 0.01;
const CHOICES = 3;
/** So many numbers can be typed; of more, the shape is asked for. */
const TYPED = 6;

/** What to ask of a tensor, and what is right. */
function questionAbout(tensor: TensorInfo): Pick<Question, 'asks' | 'truth'> | null {
  const { values, shape } = tensor;
  const size = shape.reduce((product, length) => product * length, 1);
  if (!shape.length) return values && { asks: 'number', truth: [...values] };
  return values && shape.length === 1 && size <= TYPED
    ? { asks: 'vector', truth: [...values] }
    : { asks: 'shape', truth: shape };
}

/** Where the op of a frame stands: its source and its line. */
function lineOf(model: Model, frame: number): string {
  const event = model.graph.nodeEvent[model.graph.frameNode[frame]!] ?? -1;
  const span = event < 0 ? null : model.recording.span(model.recording.eventSpan(event));
  return span ? `${span.source}:${span.line}` : '';
}

/** The ops to choose from where a line of several begins, by their names. */
function firstOfLine(model: Model, frame: number): number[] {
  const line = lineOf(model, frame);
  if (!line || (frame > 0 && lineOf(model, frame - 1) === line)) return [];
  const found = new Map<string, number>();
  for (let at = frame; found.size < CHOICES && lineOf(model, at) === line; at++) {
    const node = model.graph.frameNode[at]!;
    const name = opName(model, node);
    if (opOf(model, node) && !found.has(name)) found.set(name, node);
  }
  return [...found.keys()].sort().map((name) => found.get(name)!);
}

/** About the op that runs next: which it is, or what it makes. */
function aheadOf(model: Model, { step, frame, node }: StepState): Question | null {
  const made = opOf(model, node) && !isOffFrame(model, frame) ? tensorOf(model, node) : null;
  if (!made) return null;
  const base = { step, way: 'forward', node, through: node } as const;
  const options = firstOfLine(model, frame);
  if (options.length > 1) return { ...base, asks: 'op', truth: [node], options };
  const about = questionAbout(made);
  return about && { ...base, ...about, options: [] };
}

/** The op to come and its neighbours on the tape, in the order of the tape. */
function choices(model: Model, through: number): number[] {
  const passed = [...new Set(model.backwardPass!.through)].filter((node) => node >= 0);
  const at = passed.indexOf(through);
  const first = Math.max(0, Math.min(at - 1, passed.length - CHOICES));
  return passed.slice(first, first + CHOICES).sort((a, b) => a - b);
}

/** About what comes back next: how much arrives, or through which op. */
function backFrom(model: Model, { step, flow, node, through }: StepState): Question | null {
  if (!flow || through < 0) return null;
  const base = { step, way: 'backward', node, through, options: [] } as const;
  if (flow.contribution < 0) return { ...base, asks: 'number', truth: null };
  const about = questionAbout(model.recording.tensor(flow.contribution));
  if (about) return { ...base, ...about };
  const options = choices(model, through);
  return options.length > 1 ? { ...base, asks: 'op', truth: [through], options } : null;
}

/** What to ask about the step after this one; null where there is nothing to find out. */
export function questionAt(model: Model, step: number): Question | null {
  if (step >= model.stepCount) return null;
  const current = stateAt(model, step + 1);
  return current.phase === 'backward' ? backFrom(model, current) : aheadOf(model, current);
}

/** `−1.5`, `1,5`, `3/4` as numbers. */
function read(said: string): number {
  const [top, bottom = '1'] = said.trim().replace(/−/g, '-').replace(/,/g, '.').split('/');
  return top ? Number(top.replace('∞', 'Infinity')) / Number(bottom) : NaN;
}

function isNumber(said: string, truth: number): boolean {
  if (Number.isNaN(truth)) return /^\s*nan\s*$/i.test(said);
  if (!Number.isFinite(truth)) return read(said) === truth;
  const size = Math.abs(truth);
  const written = size && size < SMALL ? 0 : WRITTEN;
  return Math.abs(read(said) - truth) <= RELATIVE * size + written;
}

/** `[1, 2, 3]`, `1 2 3` or `1,2,3` one by one. */
function parts(said: string): string[] {
  const inside = said.replace(/[[\]()]/g, ' ').trim();
  return inside.split(/[\s;]/.test(inside) ? /,?\s+|\s*;\s*/ : ',');
}

/** Whether so many numbers are right; one stands for all where they are alike. */
function isVector(said: string, truth: readonly number[]): boolean {
  const answers = parts(said);
  const fits = answers.length === truth.length || answers.length === 1;
  return fits && truth.every((value, at) => isNumber(answers[answers.length > 1 ? at : 0]!, value));
}

const JUDGES: Readonly<Record<Asks, (said: string, truth: readonly number[]) => boolean>> = {
  number: (said, [truth]) => isNumber(said, truth!),
  vector: isVector,
  shape: (said, truth) => String(said.match(/\d+/g) ?? '') === String(truth),
  op: (said, [truth]) => Number(said) === truth,
};

function opName(model: Model, node: number): string {
  const glyph = glyphOf(model, node);
  const label = labelOf(model, node);
  return glyph && glyph !== label ? `${glyph} ${label}` : label;
}

/** What is right, as it is written on screen. */
function truthOf(model: Model, { asks, truth }: Question): string {
  if (truth === null) return 'None';
  if (asks === 'op') return opName(model, truth[0]!);
  if (asks === 'shape') return truth.join('×');
  const numbers = truth.map((value) => formatNumber(value)).join(' ');
  return asks === 'vector' ? `[${numbers}]` : numbers;
}

/** Judge what was said, with some tolerance for rounding. */
export function judge(model: Model, question: Question, said: string): Guess {
  const { step, way, asks, node, truth } = question;
  const none = /^\s*none\s*$/i.test(said);
  return {
    step,
    way,
    asks,
    of: labelOf(model, node),
    said: asks === 'op' ? opName(model, Number(said)) : said.trim(),
    truth: truthOf(model, question),
    right: truth === null ? none : !none && JUDGES[asks](said, truth),
  };
}
