import { chartOf } from '../src/core/chart.js';
import type { Chart } from '../src/core/chart.js';
import type { Direction } from '../src/core/layout.js';
import { buildModel } from '../src/core/model.js';
import type { Model } from '../src/core/model.js';
import { parseRecording } from '../src/core/recording.js';
import { Kind, Role } from '../src/core/schema.js';
import { Encoder } from './encode.js';

/** Numbers that look random and are the same every time. */
export function dice(seed: number): (below: number) => number {
  let state = seed * 7919 + 1;
  return (below) => (state = (state * 48271) % 2147483647) % below;
}

/** A tape that looks like a program: every op uses a few earlier values, and a variable at times. */
export function randomTape(seed: number): Encoder {
  const roll = dice(seed);
  const tape = new Encoder('y = f(x)');
  const ops = ['one', 'one two', 'one two three'].map((inputs, at) =>
    tape.op(`op${at}`, 'Op', 'fgh'[at]!, 'y = x', inputs),
  );
  const name = (at: number): string => 'value_with_a_name_of_some_length'.slice(0, 1 + roll(at));
  const values = Array.from({ length: 1 + roll(4) }, () => {
    const variable = tape.variable(name(20));
    return tape.tensor({ role: Role.State, name: name(20), named: true, value: 1, variable });
  });
  tape.event(Kind.Opened);
  const count = 3 + roll(seed % 5 ? 24 : 70);
  for (let at = 0; at < count; at++) {
    const arity = 1 + roll(3);
    const inputs = Array.from({ length: arity }, () => {
      const recent = values.length - 1 - roll(Math.min(values.length, 4));
      return values[roll(4) ? recent : roll(values.length)]!;
    });
    const made = tape.tensor({ role: Role.Result, name: name(32), named: roll(2) > 0, value: 1 });
    tape.ran(ops[arity - 1]!, inputs, made);
    values.push(made);
  }
  tape.event(Kind.Closed);
  return tape;
}

/** A chart of a random tape, with the model it is of. */
export function randomChart(seed: number, direction: Direction): Chart & { readonly model: Model } {
  const model = buildModel(parseRecording(randomTape(seed).bytes()));
  return { ...chartOf(model, direction), model };
}

type Point = readonly [number, number];

/** Points along a drawn path, which consists of one M and of cubic curves. */
export function samplesOf(path: string, each = 24): Point[] {
  const [start, ...curves] = path.slice(1).split('C');
  const pairs = (text: string): Point[] => {
    const numbers = text.trim().split(/[ ,]+/).map(Number);
    return numbers.flatMap((x, at) => (at % 2 ? [] : [[x, numbers[at + 1]!] as const]));
  };
  let a = pairs(start!)[0]!;
  const points: Point[] = [a];
  for (const curve of curves) {
    const [b, c, d] = pairs(curve) as [Point, Point, Point];
    for (let at = 1; at <= each; at++) {
      const [t, u] = [at / each, 1 - at / each];
      const mix = (axis: 0 | 1): number =>
        u ** 3 * a[axis] + 3 * u * u * t * b[axis] + 3 * u * t * t * c[axis] + t ** 3 * d[axis];
      points.push([mix(0), mix(1)]);
    }
    a = d;
  }
  return points;
}
