import { brokenPathOf } from '../core/brokenpath.js';
import type { Extras } from '../core/extras.js';
import style from '../core/styles/why.css';
import { whyView } from '../core/views/why.js';

/** The findings of an explanation, drawn. */
export default { style, brokenPathOf, why: whyView } satisfies Partial<Extras>;
