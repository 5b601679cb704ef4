import { paint } from '../core/views/canvas.js';
import type { Extras } from '../core/extras.js';
import panes from '../core/styles/panes.css';
import pictures from '../core/styles/pictures.css';
import terms from '../core/styles/terms.css';
import whatif from '../core/styles/whatif.css';
import why from '../core/styles/why.css';
import { judge, questionAt } from '../core/predict.js';
import { storyOf } from '../core/story.js';
import { speak } from '../core/words.js';
import { cardMaps } from '../core/views/cardmaps.js';
import { paneView } from '../core/views/panes.js';
import { pictureOf } from '../core/views/pictures.js';
import { turnBy } from '../core/turns.js';
import { turnsView } from '../core/views/turns.js';
import { questionView, verdictView } from '../core/views/predict.js';
import { whatIfView } from '../core/views/whatif.js';
import { whyView } from '../core/views/why.js';
import { termsView } from './terms.js';

/** All views that may come later. */
const EXTRAS: Extras = {
  style: panes + pictures + terms + whatif + why,
  speak,
  paint,
  pane: paneView,
  pictureOf,
  cardMaps,
  questionAt,
  judge,
  question: questionView,
  verdict: verdictView,
  turns: turnsView,
  turnBy,
  whatIf: whatIfView,
  storyOf,
  why: whyView,
  terms: termsView,
};

export default EXTRAS;
