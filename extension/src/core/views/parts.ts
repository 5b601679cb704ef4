import { h } from '../dom.js';
import type { Attributes, Child, VNode } from '../dom.js';
import type { SlotState } from '../stepstate.js';

const ICONS = {
  first: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M11 3v10L4 8z',
  play: 'M4 2.5v11L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  next: 'M5 3v10l7-5z',
  last: 'M11 3h2v10h-2zM3 3v10l7-5z',
  enlarge: 'M2 2h5v2H4v3H2zM14 14H9v-2h3V9h2zM9 2h5v5h-2V4H9zM7 14H2V9h2v3h3z',
  reduce: 'M5 2h2v5H2V5h3zM11 14H9V9h5v2h-3zM9 2h2v3h3v2H9zM7 14H5v-3H2V9h5z',
} as const;
export type Icon = keyof typeof ICONS;

function icon(name: Icon): VNode {
  return h(
    'svg',
    { class: 'ic', viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    h('path', { d: ICONS[name] }),
  );
}

export function button(
  text: Child,
  look: string,
  onclick: () => void,
  more: Attributes = {},
): VNode {
  return h('button', { class: `b ${look}`, type: 'button', onclick, ...more }, text);
}

export function iconButton(
  name: Icon,
  label: string,
  onclick: () => void,
  off = false,
  key: string | null = null,
): VNode {
  const attributes = {
    'aria-label': label,
    title: label,
    'aria-disabled': off ? 'true' : null,
    'aria-keyshortcuts': key,
  };
  return button(icon(name), 'icon quiet', onclick, attributes);
}

/** A gradient as a word-sized chip: outline says where it comes from, the text what it is. */
export function chip(state: SlotState, text = ''): VNode {
  return h('bdi', { class: `ch ${state}` }, text);
}

/** Words with code in backticks. */
export function prose(text: string): Child[] {
  return text.split('`').map((part, at) => (at % 2 ? h('code', { dir: 'ltr' }, part) : part));
}
