import { foldName, FoldKind } from '../folds.js';
import { foldsIn, openFoldsAround } from '../folded.js';
import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import { stateAt } from '../stepstate.js';
import type { Dispatch, State } from '../state.js';
import { say, WORDS } from '../words.js';
import { button } from './parts.js';

/** A graph of so few nodes is seen whole. */
export const FEW = 12;

/** The calls around the current node, the outermost first; each leads to its box with all inside closed. */
export function breadcrumbs(state: State, dispatch: Dispatch): VNode | null {
  const { model, open, selected, step } = state;
  const folds = foldsIn(model);
  const node = selected >= 0 ? selected : stateAt(model, step).node;
  const around = openFoldsAround(model, open, node).filter(
    (fold) => folds.kind[fold] !== FoldKind.Range,
  );
  if (!folds.kind.length || model.graph.nodeCount <= FEW) return null;
  const crumb = (fold: number, name: string): VNode =>
    h(
      'li',
      { key: fold },
      button(name, 'quiet crumb', () => dispatch({ kind: 'foldInside', fold }), {
        'aria-current': fold === (around.at(-1) ?? -1) ? 'location' : null,
      }),
    );
  return h(
    'ol',
    { class: 'crumbs', 'aria-label': say('Where this is in the model') },
    crumb(-1, model.recording.header.tape.name || WORDS.untitled),
    around.map((fold) => {
      const iteration = folds.iteration[fold]!;
      const name = foldName(model, folds, fold);
      return crumb(fold, iteration ? `${name} ${iteration}` : name);
    }),
  );
}
