import type { Child } from '../dom.js';
import {
  bodyOf,
  inputsOf,
  isTaped,
  numeric,
  partialOfNode,
  readFormula,
  ruleBody,
  withNames,
  withNumbers,
} from '../equations.js';
import { namesIn } from '../mathematics.js';
import { equation, fraction, identifier, mathml, number, plainText, sign } from '../mathml.js';
import type { Model } from '../model.js';
import { byteSize, count, formatBrief, formatType } from '../numbers.js';
import { labelOf, opOf, tensorOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { Slices } from '../state.js';
import { Cause, Kind } from '../schema.js';
import type { OpInfo, RecordingEvent } from '../schema.js';
import { h } from '../dom.js';
import type { Description } from './description.js';
import { heatView, rangeFacts, valuesView } from './numbers.js';
import { prose } from './parts.js';
import { say } from '../words.js';

type Ran = Extract<RecordingEvent, { kind: Kind.Ran }>;

/** @said */
const WHY_OFF: Readonly<Record<Cause, string>> = {
  [Cause.OnTape]: '',
  [Cause.NothingWatched]: 'Nothing that goes in is watched, so the tape does not record it.',
  [Cause.Paused]: 'Recording is paused here, so this runs off the tape.',
  [Cause.BeforeTape]: 'This ran before the tape began to record.',
  [Cause.AfterTape]: 'This ran after the tape had stopped recording.',
  [Cause.WholeNumbers]:
    'The result is an integer or a string. It cannot change by a small amount, so it has no derivative.',
  [Cause.OtherThread]: 'This ran on another thread. A tape records only its own.',
  [Cause.Replaced]:
    'This ran inside a function that has a gradient of its own, which takes the place of this.',
};

const assignedHow = (name: string): string[] => [
  say('`{name}` gets a new value', { name }),
  say('`{name}` is updated', { name }),
  say('`{name}` is updated', { name }),
  say('`{name}` changes in part', { name }),
];

function joined(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return say('{names} and {last}', { names: names.slice(0, -1).join(', '), last: names.at(-1)! });
}

function watched(model: Model, current: StepState, how: number, slices: Slices): Description {
  const label = labelOf(model, current.node);
  const tensor = tensorOf(model, current.node);
  const stand = numeric(tensor, 'v');
  return {
    title: say('`{label}` is watched', { label }),
    sentence:
      how === 1
        ? say('A variable is watched from its first read inside the tape.')
        : say('`tape.watch` asked for it.'),
    equation: stand && [identifier(label), sign('='), number(stand.text, 'v')],
    figure: heatView(model.recording, tensor, 'v', say('value of {label}', { label }), slices),
    facts: tensor
      ? [
          ['type', formatType(tensor)],
          ...rangeFacts(model.recording, model.graph.nodeTensor[current.node]!),
        ]
      : [],
  };
}

/** result = formula in names = formula in numbers = number; where none fits, in its own letters. */
export function forwardEquation(model: Model, node: number, op: OpInfo): Child[] | null {
  const tensor = tensorOf(model, node);
  const body = bodyOf(op);
  if (!body || !tensor) return null;
  const result = numeric(tensor, 'v');
  const written = [withNames(model, node, op, body), withNumbers(model, node, op, body)];
  if (written.every((part) => part === null)) return [mathml(readFormula(op.formula, op)!)];
  const name = tensor.named ? identifier(labelOf(model, node)) : null;
  const parts = [name, ...written, result && number(result.text, 'v')].filter(
    (part) => part !== null,
  );
  const distinct = parts.filter((part, at) => {
    const before = parts[at - 1];
    return !before || plainText(before) !== plainText(part);
  });
  return distinct.flatMap((part, at) => (at ? [sign('='), part] : [part]));
}

/** The inputs (and the result) that the gradient rules will need again. */
function keptTensors(model: Model, node: number, op: OpInfo): number[] {
  const inputs = inputsOf(model, node);
  const kept = new Set<number>();
  op.rules.forEach((rule, position) => {
    const body = rule.because ? null : ruleBody(op, rule);
    if (!body || inputs[position] === undefined || !isTaped(model, inputs[position])) return;
    for (const letter of namesIn(body)) {
      const at = op.inputs.indexOf(letter);
      if (at >= 0 && inputs[at] !== undefined) kept.add(inputs[at]);
      else if (letter === op.output) kept.add(node);
    }
  });
  return [...new Set([...inputs, node])].filter((at) => kept.has(at));
}

function keptFact(model: Model, node: number, op: OpInfo): Child {
  const kept = keptTensors(model, node, op);
  if (!kept.length) {
    const derivatives = op.rules.filter((rule) => !rule.because);
    const ones = derivatives.length > 0 && derivatives.every((rule) => rule.local === '1');
    return ones
      ? derivatives.length > 1
        ? say('nothing: the derivatives are 1')
        : say('nothing: the derivative is 1')
      : say('nothing');
  }
  const bytes = kept.reduce((sum, at) => sum + byteSize(tensorOf(model, at)!), 0);
  return prose(`${joined(kept.map((at) => `\`${labelOf(model, at)}\``))}, ${count(bytes, 'byte')}`);
}

/** ∂result/∂input = local derivative, for every input that a gradient can reach. */
function derivativeFacts(model: Model, node: number, op: OpInfo): Child[] {
  const inputs = inputsOf(model, node);
  return op.rules.flatMap((rule, position) => {
    const input = inputs[position];
    const local = rule.local && rule.local !== '1' ? readFormula(rule.local, op) : null;
    if (!local || input === undefined || !isTaped(model, input)) return [];
    if (inputs.indexOf(input) !== inputs.lastIndexOf(input)) return [];
    if (labelOf(model, input) === labelOf(model, node)) return [];
    const top = partialOfNode(model, node);
    const bottom = partialOfNode(model, input);
    const derivative = withNames(model, node, op, local);
    if (!top || !bottom || !derivative) return [];
    return [
      h(
        'span',
        { class: 'derivative' },
        equation('inline', fraction(top, bottom), sign('='), derivative),
      ),
    ];
  });
}

function ran(model: Model, node: number, event: Ran, slices: Slices): Description {
  const op = opOf(model, node)!;
  const tensor = tensorOf(model, node);
  const onTape = event.cause === Cause.OnTape;
  const derivatives = onTape ? derivativeFacts(model, node, op) : [];
  const facts: (readonly [string, Child])[] = [];
  if (tensor) facts.push(['result', formatType(tensor)]);
  if (event.outputs.length > 1) facts.push(['results', count(event.outputs.length, 'tensor')]);
  if (tensor && tensor.shape.length)
    facts.push(['value', valuesView(model.recording, tensor, 'v')]);
  facts.push(...rangeFacts(model.recording, model.graph.nodeTensor[node]!));
  if (onTape) facts.push(['kept for the backward pass', keptFact(model, node, op)]);
  if (derivatives.length)
    facts.push([derivatives.length > 1 ? say('derivatives') : say('derivative'), derivatives]);
  return {
    title: say(op.title),
    sentence: onTape ? say(op.sentence) : say(WHY_OFF[event.cause]),
    equation: forwardEquation(model, node, op),
    figure: heatView(
      model.recording,
      tensor,
      'v',
      say('value of {label}', { label: labelOf(model, node) }),
      slices,
    ),
    facts,
  };
}

function left(model: Model, event: Extract<RecordingEvent, { kind: Kind.Left }>): Description {
  const source = model.recording.tensor(event.tensor).name || say('A value');
  const result = event.result < 0 ? null : model.recording.tensor(event.result);
  return {
    title: say('`{source}` leaves the tape', { source }),
    sentence: say(
      '`{how}` computes with plain numbers. The tape sees nothing of it, so no gradient comes back this way.',
      { how: event.how },
    ),
    facts: result ? [['result', formatBrief(result, 40)]] : [],
  };
}

function assigned(
  model: Model,
  event: Extract<RecordingEvent, { kind: Kind.Assigned }>,
): Description {
  const name = model.recording.header.variables[event.variable]?.name ?? say('variable');
  const state = event.state < 0 ? null : model.recording.tensor(event.state);
  return {
    title: assignedHow(name)[event.how] ?? say('`{name}` changes', { name }),
    sentence: say('Assigning is not recorded: no gradient flows back through it.'),
    facts: state ? [['new value', formatBrief(state, 40)]] : [],
  };
}

/** What happens at the `with`, before anything is on the tape. */
function opens(model: Model): Description {
  const { graph, recording } = model;
  const earlier = graph.nodeEvent.findIndex((event) => event >= 0 && event < graph.opened) >= 0;
  return {
    title: say('`{tape}` begins to record', { tape: recording.header.tape.name }),
    sentence: [
      say('Each op that runs on a watched value from here on is written on the tape.'),
      earlier ? say('What ran before stands in the graph, folded.') : '',
    ].join(' '),
  };
}

/** What the inspector says about a step of the forward pass. */
export function describeForwardStep(model: Model, current: StepState, slices: Slices): Description {
  if (current.phase === 'forward' && !current.step) return opens(model);
  const index = model.graph.frameEvent[current.frame];
  const event = index === undefined ? null : model.recording.event(index);
  switch (event?.kind) {
    case Kind.Watched:
      return watched(model, current, event.how, slices);
    case Kind.Read:
      return {
        ...watched(model, current, 1, slices),
        title: say('`{label}` is read', { label: labelOf(model, current.node) }),
        sentence: say('It has a new value since it was last read.'),
      };
    case Kind.Ran:
      return ran(model, current.node, event, slices);
    case Kind.Left:
      return left(model, event);
    case Kind.Assigned:
      return assigned(model, event);
    default:
      return { title: '', sentence: '' };
  }
}
