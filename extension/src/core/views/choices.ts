import type { Child, VNode } from '../dom.js';
import { PANES } from '../state.js';
import type { Dispatch, Pane, State } from '../state.js';
import { say } from '../words.js';
import { button, chip } from './parts.js';

/** @said */
export const TITLES: Readonly<Record<Pane, string>> = {
  graph: 'Graph',
  flow: 'Flow',
  memory: 'Memory',
  watched: 'Watched',
  entries: 'Entries',
};

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
