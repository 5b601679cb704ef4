/**
 * The graph for those who do not see it: a tree of which the arrow keys walk the edges, in the manner
 * of TADA. The pane keeps the focus, and points at the node that the learner has come to.
 */
import type { Chart } from '../chart.js';
import { h } from '../dom.js';
import type { Attributes, VNode } from '../dom.js';
import type { Model } from '../model.js';
import { spokenNode } from '../spoken.js';
import type { StepState } from '../stepstate.js';
import { neighbours } from '../walk.js';
import type { Walk } from '../state.js';

/** Of a painted graph, at most so many nodes on either side are there to be spoken. */
const AROUND = 8;

/** Where the learner is in the graph. */
export interface Position {
  /** A name that no other picture on the page has. */
  readonly id: string;
  /** The place that the learner is at, or -1. */
  readonly here: number;
  readonly walk: Walk | null;
}

/** How deep in open folds a place is, from 1. */
function levelOf(chart: Chart, place: number): number {
  const folds = chart.folded?.folds;
  if (!folds) return 1;
  const fold = chart.foldAt(place);
  let around = fold >= 0 ? folds.parent[fold]! : (folds.ofNode[chart.nodes[place]!] ?? -1);
  let level = 1;
  for (; around >= 0; around = folds.parent[around]!) level++;
  return level;
}

/** What makes a node of the drawing an item of the tree. */
export function treeItem(
  model: Model,
  chart: Chart,
  current: StepState,
  { id, here, walk }: Position,
): (place: number) => Attributes {
  return (place) => ({
    id: `${id}-place-${place}`,
    role: 'treeitem',
    'aria-label': spokenNode(model, chart, current, place, place === here ? walk : null),
    'aria-level': levelOf(chart, place),
    'aria-expanded': chart.foldAt(place) >= 0 ? 'false' : null,
    'aria-selected': String(place === here),
  });
}

/** What makes the pane of a graph a tree. */
export function treeBox({ id, here }: Position): Attributes {
  return {
    role: 'tree',
    'aria-describedby': `${id}-summary`,
    'aria-activedescendant': here < 0 ? null : `${id}-place-${here}`,
  };
}

/** Stands in for the nodes of a painted graph: the one that the learner is at, and those around. */
export function spokenAround(
  model: Model,
  chart: Chart,
  current: StepState,
  position: Position,
): VNode {
  const { here } = position;
  const item = treeItem(model, chart, current, position);
  const near = here < 0 ? [] : [...neighbours(chart, here, 'in').slice(0, AROUND), here];
  if (here >= 0) near.push(...neighbours(chart, here, 'out').slice(0, AROUND));
  return h(
    'div',
    { class: 'sr', role: 'none' },
    near.map((place) =>
      h('div', {
        ...item(place),
        key: place,
        'aria-posinset': place + 1,
        'aria-setsize': chart.nodes.length,
      }),
    ),
  );
}
