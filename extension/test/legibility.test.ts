import assert from 'node:assert/strict';
import test from 'node:test';
import { isLegible, smallTitle } from '../src/core/legibility.js';
import { cells } from '../src/core/text.js';

test('what a graph that is shown small still says is 11 px high, and fits its box', () => {
  const sizes = [0.02, 0.2, 0.33, 0.5, 0.8, 0.95, 1, 3];
  const titles = sizes.map((zoom) => smallTitle('cross_entropy(logits)', 124, 58, zoom));
  assert.deepEqual(
    titles.map((title) => title?.text ?? null),
    [
      ...[null, null, 'cro…s)', 'cros…its)', 'cross_e…ogits)'],
      ...['cross_en…(logits)', 'cross_en…(logits)', 'cross_en…(logits)'],
    ],
  );
  titles.forEach((title, at) => {
    if (!title) return;
    assert.ok(title.size * sizes[at]! >= 11);
    assert.ok(cells(title.text) * title.size * 0.604 <= 124 && title.size <= 58);
  });
});

test('of a title that does not fit nothing is left where that would say nothing', () => {
  const shown = ['out', 'tf.square(x)'].map(
    (title) => smallTitle(title, 60, 58, 0.5)?.text ?? null,
  );
  assert.deepEqual(shown, ['out', null]);
});

test('a graph says all of it only where its smallest type has 11 px', () => {
  assert.deepEqual([0.95, 0.957, 1].map(isLegible), [false, true, true]);
});
