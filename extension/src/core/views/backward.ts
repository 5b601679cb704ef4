import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import {
  isOne,
  numeric,
  partialOfNode,
  readFormula,
  ruleBody,
  ruleEquation,
  withNames,
  withNumbers,
} from '../equations.js';
import { namesIn } from '../mathematics.js';
import { equation, fraction, number, row, sign } from '../mathml.js';
import type { Flowed, Model } from '../model.js';
import { count, formatBrief, formatNumber } from '../numbers.js';
import { arrivalsAt, glyphOf, labelOf, opOf, slotAt, tensorOf } from '../picture.js';
import type { Picture } from '../picture.js';
import type { OpInfo, RuleInfo, TensorInfo } from '../schema.js';
import type { Account } from './inspector.js';
import { heatView } from './numbers.js';
import { prose } from './parts.js';

const BRIEF = 11;
/** More rows than this are told in one line. */
const MOST_ROWS = 6;
const WORDS_FOR = [
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
const TIMES_USED = ['never', 'once', 'twice'];

const inWords = (amount: number): string => WORDS_FOR[amount] ?? String(amount);
const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

function tensorAt(model: Model, index: number): TensorInfo | null {
  return index < 0 ? null : model.recording.tensor(index);
}

function shownNumber(tensor: TensorInfo | null, tone: 'v' | 'g'): VNode | null {
  return tensor && number(formatBrief(tensor, BRIEF), tone);
}

function opOfFlow(
  model: Model,
  flow: Flowed,
): { node: number; op: OpInfo | null; rule: RuleInfo | null } {
  const node = flow.event < 0 ? -1 : model.graph.nodeOfEvent[flow.event]!;
  const op = opOf(model, node);
  return { node, op, rule: op?.rules[flow.position] ?? null };
}

/** ∂target/∂node, where both have something to be called. */
function totalSlope(model: Model, node: number): VNode | null {
  const target = model.graph.nodeOfTensor[model.passage!.asked.targets[0] ?? -1] ?? -1;
  const several = model.passage!.asked.targets.length > 1;
  const top = several || target < 0 ? null : partialOfNode(model, target);
  const bottom = partialOfNode(model, node);
  const scalar = tensorOf(model, target)?.shape.length === 0;
  return top && bottom && scalar ? fraction(top, bottom) : null;
}

function startAccount(model: Model, picture: Picture, flow: Flowed): Account {
  const label = labelOf(model, picture.node);
  const start = tensorAt(model, flow.sum);
  const slope = totalSlope(model, picture.node);
  const ones = isOne(start);
  const many = (start?.shape.length ?? 0) > 0;
  const sentences = {
    scalar: `How much does \`${label}\` change when \`${label}\` changes? Exactly as much. So the tape rewinds from 1.`,
    many: `\`${label}\` holds several numbers. The tape rewinds from 1 for each, which is the gradient of their sum.`,
    given: `The tape rewinds from the gradient that was given for \`${label}\`.`,
  };
  const shown = shownNumber(start, 'g');
  return {
    title: `Start at \`${label}\``,
    sentence: sentences[!ones ? 'given' : many ? 'many' : 'scalar'],
    equation: slope && !many && shown ? [slope, sign('='), shown] : shown && [shown],
    figure: start && heatView(start, 'g', `gradient of ${label}`),
  };
}

/** The local slope, in names or in numbers, unless it is a bare name or number anyway. */
function localInNumbers(model: Model, flow: Flowed): VNode | null {
  const { node, op, rule } = opOfFlow(model, flow);
  const term = op && rule?.local ? readFormula(rule.local, op) : null;
  if (!op || !term || term.kind === 'name' || term.kind === 'number') return null;
  return withNumbers(model, node, op, term);
}

/** upstream × local = contribution, with this step's numbers. */
function flowEquation(model: Model, picture: Picture, flow: Flowed): Child[] | null {
  const local = tensorAt(model, flow.local);
  const [upstream, slope, contribution] = [
    numeric(tensorAt(model, flow.upstream), 'g'),
    numeric(local, 'v'),
    numeric(tensorAt(model, flow.contribution), 'g'),
  ];
  if (!upstream || !slope || !contribution) return null;
  const up = number(upstream.text, 'g');
  const factor = number(isOne(local) && local!.shape.length === 0 ? '1' : slope.text, 'v');
  const spelled = localInNumbers(model, flow);
  const named =
    tensorOf(model, picture.node)?.named || tensorOf(model, picture.node)?.variable !== -1;
  const total = named && !spelled ? totalSlope(model, picture.node) : null;
  return [
    total && [total, sign('=')],
    spelled && [up, sign('×'), spelled, sign('=')],
    [up, sign('×'), factor, sign('=')],
    number(contribution.text, 'g'),
  ];
}

function passedOn(model: Model, flow: Flowed): string {
  const { op } = opOfFlow(model, flow);
  const local = tensorAt(model, flow.local);
  if (local && isOne(local)) {
    const both = op && op.rules.length === 2 && op.rules.every((rule) => rule.local === '1');
    return both
      ? 'The local slope is 1 on both sides, so each side gets the whole gradient, unchanged.'
      : 'The local slope is 1, so the gradient passes unchanged.';
  }
  if (local) return 'Upstream × local slope = contribution.';
  return 'The gradient passes through by this rule.';
}

function stillToCome(model: Model, picture: Picture): string {
  const slot = slotAt(model, picture, picture.node);
  const left = slot.expected - slot.arrived;
  return left > 0
    ? ` ${capital(inWords(left))} more ${left === 1 ? 'is' : 'are'} still to come.`
    : '';
}

function mapsOf(model: Model, picture: Picture, flow: Flowed): Child {
  const maps = (
    [
      ['upstream', flow.upstream, 'g'],
      ['local slope', flow.local, 'v'],
      ['contribution', flow.contribution, 'g'],
    ] as const
  ).flatMap(([word, index, role]) => {
    const tensor = tensorAt(model, index);
    const map = tensor && heatView(tensor, role, `${word}, at ${labelOf(model, picture.node)}`);
    return map ? [h('figure', {}, h('figcaption', {}, word), map)] : [];
  });
  return maps.length ? h('div', { class: 'maps' }, maps) : null;
}

function singleAccount(model: Model, picture: Picture, flow: Flowed): Account {
  const { node, op, rule } = opOfFlow(model, flow);
  const numbers = flowEquation(model, picture, flow);
  const general = numbers || !op || !rule ? null : ruleEquation(model, node, op, rule);
  return {
    title: `Back through ${glyphOf(model, node)} to \`${labelOf(model, picture.node)}\``,
    sentence: passedOn(model, flow) + stillToCome(model, picture),
    equation: numbers ?? (general && [general.shown]),
    figure: mapsOf(model, picture, flow),
    facts: general?.letters.length ? [['here', prose(general.letters.join(', '))]] : [],
  };
}

function stoppedAccount(model: Model, picture: Picture, flow: Flowed): Account {
  const { node, rule } = opOfFlow(model, flow);
  const label = picture.node < 0 ? 'here' : `to \`${labelOf(model, picture.node)}\``;
  return {
    title: `Nothing passes ${glyphOf(model, node)} ${label}`,
    sentence: rule?.because || 'This op passes no gradient on.',
  };
}

/** ∂z/∂x = ∂z/∂u · ∂u/∂x + …, where two or three different ops meet and all have names. */
function chainRule(model: Model, node: number, arrivals: readonly Flowed[]): Child[] | null {
  const total = totalSlope(model, node);
  if (!total || arrivals.length > 3) return null;
  const terms: Child[] = [];
  const seen = new Set<number>();
  const target = model.graph.nodeOfTensor[model.passage!.asked.targets[0]!];
  for (const flow of arrivals) {
    const through = opOfFlow(model, flow).node;
    const [outer, inner, own] = [
      through < 0 ? null : totalSlope(model, through),
      through < 0 ? null : partialOfNode(model, through),
      partialOfNode(model, node),
    ];
    const told = seen.has(through) || through === target;
    if (told || !outer || !inner || !own) return null;
    seen.add(through);
    terms.push(terms.length ? sign('+') : null, outer, sign('·'), fraction(inner, own));
  }
  return [total, sign('='), terms];
}

function cell(line: number, column: string | number, look: string, ...content: Child[]): VNode {
  return h('div', { class: look, style: `grid-row:${line};grid-column:${column}` }, content);
}

const inline = (...content: Child[]): VNode => equation('inline', ...content);

/** A number after a sign: a negative one in brackets. */
function guarded(shown: VNode | null): VNode | null {
  const negative = shown && String(shown.children[0]).startsWith('−');
  return negative ? row(sign('('), shown, sign(')')) : shown;
}

/** The local slope of a row: `cos 3 = −0.9900`, or the whole rule where there is no such slope. */
function localCell(model: Model, flow: Flowed): VNode | null {
  const { node, op, rule } = opOfFlow(model, flow);
  if (!op || !rule) return null;
  const value = shownNumber(tensorAt(model, flow.local), 'v');
  if (!value) {
    const body = ruleBody(op, rule);
    return (
      body &&
      (withNames(model, node, op, body) ?? ruleEquation(model, node, op, rule)?.shown ?? null)
    );
  }
  const term = rule.local ? readFormula(rule.local, op) : null;
  if (!term || namesIn(term).size === 0) return value;
  const spelled =
    term.kind === 'name'
      ? withNames(model, node, op, term)
      : withNumbers(model, node, op, term, true);
  return spelled && spelled.tag !== 'mn' ? row(spelled, sign('='), value) : value;
}

function contributionRow(model: Model, flow: Flowed, line: number): VNode[] {
  const { node } = opOfFlow(model, flow);
  const local = flow.local >= 0;
  const chipText = flow.event < 0 ? 'start' : glyphOf(model, node) || labelOf(model, node);
  const shown = (index: number): Child => {
    const digits = shownNumber(tensorAt(model, index), 'g');
    return digits && inline(digits);
  };
  const slope = localCell(model, flow);
  return [
    cell(line, 1, '', h('span', { class: 'chipop' }, chipText)),
    cell(line, 2, 'r', shown(flow.upstream)),
    cell(line, 3, '', local ? inline(sign('×')) : null),
    cell(line, 4, 'r', slope && inline(slope)),
    cell(line, 5, '', inline(sign(local ? '=' : '→'))),
    cell(line, 6, 'r', shown(flow.contribution)),
  ];
}

function spoken(tensor: TensorInfo | null): string {
  if (!tensor) return '';
  const value = tensor.shape.length === 0 && tensor.values ? formatNumber(tensor.values[0]!) : null;
  return (value ?? formatBrief(tensor, 24)).replace('−', 'minus ');
}

function sumTable(
  model: Model,
  picture: Picture,
  arrivals: readonly Flowed[],
  sum: TensorInfo,
): VNode {
  const label = labelOf(model, picture.node);
  const folded = arrivals.length > MOST_ROWS;
  const rows = folded ? [...arrivals.slice(0, 2), ...arrivals.slice(-2)] : arrivals;
  const hidden = arrivals.length - rows.length;
  const lines = rows.flatMap((flow, at) =>
    contributionRow(model, flow, at + 2 + (folded && at > 1 ? 1 : 0)),
  );
  const end = rows.length + 2 + (folded ? 1 : 0);
  const addends = arrivals.map((flow) => shownNumber(tensorAt(model, flow.contribution), 'g'));
  const long = arrivals.length > 2 || [...label].length > 4;
  const together = long
    ? null
    : addends.flatMap((addend, at) => (at ? [sign('+'), guarded(addend)] : [addend]));
  const said = rows.map((flow) => spoken(tensorAt(model, flow.contribution))).join(', ');
  return h(
    'div',
    {
      class: long ? 'sum tight' : 'sum',
      role: 'group',
      'aria-label': `Contributions to the gradient of ${label}: ${said}; together ${spoken(sum)}`,
    },
    cell(end - 1, '1/-1', 'band'),
    cell(1, 1, 'h', 'through'),
    cell(1, 2, 'h r', 'upstream'),
    cell(1, 4, 'h r', 'local slope'),
    cell(1, 6, 'h r', 'contribution'),
    lines,
    folded ? cell(4, '1/-1', 'muted', `… ${count(hidden, 'more contribution')}`) : null,
    cell(end, '1/-1', 'rule'),
    cell(end + 1, long ? '1/5' : '1/4', '', h('b', {}, `sum at ${label}`)),
    together ? cell(end + 1, 4, 'r', inline(together)) : null,
    cell(end + 1, 5, '', inline(sign('='))),
    cell(end + 1, 6, 'r total', inline(shownNumber(sum, 'g'))),
  );
}

function meetingAccount(model: Model, picture: Picture, flow: Flowed): Account {
  const label = labelOf(model, picture.node);
  const arrivals = arrivalsAt(model, picture.node);
  const times = TIMES_USED[arrivals.length] ?? `${inWords(arrivals.length)} times`;
  const sum = tensorAt(model, flow.sum)!;
  return {
    title: `${capital(inWords(arrivals.length))} paths meet at \`${label}\``,
    sentence: `\`${label}\` was used ${times}, so ${inWords(arrivals.length)} contributions arrive. They add up.`,
    equation: chainRule(model, picture.node, arrivals),
    figure: [sumTable(model, picture, arrivals, sum), heatView(sum, 'g', `gradient of ${label}`)],
  };
}

function nothingAccount(): Account {
  return {
    title: 'Nothing comes back',
    sentence: 'No recorded path leads from the target to a source, so every gradient is `None`.',
  };
}

/** The account of a step backward. */
export function backwardStep(model: Model, picture: Picture): Account {
  const { flow } = picture;
  if (!flow) return nothingAccount();
  if (flow.contribution < 0) return stoppedAccount(model, picture, flow);
  const slot = slotAt(model, picture, picture.node);
  if (slot.expected > 1 && slot.arrived === slot.expected) {
    return meetingAccount(model, picture, flow);
  }
  return flow.event < 0 ? startAccount(model, picture, flow) : singleAccount(model, picture, flow);
}
