import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { Picture } from '../picture.js';
import { PANES } from '../store.js';
import type { Action, Pane, State } from '../store.js';
import { say } from '../words.js';
import { magnitudesView } from './magnitudes.js';
import { memoryView } from './memory.js';
import { button } from './parts.js';
import { watchedView } from './watched.js';

type Dispatch = (action: Action) => void;

/** @said */
const TITLES: Readonly<Record<Pane, string>> = {
  graph: 'Graph',
  flow: 'Flow',
  memory: 'Memory',
  watched: 'Watched',
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

/** What stands beside the code in place of the graph. */
export function paneView(
  state: State,
  picture: Picture,
  width: number,
  hatch: string,
  dispatch: Dispatch,
): VNode {
  const { model, pane, predicting } = state;
  const views: Readonly<Record<Exclude<Pane, 'graph'>, () => Child>> = {
    flow: () => magnitudesView(model, picture, width, hatch, predicting !== 'off', dispatch),
    memory: () => memoryView(model, picture, width),
    watched: () => watchedView(model, picture, dispatch),
  };
  const label = say(TITLES[pane]);
  return h(
    'div',
    { class: 'pane', key: pane, tabindex: 0, role: 'group', 'aria-label': label },
    pane === 'graph' ? null : views[pane](),
  );
}
