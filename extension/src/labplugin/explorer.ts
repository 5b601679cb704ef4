import { provide } from '../core/extras.js';
import { EXTRAS } from '../core/views/extras.js';

export { mount } from '../core/mount.js';

provide(EXTRAS);
