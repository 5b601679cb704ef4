import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import { keyLists } from '../shortcuts.js';
import type { Dispatch, State } from '../state.js';
import { say } from '../words.js';
import { closeButton, hitsView, searchView } from './search.js';

/** How a key is printed. */
const PRINTED: Readonly<Record<string, string>> = {
  ' ': 'Space',
  Escape: 'Esc',
  ArrowRight: '→',
  ArrowLeft: '←',
  ArrowUp: '↑',
  ArrowDown: '↓',
};

function keyView(keys: string): VNode[] {
  return keys.split(/(?<=.)\+/).map((key) => h('kbd', {}, PRINTED[key] ?? key));
}

/** Every key and what it does. */
function keysView(dispatch: Dispatch): VNode {
  return h(
    'div',
    { class: 'overlay keys', role: 'dialog', 'aria-label': say('Keys'), tabindex: -1, key: 'keys' },
    h('div', { class: 'row' }, h('h3', {}, say('Keys')), closeButton(dispatch)),
    keyLists().map(([title, list]) => [
      h('h4', {}, title),
      h(
        'dl',
        {},
        list.map(([keys, says]) => [h('dt', { dir: 'ltr' }, keys.map(keyView)), h('dd', {}, says)]),
      ),
    ]),
  );
}

/** What lies over the picture, if anything does. */
export function overlayView(state: State, id: string, dispatch: Dispatch): VNode | null {
  if (state.overlay === 'search') return searchView(state, id, dispatch);
  if (state.overlay === 'hits') return hitsView(state, dispatch);
  return state.overlay === 'keys' ? keysView(dispatch) : null;
}
