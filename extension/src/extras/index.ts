import { paint } from '../core/views/canvas.js';
import type { Extras } from '../core/extras.js';
import entries from '../core/styles/entries.css';
import panes from '../core/styles/panes.css';
import nudge from '../core/styles/nudge.css';
import figures from '../core/styles/figures.css';
import overlay from '../core/styles/overlay.css';
import terms from '../core/styles/terms.css';
import whatif from '../core/styles/whatif.css';
import why from '../core/styles/why.css';
import { judge, questionAt } from '../core/predict.js';
import { brokenPathOf } from '../core/brokenpath.js';
import { goToHit, markHit } from '../core/search.js';
import { speak } from '../core/words.js';
import { nodeMaps } from '../core/views/nodemaps.js';
import { overlayView } from '../core/views/overlay.js';
import { NudgeControl } from '../core/views/nudge.js';
import { paneView } from '../core/views/panes.js';
import { figureOf } from '../core/views/figures.js';
import { iterationBy } from '../core/iterations.js';
import { iterationsView } from '../core/views/iterations.js';
import { questionView, verdictView } from '../core/views/predict.js';
import { whatIfView } from '../core/views/whatif.js';
import { whyView } from '../core/views/why.js';
import { termsView } from './terms.js';

/** All views that may come later. */
const EXTRAS: Extras = {
  style: nudge + panes + entries + figures + overlay + terms + whatif + why,
  speak,
  paint,
  pane: paneView,
  figureOf,
  nodeMaps,
  questionAt,
  judge,
  question: questionView,
  verdict: verdictView,
  iterations: iterationsView,
  iterationBy,
  whatIf: whatIfView,
  brokenPathOf,
  why: whyView,
  terms: termsView,
  markHit,
  goToHit,
  overlay: overlayView,
  nudges: (root, store, replays) => {
    const control = new NudgeControl(root, store, replays);
    return () => control.destroy();
  },
};

export default EXTRAS;
