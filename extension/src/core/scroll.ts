import type { FrameLayout } from './framelayout.js';
import { stateAt } from './stepstate.js';
import { framesOf } from './stops.js';
import type { State } from './state.js';
import { FRAME_WIDTHS, framePitch, WHOLE_TIMELINE } from './views/timeline.js';

/** Around the current node so much of the graph is seen, in pixels, before the pane moves. */
const AROUND_NODE = 40;

function centreTimeline(root: HTMLElement, state: State, look: FrameLayout['timeline']): void {
  const wrap = root.querySelector<HTMLElement>('.timelinewrap');
  const now = root.querySelector<HTMLElement>('.fr.now');
  if (!wrap || !now) return;
  const { count, placeOf } = framesOf(state);
  const place = placeOf(stateAt(state.model, state.step).frame);
  const pitch = framePitch(count, FRAME_WIDTHS[look]);
  const left = count > WHOLE_TIMELINE ? place * pitch : (now.parentElement?.offsetLeft ?? 0);
  wrap.scrollLeft = left - (wrap.clientWidth - now.offsetWidth) / 2;
}

/** Anchor the code at the line of this step: whole lines, the line in the middle, its mark seen. */
function anchorCode(root: HTMLElement): void {
  const strip = root.querySelector<HTMLElement>('.code');
  const line = strip?.querySelector<HTMLElement>('.ln.on');
  if (!strip || !line) return;
  const top = strip.getBoundingClientRect().top - strip.scrollTop;
  const end = (line.querySelector('.hl') ?? line).getBoundingClientRect().bottom - top;
  const centred = line.offsetTop - Math.max(0, strip.clientHeight - line.offsetHeight) / 2;
  const least = Math.max(centred, end - strip.clientHeight);
  const first = [...strip.querySelectorAll<HTMLElement>('.ln')].find(
    (shown) => shown.offsetTop >= least,
  );
  strip.scrollTop = least <= 0 || !first ? 0 : first.offsetTop;
}

/** How far to move along an axis so that an item is seen: not at all, or to the middle. */
function offset(item: readonly [number, number], pane: readonly [number, number]): number {
  const seen = item[0] >= pane[0] + AROUND_NODE && item[1] <= pane[1] - AROUND_NODE;
  return seen ? 0 : (item[0] + item[1] - pane[0] - pane[1]) / 2;
}

/** Move the graph so that its current node is seen with what is around it. */
function revealNode(root: HTMLElement, selector: string): void {
  const pane = root.querySelector<HTMLElement>('.stage:not(.windowed)');
  const item = pane?.querySelector(selector);
  if (!pane || !item) return;
  const [outer, inner] = [pane.getBoundingClientRect(), item.getBoundingClientRect()];
  pane.scrollLeft += offset([inner.left, inner.right], [outer.left, outer.right]);
  pane.scrollTop += offset([inner.top, inner.bottom], [outer.top, outer.bottom]);
}

/** Show the current step in timeline, code and graph. */
export function showCurrent(root: HTMLElement, state: State, look: FrameLayout['timeline']): void {
  centreTimeline(root, state, look);
  anchorCode(root);
  revealNode(root, state.selected >= 0 ? '.nd.s' : '.nd:is(.v, .g, .n)');
}
