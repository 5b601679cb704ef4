import { h } from '../core/dom.js';
import type { VNode } from '../core/dom.js';
import { prose } from '../core/views/parts.js';
import { say } from '../core/words.js';
import { GLOSSARY } from './glossary.js';

/** What the words of a picture mean: closed until somebody wants to know. */
export function termsView(): VNode {
  return h(
    'details',
    { class: 'terms' },
    h('summary', {}, say('What the words mean')),
    h(
      'dl',
      { class: 'facts' },
      GLOSSARY.map((text, at) => h(at % 2 ? 'dd' : 'dt', {}, prose(say(text)))),
    ),
  );
}
