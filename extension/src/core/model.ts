import { buildGraph } from './buildgraph.js';
import type { Graph } from './graph.js';
import { Kind } from './schema.js';
import type { RecordingEvent } from './schema.js';
import type { Recording } from './recording.js';

type Asked = Extract<RecordingEvent, { kind: Kind.Asked }>;
export type Flowed = Extract<RecordingEvent, { kind: Kind.Flowed }>;

/** One call of `tape.gradient` and its backward pass. */
export interface BackwardPass {
  readonly gradientCall: Asked;
  /** The `Flowed` events, one backward step each; [-1] where nothing flows at all. */
  readonly flows: readonly number[];
  /** For each backward step: the node it passes through (-1: the start) and the node it reaches. */
  readonly through: Int32Array;
  readonly receiver: Int32Array;
  /** For each backward step, its edge; for each edge, its backward step. */
  readonly edgeOfFlow: Int32Array;
  readonly flowOfEdge: Int32Array;
  /** The backward steps that bring something to a node: arrivals[first[n]] up to first[n + 1]. */
  readonly firstArrival: Int32Array;
  readonly arrivals: Int32Array;
  /** For nodes at which a rule passes nothing on: the backward step that says so. */
  readonly blocked: ReadonlyMap<number, number>;
}

/** Everything the views need to know about a recording; computed once, then only read. */
export interface Model {
  readonly recording: Recording;
  readonly graph: Graph;
  readonly calls: readonly Call[];
  /** The backward pass that is shown, or null without a gradient call. */
  readonly backwardPass: BackwardPass | null;
  readonly chosen: number;
  readonly stepCount: number;
}

export interface Call {
  readonly gradientCall: Asked;
  readonly event: number;
  readonly flows: readonly number[];
}

function collectCalls(recording: Recording): Call[] {
  const calls: { gradientCall: Asked; event: number; flows: number[] }[] = [];
  const byNumber = new Map<number, number[]>();
  const flowsOf = (called: number): number[] => {
    let flows = byNumber.get(called);
    if (!flows) byNumber.set(called, (flows = []));
    return flows;
  };
  const { kinds, fields, starts } = recording;
  for (let index = 0; index < kinds.length; index++) {
    if (kinds[index] === Kind.Flowed) flowsOf(fields[starts[index]!]!).push(index);
    if (kinds[index] !== Kind.Asked) continue;
    const event = recording.event(index);
    if (event.kind !== Kind.Asked) continue;
    calls.push({ gradientCall: event, event: index, flows: flowsOf(event.call) });
  }
  return calls;
}

/** The call to show at first: the last one whose gradient went somewhere. */
function preferred(calls: readonly Call[]): number {
  const flowing = calls.findLastIndex((call) => call.flows.length > 0);
  return flowing >= 0 ? flowing : calls.length - 1;
}

function edgeInto(graph: Graph, node: number, port: number): number {
  if (node < 0) return -1;
  for (let edge = graph.firstEdge[node]!; edge < graph.firstEdge[node + 1]!; edge++) {
    if (graph.edgePort[edge] === port) return edge;
  }
  return -1;
}

function buildBackwardPass(recording: Recording, graph: Graph, call: Call): BackwardPass {
  const flows = call.flows.length ? call.flows : [-1];
  const through = new Int32Array(flows.length).fill(-1);
  const receiver = new Int32Array(flows.length).fill(-1);
  const edgeOfFlow = new Int32Array(flows.length).fill(-1);
  const flowOfEdge = new Int32Array(graph.edgeCount).fill(-1);
  const arriving = new Int32Array(flows.length).fill(-1);
  const blocked = new Map<number, number>();
  const { fields, starts } = recording;
  for (let flow = 0; flow < flows.length; flow++) {
    const index = flows[flow]!;
    if (index < 0) continue;
    // The fields of `Flowed`, straight from their column: there may be a million.
    const start = starts[index]!;
    through[flow] = graph.nodeOfEvent[fields[start + 1]!] ?? -1;
    const node = (receiver[flow] = graph.nodeOfTensor[fields[start + 3]!] ?? -1);
    const edge = (edgeOfFlow[flow] = edgeInto(graph, through[flow]!, fields[start + 2]!));
    if (fields[start + 6]! < 0) {
      blocked.set(node, flow);
      continue;
    }
    arriving[flow] = node;
    if (edge >= 0) flowOfEdge[edge] = flow;
  }
  return {
    gradientCall: call.gradientCall,
    flows,
    through,
    receiver,
    edgeOfFlow,
    flowOfEdge,
    blocked,
    ...collectArrivals(graph.nodeCount, arriving),
  };
}

function collectArrivals(
  nodes: number,
  arriving: Int32Array,
): Pick<BackwardPass, 'firstArrival' | 'arrivals'> {
  const firstArrival = new Int32Array(nodes + 1);
  for (let flow = 0; flow < arriving.length; flow++) {
    if (arriving[flow]! >= 0) firstArrival[arriving[flow]! + 1]!++;
  }
  for (let node = 0; node < nodes; node++) firstArrival[node + 1]! += firstArrival[node]!;
  const next = firstArrival.slice();
  const arrivals = new Int32Array(firstArrival[nodes]!);
  for (let flow = 0; flow < arriving.length; flow++) {
    const node = arriving[flow]!;
    if (node >= 0) arrivals[next[node]!++] = flow;
  }
  return { firstArrival, arrivals };
}

/** Prepare a recording for the views. */
export function buildModel(recording: Recording): Model {
  const graph = buildGraph(recording);
  const calls = collectCalls(recording);
  return withCall(
    { recording, graph, calls, backwardPass: null, chosen: -1, stepCount: 0 },
    preferred(calls),
  );
}

/** The same recording, showing the backward pass of another call. */
export function withCall(model: Model, chosen: number): Model {
  const { recording, graph, calls } = model;
  const call = calls[chosen];
  const backwardPass = call ? buildBackwardPass(recording, graph, call) : null;
  const stepCount = graph.frameCount + (backwardPass?.flows.length ?? 0);
  return { ...model, backwardPass, chosen, stepCount };
}
