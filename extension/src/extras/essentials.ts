import { paint } from '../core/views/canvas.js';
import type { Extras } from '../core/extras.js';
import panes from '../core/styles/panes.css';
import nudge from '../core/styles/nudge.css';
import overlay from '../core/styles/overlay.css';
import terms from '../core/styles/terms.css';
import { judge, questionAt } from '../core/predict.js';
import { goToHit, markHit } from '../core/search.js';
import { speak } from '../core/words.js';
import { overlayView } from '../core/views/overlay.js';
import { NudgeControl } from '../core/views/nudge.js';
import { paneView } from '../core/views/panes.js';
import { iterationBy } from '../core/iterations.js';
import { iterationsView } from '../core/views/iterations.js';
import { questionView, verdictView } from '../core/views/predict.js';
import { termsView } from './terms.js';

/** The views that every recording may need. */
const ESSENTIALS: Extras = {
  style: nudge + panes + overlay + terms,
  speak,
  paint,
  pane: paneView,
  questionAt,
  judge,
  question: questionView,
  verdict: verdictView,
  iterations: iterationsView,
  iterationBy,
  terms: termsView,
  markHit,
  goToHit,
  overlay: overlayView,
  nudges: (root, store, replays) => {
    const control = new NudgeControl(root, store, replays);
    return () => control.destroy();
  },
};

export default ESSENTIALS;
