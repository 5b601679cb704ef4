import { EXTRAS } from '../core/views/extras.js';

export default EXTRAS;
