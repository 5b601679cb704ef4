import type { Extras } from '../core/extras.js';
import essentials from './essentials.js';
import tensors from './tensors.js';
import whatIf from './whatif.js';
import why from './why.js';

const PARTS = [essentials, tensors, whatIf, why];

/** All views that may come later. */
const EXTRAS: Extras = {
  ...essentials,
  ...tensors,
  ...whatIf,
  ...why,
  style: PARTS.map(({ style }) => style).join(''),
};

export default EXTRAS;
