import { chartOf } from '../src/core/chart.js';
import type { Chart } from '../src/core/chart.js';
import { foldedGraph, foldsIn } from '../src/core/folded.js';
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

/**
 * A tape of a loop: each of its ops uses, in every turn, the same of what ran before, a variable,
 * a constant of its own, or what was there before the loop. Then a few ops look into the loop.
 */
export function randomLoop(seed: number): Encoder {
  const roll = dice(seed);
  const tape = new Encoder('for _ in range(n): y = f(y, x)');
  const op = (at: number, arity: number): number =>
    tape.op(`op${at}`, 'Op', 'f', 'y = x', ['one', 'one two', 'one two three'][arity - 1]!);
  const result = (): number =>
    tape.tensor({ role: Role.Result, name: `y${roll(4)}`, named: roll(2) > 0, value: 1 });
  const variables = Array.from({ length: 1 + roll(3) }, (_, at) => {
    const variable = tape.variable(`w${at}`);
    return tape.tensor({ role: Role.State, name: `w${at}`, named: true, value: 1, variable });
  });
  const values = [...variables];
  const sources: readonly (() => number)[] = [
    () => values.at(-1)!,
    () => values.at(-1 - roll(2)) ?? values[0]!,
    () => variables[0]!,
    () => variables.at(-1)!,
    () => tape.tensor({ role: Role.Constant, name: '', value: roll(9) }),
  ];
  const body = Array.from({ length: 1 + roll(5) }, (_, at) => {
    const arity = 1 + roll(3);
    const uses = Array.from({ length: arity }, () => roll(sources.length));
    return { op: op(at, arity), uses };
  });
  const iterations = 3 + roll(seed % 4 ? 12 : 130);
  tape.event(Kind.Opened);
  for (let turn = 0; turn < iterations; turn++) {
    for (const each of body) {
      const made = result();
      tape.ran(
        each.op,
        each.uses.map((use) => sources[use]!()),
        made,
      );
      values.push(made);
    }
  }
  for (let at = 0; at < roll(4); at++) {
    const made = result();
    tape.ran(op(9 + at, 2), [values.at(-1)!, values[roll(values.length)]!], made);
    values.push(made);
  }
  tape.event(Kind.Closed);
  return tape;
}

/** Some of the folds, open; different ones for every seed. */
export function someOpen(model: Model, seed: number): Set<number> {
  const roll = dice(seed);
  return new Set([...foldsIn(model).kind.keys()].filter(() => roll(3) > 0));
}

/** A chart of a random loop with some of its folds open, with the model it is of. */
export function foldedChart(seed: number, direction: Direction): Chart & { readonly model: Model } {
  const model = buildModel(parseRecording(randomLoop(seed).bytes()));
  const folded = foldedGraph(model, someOpen(model, seed));
  return { ...chartOf(model, direction, { folded }), model };
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
