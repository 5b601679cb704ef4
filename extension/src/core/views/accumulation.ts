import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import {
  partialOfNode,
  readFormula,
  ruleBody,
  ruleEquation,
  withNames,
  withNumbers,
} from '../equations.js';
import { namesIn } from '../mathematics.js';
import { equation, fraction, plainText, row, sign } from '../mathml.js';
import type { Flowed, Model } from '../model.js';
import { count, formatBrief, formatNumber } from '../numbers.js';
import { arrivalsAt, glyphOf, labelOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { Slices } from '../state.js';
import type { TensorInfo } from '../schema.js';
import { capital, inWords, opOfFlow, shownNumber, tensorAt, totalDerivative } from './flow.js';
import type { Description } from './description.js';
import { heatView } from './numbers.js';
import { say } from '../words.js';

/** More paths than this are folded; of those that were, so many are listed when unfolded. */
const MOST_ROWS = 4;
const MOST_UNFOLDED = 40;
/** @said */
const TIMES_USED = ['never', 'once', 'twice'];

/** Whether a term would make the line run out of its pane. */
function isLong(term: VNode | null): boolean {
  return term !== null && plainText(term).length > 12;
}

/** ∂z/∂x = ∂z/∂u · ∂u/∂x + …, where two or three different ops meet and all have names. */
function chainRule(model: Model, node: number, arrivals: readonly Flowed[]): Child[] | null {
  const total = totalDerivative(model, node);
  if (!total || arrivals.length > 3) return null;
  const terms: Child[] = [];
  const seen = new Set<number>();
  const target = model.graph.nodeOfTensor[model.backwardPass!.gradientCall.targets[0]!];
  for (const flow of arrivals) {
    const through = opOfFlow(model, flow).node;
    const [outer, inner, own] = [
      through < 0 ? null : totalDerivative(model, through),
      through < 0 ? null : partialOfNode(model, through),
      partialOfNode(model, node),
    ];
    const isListed = seen.has(through) || through === target || isLong(inner);
    if (isListed || !outer || !inner || !own) return null;
    seen.add(through);
    terms.push(terms.length ? sign('+') : null, outer, sign('·'), fraction(inner, own));
  }
  return [total, sign('='), terms];
}

function cell(
  line: string | number,
  column: string | number,
  look: string,
  ...content: Child[]
): VNode {
  return h('div', { class: look, style: `grid-row:${line};grid-column:${column}` }, content);
}

const inline = (...content: Child[]): VNode => equation('inline', ...content);

/** A number after a sign: a negative one in brackets. */
function guarded(shown: VNode | null): VNode | null {
  const negative = shown && String(shown.children[0]).startsWith('−');
  return negative ? row(sign('('), shown, sign(')')) : shown;
}

/** The local derivative of a row: its number, and the rule, or the number spelled out: `cos 3`. */
function localDerivative(
  model: Model,
  flow: Flowed,
): { value: VNode | null; spelled: VNode | null } {
  const { node, op, rule } = opOfFlow(model, flow);
  const value = shownNumber(tensorAt(model, flow.local), 'v');
  if (!op || !rule) return { value: null, spelled: null };
  if (!value) {
    const body = ruleBody(op, rule);
    const named = body && withNames(model, node, op, body);
    const spelled = body && (named ?? ruleEquation(model, node, op, rule)?.shown ?? null);
    return { value, spelled };
  }
  const term = rule.local ? readFormula(rule.local, op) : null;
  if (!term || namesIn(term).size === 0) return { value, spelled: null };
  const spelled =
    term.kind === 'name'
      ? withNames(model, node, op, term)
      : withNumbers(model, node, op, term, true);
  return { value, spelled: spelled && spelled.tag !== 'mn' ? spelled : null };
}

/** One path in two rows: upstream × local derivative = contribution, and the derivative's rule. */
function contributionRow(model: Model, flow: Flowed, line: number): VNode[] {
  const { node } = opOfFlow(model, flow);
  const chipText = flow.event < 0 ? say('start') : glyphOf(model, node) || labelOf(model, node);
  const shown = (index: number): Child => {
    const digits = shownNumber(tensorAt(model, index), 'g');
    return digits && inline(digits);
  };
  const { value, spelled } = localDerivative(model, flow);
  return [
    cell(line, 1, '', h('span', { class: 'chipop' }, chipText)),
    cell(line, 2, 'r', shown(flow.upstream)),
    cell(line, 3, '', value && inline(sign('×'))),
    cell(line, 4, 'r', value && inline(value)),
    cell(line, 5, '', inline(sign(value ? '=' : '→'))),
    cell(line, 6, 'r', shown(flow.contribution)),
    ...(spelled ? [cell(line + 1, '2/5', 'spelled r', inline(spelled))] : []),
  ];
}

function spoken(tensor: TensorInfo | null): string {
  if (!tensor) return '';
  const value = tensor.shape.length === 0 && tensor.values ? formatNumber(tensor.values[0]!) : null;
  return (value ?? formatBrief(tensor, 24)).replace('−', say('minus '));
}

/** −0.9900 + 4.0000 */
function addedUp(model: Model, arrivals: readonly Flowed[]): Child[] {
  const addends = arrivals.map((flow) => shownNumber(tensorAt(model, flow.contribution), 'g'));
  return addends.flatMap((addend, at) => (at ? [sign('+'), guarded(addend)] : [addend]));
}

/** Paths in a grid of their own lines, the first of them at a line. */
function pathRows(model: Model, flows: readonly Flowed[], from: number): VNode[] {
  return flows.flatMap((flow, at) => contributionRow(model, flow, from + 2 * at));
}

/** Paths that the table has no room for, one click away. */
function moreRows(model: Model, hidden: readonly Flowed[], line: number): VNode {
  const listed = hidden.slice(0, MOST_UNFOLDED);
  const rest = hidden.length - listed.length;
  return h(
    'details',
    { class: 'more', style: `grid-row:${line};grid-column:1/-1` },
    h('summary', {}, say('and {number} more', { number: hidden.length })),
    h('div', { class: 'paths' }, pathRows(model, listed, 1)),
    rest ? h('p', { class: 'muted' }, `… ${count(rest, 'more contribution')}`) : null,
  );
}

function sumTable(
  model: Model,
  current: StepState,
  arrivals: readonly Flowed[],
  sum: TensorInfo,
): VNode {
  const label = labelOf(model, current.node);
  const folded = arrivals.length > MOST_ROWS;
  const before = folded ? arrivals.slice(0, MOST_ROWS - 1) : arrivals.slice(0, -1);
  const hidden = arrivals.slice(before.length, -1);
  const last = 2 + 2 * before.length + (folded ? 1 : 0);
  const long = arrivals.length > 2 || sum.shape.length > 0 || [...label].length > 4;
  const together = long ? null : addedUp(model, arrivals);
  const listed = [...before, arrivals.at(-1)!];
  const said = listed.map((flow) => spoken(tensorAt(model, flow.contribution))).join(', ');
  return h(
    'div',
    {
      class: 'sum',
      role: 'group',
      'aria-label': say('Contributions to the gradient of {label}: {said}; together {sum}', {
        label,
        said,
        sum: spoken(sum),
      }),
    },
    h(
      'div',
      { class: 'paths' },
      cell(`${last}/${last + 2}`, '1/-1', 'band'),
      cell(1, 1, 'h', say('through')),
      cell(1, 2, 'h r', say('upstream')),
      cell(1, '3/6', 'h free', say('local derivative')),
      cell(1, 6, 'h', say('contribution')),
      pathRows(model, before, 2),
      folded ? moreRows(model, hidden, last - 1) : null,
      pathRows(model, arrivals.slice(-1), last),
    ),
    h(
      'div',
      { class: 'together' },
      h('b', {}, say('sum at {label}', { label })),
      together ? h('span', {}, inline(together, sign('='))) : null,
      h('span', { class: 'total' }, inline(shownNumber(sum, 'g'))),
    ),
  );
}

/** What the inspector says about the step that brings the last of several contributions. */
export function describeSum(
  model: Model,
  current: StepState,
  flow: Flowed,
  slices: Slices,
): Description {
  const label = labelOf(model, current.node);
  const arrivals = arrivalsAt(model, current.node);
  const number = inWords(arrivals.length);
  const often = TIMES_USED[arrivals.length];
  const times = often ? say(often) : say('{number} times', { number });
  const sum = tensorAt(model, flow.sum)!;
  return {
    title: say('{number} paths meet at `{label}`', { number: capital(number), label }),
    sentence: say('`{label}` was used {times}, so {number} contributions arrive. They add up.', {
      label,
      times,
      number,
    }),
    equation: chainRule(model, current.node, arrivals),
    figure: [
      sumTable(model, current, arrivals, sum),
      heatView(model.recording, sum, 'g', say('gradient of {label}', { label }), slices),
    ],
  };
}
