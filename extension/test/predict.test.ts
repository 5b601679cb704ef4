import assert from 'node:assert/strict';
import test from 'node:test';
import { buildModel } from '../src/core/model.js';
import { judge, questionAt } from '../src/core/predict.js';
import type { Question } from '../src/core/predict.js';
import { parseRecording } from '../src/core/recording.js';
import { AT_FIRST, reduce } from '../src/core/store.js';
import type { State } from '../src/core/store.js';
import { goldenBytes } from './goldens.js';

function at(name: string, step: number, more: Partial<State> = {}): State {
  const model = buildModel(parseRecording(goldenBytes(name)));
  return { ...AT_FIRST, model, step, view: 'tape', findings: 0, ...more };
}

const asked = (name: string, step: number): Question => {
  const question = questionAt(at(name, step).model, step);
  assert.ok(question);
  return question;
};

test('about a scalar it asks for the number, about several numbers for the op', () => {
  assert.equal(asked('scene_a', 8).asks, 'gradient');
  assert.equal(asked('scene_a', 8).truth?.toFixed(4), '-0.9900');
  const { asks, options, through } = asked('matmul', 8);
  assert.equal(asks, 'op');
  assert.ok(options.length > 1 && options.includes(through));
});

test('forward and at the end there is nothing to ask about', () => {
  const { model } = at('scene_a', 1);
  assert.equal(questionAt(model, 2), null);
  assert.equal(questionAt(model, 11), null);
});

for (const [said, right] of [
  ['-0.99', true],
  ['−0,99', true],
  ['-0.9870', true],
  ['-99/100', true],
  ['-0.9', false],
  ['0.99', false],
  ['None', false],
  ['', false],
  ['fish', false],
] as const) {
  test(`for −0.9900 the answer ${said || 'nothing'} is ${right ? 'right' : 'wrong'}`, () => {
    const { model } = at('scene_a', 8);
    assert.equal(judge(model, asked('scene_a', 8), said).right, right);
  });
}

test('where nothing passes, None is right and 0 is not', () => {
  const { model } = at('stop_gradient', 1);
  const blocked = Array.from({ length: model.stepCount }, (_, step) => questionAt(model, step));
  const question = blocked.find((each) => each?.truth === null);
  assert.ok(question);
  assert.deepEqual(
    ['None', ' none ', '0'].map((said) => judge(model, question, said).right),
    [true, true, false],
  );
});

test('predicting begins where the way back begins, and asks before it shows', () => {
  const asking = reduce(at('scene_a', 1), { kind: 'predict' });
  assert.deepEqual([asking.step, asking.predicting], [6, 'asking']);
  const shown = reduce(asking, { kind: 'guess', said: '1' });
  assert.deepEqual([shown.step, shown.predicting, shown.guesses.length], [7, 'on', 1]);
  assert.equal(shown.guesses[0]!.right, true);
  const again = reduce(shown, { kind: 'next' });
  assert.deepEqual([again.step, again.predicting], [7, 'asking']);
});

test('a question can be skipped, and is not judged then', () => {
  const asking = reduce(at('scene_a', 6), { kind: 'predict' });
  const skipped = reduce(asking, { kind: 'next' });
  assert.deepEqual([skipped.step, skipped.predicting, skipped.guesses.length], [7, 'on', 0]);
  assert.equal(reduce(asking, { kind: 'predict' }).predicting, 'off');
});

test('play stops where there is something to ask', () => {
  const playing = at('scene_a', 6, { predicting: 'on', playing: true });
  const stopped = reduce(playing, { kind: 'tick' });
  assert.deepEqual([stopped.step, stopped.playing, stopped.predicting], [6, false, 'asking']);
});
