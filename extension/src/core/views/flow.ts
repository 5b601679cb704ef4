import type { VNode } from '../dom.js';
import { partialOfNode } from '../equations.js';
import { fraction, number } from '../mathml.js';
import type { Flowed, Model } from '../model.js';
import { formatBrief } from '../numbers.js';
import { opOf, tensorOf } from '../stepstate.js';
import type { OpInfo, RuleInfo, TensorInfo } from '../schema.js';
import { say } from '../words.js';

const BRIEF = 11;
/** @said */
const NUMBERS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
];

/** Small numbers as words. */
export function inWords(amount: number): string {
  const word = NUMBERS[amount];
  return word ? say(word) : String(amount);
}

export function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

export function tensorAt(model: Model, index: number): TensorInfo | null {
  return index < 0 ? null : model.recording.tensor(index);
}

export function shownNumber(tensor: TensorInfo | null, tone: 'v' | 'g'): VNode | null {
  return tensor && number(formatBrief(tensor, BRIEF), tone);
}

/** The op that a gradient passes through, and its rule for this input. */
export function opOfFlow(
  model: Model,
  flow: Flowed,
): { node: number; op: OpInfo | null; rule: RuleInfo | null } {
  const node = flow.event < 0 ? -1 : model.graph.nodeOfEvent[flow.event]!;
  const op = opOf(model, node);
  return { node, op, rule: op?.rules[flow.position] ?? null };
}

/** ∂target/∂node, where both have something to be called. */
export function totalDerivative(model: Model, node: number): VNode | null {
  const target = model.graph.nodeOfTensor[model.backwardPass!.gradientCall.targets[0] ?? -1] ?? -1;
  const several = model.backwardPass!.gradientCall.targets.length > 1;
  const top = several || target < 0 ? null : partialOfNode(model, target);
  const bottom = partialOfNode(model, node);
  const scalar = tensorOf(model, target)?.shape.length === 0;
  return top && bottom && scalar ? fraction(top, bottom) : null;
}
