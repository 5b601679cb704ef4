import { extend } from '../core/extras.js';
import part from '../extras/whatif.js';

extend(part);
