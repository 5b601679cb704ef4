import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { inputsOf, ruleEquation } from '../equations.js';
import { equation } from '../mathml.js';
import type { Model } from '../model.js';
import { byteSize, count, formatType } from '../numbers.js';
import type { OpInfo, Span } from '../schema.js';
import { glyphOf, labelOf, opOf, slotAt, slotText, tensorOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { Slices } from '../state.js';
import { say, WORDS } from '../words.js';
import { describeBackwardStep } from './backward.js';
import { descriptionView, formulaLine } from './description.js';
import type { Description } from './description.js';
import { describeForwardStep, forwardEquation } from './forward.js';
import { heatView, rangeFacts, valuesView } from './numbers.js';
import { chip, prose } from './parts.js';

/** Where something was made: the function, the cell where there are several, and the line. */
function placeOf({ recording }: Model, at: number, span: Span): Child {
  const { sources } = recording.header;
  const name = recording.functionAt(at);
  const title = sources.length > 1 && sources[span.source]?.title;
  const detail = [name && `\`${name}\``, title, WORDS.line(span.line)];
  return prose(detail.filter(Boolean).join(', '));
}

/** The gradient rules of an op in the learner's names, one for each input. */
function rulesFact(model: Model, node: number, op: OpInfo): VNode[] {
  return op.rules.flatMap((rule) => {
    const detail = rule.because ? null : ruleEquation(model, node, op, rule);
    return detail ? [h('span', { class: 'derivative' }, equation('inline', detail.shown))] : [];
  });
}

/** A node the learner pointed at: its numbers, its rules, and where it came from. */
function describeNode(model: Model, current: StepState, node: number, slices: Slices): Description {
  const tensor = tensorOf(model, node);
  const op = opOf(model, node);
  const slot = slotAt(model, current, node);
  const label = labelOf(model, node);
  const span = tensor && model.recording.span(tensor.span);
  const facts: (readonly [string, Child])[] = [];
  const gradient = slot.tensor >= 0 ? model.recording.tensor(slot.tensor) : null;
  if (tensor)
    facts.push(
      ['type', formatType(tensor)],
      [WORDS.value, valuesView(model.recording, tensor, 'v')],
    );
  facts.push(...rangeFacts(model.recording, model.graph.nodeTensor[node]!));
  facts.push([WORDS.gradient, gradientFact(model, current, node)]);
  facts.push(...rangeFacts(model.recording, slot.tensor));
  if (tensor) facts.push(['held', count(byteSize(tensor), 'byte')]);
  const from = op ? inputsOf(model, node).map((input) => labelOf(model, input)) : [];
  if (from.length) facts.push(['from', prose(from.map((name) => `\`${name}\``).join(', '))]);
  const rules = op ? rulesFact(model, node, op) : [];
  if (rules.length) facts.push(['rules', rules]);
  if (span) facts.push(['made in', placeOf(model, tensor.span, span)]);
  const maps = [
    heatView(model.recording, tensor, 'v', say('value of {label}', { label }), slices),
    heatView(model.recording, gradient, 'g', say('gradient of {label}', { label }), slices),
  ].filter(Boolean);
  return {
    title: `\`${label}\``,
    sentence: op
      ? `${say(op.title)} (${glyphOf(model, node) || op.name}). ${say(op.sentence)}`
      : '',
    equation: op ? forwardEquation(model, node, op) : null,
    figure: maps.length ? h('div', { class: 'maps' }, maps) : null,
    facts,
  };
}

function gradientFact(model: Model, current: StepState, node: number): Child {
  const slot = slotAt(model, current, node);
  if (slot.tensor >= 0 && slot.state !== 'zero') {
    return [
      valuesView(model.recording, model.recording.tensor(slot.tensor), 'g'),
      slot.state === 'part' ? ' +' : '',
    ];
  }
  const says = {
    pending: WORDS.pending,
    zero: WORDS.zero,
    none: WORDS.noPath,
    nonezero: WORDS.shownAsZero,
  };
  const text = slotText(model, slot, 12);
  return [chip(slot.state, text), ' ', says[slot.state as keyof typeof says] ?? ''];
}

/** Words and mathematics for the current step, or for the node that is selected. */
export function inspectorView(
  model: Model,
  current: StepState,
  selected: number,
  slices: Slices,
): VNode {
  if (selected >= 0) return descriptionView(describeNode(model, current, selected, slices));
  return descriptionView(describeStep(model, current, slices));
}

function describeStep(model: Model, current: StepState, slices: Slices): Description {
  const describe = current.phase === 'backward' ? describeBackwardStep : describeForwardStep;
  return describe(model, current, slices);
}

/** What the current step does, and its formula, in one line. */
export function formulaView(model: Model, current: StepState, slices: Slices): VNode {
  return formulaLine(describeStep(model, current, slices));
}
