import assert from 'node:assert/strict';
import test from 'node:test';
import { foldsOf } from '../src/core/foldbuilder.js';
import { FoldKind, foldName, hiddenBy, openAtFirst } from '../src/core/folds.js';
import { buildModel } from '../src/core/model.js';
import { parseRecording } from '../src/core/recording.js';
import { shorten } from '../src/core/repeats.js';
import { goldenBytes, goldens } from './goldens.js';
import { chain } from './samples.js';

const KINDS = {
  [FoldKind.Composite]: 'composite',
  [FoldKind.Loop]: 'loop',
  [FoldKind.Range]: 'range',
  [FoldKind.Iteration]: 'iteration',
  [FoldKind.Stretch]: 'stretch',
};

function folded(bytes: Uint8Array) {
  const model = buildModel(parseRecording(bytes));
  return { model, folds: foldsOf(model.recording, model.graph) };
}

for (const { name, bytes, expected } of goldens()) {
  test(`${name}: it is folded as Python folds it`, () => {
    const { model, folds } = folded(bytes);
    const rows = folds.kind.map((kind, at) => [
      KINDS[kind],
      folds.parent[at],
      folds.first[at],
      folds.last[at],
      folds.size[at],
      folds.iteration[at],
    ]);
    assert.deepEqual(rows, expected.folds);
    assert.deepEqual(
      rows.map((_, at) => foldName(model, folds, at)),
      expected.fold_names,
    );
    assert.deepEqual([...folds.ofNode], expected.fold_of);
    assert.deepEqual(
      [...openAtFirst(folds)].sort((a, b) => a - b),
      expected.opened,
    );
  });
}

test('what ran between the first and the last node of a fold lies inside, at some depth', () => {
  for (const { bytes } of goldens()) {
    const { model, folds } = folded(bytes);
    folds.kind.forEach((_, fold) => {
      const hidden = hiddenBy(
        folds,
        new Set(folds.kind.map((_, at) => at).filter((at) => at < fold)),
      );
      for (let node = folds.first[fold]!; node <= folds.last[fold]!; node++) {
        if (model.graph.nodeEvent[node]! < 0) continue;
        assert.equal(hidden[folds.ofNode[node]!], fold);
      }
    });
  }
});

test('a lesson-sized tape starts unfolded, a loop of many iterations folded', () => {
  for (const name of ['scene_a', 'composite', 'matmul']) {
    const { folds } = folded(goldenBytes(name));
    assert.equal(openAtFirst(folds).size, folds.kind.length);
  }
  const { folds } = folded(goldenBytes('chain'));
  assert.equal(openAtFirst(folds).size, 0);
});

test('however long a loop, each of its parts shows at most a dozen', () => {
  for (const length of [13, 99, 120, 121, 1200, 1201, 5000]) {
    const { folds } = folded(chain(length).bytes());
    const parts = new Int32Array(folds.kind.length);
    for (const fold of [...folds.ofNode, ...folds.parent]) if (fold >= 0) parts[fold]!++;
    assert.ok(
      parts.every((count) => count <= 12),
      `${length}: ${Math.max(...parts)}`,
    );
  }
});

test('inner loops are found inside outer ones, whatever came before', () => {
  const body = [1, 2, 2, 2, 3];
  const keys = Int32Array.from([9, ...body, ...body, ...body, 8]);
  const [whole, inner, outer] = shorten(keys);
  assert.equal(whole!.keys.length, 17);
  assert.deepEqual(
    [...inner!.repeats.values()],
    [
      { start: 2, period: 1, count: 3 },
      { start: 7, period: 1, count: 3 },
      { start: 12, period: 1, count: 3 },
    ],
  );
  assert.deepEqual([...outer!.repeats.values()], [{ start: 1, period: 3, count: 3 }]);
  assert.equal(outer!.keys.length, 3);
});

test('twice is no loop', () => {
  assert.equal(shorten(Int32Array.from([1, 2, 1, 2])).length, 1);
  assert.equal(shorten(Int32Array.from([1, 2, 1, 2, 1, 2])).length, 2);
});
