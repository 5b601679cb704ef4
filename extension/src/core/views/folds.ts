import { wantExtras } from '../extras.js';
import { FoldKind, foldName } from '../folds.js';
import { foldsIn, openAround, opened } from '../folded.js';
import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import { stateAt } from '../stepstate.js';
import type { Action, Dispatch, State } from '../state.js';
import { say } from '../words.js';
import { FEW } from './breadcrumbs.js';
import { button } from './parts.js';

/** With more nodes than this, all of them at once would be no picture and a long wait. */
const MOST = 200_000;

/** What folds, unfolds and sizes the graph, where it is large enough to need that. */
export function foldBar(state: State, fit: () => void, dispatch: Dispatch): VNode | null {
  const { model, open, selected, step } = state;
  const { nodeCount } = model.graph;
  if (nodeCount <= FEW) return null;
  const folds = foldsIn(model);
  const size = opened(model, open).size;
  const around = openAround(model, open, selected >= 0 ? selected : stateAt(model, step).node);
  const tool = (text: string, action: Action, name = text): VNode =>
    button(text, 'quiet', () => dispatch(action), { 'aria-label': name });
  const iterations =
    folds.kind.includes(FoldKind.Loop) && wantExtras()?.iterations(state, dispatch);
  const one = around >= 0 && say('Fold {name}', { name: foldName(model, folds, around) });
  return h(
    'div',
    { class: 'foldbar', role: 'toolbar', 'aria-label': say('Size of the graph') },
    one && tool(one, { kind: 'fold', fold: around }),
    size > 0 && tool(say('Fold all'), { kind: 'foldAll', open: false }),
    size < folds.kind.length &&
      nodeCount <= MOST &&
      tool(say('Unfold all'), { kind: 'foldAll', open: true }),
    iterations,
    h('span', { class: 'push' }),
    tool('−', { kind: 'zoom', by: -1 }, say('Smaller')),
    tool('+', { kind: 'zoom', by: 1 }, say('Larger')),
    button(say('Whole graph'), 'quiet', fit),
  );
}
