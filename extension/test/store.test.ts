import assert from 'node:assert/strict';
import test from 'node:test';
import { buildModel } from '../src/core/model.js';
import { parseRecording } from '../src/core/recording.js';
import { AT_FIRST } from '../src/core/state.js';
import { createStore, reduce } from '../src/core/store.js';
import type { State } from '../src/core/state.js';
import { goldenBytes } from './goldens.js';

function state(more: Partial<State> = {}): State {
  const model = buildModel(parseRecording(goldenBytes('scene_a')));
  return {
    ...AT_FIRST,
    model,
    step: 1,
    view: 'tape',
    findings: 0,
    ...more,
  };
}

test('a step forward and a step back end where they began', () => {
  for (let step = 2; step < 11; step++) {
    const there = reduce(state({ step }), { kind: 'next' });
    assert.deepEqual(reduce(there, { kind: 'previous' }).step, step);
  }
});

test('steps stop at both ends', () => {
  assert.equal(reduce(state({ step: 11 }), { kind: 'next' }).step, 11);
  assert.equal(reduce(state(), { kind: 'previous' }).step, 0);
  assert.equal(reduce(state({ step: 0 }), { kind: 'previous' }).step, 0);
  assert.equal(reduce(state({ step: 8 }), { kind: 'first' }).step, 0);
  assert.equal(reduce(state(), { kind: 'go', step: 999 }).step, 11);
});

test('b goes to where the way back begins', () => {
  assert.equal(reduce(state(), { kind: 'backward' }).step, 6);
});

test('a frame chosen on the way back shows that op on the way back', () => {
  const backward = state({ step: 8 });
  const steps = [0, 1, 2, 3, 4].map((frame) => reduce(backward, { kind: 'frame', frame }).step);
  assert.deepEqual(steps, [10, 11, 10, 9, 6]);
});

test('a frame chosen on the way forward shows it running', () => {
  assert.equal(reduce(state(), { kind: 'frame', frame: 3 }).step, 4);
});

test('play starts over at the end and pauses by itself', () => {
  let playing = reduce(state({ step: 11 }), { kind: 'toggle' });
  assert.deepEqual([playing.step, playing.playing], [0, true]);
  for (let tick = 0; tick < 11; tick++) playing = reduce(playing, { kind: 'tick' });
  assert.deepEqual([playing.step, playing.playing], [11, false]);
});

test('a step lets go of the selected node', () => {
  const selected = reduce(state(), { kind: 'select', node: 2 });
  assert.equal(selected.selected, 2);
  assert.equal(reduce(selected, { kind: 'next' }).selected, -1);
  assert.equal(reduce(selected, { kind: 'select', node: 2 }).selected, -1);
});

test('without findings there is nothing to ask why about', () => {
  assert.equal(reduce(state(), { kind: 'view', view: 'why' }).view, 'tape');
  assert.equal(reduce(state({ findings: 1 }), { kind: 'view', view: 'why' }).view, 'why');
});

test('listeners hear of changes only', () => {
  const store = createStore(state());
  let received = 0;
  const stop = store.subscribe(() => received++);
  store.dispatch({ kind: 'previous' });
  assert.equal(received, 1, 'it stops playing, and nothing else');
  store.dispatch({ kind: 'next' });
  stop();
  store.dispatch({ kind: 'next' });
  assert.equal(received, 2);
});
