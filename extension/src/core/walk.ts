/**
 * Walking the graph along its edges: to what a node is computed from, to what it goes into, and from
 * one of several to the next. What is folded counts as one node.
 */
import type { Chart } from './chart.js';
import { shownFor } from './folded.js';
import { stateAt } from './stepstate.js';
import type { Action, State, Walk, Way } from './state.js';

/** The places that lead into a place as its op takes them, or that it leads to as they ran. */
export function neighbours(chart: Chart, place: number, way: Way): number[] {
  const edges = way === 'in' ? chart.edgesInto(place) : chart.edgesFrom(place);
  const end = way === 'in' ? 'from' : 'to';
  const inOrder = Array.from(edges).sort((a, b) => chart.edges[a]! - chart.edges[b]!);
  return [...new Set(inOrder.map((edge) => chart.ends(edge)[end]))];
}

/** The place that the learner is at: the node that was pointed at, or else that of the step. */
export function placeHere({ model, open, selected, step }: State, chart: Chart): number {
  const node = selected >= 0 ? selected : stateAt(model, step).node;
  return node < 0 ? -1 : chart.placeOf(shownFor(model, open, node));
}

/** Along an edge; back to where one came from rather than to another. */
function along(chart: Chart, here: number, walk: Walk | null, way: Way): Action | null {
  const places = neighbours(chart, here, way);
  const back = walk && walk.way !== way ? chart.placeOf(walk.from) : -1;
  const place = places.includes(back) ? back : places[0];
  return place === undefined
    ? null
    : { kind: 'walk', node: chart.nodes[place]!, walk: { from: chart.nodes[here]!, way } };
}

/** To the next of the inputs or outputs that one walks among; in order where there are no others. */
function sideways(chart: Chart, here: number, walk: Walk | null, by: 1 | -1): Action {
  const places = walk ? neighbours(chart, chart.placeOf(walk.from), walk.way) : [];
  const at = places.indexOf(here);
  if (at < 0 || places.length < 2) return { kind: 'selectBy', by };
  const place = places[(at + by + places.length) % places.length]!;
  return { kind: 'walk', node: chart.nodes[place]!, walk };
}

/** What an arrow key does in the graph; to the sides only while a node is pointed at. */
export function walkBy(state: State, chart: Chart, key: string): Action | null {
  const { selected, walk } = state;
  const here = placeHere(state, chart);
  if (key === 'ArrowUp') return sideways(chart, here, walk, -1);
  if (key === 'ArrowDown') return sideways(chart, here, walk, 1);
  const way = key === 'ArrowLeft' ? 'in' : key === 'ArrowRight' ? 'out' : null;
  return way && selected >= 0 && here >= 0 ? along(chart, here, walk, way) : null;
}
