import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import { EdgeKind, NodeKind } from '../graph.js';
import { SMALLEST_ZOOM } from '../legibility.js';
import type { Model } from '../model.js';
import { stateAt, labelOf } from '../stepstate.js';
import type { Action } from '../state.js';
import type { BrokenPath } from '../brokenpath.js';
import { wholePart } from '../scene.js';
import { WORDS } from '../words.js';
import { graphContent } from './graph.js';
import { stageBox } from './stage.js';

function cutMark(x: number, y: number): VNode {
  return h(
    'g',
    { class: 'cutsign', transform: `translate(${x} ${y})` },
    h('circle', { r: 17 }),
    h('path', { d: 'M-6-6 6 6M6-6-6 6' }),
  );
}

/** Where the tape ends, when all nodes off the tape stand beyond all nodes on it. */
function border(story: BrokenPath): number | null {
  const { model, chart, cut } = story;
  const { layout } = chart;
  if (cut < 0 || model.graph.edgeKind[cut] !== EdgeKind.Cut) return null;
  const layer = layout.layerOf[chart.placeOf(model.graph.edgeTo[cut]!)]!;
  for (let place = 0; place < chart.nodes.length; place++) {
    const off = model.graph.nodeKind[chart.nodes[place]!] === NodeKind.Off;
    if (off !== layout.layerOf[place]! >= layer) return null;
  }
  return (layout.layerEnd[layer - 1]! + layout.layerStart[layer]!) / 2;
}

function overlays(story: BrokenPath): { over: VNode[]; top: number } {
  const { model, chart, cut } = story;
  const place = cut < 0 ? -1 : Array.from(chart.edges).indexOf(cut);
  if (place < 0) return { over: [], top: 0 };
  const [x, y] = chart.route(place, false, false).at(0.5);
  const at = border(story);
  const sign = cutMark(x, y);
  if (at === null || chart.layout.direction === 'down') return { over: [sign], top: 0 };
  const { height } = chart.layout;
  const label = (from: number, text: string): VNode =>
    h('text', { class: 'note strong', x: from, y: -44 }, text);
  const numpy =
    model.graph.nodeKind[model.graph.edgeTo[cut]!] === NodeKind.Off && leftThroughNumPy(model, cut);
  return {
    over: [
      h('path', { class: 'border', d: `M${at} -58V${y - 19}M${at} ${y + 19}V${height + 24}` }),
      label(0, WORDS.onTape),
      label(
        Math.min(at + 44, chart.layout.width - 150),
        numpy ? WORDS.offTapeNumPy : WORDS.offTape,
      ),
      sign,
    ],
    top: 64,
  };
}

function leftThroughNumPy(model: Model, cut: number): boolean {
  const event = model.graph.nodeEvent[model.graph.edgeTo[cut]!]!;
  const left = event < 0 ? null : model.recording.event(event);
  return !!left && 'how' in left && typeof left.how === 'string' && /^np\.|numpy/.test(left.how);
}

/** The nodes that tell why, once everything has happened, with the sign at the cut. */
export function storyGraph(
  story: BrokenPath,
  hatch: string,
  dispatch: (action: Action) => void,
): VNode {
  const { model, chart, culprit } = story;
  const { over, top } = overlays(story);
  const current = { ...stateAt(model, model.stepCount), edge: -1 };
  const content = graphContent(model, chart, current, wholePart(chart), {
    selected: -1,
    culprit,
    ...(story.cut >= 0 ? { cut: story.cut } : {}),
    hatch,
    dispatch,
    over,
  });
  const [width, height] = [
    chart.layout.width + 14,
    chart.layout.height + 14 + top + (top ? 22 : 0),
  ];
  const svg = h(
    'svg',
    {
      viewBox: `-7 ${-7 - top} ${width} ${height}`,
      style: `max-width:${width}px;min-width:${Math.round(width * SMALLEST_ZOOM)}px;margin-inline:auto`,
      role: 'img',
      'aria-label': storySummary(story),
    },
    content,
  );
  return stageBox('stage', svg);
}

function storySummary(story: BrokenPath): string {
  const { model } = story;
  const { nodes } = story.chart;
  const names = (off: boolean): string =>
    Array.from(nodes)
      .filter((node) => (model.graph.nodeKind[node] === NodeKind.Off) === off)
      .map((node) => labelOf(model, node))
      .join(', ');
  const offTape = names(true);
  return `${WORDS.onTape}: ${names(false)}.${offTape ? ` ${WORDS.offTape}: ${offTape}.` : ''}`;
}
