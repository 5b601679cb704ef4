import type { Extras } from '../core/extras.js';
import entries from '../core/styles/entries.css';
import figures from '../core/styles/figures.css';
import { entriesPane } from '../core/views/entries.js';
import { figureOf } from '../core/views/figures.js';
import { nodeMaps } from '../core/views/nodemaps.js';

/** The numbers of tensors, drawn: for recordings with tensors of several numbers. */
export default {
  style: figures + entries,
  figureOf,
  nodeMaps,
  entries: entriesPane,
} satisfies Partial<Extras>;
