import assert from 'node:assert/strict';
import test from 'node:test';
import { buildModel } from '../src/core/model.js';
import { parseRecording } from '../src/core/recording.js';
import { watchingOf } from '../src/core/watched.js';
import { goldenBytes } from './goldens.js';

const golden = (name: string) => buildModel(parseRecording(goldenBytes(name)));

test('a variable tells which tapes inside watch it, and since which step', () => {
  const [x] = watchingOf(golden('second_order')).watched;
  assert.deepEqual([x?.name, x?.step, x?.inside], ['x', 1, [{ tape: 'inner', step: 1 }]]);
});

test('variables of one name are told apart by their modules', () => {
  const { watched } = watchingOf(golden('modules'));
  assert.deepEqual(
    watched.map(({ name, modules }) => [name, modules]),
    [
      ['w', 'net › blocks[0]'],
      ['w', 'net › blocks[1]'],
      ['w', 'net › blocks[2]'],
      ['b', ''],
    ],
  );
});

test('where no tape is open inside, none is told of', () => {
  const { watched } = watchingOf(golden('scene_a'));
  assert.deepEqual(
    watched.map(({ name, inside }) => [name, inside.length]),
    [
      ['x', 0],
      ['y', 0],
    ],
  );
});

test('a span tells the function that it stands in', () => {
  const recording = parseRecording(goldenBytes('own_gradient'));
  const received = Array.from({ length: recording.spanCount }, (_, at) => recording.functionAt(at));
  assert.ok(received.some((name) => name === ''));
  assert.ok(received.some((name) => name !== ''));
  assert.equal(recording.functionAt(-1), '');
});
