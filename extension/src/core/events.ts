import { Kind } from './schema.js';
import type { RecordingEvent } from './schema.js';

/** The fields of one event, in the order in which docs/reference/recording.md lists them. */
export function decodeEvent(
  kind: number,
  fields: Int32Array,
  start: number,
  end: number,
  strings: readonly string[],
): RecordingEvent {
  const at = (offset: number): number => fields[start + offset] ?? -1;
  const list = (from: number, count: number): Int32Array =>
    fields.subarray(start + from, start + from + count);
  switch (kind as Kind) {
    case Kind.Watched:
      return { kind: Kind.Watched, tensor: at(0), variable: at(1), how: at(2) };
    case Kind.Ran: {
      const count = at(3);
      return {
        kind: Kind.Ran,
        op: at(0),
        group: at(1),
        cause: at(2),
        inputs: list(4, count),
        outputs: fields.subarray(start + 4 + count, end),
      };
    }
    case Kind.Read:
      return { kind: Kind.Read, variable: at(0), tensor: at(1) };
    case Kind.Assigned:
      return { kind: Kind.Assigned, variable: at(0), how: at(1), from: at(2), state: at(3) };
    case Kind.Left:
      return { kind: Kind.Left, tensor: at(0), how: strings[at(1)] ?? '', result: at(2) };
    case Kind.Returned:
      return { kind: Kind.Returned, value: at(0), tensor: at(1) };
    case Kind.Made:
      return { kind: Kind.Made, tensor: at(0), how: strings[at(1)] ?? '' };
    case Kind.Asked: {
      const [targets, sources] = [at(3), at(4)];
      return {
        kind: Kind.Asked,
        call: at(0),
        method: at(1),
        zeros: at(2) === 1,
        targets: list(5, targets),
        sources: list(5 + targets, sources),
        results: list(5 + targets + sources, sources),
      };
    }
    case Kind.Flowed:
      return {
        kind: Kind.Flowed,
        call: at(0),
        event: at(1),
        position: at(2),
        tensor: at(3),
        upstream: at(4),
        local: at(5),
        contribution: at(6),
        sum: at(7),
      };
    case Kind.Accumulated:
      return { kind: Kind.Accumulated, call: at(0), tensor: at(1), before: at(2), after: at(3) };
    default:
      return { kind: kind as Kind.Opened };
  }
}
