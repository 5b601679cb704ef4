import { chartOf } from '../chart.js';
import type { Chart } from '../chart.js';
import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { Explanation, Finding } from '../explanation.js';
import { EdgeKind, NodeKind } from '../graph.js';
import type { Model } from '../model.js';
import { frameAt, labelOf } from '../picture.js';
import type { Picture } from '../picture.js';
import type { Action, State } from '../store.js';
import { WORDS } from '../words.js';
import { sourceView } from './code.js';
import type { Mark } from './code.js';
import { graphContent, wholePart } from './graph.js';
import { button, chip, iconButton, prose } from './parts.js';
import { isOffFrame } from './reel.js';
import { stageBox } from './stage.js';

/** What of the graph tells why a path ends. */
export interface Story {
  readonly chart: Chart;
  readonly culprit: number;
  /** The edge at which the path ends, or -1. */
  readonly cut: number;
  /** The frame before which the reel is torn, or -1. */
  readonly cutFrame: number;
}

const MOST_NODES = 40;

/** All nodes that lead to `start`, or (`forwards`) all that it leads to. */
function reachable(model: Model, start: readonly number[], forwards: boolean): Set<number> {
  const { edgeFrom, edgeTo, edgeCount } = model.graph;
  const found = new Set(start);
  for (let at = 0; at < edgeCount; at++) {
    const edge = forwards ? at : edgeCount - 1 - at;
    const [near, far] = forwards
      ? [edgeFrom[edge]!, edgeTo[edge]!]
      : [edgeTo[edge]!, edgeFrom[edge]!];
    if (found.has(near)) found.add(far);
  }
  return found;
}

function nodesNamed(model: Model, name: string): number[] {
  const found: number[] = [];
  for (let node = 0; node < model.graph.nodeCount; node++) {
    if (labelOf(model, node) === name) found.push(node);
  }
  return found;
}

function nodesOf(model: Model, tensors: ArrayLike<number>): number[] {
  return Array.from(tensors, (tensor) => model.graph.nodeOfTensor[tensor] ?? -1).filter(
    (node) => node >= 0,
  );
}

function nodesOfEvidence(model: Model, finding: Finding | undefined): number[] {
  const { nodeOfEvent } = model.graph;
  const events = finding?.evidence ?? [];
  return events.map((event) => nodeOfEvent[event] ?? -1).filter((node) => node >= 0);
}

/** The nodes between source and target; where nothing connects them, both ends of the story. */
function relevant(
  model: Model,
  explanation: Explanation,
  finding: Finding | undefined,
): Set<number> {
  const asked = model.passage?.asked;
  const named = (name: string, tensors: ArrayLike<number>): number[] => {
    const found = nodesNamed(model, name);
    return found.length ? found : nodesOf(model, tensors);
  };
  const sources = named(explanation.source, asked?.sources ?? []);
  const targets = named(explanation.target, asked?.targets ?? []);
  const before = reachable(model, targets, false);
  const after = reachable(model, sources, true);
  const between = new Set([...before].filter((node) => after.has(node)));
  const wanted = between.size ? between : new Set([...before, ...after]);
  for (const node of [...sources, ...targets, ...nodesOfEvidence(model, finding)]) wanted.add(node);
  if (wanted.size <= MOST_NODES) return wanted;
  return new Set([...wanted].slice(0, MOST_NODES / 2).concat([...wanted].slice(-MOST_NODES / 2)));
}

/** The edge at which the path leaves the tape, among the nodes of the story. */
function cutAmong(model: Model, wanted: ReadonlySet<number>): number {
  const { edgeFrom, edgeTo, edgeKind } = model.graph;
  return edgeKind.findIndex(
    (kind, edge) =>
      kind === EdgeKind.Cut && wanted.has(edgeFrom[edge]!) && wanted.has(edgeTo[edge]!),
  );
}

/** The edge by which a path that was never on the tape enters the culprit. */
function edgeToCulprit(model: Model, wanted: ReadonlySet<number>, culprit: number): number {
  const { firstEdge, edgeFrom, edgeKind } = model.graph;
  if (culprit < 0) return -1;
  for (let edge = firstEdge[culprit]!; edge < firstEdge[culprit + 1]!; edge++) {
    if (edgeKind[edge] !== EdgeKind.Taped && wanted.has(edgeFrom[edge]!)) return edge;
  }
  return -1;
}

const CLOSE = 36;
const CUT_ROOM = 88;

/** A tight layout with room for the sign at the cut. */
function storyChart(
  model: Model,
  wanted: ReadonlySet<number>,
  cut: number,
  direction: 'right' | 'down',
): Chart {
  const tight = { wanted, narrowest: 118 };
  if (direction === 'down') return chartOf(model, direction, tight);
  const first = chartOf(model, direction, tight);
  const cutPlace = cut < 0 ? -1 : first.placeOf(model.graph.edgeTo[cut]!);
  const cutLayer = cutPlace < 0 ? -1 : first.layout.layerOf[cutPlace];
  const straight = first.layout.layers.every((layer) => layer.length === 1);
  if (!straight) return first;
  const layerGap = (layer: number): number => (layer === cutLayer ? CUT_ROOM : CLOSE);
  return chartOf(model, direction, { ...tight, layerGap });
}

/** Choose what to draw of a recording to explain one finding. */
export function storyOf(
  model: Model,
  explanation: Explanation,
  finding: Finding | undefined,
  direction: 'right' | 'down',
): Story {
  const wanted = relevant(model, explanation, finding);
  const left = cutAmong(model, wanted);
  const evidence = nodesOfEvidence(model, finding);
  const off = evidence.find((node) => model.graph.nodeKind[node] === NodeKind.Off);
  const culprit = left >= 0 ? model.graph.edgeTo[left]! : (off ?? evidence.at(-1) ?? -1);
  const cut = left >= 0 ? left : edgeToCulprit(model, wanted, culprit);
  return {
    chart: storyChart(model, wanted, cut, direction),
    culprit,
    cut,
    cutFrame: tornBefore(model, culprit),
  };
}

/** The frame before which the reel is torn: the first off the tape, if something was on it. */
function tornBefore(model: Model, culprit: number): number {
  const frame = culprit < 0 ? -1 : model.graph.nodeFrame[culprit]!;
  const torn = frame > 0 && isOffFrame(model, frame) && !isOffFrame(model, frame - 1);
  return torn ? frame : -1;
}

/** The picture of a recording once everything has happened. */
export function lastPicture(model: Model): Picture {
  return frameAt(model, model.stepCount);
}

function cutMark(x: number, y: number): VNode {
  return h(
    'g',
    { class: 'cutsign', transform: `translate(${x} ${y})` },
    h('circle', { r: 17 }),
    h('path', { d: 'M-6-6 6 6M6-6-6 6' }),
  );
}

/** Where the tape ends, when all nodes off the tape stand beyond all nodes on it. */
function border(model: Model, story: Story): number | null {
  const { chart, cut } = story;
  const { layout } = chart;
  if (cut < 0 || model.graph.edgeKind[cut] !== EdgeKind.Cut) return null;
  const layer = layout.layerOf[chart.placeOf(model.graph.edgeTo[cut]!)]!;
  for (let place = 0; place < chart.nodes.length; place++) {
    const off = model.graph.nodeKind[chart.nodes[place]!] === NodeKind.Off;
    if (off !== layout.layerOf[place]! >= layer) return null;
  }
  return (layout.layerEnd[layer - 1]! + layout.layerStart[layer]!) / 2;
}

function overlays(model: Model, story: Story): { over: VNode[]; top: number } {
  const { chart, cut } = story;
  const place = cut < 0 ? -1 : Array.from(chart.edges).indexOf(cut);
  if (place < 0) return { over: [], top: 0 };
  const [x, y] = chart.lane(place, false, false).at(0.5);
  const at = border(model, story);
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

function storyGraph(model: Model, story: Story, dispatch: (action: Action) => void): VNode {
  const { chart, culprit } = story;
  const { over, top } = overlays(model, story);
  const picture = lastPicture(model);
  const content = graphContent(model, chart, picture, wholePart(chart), {
    selected: -1,
    culprit,
    ...(story.cut >= 0 ? { cut: story.cut } : {}),
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
      style: `max-width:${width}px;min-width:${Math.round(width * 0.957)}px;margin-inline:auto`,
      role: 'img',
      'aria-label': storySummary(model, story),
    },
    content,
  );
  return stageBox('stage', svg);
}

function storySummary(model: Model, story: Story): string {
  const { nodes } = story.chart;
  const names = (off: boolean): string =>
    Array.from(nodes)
      .filter((node) => (model.graph.nodeKind[node] === NodeKind.Off) === off)
      .map((node) => labelOf(model, node))
      .join(', ');
  const offTape = names(true);
  return `${WORDS.onTape}: ${names(false)}.${offTape ? ` ${WORDS.offTape}: ${offTape}.` : ''}`;
}

function whyHeader(
  explanation: Explanation,
  state: State,
  dispatch: (action: Action) => void,
): VNode {
  const { connected, partial, target, source } = explanation;
  const title = partial ? WORDS.whyPartial : connected ? WORDS.connected : WORDS.whyNone;
  const several = state.findings > 1;
  const walk = (by: 1 | -1) => () => dispatch({ kind: 'finding', by });
  return h(
    'div',
    { class: 'bar', role: 'toolbar', 'aria-label': WORDS.header },
    h('h3', {}, title),
    h('span', { class: 'muted small' }, WORDS.gradientOf(target, source)),
    h('span', { class: 'push' }),
    several
      ? [
          iconButton('back', WORDS.previousFinding, walk(-1), state.finding === 0),
          h('span', { class: 'num' }, WORDS.findings(state.finding + 1, state.findings)),
          iconButton('next', WORDS.nextFinding, walk(1), state.finding === state.findings - 1),
        ]
      : null,
    connected ? null : chip('none', 'None'),
  );
}

function diffView(fix: NonNullable<Finding['fix']>): VNode {
  const line = (look: string, mark: string, text: string): VNode[] =>
    text.split('\n').map((part) => h('div', { class: look }, h('span', {}, mark), part));
  return h('div', { class: 'diff' }, line('del', '−', fix.before), line('ins', '+', fix.after));
}

function copyWords(after: string): string {
  return after.includes('\n') ? WORDS.copyLines : WORDS.copyLine;
}

function sayView(
  finding: Finding,
  copied: boolean,
  copy: (() => void) | null,
  dispatch: (action: Action) => void,
): VNode {
  const { fix } = finding;
  const acts: Child[] = [
    fix && copy ? button(copied ? WORDS.copied : copyWords(fix.after), 'primary', copy) : null,
    button(WORDS.showOnTape, '', () => dispatch({ kind: 'view', view: 'tape' })),
  ];
  return h(
    'div',
    { class: 'say', role: 'region', 'aria-live': 'polite', 'aria-label': WORDS.inspector },
    h('h3', {}, prose(finding.title)),
    h('p', {}, prose(finding.message)),
    fix ? [h('h4', {}, WORDS.writeInstead), diffView(fix)] : null,
    h('div', { class: 'acts' }, acts),
  );
}

function culpritCode(model: Model, finding: Finding): VNode | null {
  const { where } = finding;
  const source = model.recording.header.sources[where?.source ?? 0];
  if (!source) return null;
  if (!where) return sourceView(source, -1, []);
  const { line, column, end_line: endLine, end_column: endColumn } = where;
  const mark: Mark = {
    span: { source: where.source, line, column, endLine, endColumn },
    tone: 'n',
  };
  return sourceView(source, line, [mark]);
}

function evidenceView(finding: Finding): Child[] {
  const steps = finding.steps.map(({ line, text }) =>
    h('li', {}, h('span', { class: 'muted' }, WORDS.line(line)), h('span', {}, prose(text))),
  );
  return [
    steps.length ? h('ol', { class: 'evidence small' }, steps) : null,
    finding.lesson ? h('p', { class: 'small muted' }, WORDS.lesson(finding.lesson)) : null,
  ];
}

/** Why a gradient is `None`: the culprit, one sentence, the line to write, and the cut. */
export function whyView(
  model: Model,
  explanation: Explanation,
  state: State,
  story: Story,
  copied: boolean,
  copy: (() => void) | null,
  dispatch: (action: Action) => void,
): VNode[] {
  const finding = explanation.findings[state.finding];
  if (!finding) return [whyHeader(explanation, state, dispatch)];
  return [
    whyHeader(explanation, state, dispatch),
    h(
      'div',
      { class: 'why' },
      h(
        'div',
        { class: 'left' },
        culpritCode(model, finding),
        sayView(finding, copied, copy, dispatch),
      ),
      h('div', { class: 'graph story' }, storyGraph(model, story, dispatch), evidenceView(finding)),
    ),
  ];
}
