import type { Extras } from '../extras.js';
import style from '../styles/panes.css';
import { speak } from '../words.js';
import { paneView } from './panes.js';
import { questionView, verdictView } from './predict.js';

/** All views that may come later. */
export const EXTRAS: Extras = {
  style,
  speak,
  pane: paneView,
  question: questionView,
  verdict: verdictView,
};
