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
  find: 'M7 2a5 5 0 1 0 2.9 9.1l3 3 1.2-1.2-3-3A5 5 0 0 0 7 2m0 1.7a3.3 3.3 0 1 1 0 6.6 3.3 3.3 0 0 1 0-6.6',
  close: 'M4.2 3 8 6.8 11.8 3 13 4.2 9.2 8l3.8 3.8-1.2 1.2L8 9.2 4.2 13 3 11.8 6.8 8 3 4.2z',
  up: 'M3 11l5-6 5 6z',
  down: 'M3 5l5 6 5-6z',
  keys: 'M7 10.5h1.8v-1c0-.5.4-.9 1-1.3A3.2 3.2 0 1 0 4.7 5.7h1.8a1.5 1.5 0 1 1 2.2 1.2C7.8 7.5 7 8.2 7 9.4zM7 12h1.8v1.8H7z',
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
  more: Attributes = {},
): VNode {
  const disabled = off ? 'true' : null;
  const attributes = { 'aria-label': label, title: label, 'aria-disabled': disabled, ...more };
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
