import { FrameKind } from './graph.js';
import type { Model } from './model.js';
import { byteSize } from './numbers.js';
import type { Recording } from './recording.js';
import { Kind } from './schema.js';

/** Bytes after every step; entry 0 is before the first. */
export interface Memory {
  /** Of the inputs and results of all that is on the tape, each buffer once. */
  readonly tape: Float64Array;
  /** Of the gradients that are still needed. */
  readonly gradients: Float64Array;
  /** How many frames are on the tape: the backward pass releases those that it has passed. */
  readonly held: Int32Array;
  /** Both together. */
  readonly both: Float64Array;
  readonly peak: number;
  /** The step after which most is held. */
  readonly peakStep: number;
  /** What the tape releases during and after the backward pass. */
  readonly freed: number;
}

const known = new WeakMap<Model, Memory>();
/** The methods `jacobian` and `batch_jacobian`, whose backward pass begins again with each row. */
const ROW_BY_ROW: ReadonlySet<number> = new Set([1, 2]);

/** In which buffer each tensor lies: one of its own, or one that it shares, counted below −1. */
interface Buffers {
  of(tensor: number): number;
  size(buffer: number): number;
}

function buffersOf(recording: Recording): Buffers {
  const { tensors, buffers, bytes } = recording.shares;
  const shared = new Map(Array.from(tensors, (tensor, at) => [tensor, -2 - buffers[at]!]));
  return {
    of: (tensor) => shared.get(tensor) ?? tensor,
    size: (buffer) => (buffer < 0 ? bytes[-2 - buffer]! : byteSize(recording.tensor(buffer))),
  };
}

/** The last backward step that passes each op: after it the gradient of its result is spent. */
function lastThrough(model: Model): Map<number, number> {
  const found = new Map<number, number>();
  model.backwardPass?.through.forEach((node, flow) => {
    if (node >= 0) found.set(node, flow);
  });
  return found;
}

function forwards(model: Model, buffers: Buffers, made: Pick<Memory, 'tape' | 'held'>): void {
  const { graph, recording } = model;
  const seen = new Set<number>();
  for (let frame = 0; frame < graph.frameCount; frame++) {
    let bytes = made.tape[frame]!;
    const event =
      graph.frameKind[frame] === FrameKind.Op ? recording.event(graph.frameEvent[frame]!) : null;
    if (event?.kind === Kind.Ran) {
      for (const tensor of [...event.inputs, ...event.outputs]) {
        const buffer = tensor < 0 ? -1 : buffers.of(tensor);
        if (buffer === -1 || seen.has(buffer)) continue;
        seen.add(buffer);
        bytes += buffers.size(buffer);
      }
    }
    made.tape[frame + 1] = bytes;
    made.held[frame + 1] = frame + 1;
  }
}

/** Counts the gradients that are alive, those in one buffer once. */
class Alive {
  bytes = 0;
  private readonly gradients = new Map<number, number>();
  private readonly holders = new Map<number, number>();

  constructor(private readonly buffers: Buffers) {}

  /** A node holds another gradient, or none (-1) any more. */
  put(node: number, tensor: number): void {
    this.count(this.gradients.get(node), -1);
    if (tensor < 0) {
      this.gradients.delete(node);
      return;
    }
    const buffer = this.buffers.of(tensor);
    this.gradients.set(node, buffer);
    this.count(buffer, 1);
  }

  /** The row of a node stays, and the next one comes beside it. */
  keep(node: number): void {
    this.gradients.delete(node);
  }

  private count(buffer: number | undefined, by: number): void {
    if (buffer === undefined) return;
    const before = this.holders.get(buffer) ?? 0;
    this.holders.set(buffer, before + by);
    if (!before || !(before + by)) this.bytes += by * this.buffers.size(buffer);
  }
}

function backwards(
  model: Model,
  buffers: Buffers,
  made: Pick<Memory, 'tape' | 'held' | 'gradients'>,
): void {
  const { graph, recording, backwardPass } = model;
  if (!backwardPass) return;
  const wanted = new Set(
    Array.from(backwardPass.gradientCall.sources, (at) => graph.nodeOfTensor[at]),
  );
  const last = lastThrough(model);
  const alive = new Alive(buffers);
  const inRows = ROW_BY_ROW.has(backwardPass.gradientCall.method);
  const letsGo = !recording.header.tape.persistent;
  let held = graph.frameCount;
  backwardPass.flows.forEach((index, flow) => {
    const event = index < 0 ? null : recording.event(index);
    const node = backwardPass.receiver[flow]!;
    if (inRows && event?.kind === Kind.Flowed && event.event < 0)
      wanted.forEach((source) => alive.keep(source!));
    if (event?.kind === Kind.Flowed && event.sum >= 0 && node >= 0) alive.put(node, event.sum);
    const through = backwardPass.through[flow]!;
    if (through >= 0 && last.get(through) === flow) {
      if (!wanted.has(through)) alive.put(through, -1);
      if (letsGo) held = Math.min(held, graph.nodeFrame[through]!);
    }
    const step = graph.frameCount + flow + 1;
    if (letsGo && step === model.stepCount) held = 0;
    made.held[step] = held;
    made.tape[step] = made.tape[held]!;
    made.gradients[step] = alive.bytes;
  });
}

/** How much memory the tape and the backward pass take, step by step. */
export function memoryOf(model: Model): Memory {
  const found = known.get(model);
  if (found) return found;
  const size = model.stepCount + 1;
  const [tape, gradients] = [new Float64Array(size), new Float64Array(size)];
  const held = new Int32Array(size);
  const buffers = buffersOf(model.recording);
  forwards(model, buffers, { tape, held });
  backwards(model, buffers, { tape, held, gradients });
  const both = tape.map((bytes, step) => bytes + gradients[step]!);
  const peak = both.reduce((most, bytes) => Math.max(most, bytes), 0);
  const peakStep = Math.max(0, both.indexOf(peak));
  const { persistent } = model.recording.header.tape;
  const freed = model.backwardPass && !persistent ? tape[model.graph.frameCount]! : 0;
  const made = { tape, gradients, held, both, peak, peakStep, freed };
  known.set(model, made);
  return made;
}
