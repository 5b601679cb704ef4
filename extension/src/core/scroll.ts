import { stateAt } from './stepstate.js';
import type { State } from './state.js';
import { framePitch, WHOLE_TIMELINE } from './views/timeline.js';

/** What is scrolled into view gets so much room around it, in pixels. */
const ROOM_AROUND = 48;

function centreTimeline(root: HTMLElement, state: State): void {
  const wrap = root.querySelector<HTMLElement>('.timelinewrap');
  const now = root.querySelector<HTMLElement>('.fr.now');
  if (!wrap || !now) return;
  const { frameCount } = state.model.graph;
  const { frame } = stateAt(state.model, state.step);
  const long = frameCount > WHOLE_TIMELINE;
  const left = long ? frame * framePitch(frameCount) : (now.parentElement?.offsetLeft ?? 0);
  wrap.scrollLeft = left - (wrap.clientWidth - now.offsetWidth) / 2;
}

/** Scroll a pane, and nothing around it, until an item inside can be seen. */
function reveal(root: HTMLElement, paneSelector: string, itemSelector: string): void {
  const pane = root.querySelector<HTMLElement>(paneSelector);
  const item = pane?.querySelector(itemSelector);
  if (!pane || !item || pane.classList.contains('windowed')) return;
  const [outer, inner] = [pane.getBoundingClientRect(), item.getBoundingClientRect()];
  const right = inner.right - outer.left + pane.scrollLeft;
  if (right < outer.width) pane.scrollLeft = 0;
  else if (inner.left < outer.left || inner.right > outer.right) {
    pane.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
  }
  const above = inner.top - outer.top - ROOM_AROUND;
  const below = inner.bottom - outer.bottom + ROOM_AROUND;
  if (above < 0) pane.scrollTop += above;
  else if (below > 0) pane.scrollTop += below;
}

/** Scroll timeline, code and graph so that the current step can be seen. */
export function showCurrent(root: HTMLElement, state: State): void {
  centreTimeline(root, state);
  reveal(root, '.code', '.hl');
  reveal(root, '.stage', state.selected >= 0 ? '.nd.s' : '.nd:is(.v, .g, .n)');
}
