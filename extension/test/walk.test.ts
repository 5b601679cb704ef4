import assert from 'node:assert/strict';
import test from 'node:test';
import { chartOf } from '../src/core/chart.js';
import type { Chart } from '../src/core/chart.js';
import { foldedGraph } from '../src/core/folded.js';
import { buildModel } from '../src/core/model.js';
import type { Model } from '../src/core/model.js';
import { parseRecording } from '../src/core/recording.js';
import { spokenNode } from '../src/core/spoken.js';
import { AT_FIRST } from '../src/core/state.js';
import type { State } from '../src/core/state.js';
import { reduce } from '../src/core/store.js';
import { labelOf, stateAt } from '../src/core/stepstate.js';
import { neighbours, placeHere, walkBy } from '../src/core/walk.js';
import { goldenBytes, goldens } from './goldens.js';

interface Tour {
  readonly chart: Chart;
  readonly model: Model;
  press(...keys: string[]): string;
  spoken(): string;
  state(): State;
}

/** Walk in a tape with everything unfolded, from a step on. */
function tour(name: string, step: number): Tour {
  const model = buildModel(parseRecording(goldenBytes(name)));
  let state: State = { ...AT_FIRST, model, step, view: 'tape', findings: 0 };
  state = reduce(state, { kind: 'foldAll', open: true });
  const chart = chartOf(model, 'right', { folded: foldedGraph(model, state.open) });
  return {
    chart,
    model,
    state: () => state,
    press: (...keys) => {
      for (const key of keys) {
        const action = walkBy(state, chart, key);
        if (action) state = reduce(state, action);
      }
      return labelOf(model, chart.nodes[placeHere(state, chart)]!);
    },
    spoken: () =>
      spokenNode(model, chart, stateAt(model, step), placeHere(state, chart), state.walk),
  };
}

test('from the selected node the arrows lead to its inputs, among them, and back', () => {
  const { press, state } = tour('scene_a', 5);
  assert.equal(press('ArrowRight'), 'z', 'without a selection the arrows do not walk');
  assert.equal(press('ArrowUp', 'ArrowDown'), 'z');
  assert.equal(press('ArrowLeft'), 'x * y');
  assert.equal(press('ArrowDown'), 'tf.sin(x)');
  assert.equal(press('ArrowDown'), 'x * y');
  assert.equal(press('ArrowLeft'), 'x');
  assert.equal(press('ArrowDown'), 'y');
  assert.equal(press('ArrowRight'), 'x * y');
  assert.equal(press('ArrowRight', 'ArrowRight'), 'z', 'behind the last node there is nothing');
  assert.equal(state().step, 5, 'walking is no stepping');
});

test('along an edge one comes back to where one came from, though other edges lead on', () => {
  const { press, chart, model } = tour('scene_a', 5);
  const place = chart.placeOf(stateAt(model, 1).node);
  assert.deepEqual(neighbours(chart, place, 'out').length, 2, 'x is used twice');
  press('ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowDown', 'ArrowLeft');
  assert.equal(press('ArrowRight'), 'tf.sin(x)');
});

test('a node is spoken with its op, value, gradient, and where its edges lead', () => {
  const { press, spoken } = tour('scene_a', 11);
  press('ArrowDown', 'ArrowUp', 'ArrowRight');
  const there = spoken();
  assert.match(there, /x \* y\./);
  assert.match(there, /Multiply, value 12\.0000, float32, a scalar, gradient 1\.0000\./);
  assert.match(there, /From x, y\. To z\./);
  press('ArrowLeft');
  assert.match(spoken(), /^y\. Input 2 of 2 of x \* y\. 3\.0000 comes back along this edge\./);
});

test('what has not come yet is not spoken', () => {
  const { press, spoken } = tour('scene_a', 3);
  press('ArrowDown', 'ArrowUp');
  assert.match(spoken(), /gradient not computed yet/);
  assert.doesNotMatch(spoken(), /comes back/);
  press('ArrowRight');
  assert.match(spoken(), /not run yet/);
});

test('every node of every golden tape is reached by walking, and says its name', () => {
  for (const { name, bytes } of goldens()) {
    const model = buildModel(parseRecording(bytes));
    if (!model.stepCount) continue;
    const open = reduce(
      { ...AT_FIRST, model, step: 1, view: 'tape', findings: 0 },
      { kind: 'foldAll', open: true },
    ).open;
    const chart = chartOf(model, 'right', { folded: foldedGraph(model, open) });
    for (let place = 0; place < chart.nodes.length; place++) {
      const current = stateAt(model, model.stepCount);
      assert.ok(
        spokenNode(model, chart, current, place, null).startsWith(chart.faceOf(place).label),
      );
      for (const next of neighbours(chart, place, 'out')) {
        assert.ok(neighbours(chart, next, 'in').includes(place), `${name}: no edge leads back`);
      }
    }
  }
});
test('of a gradient of many numbers the shape and the norm are spoken', () => {
  const { chart, model } = tour('previews', 0);
  const steps = model.graph.frameCount + model.backwardPass!.flows.length;
  const place = Array.from(chart.nodes).findIndex((node) => labelOf(model, node) === 'kernel');
  const said = spokenNode(model, chart, stateAt(model, steps), place, null);
  assert.match(said, /gradient 40×80, norm 113\.1371\./);
});
