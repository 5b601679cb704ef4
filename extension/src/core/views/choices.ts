import type { Attributes, Child, VNode } from '../dom.js';
import { PANES, TITLES } from '../state.js';
import type { Dispatch, Overlay, State } from '../state.js';
import { say } from '../words.js';
import { button, chip, iconButton } from './parts.js';

/** What to see beside the code. */
export function paneChoice(state: State, dispatch: Dispatch): VNode[] {
  return PANES.map((pane, at) =>
    button(say(TITLES[pane]), 'quiet tab', () => dispatch({ kind: 'pane', pane }), {
      'aria-pressed': String(state.pane === pane),
      'aria-keyshortcuts': at + 1,
    }),
  );
}

/** How many of the guesses were right. */
export function scoreView(state: State): Child {
  const { guesses } = state;
  const right = guesses.filter((guess) => guess.right).length;
  return guesses.length
    ? chip('value', say('{right} of {all}', { right, all: guesses.length }))
    : null;
}

export function predictButton(state: State, dispatch: Dispatch): VNode {
  return button(say('Predict'), 'quiet tab', () => dispatch({ kind: 'predict' }), {
    'aria-pressed': String(state.predicting !== 'off'),
    'aria-keyshortcuts': 'p',
  });
}

/** What brings all that is said about a step beside the graph, where one line stands for it. */
export function detailsButton(state: State, dispatch: Dispatch): VNode {
  return button(say('Details'), 'quiet tab', () => dispatch({ kind: 'details' }), {
    'aria-pressed': String(state.details),
  });
}

/** What opens the search and the list of keys. */
export function overlayButtons({ overlay }: State, dispatch: Dispatch): VNode[] {
  const keyed = (name: Overlay): Attributes => ({
    'aria-expanded': String(overlay === name),
    'aria-keyshortcuts': name === 'search' ? '/' : '?',
  });
  const toggle = (name: Overlay) => (): void =>
    dispatch({ kind: 'overlay', overlay: overlay === name ? null : name });
  return [
    iconButton('find', say('Search'), toggle('search'), false, keyed('search')),
    iconButton('keys', say('Keys'), toggle('keys'), false, keyed('keys')),
  ];
}
