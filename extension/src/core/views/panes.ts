import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { StepState } from '../stepstate.js';
import { TITLES } from '../state.js';
import type { Dispatch, Pane, State } from '../state.js';
import { extras } from '../extras.js';
import type { Room } from '../extras.js';
import { say } from '../words.js';
import { magnitudesView } from './magnitudes.js';
import { memoryView } from './memory.js';
import { watchedView } from './watched.js';

/** What stands beside the code in place of the graph. */
export function paneView(
  state: State,
  current: StepState,
  room: Room,
  hatch: string,
  dispatch: Dispatch,
): VNode {
  const { model, pane, predicting } = state;
  const { width } = room;
  const views: Readonly<Record<Exclude<Pane, 'graph'>, () => Child>> = {
    flow: () => magnitudesView(model, current, width, hatch, predicting !== 'off', dispatch),
    memory: () => memoryView(model, current, width, dispatch),
    watched: () => watchedView(model, current, dispatch),
    // A page without this part has no tensors of several numbers.
    entries: () =>
      extras()?.entries?.(state, current, room, dispatch) ??
      h('p', { class: 'muted' }, say('No op on this tape has tensors of several numbers.')),
  };
  const label = say(TITLES[pane]);
  return h(
    'div',
    { class: 'pane', key: pane, tabindex: 0, role: 'group', 'aria-label': label },
    pane === 'graph' ? null : views[pane](),
  );
}
