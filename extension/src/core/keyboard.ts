import type { Chart } from './chart.js';
import { foldAround } from './folded.js';
import { ACTS } from './shortcuts.js';
import { stateAt } from './stepstate.js';
import type { Action, State } from './state.js';
import { walkBy } from './walk.js';

const STEPPING = new Set([
  ...['next', 'previous', 'first', 'last', 'backward', 'toggle'],
  ...['nextSum', 'firstOdd', 'predict', 'takeBack'],
]);

/** Walk inside a toolbar with the arrows: one tab stop, many buttons. */
function roveToolbar(target: Element, key: string): boolean {
  const toolbar = target.closest('[role=toolbar]');
  const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  if (!toolbar || !by) return false;
  const stops = [...toolbar.querySelectorAll<HTMLElement>('button, select')];
  const next = stops[(stops.indexOf(target as HTMLElement) + by + stops.length) % stops.length];
  next?.focus();
  return true;
}

/** Give every toolbar one tab stop: the button that has the focus, or else its first. */
export function keepOneTabStop(root: Element): void {
  const active = (root.getRootNode() as Document | ShadowRoot).activeElement;
  for (const toolbar of root.querySelectorAll('[role=toolbar]')) {
    const stops = [...toolbar.querySelectorAll<HTMLElement>('button, select')];
    const stop = stops.find((item) => item === active) ?? stops.find((item) => item.tabIndex === 0);
    for (const item of stops) {
      const tabIndex = item === (stop ?? stops[0]) ? 0 : -1;
      if (item.tabIndex !== tabIndex) item.tabIndex = tabIndex;
    }
  }
}

/** What is larger than its pane can be scrolled by keyboard; what fits is no tab stop. */
export function keepScrollable(root: Element): void {
  const panes = [...root.querySelectorAll<HTMLElement>('.eq, .sum, .diff, .about, .say')];
  // All are measured before one is changed: the page is laid out once.
  const wide = panes.map((pane) =>
    pane.matches('.about, .say')
      ? pane.scrollHeight > pane.clientHeight
      : pane.scrollWidth > pane.clientWidth,
  );
  panes.forEach((pane, at) => {
    if (!wide[at]) pane.removeAttribute('tabindex');
    else if (pane.tabIndex) pane.tabIndex = 0;
  });
}

/** The frame at hand; before the first one runs, the first. */
export const FRAME = '.fr.now,.timelinewrap:not(:has(.now)) .fr';
/** Where the focus goes when what had it is gone. */
export const HERE = `.findings [aria-current],${FRAME}`;

/** Whether what had the focus is gone, or takes no keys any more. */
export function isLost(root: Element, isInside: boolean): boolean {
  return !isInside || root.querySelector(':focus:disabled') !== null;
}

/** Put the focus on the first of some places, where the page stands. */
export function focusOn(root: Element, places: string): void {
  root.querySelector<HTMLElement>(places)?.focus({ preventScroll: true });
}

/** Leave the widget: for the nearest element around it that takes the focus, or the page around. */
function leave(root: Element, target: HTMLElement): void {
  target.blur();
  const around = root.parentElement?.closest<HTMLElement>('[tabindex]');
  if (around) around.focus();
  else parent.focus();
}

function inGraph(state: State, chart: Chart, key: string): Action | null {
  const walked = walkBy(state, chart, key);
  if (walked) return walked;
  const node = state.selected >= 0 ? state.selected : stateAt(state.model, state.step).node;
  const fold = foldAround(state.model, state.open, node);
  if (fold >= 0 && (key === 'Enter' || key === ' ')) return { kind: 'fold', fold };
  if (key === 'Enter') return { kind: 'select', node };
  return null;
}

function pressed(state: State, target: Element, key: string, chart: () => Chart): Action | null {
  const chosen = target.closest('.stage') && inGraph(state, chart(), key);
  if (chosen) return chosen;
  const action = ACTS.get(key)?.(state) ?? null;
  return state.view === 'why' && action && STEPPING.has(action.kind) ? null : action;
}

/** What Escape leaves before the widget: what lies over it, or the selected node of the graph. */
function left({ overlay, selected }: State, target: Element): Action | null {
  if (overlay) return { kind: 'overlay', overlay: null };
  return selected >= 0 && target.closest('.stage') ? { kind: 'select', node: selected } : null;
}

/** Listen for keys on the widget; says whether a key was used. */
export function handleKey(
  root: Element,
  event: KeyboardEvent,
  state: State,
  dispatch: (action: Action) => void,
  chart: () => Chart,
): boolean {
  const target = event.composedPath()[0] as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === 'Escape') {
    const action = left(state, target);
    if (action) dispatch(action);
    else leave(root, target);
    return true;
  }
  if (target.closest('input, select, textarea')) return false;
  if (roveToolbar(target, event.key)) return true;
  const onButton = target.closest('button') !== null && !target.closest('.fr');
  if (event.key === ' ' && onButton) return false;
  const action = pressed(state, target, event.key, chart);
  if (action) dispatch(action);
  return action !== null;
}
