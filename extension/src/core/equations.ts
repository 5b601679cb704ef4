import { NodeKind } from './graph.js';
import { MathematicsError, namesIn, parseFormula, sides } from './mathematics.js';
import type { Term } from './mathematics.js';
import { BAR, code, identifier, mathml, matrix, number, partial, partialOf } from './mathml.js';
import { row, sign } from './mathml.js';
import type { Stand, Substitution } from './mathml.js';
import type { VNode } from './dom.js';
import type { Model } from './model.js';
import { formatNumber, formatValues } from './numbers.js';
import { labelOf, opOf, tensorOf } from './stepstate.js';
import { Role } from './schema.js';
import type { OpInfo, RuleInfo, TensorInfo } from './schema.js';
import { say } from './words.js';

/** Longer numbers than this would burst an equation. */
const ROOM = 16;
const LONGEST_NAME = 24;
const LONGEST_LABEL = 32;

/** The node behind each input of an op, by position. */
export function inputsOf(model: Model, node: number): number[] {
  const { firstEdge, edgeFrom, edgePort } = model.graph;
  const found: number[] = [];
  for (let edge = firstEdge[node]!; edge < firstEdge[node + 1]!; edge++) {
    found[edgePort[edge]!] = edgeFrom[edge]!;
  }
  return found;
}

/** Read a formula of an op; null where it is missing or beyond what can be drawn. */
export function readFormula(latex: string, op: OpInfo): Term | null {
  if (!latex) return null;
  try {
    return parseFormula(latex, [...op.inputs, op.output]);
  } catch (error) {
    if (error instanceof MathematicsError) return null;
    throw error;
  }
}

/** A tensor's numbers as they stand in an equation, or null if they do not fit. */
export function numeric(tensor: TensorInfo | null, tone: 'v' | 'g'): Stand | null {
  const text = tensor && formatValues(tensor);
  return text && text.length <= ROOM ? { text, tone, number: true } : null;
}

function isName(tensor: TensorInfo | null): boolean {
  return tensor !== null && (tensor.named || tensor.role === Role.State);
}

/** The learner's name for a node, or the number of a constant; null for a nested expression. */
function symbol(model: Model, node: number): Stand | null {
  const tensor = tensorOf(model, node);
  if (isName(tensor)) return { text: labelOf(model, node), tone: '', number: false };
  const literal = tensor?.role === Role.Constant && tensor.shape.length === 0 && tensor.values;
  return literal ? { text: shortNumber(literal[0]!), tone: '', number: true } : null;
}

/** A number as a person writes it in a formula: 3, not 3.0000. */
function shortNumber(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return formatNumber(value);
  return String(Number(value.toPrecision(digits))).replaceAll('-', '−');
}

/** Larger matrices than this do not fit into an equation. */
const SIDE = 4;
const MATRIX_DIGITS = 4;

/** A small tensor as the matrix (or the row, or the number) that it is. */
export function asMatrix(tensor: TensorInfo | null, tone: 'v' | 'g'): VNode | null {
  const { values, shape, dtype } = tensor ?? { values: null, shape: [], dtype: '' };
  const fits = shape.length <= 2 && shape.every((size) => size > 0 && size <= SIDE);
  if (!values || !fits || dtype.startsWith('complex')) return null;
  if (!shape.length) return number(formatNumber(values[0]!), tone);
  const texts = Array.from(values, (value) => shortNumber(value, MATRIX_DIGITS));
  const columns = shape.at(-1)!;
  const rows = Array.from({ length: texts.length / columns }, (_, at) =>
    texts.slice(at * columns, (at + 1) * columns),
  );
  return matrix(rows, tone);
}

/** The right side of a gradient rule with this step's matrices put in; null if they do not fit. */
export function withMatrices(
  model: Model,
  node: number,
  op: OpInfo,
  rule: RuleInfo,
  upstream: TensorInfo | null,
): VNode | null {
  const body = ruleBody(op, rule);
  const shown = body && asMatrix(upstream, 'g');
  if (!shown) return null;
  const stand = (put: VNode): Stand => ({ text: '', tone: '', number: true, shown: put });
  const found = new Map([[BAR + op.output, stand(shown)]]);
  const nodes = [...inputsOf(model, node)];
  for (const letter of namesIn(body)) {
    const at = op.inputs.indexOf(letter);
    const from = at >= 0 ? nodes[at] : letter === op.output ? node : undefined;
    const put = from === undefined ? null : asMatrix(tensorOf(model, from), 'v');
    if (!put) return null;
    found.set(letter, stand(put));
  }
  return mathml(body, found);
}

type Choose = (model: Model, node: number) => Stand | null;

/** What stands for each letter of an op; null if a letter that is used has nothing to stand for it. */
function substitution(
  model: Model,
  node: number,
  op: OpInfo,
  used: ReadonlySet<string>,
  choose: Choose,
): Substitution | null {
  const found = new Map<string, Stand>();
  const nodes = inputsOf(model, node);
  // One letter for all inputs, as of a sum of many, stands for none of them.
  if (nodes.length > op.inputs.length) return null;
  for (const [position, letter] of op.inputs.entries()) {
    if (!used.has(letter)) continue;
    const input = nodes[position];
    const chosen = input === undefined ? null : choose(model, input);
    if (!chosen) return null;
    found.set(letter, chosen);
  }
  if (used.has(op.output) && !found.has(op.output)) {
    const chosen = choose(model, node);
    if (!chosen) return null;
    found.set(op.output, chosen);
  }
  return found;
}

export function withNames(model: Model, node: number, op: OpInfo, term: Term): VNode | null {
  const stands = substitution(model, node, op, namesIn(term), symbol);
  return stands && mathml(term, stands);
}

export function withNumbers(
  model: Model,
  node: number,
  op: OpInfo,
  term: Term,
  short = false,
): VNode | null {
  const choose: Choose = (_, input) => {
    const tensor = tensorOf(model, input);
    const stand = numeric(tensor, 'v');
    if (!stand || !short || tensor!.shape.length) return stand;
    return { ...stand, text: shortNumber(tensor!.values![0]!) };
  };
  const stands = substitution(model, node, op, namesIn(term), choose);
  return stands && mathml(term, stands);
}

/** The right side of an op's formula. */
export function bodyOf(op: OpInfo): Term | null {
  const term = readFormula(op.formula, op);
  return term && sides(term).right;
}

/** The right side of a gradient rule. */
export function ruleBody(op: OpInfo, rule: RuleInfo): Term | null {
  const term = readFormula(rule.formula, op);
  return term && sides(term).right;
}

function shortLabel(model: Model, node: number): string {
  const label = [...labelOf(model, node)];
  return label.length <= LONGEST_LABEL
    ? label.join('')
    : `${label.slice(0, LONGEST_LABEL).join('')}…`;
}

export interface Rule {
  readonly shown: VNode;
  /** What each letter stands for, where the learner's names do not stand in the rule itself. */
  readonly letters: readonly string[];
}

/** A gradient rule in the learner's names, bars on the gradients; in its own letters if some lack one. */
export function ruleEquation(model: Model, node: number, op: OpInfo, rule: RuleInfo): Rule | null {
  const term = readFormula(rule.formula, op);
  if (!term) return null;
  const nodes = [...inputsOf(model, node), node];
  const letters = [...op.inputs.slice(0, nodes.length - 1), op.output];
  const stands = letters.map((_, at) => symbol(model, nodes[at]!));
  const distinct = new Set(stands.map((stand) => stand?.text)).size === stands.length;
  if (distinct && stands.every((stand) => stand !== null)) {
    const names = new Map(letters.map((letter, at) => [letter, stands[at]!]));
    return { shown: mathml(term, names), letters: [] };
  }
  const spelled = letters.map((letter, at) =>
    say('{letter} is `{name}`', { letter, name: shortLabel(model, nodes[at]!) }),
  );
  return { shown: mathml(term), letters: spelled };
}

/** The name of a node inside ∂…: its own name, or its expression in names, or its source text. */
export function partialOfNode(model: Model, node: number): VNode | null {
  const tensor = tensorOf(model, node);
  if (isName(tensor)) return partial(identifier(labelOf(model, node)));
  const op = opOf(model, node);
  const body = op && bodyOf(op);
  const stands = body && substitution(model, node, op!, namesIn(body), symbol);
  if (stands) return partialOf(body!, stands);
  const text = labelOf(model, node);
  if (text.length > LONGEST_NAME) return null;
  const isCall = /^[\w.]+\(.*\)$/.test(text);
  return partial(isCall ? code(text) : row(sign('('), code(text), sign(')')));
}

/** Whether a gradient can come to a node: an unrecorded op needs no derivative. */
export function isTaped(model: Model, node: number): boolean {
  const kind = model.graph.nodeKind[node];
  return kind === NodeKind.Op || model.graph.nodeWatched[node] === true;
}

export function isOne(tensor: TensorInfo | null): boolean {
  return !!tensor?.values?.length && tensor.values.every((value) => value === 1);
}
