import { patch } from './dom.js';
import type { LiveActions, LiveState } from './live.js';
import { createRoot } from './root.js';
import { STYLES } from './styles.js';
import film from './styles/film.css';
import live from './styles/live.css';
import { liveView } from './views/live.js';
import { say, speak } from './words.js';
import type { Catalogue } from './words.js';

export interface LiveOptions {
  readonly actions?: LiveActions;
  readonly language?: string | undefined;
  readonly words?: Catalogue | undefined;
}

/** Draw the panel inside an element; the result draws it again with another state. */
export function mount(host: Element, state: LiveState, options: LiveOptions = {}) {
  speak(options.words);
  const root = createRoot(host, options.language, say('Tape panel'), STYLES + live + film);
  // A sheet in one place of a page dresses all of it.
  root.classList.add('live');
  const update = (next: LiveState): void => {
    speak(options.words);
    patch(root, liveView(next, options.actions ?? {}));
  };
  update(state);
  return update;
}
