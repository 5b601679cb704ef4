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
type Numbers = InstanceType<(typeof ARRAYS)[keyof typeof ARRAYS]>;

export type Columns = { [T in ColumnType]: (name: string) => InstanceType<(typeof ARRAYS)[T]> };

/** Steps are kept in place of numbers: `i32:+i8`, or `i32:+` where they are all the same. */
const STEP = '+';
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
  const numbers = (type: keyof typeof ARRAYS, from: number, count: number): Numbers => {
    const array = ARRAYS[type];
    if (!array || from + count * array.BYTES_PER_ELEMENT > bytes.length) throw cutShort();
    return new array(bytes.buffer as ArrayBuffer, bytes.byteOffset + from, count);
  };
  const reader =
    <T extends ColumnType>(type: T) =>
    (name: string): never => {
      const [told, at, count, turn = 0, exceptions = 0, step = 0] = columns[name] ?? ['', 0, 0];
      const [meant, kept = type] = told.split(':') as [string, (keyof typeof ARRAYS)?];
      if (meant !== type || !count) return new ARRAYS[type](0) as never;
      let from = columnsAt + at;
      if (!turn) {
        const column = numbers(kept, from, count);
        return (kept === type ? column : new ARRAYS[type](column)) as never;
      }
      const made = new ARRAYS[type](count);
      if (told.endsWith(STEP)) made.fill(step);
      else {
        made.set(numbers('i8', from, count));
        from += count + (-count & 3);
      }
      const places = numbers('i32', from, exceptions);
      const steps = numbers('i32', from + 4 * exceptions, exceptions);
      places.forEach((place, exception) => (made[place] = steps[exception]!));
      for (let place = turn; place < count; place++) made[place]! += made[place - turn]!;
      return made as never;
    };
  return { u8: reader('u8'), i32: reader('i32'), f64: reader('f64') };
}

/** The fields of all events; those of many that are alike are in tables, a column for each field. */
export function fieldsIn(
  { columns }: Header,
  { i32 }: Columns,
  kinds: Uint8Array,
  starts: Int32Array,
): Int32Array {
  const rest = i32(FIELDS);
  const tables = new Map<number, { row: number; columns: Int32Array[] }>();
  for (const name in columns) {
    if (!name.startsWith(`${FIELDS}.`)) continue;
    const [kind, length, at] = name.split('.').slice(2).map(Number) as [number, number, number];
    const key = kind * WIDEST + length;
    if (!tables.has(key)) tables.set(key, { row: 0, columns: [] });
    tables.get(key)!.columns[at] = i32(name);
  }
  if (!tables.size) return rest;
  const fields = new Int32Array(starts.at(-1)!);
  let left = 0;
  for (let event = 0; event < kinds.length; event++) {
    const start = starts[event]!;
    const length = starts[event + 1]! - start;
    const table = length < WIDEST && tables.get(kinds[event]! * WIDEST + length);
    if (!table) for (let at = 0; at < length; at++) fields[start + at] = rest[left++]!;
    else {
      const row = table.row++;
      for (let at = 0; at < length; at++) fields[start + at] = table.columns[at]![row]!;
    }
  }
  return fields;
}
