import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { Picture } from '../picture.js';
import type { Dispatch, Pane, State } from '../state.js';
import { say } from '../words.js';
import { TITLES } from './choices.js';
import { magnitudesView } from './magnitudes.js';
import { memoryView } from './memory.js';
import { watchedView } from './watched.js';

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
    memory: () => memoryView(model, picture, width, dispatch),
    watched: () => watchedView(model, picture, dispatch),
  };
  const label = say(TITLES[pane]);
  return h(
    'div',
    { class: 'pane', key: pane, tabindex: 0, role: 'group', 'aria-label': label },
    pane === 'graph' ? null : views[pane](),
  );
}
