import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { asMatrix, isOne, numeric, readFormula, ruleEquation } from '../equations.js';
import { withMatrices, withNumbers } from '../equations.js';
import { equationView, number, sign } from '../mathml.js';
import type { Flowed, Model } from '../model.js';
import { glyphOf, labelOf, slotAt, tensorOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { Slices } from '../state.js';
import { capital, inWords, opOfFlow, shownNumber, tensorAt, totalDerivative } from './flow.js';
import type { Description } from './description.js';
import { describeSum } from './accumulation.js';
import { heatView, rangeFacts, valuesView } from './numbers.js';
import { prose } from './parts.js';
import { say, sayMany } from '../words.js';

function describeStart(
  model: Model,
  current: StepState,
  flow: Flowed,
  slices: Slices,
): Description {
  const label = labelOf(model, current.node);
  const start = tensorAt(model, flow.sum);
  const derivative = totalDerivative(model, current.node);
  const ones = isOne(start);
  const many = (start?.shape.length ?? 0) > 0;
  /** @said */
  const sentences = {
    scalar:
      'How much does `{label}` change when `{label}` changes? Exactly as much. So the tape rewinds from 1.',
    many: '`{label}` holds several numbers. The tape rewinds from 1 for each, which is the gradient of their sum.',
    given: 'The tape rewinds from the gradient that was given for `{label}`.',
  };
  const shown = shownNumber(start, 'g');
  return {
    title: say('Start at `{label}`', { label }),
    sentence: say(sentences[!ones ? 'given' : many ? 'many' : 'scalar'], { label }),
    equation: derivative && !many && shown ? [derivative, sign('='), shown] : shown && [shown],
    figure: heatView(model.recording, start, 'g', say('gradient of {label}', { label }), slices),
  };
}

/** The local derivative, in names or in numbers, unless it is a bare name or number. */
function localInNumbers(model: Model, flow: Flowed): VNode | null {
  const { node, op, rule } = opOfFlow(model, flow);
  const term = op && rule?.local ? readFormula(rule.local, op) : null;
  if (!op || !term || term.kind === 'name' || term.kind === 'number') return null;
  return withNumbers(model, node, op, term);
}

/** upstream × local = contribution, with this step's numbers. */
function flowEquation(model: Model, current: StepState, flow: Flowed): Child[] | null {
  const local = tensorAt(model, flow.local);
  const [upstream, derivative, contribution] = [
    numeric(tensorAt(model, flow.upstream), 'g'),
    numeric(local, 'v'),
    numeric(tensorAt(model, flow.contribution), 'g'),
  ];
  if (!upstream || !derivative || !contribution) return null;
  const up = number(upstream.text, 'g');
  const factor = number(isOne(local) && local!.shape.length === 0 ? '1' : derivative.text, 'v');
  const spelled = localInNumbers(model, flow);
  const named =
    tensorOf(model, current.node)?.named || tensorOf(model, current.node)?.variable !== -1;
  const alone = slotAt(model, current, current.node).expected === 1;
  const total = alone && named && !spelled ? totalDerivative(model, current.node) : null;
  return [
    total && [total, sign('=')],
    spelled && [up, sign('×'), spelled, sign('=')],
    [up, sign('×'), factor, sign('=')],
    number(contribution.text, 'g'),
  ];
}

function passedOn(model: Model, flow: Flowed): string {
  const { op, rule } = opOfFlow(model, flow);
  if (rule?.sentence) return say(rule.sentence);
  const local = tensorAt(model, flow.local);
  if (local && isOne(local)) {
    const both = op && op.rules.length === 2 && op.rules.every((rule) => rule.local === '1');
    return both
      ? say(
          'The local derivative is 1 for both inputs, so each input gets the whole gradient, unchanged.',
        )
      : say('The local derivative is 1, so the gradient passes unchanged.');
  }
  if (local) return say('Upstream gradient × local derivative = contribution.');
  return say('The gradient passes through by this rule.');
}

function stillToCome(model: Model, current: StepState): string {
  const slot = slotAt(model, current, current.node);
  const left = slot.expected - slot.arrived;
  return left > 0
    ? ` ${sayMany('{number} more is still to come.', '{number} more are still to come.', left, { number: capital(inWords(left)) })}`
    : '';
}

function mapsOf(model: Model, current: StepState, flow: Flowed, slices: Slices): Child {
  let drawn = false;
  const maps = (
    [
      ['upstream', flow.upstream, 'g'],
      ['local derivative', flow.local, 'v'],
      ['contribution', flow.contribution, 'g'],
    ] as const
  ).flatMap(([word, index, role]) => {
    const tensor = tensorAt(model, index);
    const label = say('{word}, at {label}', {
      word: say(word),
      label: labelOf(model, current.node),
    });
    const map = heatView(model.recording, tensor, role, label, slices);
    const shown =
      map ?? (tensor && !tensor.shape.length ? valuesView(model.recording, tensor, role) : null);
    if (map) drawn = true;
    return shown ? [h('figure', {}, h('figcaption', {}, say(word)), shown)] : [];
  });
  return drawn ? h('div', { class: 'maps' }, maps) : null;
}

/** The rule with this step's matrices put in, where they are small. */
function inMatrices(model: Model, flow: Flowed): Child {
  const { node, op, rule } = opOfFlow(model, flow);
  const upstream = tensorAt(model, flow.upstream);
  const put = op && rule && flow.local < 0 ? withMatrices(model, node, op, rule, upstream) : null;
  const made = put && asMatrix(tensorAt(model, flow.contribution), 'g');
  return made && equationView(put, sign('='), made);
}

/** What a contribution of several numbers comes to, or why nothing is known of it. */
function contributionFacts(model: Model, flow: Flowed): (readonly [string, Child])[] {
  const tensor = tensorAt(model, flow.contribution);
  const range = rangeFacts(model.recording, flow.contribution);
  return range.length || !tensor?.shape.length
    ? range
    : [['contribution', valuesView(model.recording, tensor, 'g')]];
}

function describeContribution(
  model: Model,
  current: StepState,
  flow: Flowed,
  slices: Slices,
): Description {
  const { node, op, rule } = opOfFlow(model, flow);
  const numbers = flowEquation(model, current, flow);
  const general = numbers || !op || !rule ? null : ruleEquation(model, node, op, rule);
  return {
    title: say('Back through {op} to `{label}`', {
      op: glyphOf(model, node),
      label: labelOf(model, current.node),
    }),
    sentence: passedOn(model, flow) + stillToCome(model, current),
    equation: numbers ?? (general && [general.shown]),
    figure: [general && inMatrices(model, flow), mapsOf(model, current, flow, slices)],
    facts: [
      ...(general?.letters.length ? [['here', prose(general.letters.join(', '))] as const] : []),
      ...contributionFacts(model, flow),
    ],
  };
}

function describeBlocked(model: Model, current: StepState, flow: Flowed): Description {
  const { node, rule } = opOfFlow(model, flow);
  const op = glyphOf(model, node);
  return {
    title:
      current.node < 0
        ? say('Nothing passes {op} here', { op })
        : say('Nothing passes {op} to `{label}`', { op, label: labelOf(model, current.node) }),
    sentence: rule?.because ? say(rule.because) : say('This op passes no gradient on.'),
  };
}

function describeNoPath(): Description {
  return {
    title: say('Nothing comes back'),
    sentence: say(
      'No recorded path leads from the target to a source, so every gradient is `None`.',
    ),
  };
}

/** What the inspector says about a step of the backward pass. */
export function describeBackwardStep(
  model: Model,
  current: StepState,
  slices: Slices,
): Description {
  const { flow } = current;
  if (!flow) return describeNoPath();
  if (flow.contribution < 0) return describeBlocked(model, current, flow);
  const slot = slotAt(model, current, current.node);
  if (slot.expected > 1 && slot.arrived === slot.expected) {
    return describeSum(model, current, flow, slices);
  }
  return flow.event < 0
    ? describeStart(model, current, flow, slices)
    : describeContribution(model, current, flow, slices);
}
