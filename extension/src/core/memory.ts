import { FrameKind } from './graph.js';
import type { Model } from './model.js';
import { byteSize } from './numbers.js';
import { Kind } from './schema.js';

/** Bytes after every step; entry 0 is before the first. */
export interface Memory {
  /** Of the inputs and results of all that is on the tape, each once. */
  readonly tape: Float64Array;
  /** Of the gradients that are still needed. */
  readonly gradients: Float64Array;
  /** Both together. */
  readonly both: Float64Array;
  readonly peak: number;
  /** The step after which most is held. */
  readonly peakStep: number;
  /** What the tape lets go of when it has answered. */
  readonly freed: number;
}

const known = new WeakMap<Model, Memory>();

/** The last backward step that passes each op: after it the gradient of its result is spent. */
function lastThrough(model: Model): Map<number, number> {
  const found = new Map<number, number>();
  model.passage?.through.forEach((node, flow) => {
    if (node >= 0) found.set(node, flow);
  });
  return found;
}

function forwards(model: Model, tape: Float64Array): void {
  const { graph, recording } = model;
  const seen = new Uint8Array(recording.tensorCount);
  for (let frame = 0; frame < graph.frameCount; frame++) {
    let bytes = tape[frame]!;
    const event =
      graph.frameKind[frame] === FrameKind.Op ? recording.event(graph.frameEvent[frame]!) : null;
    if (event?.kind === Kind.Ran) {
      for (const tensor of [...event.inputs, ...event.outputs]) {
        if (tensor < 0 || seen[tensor]) continue;
        seen[tensor] = 1;
        bytes += byteSize(recording.tensor(tensor));
      }
    }
    tape[frame + 1] = bytes;
  }
}

function backwards(model: Model, tape: Float64Array, gradients: Float64Array): void {
  const { graph, recording, passage } = model;
  if (!passage) return;
  const wanted = new Set(Array.from(passage.asked.sources, (at) => graph.nodeOfTensor[at]));
  const last = lastThrough(model);
  const alive = new Map<number, number>();
  let bytes = 0;
  passage.flows.forEach((index, flow) => {
    const event = index < 0 ? null : recording.event(index);
    const node = passage.receiver[flow]!;
    if (event?.kind === Kind.Flowed && event.sum >= 0 && node >= 0) {
      const size = byteSize(recording.tensor(event.sum));
      bytes += size - (alive.get(node) ?? 0);
      alive.set(node, size);
    }
    const through = passage.through[flow]!;
    if (through >= 0 && last.get(through) === flow && !wanted.has(through)) {
      bytes -= alive.get(through) ?? 0;
      alive.delete(through);
    }
    const step = graph.frameCount + flow + 1;
    tape[step] = tape[graph.frameCount]!;
    gradients[step] = bytes;
  });
}

/** How much memory the tape and its way back take, step by step. */
export function memoryOf(model: Model): Memory {
  const found = known.get(model);
  if (found) return found;
  const tape = new Float64Array(model.stepCount + 1);
  const gradients = new Float64Array(model.stepCount + 1);
  forwards(model, tape);
  backwards(model, tape, gradients);
  const both = tape.map((bytes, step) => bytes + gradients[step]!);
  const peak = both.reduce((most, bytes) => Math.max(most, bytes), 0);
  const peakStep = Math.max(0, both.indexOf(peak));
  const { persistent } = model.recording.header.tape;
  const freed = model.passage && !persistent ? tape[model.graph.frameCount]! : 0;
  const made = { tape, gradients, both, peak, peakStep, freed };
  known.set(model, made);
  return made;
}
