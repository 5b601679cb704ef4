import { columnReader, fieldsIn } from './columns.js';
import type { Columns } from './columns.js';
import { Role, SCHEMA } from './schema.js';
import type { Header, RecordingEvent, Span, TensorInfo } from './schema.js';
import { decodeEvent } from './events.js';
import { elementsOf } from './numbers.js';
import { say } from './words.js';

export type Unreadable = 'not a recording' | 'newer' | 'older' | 'cut short';

/** Bytes that are no recording this page can read; says which, and what to do. */
export class RecordingError extends Error {
  constructor(
    readonly reason: Unreadable,
    readonly title: string,
    readonly advice: string,
  ) {
    super(`${title}. ${advice}`);
    this.name = 'RecordingError';
  }
}

/** One parsed recording: the header as it is, the columns as typed arrays, the rest on demand. */
export interface Recording {
  readonly header: Header;
  readonly eventCount: number;
  readonly tensorCount: number;
  readonly spanCount: number;
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  readonly fields: Int32Array;
  readonly roles: Uint8Array;
  /** 1 for tensors that the learner's code gave a name. */
  readonly named: Uint8Array;
  /** The numbers of all tensors, one after the other. */
  readonly numbers: Float64Array;
  /** What the numbers of large tensors come to: see `measures.ts`. */
  readonly measured: {
    readonly tensors: Int32Array;
    readonly numbers: Float64Array;
    readonly means: Float64Array;
    readonly norms: Float64Array;
  };
  /** What large tensors look like: see `previews.ts`. */
  readonly looks: {
    readonly tensors: Int32Array;
    readonly forms: Int32Array;
    readonly scales: Float64Array;
    readonly levels: Uint8Array;
  };
  /** Which tensors share a buffer with another, and how large it is: see `memory.ts`. */
  readonly shares: {
    readonly tensors: Int32Array;
    readonly buffers: Int32Array;
    readonly bytes: Float64Array;
  };
  /** Which settings the op of an event was given: see `settingsOf`. */
  readonly given: {
    readonly events: Int32Array;
    readonly rows: Int32Array;
  };
  /** Facts of other frameworks' programs, as sparse tables: one column says of which, one what. */
  readonly foreign: {
    readonly aliases: { tensors: Int32Array; storages: Int32Array; versions: Int32Array };
    /** The upstream gradients of an op's other outputs, by the event that they enter. */
    readonly upstreams: { events: Int32Array; tensors: Int32Array };
    readonly libraryEvents: Int32Array;
    readonly devices: { tensors: Int32Array; names: Int32Array };
  };
  event(index: number): RecordingEvent;
  eventSpan(index: number): number;
  tensor(index: number): TensorInfo;
  span(index: number): Span | null;
  /** The function that a span stands in, such as `Dense.call`; empty for a cell or a file. */
  functionAt(span: number): string;
}

const MAGIC = [0x54, 0x41, 0x50, 0x45, 0x4c, 0x41, 0x42, 0];
const OLDEST = 1;
function cutShort(): RecordingError {
  return new RecordingError(
    'cut short',
    say('This recording is cut short'),
    say('Part of the file is missing. Save it again.'),
  );
}

function readHeader(bytes: Uint8Array): { header: Header; columnsAt: number } {
  if (bytes.length < 8 || MAGIC.some((letter, at) => bytes[at] !== letter)) {
    throw new RecordingError(
      'not a recording',
      say('This is not a recording'),
      say('Make one with tf.show(tape).'),
    );
  }
  if (bytes.length < 16) throw cutShort();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const schema = view.getUint32(8, true);
  const made = say('Made with schema {schema}, this page reads {ours}.', { schema, ours: SCHEMA });
  if (schema > SCHEMA) {
    throw new RecordingError(
      'newer',
      say('This recording is newer'),
      `${made} ${say('Update tapelab.')}`,
    );
  }
  if (schema < OLDEST) {
    throw new RecordingError(
      'older',
      say('This recording is too old'),
      `${made} ${say('Record it again.')}`,
    );
  }
  const length = view.getUint32(12, true);
  if (16 + length > bytes.length) throw cutShort();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(16, 16 + length));
    return { header: JSON.parse(text) as Header, columnsAt: 16 + length };
  } catch {
    throw new RecordingError(
      'not a recording',
      say('This recording cannot be read'),
      say('Its header is damaged. Save it again.'),
    );
  }
}

/** Typed arrays want their offset to be a multiple of eight; a view into a message seldom is. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
}

function numbersIn(shape: readonly number[], dtype: string): number {
  return elementsOf(shape) * (dtype.startsWith('complex') ? 2 : 1);
}

/** Read the bytes of a recording; throws a RecordingError for anything else. */
export function parseRecording(given: Uint8Array): Recording {
  const bytes = aligned(given);
  const { header, columnsAt } = readHeader(bytes);
  const columns = columnReader(bytes, header, columnsAt, cutShort);
  const kinds = columns.u8('event.kind');
  const starts = columns.i32('event.start');
  const eventSpans = columns.i32('event.span');
  const roles = columns.u8('tensor.role');
  const named = columns.u8('tensor.named');
  const functions = columns.i32('span.function');
  if (kinds.length && starts.length !== kinds.length + 1) throw cutShort();
  const fields = fieldsIn(header, columns, kinds, starts);
  const numbers = columns.f64('values');
  return {
    header,
    kinds,
    starts,
    fields,
    roles,
    named,
    numbers,
    measured: {
      tensors: columns.i32('measure.tensor'),
      numbers: columns.f64('measure.numbers'),
      means: columns.f64('measure.mean'),
      norms: columns.f64('measure.norm'),
    },
    looks: {
      tensors: columns.i32('preview.tensor'),
      forms: columns.i32('preview.form'),
      scales: columns.f64('preview.scale'),
      levels: columns.u8('preview.levels'),
    },
    shares: {
      tensors: columns.i32('share.tensor'),
      buffers: columns.i32('share.buffer'),
      bytes: columns.f64('share.bytes'),
    },
    given: {
      events: columns.i32('setting.event'),
      rows: columns.i32('setting.row'),
    },
    foreign: {
      aliases: {
        tensors: columns.i32('alias.tensor'),
        storages: columns.i32('alias.storage'),
        versions: columns.i32('alias.version'),
      },
      upstreams: {
        events: columns.i32('upstream.event'),
        tensors: columns.i32('upstream.tensor'),
      },
      libraryEvents: columns.i32('library.event'),
      devices: { tensors: columns.i32('device.tensor'), names: columns.i32('device.name') },
    },
    eventCount: kinds.length,
    tensorCount: roles.length,
    spanCount: columns.i32('span.line').length,
    event: (index) =>
      decodeEvent(kinds[index]!, fields, starts[index]!, starts[index + 1]!, header.strings),
    eventSpan: (index) => eventSpans[index] ?? -1,
    tensor: tensorReader(columns, header, roles, named, numbers),
    span: spanReader(columns),
    functionAt: (span) => header.strings[functions[span]!] ?? '',
  };
}

function spanReader(columns: Columns): (index: number) => Span | null {
  const part = (name: string): Int32Array => columns.i32(`span.${name}`);
  const source = part('source');
  const line = part('line');
  const column = part('column');
  const endLine = part('end_line');
  const endColumn = part('end_column');
  return (index) =>
    index < 0 || index >= source.length
      ? null
      : {
          source: source[index]!,
          line: line[index]!,
          column: column[index]!,
          endLine: endLine[index]!,
          endColumn: endColumn[index]!,
        };
}

function tensorReader(
  columns: Columns,
  header: Header,
  roles: Uint8Array,
  named: Uint8Array,
  numbers: Float64Array,
): (index: number) => TensorInfo {
  const part = (name: string): Int32Array => columns.i32(`tensor.${name}`);
  const shapes = part('shape');
  const dtypes = part('dtype');
  const names = part('name');
  const variables = part('variable');
  const spans = part('span');
  const valueStarts = part('value');
  return (index) => {
    const shape = header.shapes[shapes[index]!] ?? [];
    const dtype = header.dtypes[dtypes[index]!] ?? '';
    const start = valueStarts[index]!;
    return {
      index,
      role: roles[index]! as Role,
      shape,
      dtype,
      name: header.strings[names[index]!] ?? '',
      named: named[index] === 1,
      variable: variables[index]!,
      span: spans[index]!,
      values: start < 0 ? null : numbers.subarray(start, start + numbersIn(shape, dtype)),
      words: header.strings[-2 - start] ?? '',
    };
  };
}
