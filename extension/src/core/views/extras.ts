import { paint } from '../canvas.js';
import type { Extras } from '../extras.js';
import panes from '../styles/panes.css';
import pictures from '../styles/pictures.css';
import terms from '../styles/terms.css';
import whatif from '../styles/whatif.css';
import why from '../styles/why.css';
import { judge, questionAt } from '../predict.js';
import { storyOf } from '../story.js';
import { speak } from '../words.js';
import { cardMaps } from './cardmaps.js';
import { paneView } from './panes.js';
import { pictureOf } from './pictures.js';
import { turnBy } from '../turns.js';
import { turnsView } from './turns.js';
import { questionView, verdictView } from './predict.js';
import { whatIfView } from './whatif.js';
import { whyView } from './why.js';
import { termsView } from '../../extras/terms.js';

/** All views that may come later. */
export const EXTRAS: Extras = {
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
