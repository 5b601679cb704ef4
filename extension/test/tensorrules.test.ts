import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { addressed, coordinatesOf, placeOf, points } from '../src/core/indexmaps.js';
import type { Shape } from '../src/core/indexmaps.js';
import type { Settings } from '../src/core/schema.js';
import { derivativesOf, tensorRule, termsAt } from '../src/core/tensorrules.js';
import type { Numbers, TensorRule } from '../src/core/tensorrules.js';
import { dice } from './random.js';

interface Tensor {
  readonly shape: Shape;
  readonly values: readonly number[];
}

/** An op that ran, and its real Jacobian: see `tests/fixtures/tensor_rules.py`. */
interface Case {
  readonly op: string;
  readonly rules: readonly { local: string }[];
  readonly settings: Settings;
  readonly inputs: readonly Tensor[];
  readonly result: Tensor;
  readonly output: number;
  readonly locals: readonly (readonly number[] | null)[];
  readonly derivatives: readonly (readonly (readonly [number, number, number])[] | null)[];
}

const FILE = new URL('../../tests/fixtures/tensor_rules.json', import.meta.url);
const CASES = JSON.parse(readFileSync(fileURLToPath(FILE), 'utf8')) as Case[];

function ruleOf({ op, rules, settings, inputs, result, output }: Case): TensorRule {
  const rule = tensorRule(
    { name: op, rules },
    {
      settings,
      inputs: inputs.map(({ shape }) => shape),
      result: result.shape,
      output,
      chosen: (input) => inputs[input]!.values,
    },
  );
  assert.ok(rule, `${op} has a rule`);
  return rule;
}

function numbersOf({ inputs, result }: Case): Numbers {
  return {
    result: (place) => result.values[place]!,
    input: (input, place) => inputs[input]!.values[place]!,
  };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const close = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-4 * Math.max(1, Math.abs(b));

CASES.forEach((one, number) => {
  const name = `${one.op} (${number})`;

  test(`${name}: the terms of the gradient are the Jacobian, no more and no less`, () => {
    const rule = ruleOf(one);
    const numbers = numbersOf(one);
    one.derivatives.forEach((expected, input) => {
      if (!expected) return;
      const sums = new Map<string, number>();
      const derivative = derivativesOf(rule, numbers, (to) => one.locals[input]![to]!);
      for (const place of range(one.inputs[input]!.values.length)) {
        for (const term of termsAt(rule, input, place)) {
          const at = term.part.factors.findIndex((factor) => factor.input === input);
          const key = `${term.result} ${place}`;
          sums.set(key, (sums.get(key) ?? 0) + derivative(term, at));
        }
      }
      const found = [...sums].filter(([, sum]) => Math.abs(sum) > 1e-9).map(([key]) => key);
      const wanted = expected.map(([to, at]) => `${to} ${at}`);
      assert.deepEqual(found.sort(), wanted.sort());
      for (const [to, at, value] of expected)
        assert.ok(close(sums.get(`${to} ${at}`)!, value), `${to} ${at}: ${value}`);
    });
  });

  test(`${name}: what makes an entry is what its terms name`, () => {
    const rule = ruleOf(one);
    const numbers = numbersOf(one);
    for (const place of range(one.result.values.length)) {
      const terms = [...termsAt(rule, -1, place)];
      assert.ok(terms.every(({ result }) => result === place));
      one.derivatives.forEach((expected, input) => {
        const needed = new Set((expected ?? []).filter(([to]) => to === place).map(([, at]) => at));
        const named = new Set(
          terms.flatMap(({ part, places }) =>
            places.filter((_, at) => part.factors[at]!.input === input),
          ),
        );
        assert.ok(
          [...needed].every((at) => named.has(at)),
          `${[...needed]} of input ${input}`,
        );
      });
      if (rule.how !== 'product') continue;
      const products = terms.map(({ part, places }) =>
        places.reduce((product, at, each) => {
          return product * numbers.input(part.factors[each]!.input, at);
        }, rule.scale),
      );
      const sum = products.reduce((total, product) => total + product, 0);
      assert.ok(close(sum, one.result.values[place]!), `${sum}, not ${one.result.values[place]}`);
    }
  });
});

test('there are cases of every kind of op', () => {
  const names = new Set(CASES.map(({ op }) => op));
  assert.ok(names.size > 30, [...names].join(' '));
});

test('an op without a declaration, or without its settings, has no rule', () => {
  const run = { settings: {}, inputs: [[2, 2]], result: [2, 2], output: 0, chosen: () => null };
  const rules = [{ local: '' }];
  assert.equal(tensorRule({ name: 'cholesky', rules }, run), null);
  assert.equal(tensorRule({ name: 'toString', rules }, run), null);
  assert.equal(tensorRule({ name: 'strided_slice', rules }, run), null);
  assert.equal(tensorRule({ name: 'max_pool', rules }, run), null);
});

test('an op on nothing has no rule', () => {
  const run = { settings: {}, inputs: [[0, 2]], result: [0, 2], output: 0, chosen: () => null };
  assert.equal(tensorRule({ name: 'sin', rules: [{ local: 'cos' }] }, run), null);
});

test('the points that address an entry are those found by trying all', () => {
  for (const seed of range(60)) {
    const roll = dice(seed);
    const sizes = range(3).map(() => 1 + roll(3));
    const shape = range(2).map(() => 2 + roll(3));
    const at = shape.map(() => ({
      offset: roll(3) - 1,
      steps: range(3)
        .filter(() => roll(5) < 3)
        .map((number) => [number, [1, 2, -1][roll(3)]!] as const),
    }));
    const access = { shape, at };
    const all = range(sizes.reduce((product, size) => product * size, 1));
    for (const place of range(shape[0]! * shape[1]!)) {
      const expected = all
        .map((each) => coordinatesOf(sizes, each))
        .filter((loops) => addressed(access, loops) === place);
      const found = [...points(sizes, access, place)];
      assert.deepEqual(new Set(found.map(String)), new Set(expected.map(String)));
      assert.equal(found.length, expected.length);
    }
  }
});

test('a place and its coordinates lead to each other', () => {
  for (const place of range(24))
    assert.equal(placeOf([2, 3, 4], coordinatesOf([2, 3, 4], place)), place);
  assert.equal(placeOf([2, 3], [1, 3]), -1);
  assert.deepEqual(coordinatesOf([], 0), []);
});
