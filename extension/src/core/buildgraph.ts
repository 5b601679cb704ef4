import type { Graph } from './graph.js';
import { GraphBuilder } from './graphbuilder.js';
import type { Recording } from './recording.js';
import { Kind } from './schema.js';

/** After the tape, only what leads to a target of a gradient call is part of the graph. */
function wantedAfterTape(recording: Recording, end: number): { from: number; wanted: Set<number> } {
  const { kinds, eventCount } = recording;
  const from = kinds.lastIndexOf(Kind.Closed);
  const wanted = new Set<number>();
  const tensors = new Set<number>();
  for (let index = end - 1; from >= 0 && index > from; index--) {
    if (kinds[index] === Kind.Flowed) continue;
    const event = recording.event(index);
    if (event.kind === Kind.Asked) event.targets.forEach((tensor) => tensors.add(tensor));
    if (event.kind === Kind.Returned && tensors.has(event.tensor)) {
      tensors.add(event.value);
      wanted.add(index);
    }
    if (event.kind === Kind.Left && tensors.has(event.result)) {
      tensors.add(event.tensor);
      wanted.add(index);
    }
    if (event.kind !== Kind.Ran || !event.outputs.some((tensor) => tensors.has(tensor))) continue;
    event.inputs.forEach((tensor) => tensors.add(tensor));
    wanted.add(index);
  }
  return { from: from < 0 ? eventCount : from, wanted };
}

/** The values that left the tape and came back: a departure without return breaks no path. */
function returnedValues(recording: Recording): Set<number> {
  const { kinds } = recording;
  const found = new Set<number>();
  for (let at = kinds.indexOf(Kind.Returned); at >= 0; at = kinds.indexOf(Kind.Returned, at + 1)) {
    const event = recording.event(at);
    if (event.kind === Kind.Returned) found.add(event.value);
  }
  return found;
}

/** The event with which the tape began to record, or was reset; -1 where that is unknown. */
function openingOf(recording: Recording): number {
  const reset = recording.kinds.lastIndexOf(Kind.Reset);
  return reset < 0 ? recording.kinds.indexOf(Kind.Opened) : reset;
}

/** Build the graph and the timeline from the events. */
export function buildGraph(recording: Recording): Graph {
  const { kinds } = recording;
  // What flowed back adds nothing to the graph, and most of it comes last.
  let end = kinds.length;
  while (kinds[end - 1] === Kind.Flowed) end--;
  let ops = 0;
  for (let index = 0; index < end; index++) if (kinds[index] === Kind.Ran) ops++;
  const builder = new GraphBuilder(recording, ops, openingOf(recording));
  const returned = returnedValues(recording);
  const after = wantedAfterTape(recording, end);
  for (let index = 0; index < end; index++) {
    if (kinds[index] === Kind.Flowed) continue;
    const late = index > after.from && !after.wanted.has(index);
    if (kinds[index] === Kind.Ran) {
      if (!late) builder.ran(index);
      continue;
    }
    const event = recording.event(index);
    if (event.kind === Kind.Asked) {
      for (const tensor of [...event.targets, ...event.sources]) {
        if (tensor >= 0) builder.nodeFor(tensor);
      }
    }
    if (late) continue;
    switch (event.kind) {
      case Kind.Watched:
        builder.watched(index, event.tensor, event.variable);
        break;
      case Kind.Read:
        builder.read(index, event.variable, event.tensor);
        break;
      case Kind.Left:
        if (returned.has(event.result)) builder.left(index, event.tensor, event.result);
        break;
      case Kind.Returned:
        builder.returned(event.value, event.tensor);
        break;
      case Kind.Assigned:
        builder.assigned(index);
        break;
      default:
        break;
    }
  }
  return builder.finish();
}
