import { FrameKind } from './graph.js';
import type { Flowed, Model, BackwardPass } from './model.js';
import { Kind, Role } from './schema.js';
import type { TensorInfo } from './schema.js';
import { formatBrief, formatNumber } from './numbers.js';

/** What the current step is about. Steps count from 1, as they do on screen. */
export interface StepState {
  readonly step: number;
  readonly stepCount: number;
  readonly phase: 'empty' | 'forward' | 'backward';
  /** The current frame of the timeline, or -1. */
  readonly frame: number;
  /** The node with the halo: it runs now, or the gradient arrives there. */
  readonly node: number;
  /** Backward: the op the gradient passes through, or -1 at the start. */
  readonly through: number;
  /** Backward: the edge the gradient runs along, or -1. */
  readonly edge: number;
  /** Backward: how many backward steps are done, this one included. */
  readonly backwardSteps: number;
  readonly flow: Flowed | null;
}

/** The first step: 0, where the `with` of the tape stands in the code, and else 1. */
export function firstStep({ graph, recording }: Model): 0 | 1 {
  return graph.opened >= 0 && recording.eventSpan(graph.opened) >= 0 ? 0 : 1;
}

export function clampStep(model: Model, step: number): number {
  const first = firstStep(model);
  const rounded = Math.round(step);
  return Math.max(first, Math.min(model.stepCount, Number.isNaN(rounded) ? first : rounded));
}

function forward(model: Model, step: number): StepState {
  const { frameNode } = model.graph;
  const base = { step, stepCount: model.stepCount, through: -1, edge: -1, backwardSteps: 0 };
  const frame = step - 1;
  return { ...base, phase: 'forward', frame, node: frameNode[frame] ?? -1, flow: null };
}

function backward(model: Model, backwardPass: BackwardPass, step: number): StepState {
  const { graph, recording, stepCount } = model;
  const at = step - graph.frameCount - 1;
  const index = backwardPass.flows[at]!;
  const event = index < 0 ? null : recording.event(index);
  const flow = event?.kind === Kind.Flowed ? event : null;
  const target = graph.nodeOfTensor[backwardPass.gradientCall.targets[0] ?? -1] ?? -1;
  const node = flow ? backwardPass.receiver[at]! : target;
  const through = backwardPass.through[at]!;
  return {
    step,
    stepCount,
    phase: 'backward',
    frame: graph.nodeFrame[through >= 0 ? through : node] ?? -1,
    node,
    through,
    edge: backwardPass.edgeOfFlow[at]!,
    backwardSteps: at + 1,
    flow,
  };
}

/** What is lit at a step: a pure function of the recording and the number of the step. */
export function stateAt(model: Model, step: number): StepState {
  if (model.stepCount === 0) {
    return { ...forward(model, 0), phase: 'empty', frame: -1, node: -1 };
  }
  const at = clampStep(model, step);
  const isForward = at <= model.graph.frameCount || !model.backwardPass;
  return isForward ? forward(model, at) : backward(model, model.backwardPass!, at);
}

/** Whether a node's value is there already. */
export function isLit(model: Model, current: StepState, node: number): boolean {
  return model.graph.nodeFrame[node]! < (current.phase === 'empty' ? 0 : current.step);
}

export type SlotState = 'pending' | 'value' | 'part' | 'zero' | 'none' | 'nonezero' | 'nan';

/** The gradient of a node at a step, as its slot shows it. */
export interface Slot {
  readonly state: SlotState;
  /** The gradient so far, or -1. */
  readonly tensor: number;
  readonly arrived: number;
  readonly expected: number;
}

const PENDING: Slot = { state: 'pending', tensor: -1, arrived: 0, expected: 0 };

function flowAt(model: Model, backwardPass: BackwardPass, flow: number): Flowed | null {
  const index = backwardPass.flows[flow]!;
  const event = index < 0 ? null : model.recording.event(index);
  return event?.kind === Kind.Flowed ? event : null;
}

/** The contributions to a node, in the order in which they arrive. */
export function arrivalsAt(model: Model, node: number): Flowed[] {
  const { backwardPass } = model;
  if (!backwardPass || node < 0) return [];
  const found: Flowed[] = [];
  for (let at = backwardPass.firstArrival[node]!; at < backwardPass.firstArrival[node + 1]!; at++) {
    const flow = flowAt(model, backwardPass, backwardPass.arrivals[at]!);
    if (flow) found.push(flow);
  }
  return found;
}

/** How many of a node's arrivals have happened, by bisection: a node may have very many. */
function arrivedCount(backwardPass: BackwardPass, node: number, backwardSteps: number): number {
  const first = backwardPass.firstArrival[node]!;
  let [low, high] = [first, backwardPass.firstArrival[node + 1]!];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (backwardPass.arrivals[middle]! < backwardSteps) low = middle + 1;
    else high = middle;
  }
  return low - first;
}

function latestArrival(
  model: Model,
  backwardPass: BackwardPass,
  node: number,
  arrived: number,
): Flowed | null {
  const at = backwardPass.firstArrival[node]! + arrived - 1;
  return arrived > 0 ? flowAt(model, backwardPass, backwardPass.arrivals[at]!) : null;
}

export function slotAt(model: Model, current: StepState, node: number): Slot {
  const { backwardPass } = model;
  if (!backwardPass || current.phase !== 'backward') return PENDING;
  const expected = backwardPass.firstArrival[node + 1]! - backwardPass.firstArrival[node]!;
  const arrived = arrivedCount(backwardPass, node, current.backwardSteps);
  const last = latestArrival(model, backwardPass, node, arrived);
  if (last) {
    const state = stateOf(model.recording.tensor(last.sum), arrived === expected);
    return { state, tensor: last.sum, arrived, expected };
  }
  const blocked =
    expected === 0 && (backwardPass.blocked.get(node) ?? Infinity) < current.backwardSteps;
  if (!blocked && current.step < model.stepCount) return { ...PENDING, expected };
  return { state: shownAsZero(model, node) ? 'nonezero' : 'none', tensor: -1, arrived, expected };
}

function shownAsZero(model: Model, node: number): boolean {
  const { gradientCall } = model.backwardPass!;
  const position = gradientCall.sources.findIndex(
    (tensor) => model.graph.nodeOfTensor[tensor] === node,
  );
  return gradientCall.zeros && position >= 0;
}

function stateOf(tensor: TensorInfo, done: boolean): SlotState {
  const values = tensor.values;
  if (values?.some((value) => !Number.isFinite(value))) return 'nan';
  if (!done) return 'part';
  return values?.length && values.every((value) => value === 0) ? 'zero' : 'value';
}

/** What stands in a slot, in so many characters. */
export function slotText(model: Model, slot: Slot, room: number, typed = true): string {
  if (slot.state === 'pending') return '';
  if (slot.state === 'none') return 'None';
  if (slot.state === 'nonezero' || slot.state === 'zero') return '0';
  const tensor = model.recording.tensor(slot.tensor);
  if (slot.state === 'nan' && tensor.shape.length) return oddest(tensor.values!);
  const text = formatBrief(tensor, room - (slot.state === 'part' ? 1 : 0), typed);
  return slot.state === 'part' ? `${text}+` : text;
}

function oddest(values: Float64Array): string {
  const odd = values.find(Number.isNaN) ?? values.find((value) => !Number.isFinite(value))!;
  return formatNumber(odd);
}

/** What a node is called: the learner's name for it, or its source text. */
export function labelOf(model: Model, node: number): string {
  const { graph, recording } = model;
  const tensor = graph.nodeTensor[node]!;
  if (tensor < 0) return opOf(model, node)?.name ?? '';
  const { name, role, variable } = recording.tensor(tensor);
  if (name) return name.replace(/\s+/g, ' ');
  if (role === Role.State) return recording.header.variables[variable]?.name ?? 'variable';
  return opOf(model, node)?.name ?? 'constant';
}

export function opOf(model: Model, node: number) {
  const event = node < 0 ? -1 : model.graph.nodeEvent[node]!;
  const ran = event < 0 ? null : model.recording.event(event);
  return ran?.kind === Kind.Ran ? (model.recording.header.ops[ran.op] ?? null) : null;
}

/** The op's glyph for the pill, or how the value left the tape. */
export function glyphOf(model: Model, node: number): string {
  return opOf(model, node)?.glyph ?? '';
}

export function tensorOf(model: Model, node: number): TensorInfo | null {
  const tensor = node < 0 ? -1 : model.graph.nodeTensor[node]!;
  return tensor < 0 ? null : model.recording.tensor(tensor);
}

/** Whether a frame shows something that the tape did not record. */
export function isOffFrame(model: Model, frame: number): boolean {
  const kind = model.graph.frameKind[frame];
  return kind === FrameKind.Off || kind === FrameKind.Assign;
}

/** The step to go to when a frame is chosen: in the phase where the learner is. */
export function stepForFrame(model: Model, current: StepState, frame: number): number {
  const { graph, backwardPass } = model;
  if (current.phase !== 'backward' || !backwardPass) return frame + 1;
  const node = graph.frameNode[frame]!;
  const first = graph.frameCount + 1;
  const through = backwardPass.through.indexOf(node);
  const target = graph.nodeOfTensor[backwardPass.gradientCall.targets[0] ?? -1];
  if (node === target) return first;
  if (through >= 0) return first + through;
  const isWatch = graph.frameKind[frame] === FrameKind.Watch;
  const last = backwardPass.receiver.lastIndexOf(node);
  return isWatch && last >= 0 ? first + last : frame + 1;
}
