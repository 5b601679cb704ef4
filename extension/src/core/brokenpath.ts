import { chartOf } from './chart.js';
import type { Chart } from './chart.js';
import type { Explanation, Finding, Where } from './explanation.js';
import { EdgeKind, NodeKind } from './graph.js';
import type { Model } from './model.js';
import { isOffFrame, labelOf } from './stepstate.js';
import { Kind } from './schema.js';

/** What of the graph tells why a path ends. */
export interface BrokenPath {
  /** The recording's model, with the ways that assignments took as edges. */
  readonly model: Model;
  readonly chart: Chart;
  readonly culprit: number;
  /** The edge at which the path ends, or -1. */
  readonly cut: number;
  /** The frame of the culprit, or -1. */
  readonly frame: number;
  /** The frame before which the timeline is cut, or -1. */
  readonly cutFrame: number;
}

const MOST_NODES = 40;

type Ends = readonly [number, number];

/** From every value that was assigned to the state it became. */
function assignments({ graph, recording }: Model): Ends[] {
  const found: Ends[] = [];
  recording.kinds.forEach((kind, index) => {
    const event = kind === Kind.Assigned ? recording.event(index) : null;
    if (event?.kind !== Kind.Assigned) return;
    found.push([graph.nodeOfTensor[event.from] ?? -1, graph.nodeOfTensor[event.state] ?? -1]);
  });
  return found;
}

/** From what left the tape unseen, by a finding, to what came back of it. */
function detours({ graph, recording }: Model, finding: Finding | undefined): Ends[] {
  const found: Ends[] = [];
  let left = -1;
  for (const index of finding?.evidence ?? []) {
    const event = recording.event(index);
    if (event.kind === Kind.Left && graph.nodeOfEvent[index]! < 0) {
      left = graph.nodeOfTensor[event.tensor]!;
    } else if (event.kind === Kind.Made) {
      found.push([left, graph.nodeOfTensor[event.tensor]!]);
    }
  }
  return found;
}

/**
 * The same model with more edges. Nothing that is known was computed there, so the graph of the
 * tape has no such edge; a story is often about just that.
 */
function withEdges(model: Model, more: readonly Ends[]): Model {
  const { graph } = model;
  const from = [...graph.edgeFrom];
  const to = [...graph.edgeTo];
  for (const [start, end] of more) {
    if (start < 0 || end <= start) continue;
    from.push(start);
    to.push(end);
  }
  const added = from.length - graph.edgeCount;
  if (!added) return model;
  const edges = {
    edgeCount: from.length,
    edgeFrom: from,
    edgeTo: to,
    edgePort: [...graph.edgePort, ...Array<number>(added).fill(0)],
    edgeKind: [...graph.edgeKind, ...Array<EdgeKind>(added).fill(EdgeKind.Cut)],
  };
  return { ...model, graph: { ...graph, ...edges } };
}

/** All nodes that lead to `start`, or (`forwards`) all that it leads to. */
function reachable(model: Model, start: readonly number[], forwards: boolean): Set<number> {
  const { edgeFrom, edgeTo, edgeCount } = model.graph;
  const found = new Set(start);
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (let at = 0; at < edgeCount; at++) {
      const edge = forwards ? at : edgeCount - 1 - at;
      const [one, other] = [edgeFrom[edge]!, edgeTo[edge]!];
      const [near, far] = forwards ? [one, other] : [other, one];
      if (found.has(near)) found.add(far);
    }
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
  const gradientCall = model.backwardPass?.gradientCall;
  const named = (name: string, tensors: ArrayLike<number>): number[] => {
    const found = nodesNamed(model, name);
    return found.length ? found : nodesOf(model, tensors);
  };
  const sources = named(explanation.source, gradientCall?.sources ?? []);
  const targets = named(explanation.target, gradientCall?.targets ?? []);
  const before = reachable(model, targets, false);
  const after = reachable(model, sources, true);
  const between = new Set([...before].filter((node) => after.has(node)));
  const wanted = between.size ? between : new Set([...before, ...after]);
  for (const node of [...sources, ...targets, ...nodesOfEvidence(model, finding)]) wanted.add(node);
  if (wanted.size <= MOST_NODES) return wanted;
  return new Set([...wanted].slice(0, MOST_NODES / 2).concat([...wanted].slice(-MOST_NODES / 2)));
}

/** Whether the backward pass reached an edge and propagated nothing along it. */
function isBlocked({ backwardPass }: Model, edge: number): boolean {
  return (
    !!backwardPass && backwardPass.flowOfEdge[edge]! < 0 && backwardPass.edgeOfFlow.includes(edge)
  );
}

/**
 * The edge at which the path leaves the tape, among the nodes of the story: one that leads to what
 * the finding rests on, because another finding may have a cut of its own, or else the first.
 */
function cutAmong(model: Model, wanted: ReadonlySet<number>, evidence: readonly number[]): number {
  const { edgeFrom, edgeTo, edgeKind } = model.graph;
  const first = (fits: (edge: number) => boolean): number =>
    edgeKind.findIndex(
      (_, edge) => wanted.has(edgeFrom[edge]!) && wanted.has(edgeTo[edge]!) && fits(edge),
    );
  const leaves = (edge: number): boolean => edgeKind[edge] === EdgeKind.Cut;
  const isOwn = (edge: number): boolean => evidence.includes(edgeTo[edge]!);
  const own = first((edge) => isOwn(edge) && leaves(edge));
  const blocked = own < 0 ? first((edge) => isOwn(edge) && isBlocked(model, edge)) : own;
  return blocked < 0 ? first(leaves) : blocked;
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
const FLOW_ROOM = 116;

/** The layers that a gradient leaves in the backward pass: its route and its number need room. */
function layersReachedByFlow(model: Model, chart: Chart): Set<number> {
  const found = new Set<number>();
  for (let edge = 0; edge < chart.edges.length; edge++) {
    const flow = model.backwardPass?.flowOfEdge[chart.edges[edge]!] ?? -1;
    if (flow >= 0) found.add(chart.layout.layerOf[chart.ends(edge).to]!);
  }
  return found;
}

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
  const flowing = layersReachedByFlow(model, first);
  const layerGap = (layer: number): number =>
    flowing.has(layer) ? FLOW_ROOM : layer === cutLayer ? CUT_ROOM : CLOSE;
  return chartOf(model, direction, { ...tight, layerGap });
}

/** Whether a node was made where a finding points to. */
function standsAt(model: Model, node: number, where: Where | null): boolean {
  const span = model.recording.span(model.recording.eventSpan(model.graph.nodeEvent[node]!));
  return !!span && span.line === where?.line && span.column === where.column;
}

/** Choose what to draw of a recording to explain one finding. */
export function brokenPathOf(
  tape: Model,
  explanation: Explanation,
  finding: Finding | undefined,
  direction: 'right' | 'down',
): BrokenPath {
  const around = detours(tape, finding);
  const model = withEdges(tape, [...assignments(tape), ...around]);
  const wanted = relevant(model, explanation, finding);
  const evidence = nodesOfEvidence(model, finding);
  const whole = explanation.connected && !explanation.partial;
  const left = whole ? -1 : cutAmong(model, wanted, [...evidence, ...around.map(([, end]) => end)]);
  const off = evidence.find((node) => model.graph.nodeKind[node] === NodeKind.Off);
  const place = evidence.find((node) => standsAt(model, node, finding?.where ?? null));
  const ailing = place ?? off ?? evidence.at(-1) ?? -1;
  const culprit = left >= 0 ? model.graph.edgeTo[left]! : whole ? ailing : (off ?? ailing);
  const cut = left >= 0 || whole ? left : edgeToCulprit(model, wanted, culprit);
  return {
    model,
    chart: storyChart(model, wanted, cut, direction),
    culprit,
    cut,
    frame: culprit < 0 ? -1 : model.graph.nodeFrame[culprit]!,
    cutFrame: tornBefore(model, culprit),
  };
}

/** The frame before which the timeline is cut: the first off the tape, if something was on it. */
function tornBefore(model: Model, culprit: number): number {
  const frame = culprit < 0 ? -1 : model.graph.nodeFrame[culprit]!;
  const torn = frame > 0 && isOffFrame(model, frame) && !isOffFrame(model, frame - 1);
  return torn ? frame : -1;
}
