import { extentOf } from '../boxes.js';
import type { Chart } from '../chart.js';
import { h } from '../dom.js';
import type { Attributes, Child, VNode } from '../dom.js';
import { SMALLEST_ZOOM } from '../legibility.js';
import type { Model } from '../model.js';
import type { StepState } from '../stepstate.js';
import { isWindowed, wholePart } from '../scene.js';
import { WORDS } from '../words.js';
import { graphContent, graphSummary } from './graph.js';
import type { GraphOptions } from './graph.js';
import { overhang } from './edges.js';
import { spokenAround, treeBox, treeItem } from './tree.js';
import type { Position } from './tree.js';

const MARGIN = 14;

/** The pane of a graph: it takes the focus, scrolls, and has arrows to walk its nodes. */
export function stageBox(look: string, content: Child, tree?: Attributes): VNode {
  return h(
    'div',
    { class: look, tabindex: 0, role: 'group', 'aria-label': WORDS.graph, ...tree },
    content,
  );
}

/** What a screen reader adds to the name of the graph: how large it is, and where we are. */
function summaryView(model: Model, current: StepState, { id }: Position): VNode {
  return h(
    'p',
    { class: 'sr', id: `${id}-summary`, 'aria-hidden': 'true' },
    graphSummary(model, current),
  );
}

/** The drawing of a graph that is small enough to be drawn whole. */
function wholeGraphView(
  model: Model,
  chart: Chart,
  current: StepState,
  zoom: number,
  options: GraphOptions,
): VNode {
  const part = wholePart(chart);
  const { left, top, right, bottom } = extentOf(chart);
  const lowest = Math.max(bottom, chart.layout.height + overhang(model, chart, part));
  const [width, height] = [right - left + MARGIN, lowest - top + MARGIN];
  const fixed = `width:${Math.round(width * zoom)}px;max-width:none;min-width:0`;
  const fluid = `max-width:${width}px;min-width:${Math.round(width * SMALLEST_ZOOM)}px;margin-inline:auto`;
  return h(
    'svg',
    {
      viewBox: `${left - MARGIN / 2} ${top - MARGIN / 2} ${width} ${height}`,
      style: zoom === 1 ? fluid : fixed,
      role: 'none',
    },
    graphContent(model, chart, current, part, options),
  );
}

/** The graph, whole where it is small enough, otherwise painted: the part that the camera sees. */
export function stageView(
  model: Model,
  chart: Chart,
  current: StepState,
  zoom: number,
  options: GraphOptions,
  position: Position,
): VNode {
  const summary = summaryView(model, current, position);
  const tree = treeBox(position);
  if (isWindowed(chart)) {
    const canvas = h('canvas', { 'aria-hidden': 'true' });
    const spoken = spokenAround(model, chart, current, position);
    return stageBox('stage windowed', [summary, canvas, spoken], tree);
  }
  const item = treeItem(model, chart, current, position);
  const svg = wholeGraphView(model, chart, current, zoom, { ...options, zoom, treeItem: item });
  return stageBox('stage', [summary, svg], tree);
}
