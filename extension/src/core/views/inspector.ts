import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { equation } from '../mathml.js';
import type { Model } from '../model.js';
import { formatType } from '../numbers.js';
import { glyphOf, labelOf, opOf, slotAt, slotText, tensorOf } from '../picture.js';
import type { Picture } from '../picture.js';
import { say, WORDS } from '../words.js';
import { backwardStep } from './backward.js';
import { forwardStep } from './forward.js';
import { heatView, valuesView } from './numbers.js';
import { chip, prose } from './parts.js';

/** What the inspector says about a step. */
export interface Account {
  readonly title: string;
  readonly sentence: string;
  readonly equation?: readonly Child[] | null;
  /** A table of contributions, or heat maps. */
  readonly figure?: Child;
  readonly facts?: readonly (readonly [string, Child])[];
}

function accountView(account: Account): VNode {
  const { title, sentence, equation: terms, figure, facts } = account;
  return h(
    'div',
    {
      class: 'insp',
      role: 'region',
      'aria-live': 'polite',
      'aria-atomic': 'true',
      'aria-label': WORDS.inspector,
    },
    h('h3', {}, prose(title)),
    sentence ? h('p', {}, prose(sentence)) : null,
    terms?.length ? h('div', { class: 'eq' }, equation('block', terms)) : null,
    figure ?? null,
    facts?.length
      ? h(
          'dl',
          { class: 'facts' },
          facts.map(([term, fact]) => [h('dt', {}, say(term)), h('dd', {}, fact)]),
        )
      : null,
  );
}

/** A node the learner pointed at: its numbers, and where it came from. */
function selectedAccount(model: Model, picture: Picture, node: number): Account {
  const tensor = tensorOf(model, node);
  const op = opOf(model, node);
  const slot = slotAt(model, picture, node);
  const label = labelOf(model, node);
  const span = tensor && model.recording.span(tensor.span);
  const facts: (readonly [string, Child])[] = [];
  if (tensor) facts.push(['type', formatType(tensor)], [WORDS.value, valuesView(tensor, 'v')]);
  facts.push([WORDS.gradient, gradientFact(model, picture, node)]);
  if (span) facts.push(['made in', WORDS.line(span.line)]);
  const gradient = slot.tensor >= 0 ? model.recording.tensor(slot.tensor) : null;
  const maps = [
    tensor && heatView(tensor, 'v', say('value of {label}', { label })),
    gradient && heatView(gradient, 'g', say('gradient of {label}', { label })),
  ].filter(Boolean);
  return {
    title: `\`${label}\``,
    sentence: op ? `${op.title} (${glyphOf(model, node) || op.name}). ${op.sentence}` : '',
    figure: maps.length ? h('div', { class: 'maps' }, maps) : null,
    facts,
  };
}

function gradientFact(model: Model, picture: Picture, node: number): Child {
  const slot = slotAt(model, picture, node);
  if (slot.tensor >= 0 && slot.state !== 'zero') {
    return [
      valuesView(model.recording.tensor(slot.tensor), 'g'),
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
export function inspectorView(model: Model, picture: Picture, selected: number): VNode {
  if (selected >= 0) return accountView(selectedAccount(model, picture, selected));
  const account =
    picture.phase === 'backward' ? backwardStep(model, picture) : forwardStep(model, picture);
  return accountView(account);
}
