import type { Extras } from '../core/extras.js';
import style from '../core/styles/whatif.css';
import { whatIfView } from '../core/views/whatif.js';

/** The sliders of a function of a few numbers. */
export default { style, whatIf: whatIfView } satisfies Partial<Extras>;
