/** Find what repeats in a sequence, such as the iterations of a loop on a tape. */

/** From `start` on, `count` times the same `period` items. */
export interface Repeat {
  readonly start: number;
  readonly period: number;
  readonly count: number;
}

/** A sequence in which what repeated is one item; the level below says what such an item holds. */
export interface Level {
  readonly keys: Int32Array;
  /** The first item below of each item, and one more: where the last one ends. */
  readonly below: Int32Array;
  readonly repeats: ReadonlyMap<number, Repeat>;
}

/** What happens twice is no loop yet. */
export const LEAST = 3;
/** So many periods are tried; those that most items speak for. */
const TRIED = 16;

/** How far back the same item was last, where many are alike; the shortest distance first. */
function likelyPeriods(keys: Int32Array): number[] {
  const last = new Int32Array(freshKey(keys)).fill(-1);
  const votes = new Map<number, number>();
  for (let at = 0, period = 0, count = 0; at < keys.length; at++) {
    const before = last[keys[at]!]!;
    last[keys[at]!] = at;
    if (before < 0) continue;
    if (at - before !== period) {
      period = at - before;
      count = votes.get(period) ?? 0;
    }
    votes.set(period, ++count);
  }
  return [...votes]
    .filter(([, count]) => count >= LEAST - 1)
    .sort(([a, some], [b, others]) => others - some || a - b)
    .slice(0, TRIED)
    .map(([period]) => period)
    .sort((a, b) => a - b);
}

function freshKey(keys: Int32Array): number {
  return keys.reduce((most, key) => Math.max(most, key), -1) + 1;
}

function repeatsOf(keys: Int32Array, period: number): Repeat[] {
  const found: Repeat[] = [];
  let [run, free] = [0, 0];
  for (let at = period; at <= keys.length; at++) {
    if (at < keys.length && keys[at] === keys[at - period]) {
      run++;
      continue;
    }
    const start = Math.max(free, at - run - period);
    const count = Math.floor((at - start) / period);
    if (run && count >= LEAST) {
      found.push({ start, period, count });
      free = start + period * count;
    }
    run = 0;
  }
  return found;
}

/** The same sequence with every repeat as one item; alike are those that repeat the same. */
function shortened(keys: Int32Array, repeats: readonly Repeat[]): Level {
  const [next, below]: [number[], number[]] = [[], []];
  const byItem = new Map<number, Repeat>();
  const known = new Map<string, number>();
  let fresh = freshKey(keys);
  let at = 0;
  const upTo = (end: number): void => {
    for (; at < end; at++) {
      below.push(at);
      next.push(keys[at]!);
    }
  };
  for (const repeat of repeats) {
    upTo(repeat.start);
    const body = keys.subarray(at, at + repeat.period).join();
    if (!known.has(body)) known.set(body, fresh++);
    byItem.set(next.length, repeat);
    below.push(at);
    next.push(known.get(body)!);
    at += repeat.period * repeat.count;
  }
  upTo(keys.length);
  below.push(at);
  return { keys: Int32Array.from(next), below: Int32Array.from(below), repeats: byItem };
}

/** Shorten a sequence until nothing repeats any more: inner loops first, then those around them. */
export function shorten(keys: Int32Array): Level[] {
  const levels: Level[] = [{ keys, below: new Int32Array(0), repeats: new Map() }];
  for (let current = keys; ;) {
    const found = likelyPeriods(current).reduce<Repeat[]>(
      (repeats, period) => (repeats.length ? repeats : repeatsOf(current, period)),
      [],
    );
    if (!found.length) return levels;
    const level = shortened(current, found);
    levels.push(level);
    current = level.keys;
  }
}
