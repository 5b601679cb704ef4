import assert from 'node:assert/strict';
import test from 'node:test';
import { provide } from '../src/core/extras.js';
import { buildModel } from '../src/core/model.js';
import { judge, questionAt } from '../src/core/predict.js';
import type { Question } from '../src/core/predict.js';
import { parseRecording } from '../src/core/recording.js';
import { AT_FIRST } from '../src/core/state.js';
import { reduce } from '../src/core/store.js';
import type { State } from '../src/core/state.js';
import EXTRAS from '../src/extras/index.js';
import { goldenBytes } from './goldens.js';

provide(EXTRAS);

function at(name: string, step: number, more: Partial<State> = {}): State {
  const model = buildModel(parseRecording(goldenBytes(name)));
  return { ...AT_FIRST, model, step, view: 'tape', findings: 0, ...more };
}

const questionIn = (name: string, step: number): Question => {
  const found = questionAt(at(name, step).model, step);
  assert.ok(found);
  return found;
};

test('about one number it asks for it, about a few for all of them, about many for the shape', () => {
  assert.equal(questionIn('scene_a', 8).asks, 'number');
  assert.equal(questionIn('scene_a', 8).truth?.[0]?.toFixed(4), '-0.9900');
  const kinds = new Set<string>();
  for (const name of ['matmul', 'vectors', 'not_kept', 'composite']) {
    const { model } = at(name, 1);
    for (let step = 1; step < model.stepCount; step++) {
      const question = questionAt(model, step);
      if (question) kinds.add(`${question.way} ${question.asks}`);
    }
  }
  assert.deepEqual([...kinds].sort(), [
    ...['backward number', 'backward shape', 'backward vector'],
    ...['forward number', 'forward op', 'forward shape', 'forward vector'],
  ]);
});

test('forward it asks which op of a line begins, and then what each makes', () => {
  const first = questionIn('scene_a', 2);
  assert.deepEqual([first.way, first.asks, first.options.length], ['forward', 'op', 3]);
  const { model } = at('scene_a', 1);
  const names = first.options.map((node) => judge(model, first, String(node)).said);
  assert.deepEqual(names, names.toSorted());
  assert.equal(judge(model, first, String(first.truth![0])).right, true);
  assert.equal(judge(model, first, String(first.truth![0]! + 1)).right, false);
  const then = questionIn('scene_a', 3);
  assert.deepEqual([then.asks, then.truth?.[0]?.toFixed(4)], ['number', '0.1411']);
});

test('what is read, and what comes after the end, is no question', () => {
  const { model } = at('scene_a', 1);
  assert.deepEqual(
    [0, 1, 11].map((step) => questionAt(model, step)),
    [null, null, null],
  );
});

test('small numbers are not rounded to nothing', () => {
  const { model } = at('scene_a', 8);
  const tiny = { ...questionIn('scene_a', 8), truth: [1e-5] };
  assert.deepEqual(
    ['0', '1e-5', '0.00001', '1e-6'].map((said) => judge(model, tiny, said).right),
    [false, true, true, false],
  );
});

const LIKE = { asks: 'vector', truth: [1, -2.5, 3] } as const;
for (const [more, said, right] of [
  [LIKE, '1 -2.5 3', true],
  [LIKE, '[1, −2.5, 3]', true],
  [LIKE, '1,-2.5,3', true],
  [LIKE, '1; −2,5; 3', true],
  [LIKE, '1 -2.5', false],
  [LIKE, '1', false],
  [LIKE, 'None', false],
  [{ asks: 'vector', truth: [1, 1, 1] }, '1', true],
  [{ asks: 'shape', truth: [2, 3] }, '(2, 3)', true],
  [{ asks: 'shape', truth: [2, 3] }, '2×3', true],
  [{ asks: 'shape', truth: [2, 3] }, '3 2', false],
  [{ asks: 'shape', truth: [23] }, '2 3', false],
] as const) {
  test(`of ${more.truth.join(' ')} as ${more.asks}, ${said} is ${right ? 'right' : 'wrong'}`, () => {
    const question = { ...questionIn('scene_a', 8), ...more };
    assert.equal(judge(at('scene_a', 8).model, question, said).right, right);
  });
}

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
    assert.equal(judge(model, questionIn('scene_a', 8), said).right, right);
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

test('predicting begins here, and asks before it shows', () => {
  const questioned = reduce(at('scene_a', 6), { kind: 'predict' });
  assert.deepEqual([questioned.step, questioned.predicting], [6, 'question']);
  const shown = reduce(questioned, { kind: 'guess', said: '1' });
  assert.deepEqual([shown.step, shown.predicting, shown.guesses.length], [7, 'on', 1]);
  assert.equal(shown.guesses[0]!.right, true);
  const again = reduce(shown, { kind: 'next' });
  assert.deepEqual([again.step, again.predicting], [7, 'question']);
});

test('it goes on to where there is something to find out, from the end to the start', () => {
  for (const [from, to] of [
    [1, 2],
    [5, 6],
    [11, 2],
  ] as const) {
    const { step, predicting } = reduce(at('scene_a', from), { kind: 'predict' });
    assert.deepEqual([step, predicting], [to, 'question']);
  }
});

test('an answer can be taken back, and is asked for again', () => {
  const questioned = reduce(at('scene_a', 6), { kind: 'predict' });
  const wrong = reduce(questioned, { kind: 'guess', said: '7' });
  const further = reduce(reduce(wrong, { kind: 'next' }), { kind: 'next' });
  const back = reduce(further, { kind: 'takeBack' });
  assert.deepEqual([back.step, back.predicting, back.guesses], [6, 'question', []]);
  assert.equal(reduce(back, { kind: 'guess', said: '1' }).guesses[0]!.right, true);
  assert.equal(reduce(at('scene_a', 6), { kind: 'takeBack' }).step, 6);
});

test('a question can be skipped, and is not judged then', () => {
  const questioned = reduce(at('scene_a', 6), { kind: 'predict' });
  const skipped = reduce(questioned, { kind: 'next' });
  assert.deepEqual([skipped.step, skipped.predicting, skipped.guesses.length], [7, 'on', 0]);
  assert.equal(reduce(questioned, { kind: 'predict' }).predicting, 'off');
});

test('play stops where there is something to ask', () => {
  const playing = at('scene_a', 6, { predicting: 'on', playing: true });
  const stopped = reduce(playing, { kind: 'tick' });
  assert.deepEqual([stopped.step, stopped.playing, stopped.predicting], [6, false, 'question']);
});
