import type { Chart } from '../chart.js';
import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import type { Model } from '../model.js';
import type { StepState } from '../stepstate.js';
import { isWindowed, wholePart } from '../scene.js';
import { WORDS } from '../words.js';
import { graphContent, graphSummary } from './graph.js';
import type { GraphOptions } from './graph.js';
import { overhang } from './edges.js';

const MARGIN = 14;
const SMALLEST_TYPE = 0.957;

/** The pane of a graph: it takes the focus, scrolls, and has arrows to walk its nodes. */
export function stageBox(look: string, svg: VNode): VNode {
  return h('div', { class: look, tabindex: 0, role: 'group', 'aria-label': WORDS.graph }, svg);
}

function wholeStage(
  model: Model,
  chart: Chart,
  current: StepState,
  zoom: number,
  options: GraphOptions,
): VNode {
  const part = wholePart(chart);
  const width = chart.layout.width + MARGIN;
  const height = chart.layout.height + overhang(model, chart, part) + MARGIN;
  const fixed = `width:${Math.round(width * zoom)}px;max-width:none;min-width:0`;
  const fluid = `max-width:${width}px;min-width:${Math.round(width * SMALLEST_TYPE)}px;margin-inline:auto`;
  return stageBox(
    'stage',
    h(
      'svg',
      {
        viewBox: `-7 -7 ${width} ${height}`,
        style: zoom === 1 ? fluid : fixed,
        role: 'img',
        'aria-label': graphSummary(model, current),
      },
      graphContent(model, chart, current, part, options),
    ),
  );
}

/** A large graph is painted, and only what the camera sees of it; the timeline is its accessible twin. */
function paintedStage(model: Model, current: StepState): VNode {
  const label = graphSummary(model, current);
  return stageBox('stage windowed', h('canvas', { role: 'img', 'aria-label': label }));
}

/** The graph, whole where it is small enough, otherwise the part that the camera sees. */
export function stageView(
  model: Model,
  chart: Chart,
  current: StepState,
  zoom: number,
  options: GraphOptions,
): VNode {
  return isWindowed(chart)
    ? paintedStage(model, current)
    : wholeStage(model, chart, current, zoom, options);
}
