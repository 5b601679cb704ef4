import { extend } from '../core/extras.js';
import part from '../extras/why.js';

extend(part);
