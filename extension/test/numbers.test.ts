import assert from 'node:assert/strict';
import test from 'node:test';
import {
  formatBrief,
  formatNumber,
  formatShort,
  formatType,
  formatValues,
  grouped,
} from '../src/core/numbers.js';
import { Role } from '../src/core/schema.js';
import type { TensorInfo } from '../src/core/schema.js';

function tensor(values: readonly number[] | null, shape: number[], dtype = 'float32'): TensorInfo {
  const kept = values && Float64Array.from(values);
  return {
    role: Role.Result,
    shape,
    dtype,
    name: '',
    named: false,
    variable: -1,
    span: -1,
    values: kept,
    index: 0,
    words: '',
  };
}

test('a number has four decimals and a true minus', () => {
  assert.equal(formatNumber(-0.98999), '−0.9900');
  assert.equal(formatNumber(12), '12.0000');
});

test('very small and very large numbers are told by their size', () => {
  assert.equal(formatNumber(1.42e-14), '1.42e−14');
  assert.equal(formatNumber(-2.5e6), '−2.50e6');
  assert.equal(formatNumber(0.00002), '2.00e−5');
  assert.equal(formatNumber(999999), '999999.0000');
});

test('what is no number is named', () => {
  assert.deepEqual([NaN, Infinity, -Infinity].map(formatNumber), ['NaN', '+∞', '−∞']);
});

test('a vector keeps as few decimals as tell its numbers apart', () => {
  assert.equal(formatValues(tensor([1, 4, 9], [3])), '[1. 4. 9.]');
  assert.equal(formatValues(tensor([0.5, -1, 2], [3])), '[0.5 −1.0 2.0]');
  assert.equal(formatValues(tensor([1, 2, 3, 4], [2, 2])), '[[1. 2.] [3. 4.]]');
});

test('whole numbers, truth values and complex numbers look like themselves', () => {
  assert.equal(formatValues(tensor([3, -1], [2], 'int32')), '[3 −1]');
  assert.equal(formatValues(tensor([1, 0], [2], 'bool')), '[True False]');
  assert.equal(formatValues(tensor([1, -2], [], 'complex64')), '1.0000−2.0000j');
});

test('a number that was not kept is never invented', () => {
  assert.equal(formatValues(tensor(null, [])), null);
  assert.equal(formatBrief(tensor(null, []), 12), 'not kept');
  assert.equal(formatBrief(tensor(null, [6, 5]), 12), '6×5');
});

test('numbers that do not fit give way to the shape', () => {
  assert.equal(formatBrief(tensor([0.1543, 0.3086, 0.4629], [3]), 12), 'float32 (3,)');
});

test('a type reads as words', () => {
  assert.equal(formatType(tensor([1], [])), 'float32, a scalar');
  assert.equal(formatType(tensor([1, 2, 3], [3])), 'float32, 3 numbers');
  assert.equal(formatType(tensor(null, [2, 3])), 'float32, shape 2×3');
});

test('thousands stand apart', () => {
  assert.equal(grouped(1204551), '1\u202f204\u202f551');
});

test('in a small cell a number has three digits', () => {
  const shown = [0.12345, -4.5, 12345, 1.24e-7, -2e5, 0, NaN, Infinity, -Infinity].map(formatShort);
  assert.deepEqual(shown, ['0.123', '−4.5', '12300', '1.24e−7', '−2.00e5', '0', 'NaN', '∞', '−∞']);
});
