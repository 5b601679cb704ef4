import { h } from '../dom.js';
import type { Attributes, Child, VNode } from '../dom.js';
import { equationView } from '../mathml.js';
import { say, WORDS } from '../words.js';
import { prose } from './parts.js';

/** What the inspector says about a step. */
export interface Description {
  readonly title: string;
  readonly sentence: string;
  readonly equation?: readonly Child[] | null;
  /** A table of contributions, or heat maps. */
  readonly figure?: Child;
  readonly facts?: readonly (readonly [string, Child])[];
}

const SAID: Attributes = {
  role: 'region',
  'aria-live': 'polite',
  'aria-atomic': 'true',
};

/** The title and the formula of a step in one line; where there is none, what is said of it. */
export function formulaLine({ title, sentence, equation: terms }: Description): VNode {
  return h(
    'div',
    { class: 'formula', ...SAID, 'aria-label': WORDS.inspector },
    h('h3', {}, prose(title)),
    terms?.length ? equationView(...terms) : h('p', {}, prose(sentence)),
  );
}

/** The inspector: words, mathematics, a figure and facts. */
export function descriptionView(description: Description): VNode {
  const { title, sentence, equation: terms, figure, facts } = description;
  return h(
    'div',
    { class: 'insp', ...SAID, 'aria-label': WORDS.inspector },
    h('h3', {}, prose(title)),
    sentence ? h('p', {}, prose(sentence)) : null,
    terms?.length ? equationView(...terms) : null,
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
