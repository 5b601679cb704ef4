import type { ColumnType, Header } from './schema.js';

/** The types that numbers are kept in; `i32:i8` in a header means one that was kept narrow. */
const ARRAYS = {
  u8: Uint8Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
};
type Kept = keyof typeof ARRAYS;

export type Columns = { [T in ColumnType]: (name: string) => InstanceType<(typeof ARRAYS)[T]> } & {
  /** Write the column of a name into places that are `at` after where its rows begin. */
  into(fields: Int32Array, name: string, begin: Int32Array, at: number): void;
};

/** Each number is so much more than the one a turn before: always the same, or what is written. */
interface Steps {
  readonly turn: number;
  readonly step: number;
  readonly small: Int8Array | null;
  readonly places: Int32Array;
  readonly values: Int32Array;
}

const FIELDS = 'event.fields';
/** Events in tables have fewer fields. */
const WIDEST = 16;

/** Finds columns by their names, of the type that is asked for; an empty one for what is not there. */
export function columnReader(
  bytes: Uint8Array,
  { columns }: Header,
  columnsAt: number,
  cutShort: () => Error,
): Columns {
  const numbers = <T extends Kept>(type: T, from: number, count: number) => {
    const array = ARRAYS[type];
    if (!array || from + count * array.BYTES_PER_ELEMENT > bytes.length) throw cutShort();
    const { buffer, byteOffset } = bytes;
    return new array(buffer as ArrayBuffer, byteOffset + from, count) as InstanceType<typeof array>;
  };
  const stepsOf = (name: string): Steps | null => {
    const [told, at, count, turn = 0, exceptions = 0, step = 0] = columns[name]!;
    if (!turn) return null;
    let from = columnsAt + at;
    const small = told.endsWith('+') ? null : numbers('i8', from, count);
    if (small) from += (count + 3) & ~3;
    const places = numbers('i32', from, exceptions);
    return {
      turn,
      step,
      small,
      places,
      values: numbers('i32', from + places.byteLength, exceptions),
    };
  };
  const reader =
    <T extends ColumnType>(type: T) =>
    (name: string): never => {
      const [told, at, count] = columns[name] ?? ['', 0, 0];
      const [meant, kept = type] = told.split(':') as [string, Kept?];
      if (meant !== type || !count) return new ARRAYS[type](0) as never;
      const steps = stepsOf(name);
      if (steps)
        return addUp(new ARRAYS[type](count) as Int32Array, steps, count, null, 0) as never;
      const column = numbers(kept, columnsAt + at, count);
      return (kept === type ? column : new ARRAYS[type](column)) as never;
    };
  const i32 = reader('i32');
  const into: Columns['into'] = (fields, name, begin, at) => {
    const steps = stepsOf(name);
    if (steps) addUp(fields, steps, begin.length, begin, at);
    else (i32(name) as Int32Array).forEach((field, row) => (fields[begin[row]! + at] = field));
  };
  return { u8: reader('u8'), i32, f64: reader('f64'), into };
}

/** Add up steps: one after the other, or where rows begin of which this is the column `at`. */
function addUp<Made extends Int32Array | Uint8Array>(
  made: Made,
  { turn, step, small, places, values }: Steps,
  count: number,
  begin: Int32Array | null,
  at: number,
): Made {
  const place = (row: number): number => (begin ? begin[row]! + at : row);
  let [exception, next, last] = [0, places[0] ?? -1, 0];
  for (let row = 0; row < count; row++) {
    let more = small ? small[row]! : step;
    if (row === next) {
      more = values[exception]!;
      next = places[++exception] ?? -1;
    }
    const before = turn === 1 ? last : row < turn ? 0 : made[place(row - turn)]!;
    last = made[place(row)] = (before + more) | 0;
  }
  return made;
}

/** The fields of all events; those of many that are alike are in tables, a column for each field. */
export function fieldsIn(
  { columns }: Header,
  { i32, into }: Columns,
  kinds: Uint8Array,
  starts: Int32Array,
): Int32Array {
  const rest = i32(FIELDS);
  const tables = new Map<number, { rows: number; begin: Int32Array }>();
  const parts = (name: string): number[] => name.split('.').slice(2).map(Number);
  const inTables = Object.keys(columns).filter((name) => name.startsWith(`${FIELDS}.`));
  for (const name of inTables) {
    const [kind, length] = parts(name);
    tables.set(kind! * WIDEST + length!, { rows: 0, begin: new Int32Array(columns[name]![2]) });
  }
  if (!tables.size) return rest;
  const fields = new Int32Array(starts.at(-1)!);
  let left = 0;
  for (let event = 0; event < kinds.length; event++) {
    const start = starts[event]!;
    const end = starts[event + 1]!;
    const table = end - start < WIDEST && tables.get(kinds[event]! * WIDEST + end - start);
    if (table) table.begin[table.rows++] = start;
    else for (let at = start; at < end; at++) fields[at] = rest[left++]!;
  }
  for (const name of inTables) {
    const [kind, length, at] = parts(name);
    into(fields, name, tables.get(kind! * WIDEST + length!)!.begin, at!);
  }
  return fields;
}
