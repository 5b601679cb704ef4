import { foldAround, foldsIn, openAround, opened, shownFor } from './folded.js';
import { stateAt } from './stepstate.js';
import type { State } from './state.js';

/** The node that the learner pointed at, or else that of the step. */
function chosen({ model, selected, step }: State): number {
  return selected >= 0 ? selected : stateAt(model, step).node;
}

/** Select the next node that can be seen; what is folded counts as one. */
export function selectBy(state: State, by: 1 | -1): State {
  const { model, open } = state;
  const here = chosen(state);
  const shown = shownFor(model, open, here);
  let at = here + by;
  while (shownFor(model, open, at) === shown && shown >= 0) at += by;
  return model.graph.nodeTensor[at] === undefined
    ? state
    : { ...state, selected: shownFor(model, open, at) };
}

/** Open a fold that is closed, close one that is open. */
export function toggleFold(state: State, given?: number): State {
  const { model, open } = state;
  const node = chosen(state);
  const closed = foldAround(model, open, node);
  const fold = given ?? (closed >= 0 ? closed : openAround(model, open, node));
  if (fold < 0) return state;
  const next = new Set(opened(model, open));
  if (!next.delete(fold)) next.add(fold);
  return { ...state, open: next };
}

/** Open every fold that hides a node. */
export function revealed(state: State, node: number): State {
  const { model, open } = state;
  const { parent, ofNode } = foldsIn(model);
  if (foldAround(model, open, node) < 0) return state;
  const next = new Set(opened(model, open));
  for (let fold = ofNode[node]!; fold >= 0; fold = parent[fold]!) next.add(fold);
  return { ...state, open: next };
}

/** Open every fold around a fold, and close that one: it is one node then. */
export function revealedFold(state: State, fold: number): State {
  const { model, open } = state;
  const { parent } = foldsIn(model);
  const next = new Set(opened(model, open));
  for (let around = parent[fold]!; around >= 0; around = parent[around]!) next.add(around);
  next.delete(fold);
  return { ...state, open: next };
}

/** Open all folds, or close them. */
export function foldAll(state: State, open: boolean): State {
  const { kind } = foldsIn(state.model);
  return { ...state, open: new Set(open ? kind.keys() : []) };
}

/** Close what is open inside an open fold; or see the graph as it was at first. */
export function foldInside(state: State, fold: number): State {
  if (fold < 0) return { ...state, open: null };
  const { parent } = foldsIn(state.model);
  const isInside = (at: number): boolean => {
    while (at > fold) at = parent[at]!;
    return at === fold;
  };
  const open = [...opened(state.model, state.open)];
  return { ...state, open: new Set(open.filter((at) => at === fold || !isInside(at))) };
}
