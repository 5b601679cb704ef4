import assert from 'node:assert/strict';
import test from 'node:test';
import { firstNonFiniteStep, magnitudeOfEdge, strengthOf, VANISHED } from '../src/core/flow.js';
import { buildModel } from '../src/core/model.js';
import { stateAt, labelOf, slotAt } from '../src/core/stepstate.js';
import { parseRecording } from '../src/core/recording.js';
import { AT_FIRST } from '../src/core/state.js';
import { reduce } from '../src/core/store.js';
import type { Action, State } from '../src/core/state.js';
import { watchingOf } from '../src/core/watched.js';
import { goldenBytes } from './goldens.js';

function at(name: string, step: number): State {
  const model = buildModel(parseRecording(goldenBytes(name)));
  return { ...AT_FIRST, model, step, view: 'tape', findings: 0 };
}

test('the next sum is where the last of several contributions arrives, then the first again', () => {
  const jump = (state: State): State => reduce(state, { kind: 'nextSum' });
  const first = jump(at('fan_out', 1));
  const { node } = stateAt(first.model, first.step);
  const { arrived, expected } = slotAt(first.model, stateAt(first.model, first.step), node);
  assert.ok(expected > 1 && arrived === expected);
  const second = jump(first);
  assert.ok(second.step > first.step);
  assert.equal(jump(second).step, first.step);
  assert.equal(jump(at('vectors', 3)).step, 3, 'where no paths meet it stays');
});

test('n goes to where the first NaN or infinity is born, and stays where there is none', () => {
  const odd: Action = { kind: 'firstOdd' };
  assert.equal(
    reduce(at('not_finite', 5), odd).step,
    firstNonFiniteStep(at('not_finite', 1).model),
  );
  assert.equal(reduce(at('scene_a', 5), odd).step, 5);
});

test('a track of another call shows that call at that step', () => {
  const state = at('persistent', 1);
  const other = state.model.chosen === 0 ? 1 : 0;
  const there = reduce(state, { kind: 'track', call: other, step: 4 });
  assert.deepEqual([there.model.chosen, there.step], [other, 4]);
  const back = reduce(there, { kind: 'track', call: other, step: 5 });
  assert.equal(back.model, there.model, 'the same call is not prepared again');
});

test('what an edge carries is strong near 1, weak where it vanishes, and null where nothing comes', () => {
  assert.deepEqual(
    [strengthOf(1), strengthOf(100), strengthOf(VANISHED), strengthOf(0)],
    [1, 1, 0, 0],
  );
  const middle = strengthOf(Math.sqrt(VANISHED));
  assert.ok(Math.abs(middle - 0.5) < 1e-9);
  const { model } = at('scene_a', 1);
  const magnitudes = Array.from({ length: model.graph.edgeCount }, (_, edge) =>
    magnitudeOfEdge(model, edge),
  );
  assert.deepEqual(
    magnitudes.map((magnitude) => magnitude?.health),
    ['fine', 'fine', 'fine', 'fine', 'fine'],
  );
  const detour = at('numpy_detour', 1).model;
  assert.equal(magnitudeOfEdge(detour, 0), null);
});

test('who is watched is told since when, who is not is told why', () => {
  const { model } = at('scene_a', 1);
  assert.deepEqual(
    watchingOf(model).watched.map(({ name, step }) => [name, step]),
    [
      ['x', 1],
      ['y', 2],
    ],
  );
  const left = at('not_watched', 1).model;
  assert.deepEqual(watchingOf(left).watched, []);
  assert.deepEqual(
    watchingOf(left).unwatched.map(({ name, node }) => [name, labelOf(left, node)]),
    [['x', 'x']],
  );
});
