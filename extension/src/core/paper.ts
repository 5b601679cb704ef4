import { firstStep } from './stepstate.js';
import type { Store } from './store.js';

/**
 * On paper the last step stands, with all values and gradients, unless the reader has gone to
 * another one. After printing, the step on the screen is the one before. `arrange` changes what
 * stands on the page for paper, and returns what undoes that.
 */
export function followPrint(page: Window, store: Store, arrange: () => () => void): () => void {
  let before: number | null = null;
  let restore = (): void => {};
  const lay = (): void => {
    const { step, view, model, predicting } = store.state();
    if (step <= firstStep(model) && view === 'tape' && predicting === 'off') {
      before = step;
      store.dispatch({ kind: 'go', step: model.stepCount });
    }
    restore = arrange();
  };
  const lift = (): void => {
    restore();
    if (before !== null) store.dispatch({ kind: 'go', step: before });
    before = null;
  };
  page.addEventListener('beforeprint', lay);
  page.addEventListener('afterprint', lift);
  return () => {
    page.removeEventListener('beforeprint', lay);
    page.removeEventListener('afterprint', lift);
  };
}
