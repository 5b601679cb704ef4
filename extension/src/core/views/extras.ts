import type { Extras } from '../extras.js';
import panes from '../styles/panes.css';
import whatif from '../styles/whatif.css';
import { speak } from '../words.js';
import { paneView } from './panes.js';
import { questionView, verdictView } from './predict.js';
import { whatIfView } from './whatif.js';

/** All views that may come later. */
export const EXTRAS: Extras = {
  style: panes + whatif,
  speak,
  pane: paneView,
  question: questionView,
  verdict: verdictView,
  whatIf: whatIfView,
};
