import { foldsIn } from '../folded.js';
import { foldName } from '../folds.js';
import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import type { Action, State } from '../state.js';
import { loopsAt, goToIteration } from '../iterations.js';
import { say } from '../words.js';

/** A field for the iteration to look at, of each loop around the present step. */
export function iterationsView(state: State, dispatch: (action: Action) => void): VNode[] {
  const folds = foldsIn(state.model);
  return loopsAt(state).map((loop) => {
    const of = loop.iterations.length;
    const name = foldName(state.model, folds, loop.fold);
    const onchange = (event: Event): void => {
      const { value } = event.target as HTMLInputElement;
      if (value) dispatch(goToIteration(state, loop, Number(value)));
    };
    return h(
      'label',
      { class: 'turn', key: `t${loop.fold}` },
      say('iteration'),
      h('input', {
        type: 'number',
        min: 1,
        max: of,
        value: loop.iteration || '',
        onchange,
        'aria-label': say('Iteration of {name}, 1 to {of}', { name, of }),
        'aria-keyshortcuts': 'PageUp PageDown',
      }),
      say('of {of}', { of }),
    );
  });
}
