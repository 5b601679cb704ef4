import type { Model } from './model.js';
import { formatNumber } from './numbers.js';
import { frameAt, glyphOf, labelOf } from './picture.js';

/** What the learner is asked before the next step is shown. */
export interface Question {
  /** The step that answers it. */
  readonly step: number;
  readonly asks: 'gradient' | 'op';
  readonly node: number;
  readonly through: number;
  /** The number that arrives; null where nothing does. */
  readonly truth: number | null;
  /** Nodes to choose from, where the next op is asked for. */
  readonly options: readonly number[];
}

/** An answer, as exercises read it. */
export interface Guess {
  readonly step: number;
  readonly asks: 'gradient' | 'op';
  /** What the question was about, in the learner's names. */
  readonly of: string;
  readonly said: string;
  readonly truth: string;
  readonly right: boolean;
}

/** A guess may be so far off, of the number itself and in all. */
const RELATIVE = 0.01;
const ABSOLUTE = 0.002;
const CHOICES = 3;

/** The op to come and its neighbours on the tape, in the order of the tape. */
function choices(model: Model, through: number): number[] {
  const { passage } = model;
  const passed = [...new Set(passage!.through)].filter((node) => node >= 0);
  const at = passed.indexOf(through);
  const first = Math.max(0, Math.min(at - 1, passed.length - CHOICES));
  return passed.slice(first, first + CHOICES).sort((a, b) => a - b);
}

/** What to ask about the step after this one; null where nothing comes back there. */
export function questionAt(model: Model, step: number): Question | null {
  const picture = frameAt(model, step + 1);
  const { flow, node, through } = picture;
  if (step >= model.stepCount || !flow || through < 0) return null;
  const ask = { step: step + 1, node, through };
  if (flow.contribution < 0) return { ...ask, asks: 'gradient', truth: null, options: [] };
  const { values, shape } = model.recording.tensor(flow.contribution);
  if (values && !shape.length) {
    return { ...ask, asks: 'gradient', truth: values[0]!, options: [] };
  }
  const options = choices(model, through);
  return options.length > 1 ? { ...ask, asks: 'op', truth: through, options } : null;
}

/** `−1.5`, `1,5`, `3/4` as numbers. */
function read(said: string): number {
  const [top, bottom = '1'] = said.trim().replace(/−/g, '-').replace(/,/g, '.').split('/');
  return top ? Number(top) / Number(bottom) : NaN;
}

function matches(said: string, truth: number | null): boolean {
  if (truth === null || /^\s*none\s*$/i.test(said)) return truth === null && /none/i.test(said);
  if (Number.isNaN(truth)) return /^\s*nan\s*$/i.test(said);
  if (!Number.isFinite(truth)) return read(said.replace('∞', 'Infinity')) === truth;
  return Math.abs(read(said) - truth) <= RELATIVE * Math.abs(truth) + ABSOLUTE;
}

function opName(model: Model, node: number): string {
  const glyph = glyphOf(model, node);
  const label = labelOf(model, node);
  return glyph && glyph !== label ? `${glyph} ${label}` : label;
}

/** Judge what was said, with some tolerance for rounding. */
export function judge(model: Model, question: Question, said: string): Guess {
  const { step, asks, node, truth } = question;
  const of = labelOf(model, node);
  if (asks === 'op') {
    const right = Number(said) === truth;
    return {
      step,
      asks,
      of,
      said: opName(model, Number(said)),
      truth: opName(model, truth!),
      right,
    };
  }
  const told = truth === null ? 'None' : formatNumber(truth);
  return { step, asks, of, said: said.trim(), truth: told, right: matches(said, truth) };
}
