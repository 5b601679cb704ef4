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
  // Fresh memory costs more than what is written there: what is copied on is always put here.
  let room = new Int32Array(0);
  const spare = (count: number): Int32Array => {
    if (room.length < count) room = new Int32Array(count);
    return room.subarray(0, count);
  };
  const stepsOf = (name: string): Steps | null => {
    const [declared, at, count, turn = 0, exceptions = 0, step = 0] = columns[name]!;
    if (!turn) return null;
    let from = columnsAt + at;
    const small = declared.endsWith('+') ? null : numbers('i8', from, count);
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
    (name: string, copied = type !== 'i32'): never => {
      const [declared, at, count] = columns[name] ?? ['', 0, 0];
      const [meant, kept = type] = declared.split(':') as [string, Kept?];
      if (meant !== type || !count) return new ARRAYS[type](0) as never;
      const steps = stepsOf(name);
      const made = ARRAYS[type];
      const column = steps
        ? addUp(steps, copied ? spare(count) : new Int32Array(count))
        : numbers(kept, columnsAt + at, count);
      return (column instanceof made ? column : new made(column)) as never;
    };
  const i32 = reader('i32');
  const into: Columns['into'] = (fields, name, begin, at) => {
    const column: Int32Array = i32(name, true);
    for (let row = 0; row < begin.length; row++) fields[begin[row]! + at] = column[row]!;
  };
  return { u8: reader('u8'), i32, f64: reader('f64'), into };
}

/** Add up steps; what is written goes before what is the same in every turn. */
function addUp({ turn, step, small, places, values }: Steps, made: Int32Array): Int32Array {
  if (turn === 1 && !small && !step) {
    let now = 0;
    made.fill(0, 0, places[0]);
    places.forEach((from, at) => made.fill((now += values[at]!), from, places[at + 1]));
    return made;
  }
  if (small) made.set(small);
  else made.fill(step);
  for (let at = 0; at < places.length; at++) made[places[at]!] = values[at]!;
  for (let row = turn; row < made.length; row++) made[row]! += made[row - turn]!;
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
