import assert from 'node:assert/strict';
import test from 'node:test';
import { stripsOf } from '../src/core/strips.js';

test('a graph that paper can hold is one strip', () => {
  assert.deepEqual(stripsOf([0, 240, 480], [-14, 700]), [[-14, 700]]);
});

test('a wider graph is cut before layers, into strips as wide as paper', () => {
  const starts = Array.from({ length: 10 }, (_, layer) => 240 * layer);
  const strips = stripsOf(starts, [0, 2400]);
  assert.deepEqual(strips, [
    [0, 706],
    [706, 1426],
    [1426, 2146],
    [2146, 2400],
  ]);
});

test('a layer that is wider than paper is a strip of its own', () => {
  assert.deepEqual(stripsOf([0, 1500, 1700], [0, 1900]), [
    [0, 1486],
    [1486, 1900],
  ]);
});
