import { extend } from '../core/extras.js';
import part from '../extras/tensors.js';

extend(part);
