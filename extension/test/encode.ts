import { Kind, SCHEMA } from '../src/core/schema.js';
import type { ColumnType, OpInfo, RuleInfo, TapeInfo } from '../src/core/schema.js';

/** Where something stands in the source: line, column, end column. */
export type Place = readonly [number, number, number];

export interface NewTensor {
  role: number;
  name: string;
  named?: boolean;
  value?: number | readonly number[];
  shape?: readonly number[];
  dtype?: string;
  variable?: number;
  at?: Place;
}

const ALIGN = 8;
const ARRAYS = {
  u8: Uint8Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
};
const up = (size: number): number => Math.ceil(size / ALIGN) * ALIGN;

/** Writes recordings by hand, as docs/reference/recording.md describes them; for tests only. */
export class Encoder {
  readonly events: { kind: Kind; fields: number[]; span: number }[] = [];
  readonly tensors: number[][] = [];
  readonly spans: number[][] = [];
  readonly numbers: number[] = [];
  readonly strings: string[] = [];
  readonly shapes: (readonly number[])[] = [];
  readonly dtypes: string[] = [];
  readonly ops: OpInfo[] = [];
  readonly variables: {
    name: string;
    trainable: boolean;
    span: number;
    shape: number;
    dtype: number;
  }[] = [];
  tape: TapeInfo = {
    name: 'tape',
    persistent: false,
    watch_accessed_variables: true,
    consumed: true,
  };
  schema = SCHEMA;
  /** How some columns are kept, where that is not what they are. */
  kept: Readonly<Record<string, keyof typeof ARRAYS>> = {};

  constructor(
    readonly text: string,
    readonly title = 'In [1]',
  ) {}

  string(text: string): number {
    const at = this.strings.indexOf(text);
    return at >= 0 ? at : this.strings.push(text) - 1;
  }

  span(place: Place | undefined): number {
    if (!place) return -1;
    const [line, column, end] = place;
    return this.spans.push([0, line, column, line, end]) - 1;
  }

  private intern<T>(list: T[], item: T): number {
    const at = list.findIndex((known) => JSON.stringify(known) === JSON.stringify(item));
    return at >= 0 ? at : list.push(item) - 1;
  }

  variable(name: string, trainable = true): number {
    return this.variables.push({ name, trainable, span: -1, shape: 0, dtype: 0 }) - 1;
  }

  tensor(given: NewTensor): number {
    const { value } = given;
    const values = value === undefined ? [] : typeof value === 'number' ? [value] : value;
    const shape = given.shape ?? (typeof value === 'object' ? [value.length] : []);
    const start = value === undefined ? -1 : this.numbers.length;
    for (const number of values) this.numbers.push(number);
    const columns = [
      given.role,
      this.intern(this.shapes, shape),
      this.intern(this.dtypes, given.dtype ?? 'float32'),
      this.string(given.name),
      given.named ? 1 : 0,
      given.variable ?? -1,
      this.span(given.at),
      start,
    ];
    return this.tensors.push(columns) - 1;
  }

  op(
    name: string,
    title: string,
    glyph: string,
    formula: string,
    letters: string,
    ...rules: Partial<RuleInfo>[]
  ): number {
    const inputs = letters.split(' ');
    return (
      this.ops.push({
        name,
        title,
        glyph,
        formula,
        inputs,
        output: formula.slice(0, 1),
        pattern: 'differentiable',
        sentence: `${title}, entry by entry.`,
        rules: rules.map((rule) => ({
          formula: '',
          local: '',
          because: '',
          sentence: '',
          ...rule,
        })),
      }) - 1
    );
  }

  event(kind: Kind, fields: readonly number[] = [], at?: Place): number {
    return this.events.push({ kind, fields: [...fields], span: this.span(at) }) - 1;
  }

  ran(op: number, inputs: readonly number[], output: number, at?: Place, cause = 0): number {
    return this.event(Kind.Ran, [op, -1, cause, inputs.length, ...inputs, output], at);
  }

  private columns(): Map<string, [ColumnType, readonly number[]]> {
    const columns = new Map<string, [ColumnType, readonly number[]]>();
    const starts = [0];
    for (const { fields } of this.events) starts.push(starts.at(-1)! + fields.length);
    columns.set('event.kind', ['u8', this.events.map((event) => event.kind)]);
    columns.set('event.span', ['i32', this.events.map((event) => event.span)]);
    columns.set('event.thread', ['i32', this.events.map(() => 0)]);
    columns.set('event.start', ['i32', starts]);
    columns.set('event.fields', ['i32', this.events.flatMap((event) => event.fields)]);
    ['source', 'line', 'column', 'end_line', 'end_column'].forEach((name, at) => {
      columns.set(`span.${name}`, ['i32', this.spans.map((span) => span[at]!)]);
    });
    const parts = ['role', 'shape', 'dtype', 'name', 'named', 'variable', 'span', 'value'];
    parts.forEach((name, at) => {
      const type = name === 'role' || name === 'named' ? 'u8' : 'i32';
      columns.set(`tensor.${name}`, [type, this.tensors.map((tensor) => tensor[at]!)]);
    });
    return columns.set('values', ['f64', this.numbers]);
  }

  private header(columns: Record<string, [string, number, number]>): Uint8Array {
    const header = {
      maker: 'by hand',
      columns,
      tape: this.tape,
      strings: this.strings,
      shapes: this.shapes,
      dtypes: this.dtypes,
      ops: this.ops,
      groups: [],
      variables: this.variables,
      sources: [{ title: this.title, file: '', first_line: 1, text: this.text }],
    };
    return new TextEncoder().encode(JSON.stringify(header));
  }

  bytes(): Uint8Array {
    const places: Record<string, [string, number, number]> = {};
    let end = 0;
    const columns = this.columns();
    for (const [name, [type, numbers]] of columns) {
      const kept = this.kept[name];
      places[name] = [kept ? `${type}:${kept}` : type, end, numbers.length];
      end = up(end + numbers.length * ARRAYS[kept ?? type].BYTES_PER_ELEMENT);
    }
    const header = this.header(places);
    const columnsAt = up(16 + header.length);
    const bytes = new Uint8Array(columnsAt + end);
    bytes.set(new TextEncoder().encode('TAPELAB'));
    const view = new DataView(bytes.buffer);
    view.setUint32(8, this.schema, true);
    view.setUint32(12, columnsAt - 16, true);
    bytes.fill(0x20, 16, columnsAt).set(header, 16);
    for (const [name, [type, numbers]] of columns) {
      const at = columnsAt + places[name]![1];
      const array = ARRAYS[this.kept[name] ?? type];
      new array(bytes.buffer, at, numbers.length).set(numbers);
    }
    return bytes;
  }
}
