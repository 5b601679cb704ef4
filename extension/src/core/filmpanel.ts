import { h, patch } from './dom.js';
import { filmOf, troublesOf } from './film.js';
import type { TrainingSeries } from './film.js';
import type { FilmFocus } from './live.js';
import { createRoot } from './root.js';
import { STYLES } from './styles.js';
import film from './styles/film.css';
import { filmView } from './views/film.js';
import { say, speak } from './words.js';
import type { Catalogue } from './words.js';

export interface FilmOptions {
  readonly language?: string | undefined;
  readonly words?: Catalogue | undefined;
  /** Show the tape of a step, with what explains it. */
  readonly open: (step: number) => void;
}

/** So many columns are drawn at most. */
const COLUMNS = 120;

/** Draw the film of a whole training inside an element. */
export function mountFilm(host: Element, series: TrainingSeries, options: FilmOptions): void {
  speak(options.words);
  const root = createRoot(host, options.language, say('Gradient norms by step'), STYLES + film);
  const drawn = filmOf(series, COLUMNS);
  const [first] = troublesOf(drawn);
  let step: number | null = first ? drawn.columns[first.column]! : null;
  let focus: FilmFocus = { line: first?.line ?? 0, hover: null };
  const { open } = options;
  const actions = {
    choose: (next: number | null) => {
      step = next;
      draw();
    },
    point: (next: FilmFocus) => {
      focus = next;
      draw();
    },
    open: (next: number | null) => open(next!),
    explain: (next: number | null) => open(next!),
  };
  const draw = (): void => {
    speak(options.words);
    const { epochs, kept } = series;
    patch(root, [
      h('div', { class: 'bar' }, h('h3', {}, say('Gradient norms by step'))),
      drawn.columns.length
        ? h(
            'div',
            { class: 'filmbody' },
            filmView({ film: drawn, kept, epochs, step, focus }, actions),
          )
        : h('p', { class: 'filmbody' }, say('No step of this training was measured.')),
    ]);
  };
  draw();
}
