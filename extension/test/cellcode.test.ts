import assert from 'node:assert/strict';
import test from 'node:test';
import { buildModel } from '../src/core/model.js';
import { parseRecording } from '../src/core/recording.js';
import { stateAt } from '../src/core/stepstate.js';
import { cellLine } from '../src/core/views/code.js';
import { goldenBytes } from './goldens.js';

const model = buildModel(parseRecording(goldenBytes('scene_a')));
const lines = [3, model.stepCount - 1].map((step) => cellLine(model, stateAt(model, step))!);

test('a cell is told the place of a step in its text, and the values below it', () => {
  const places = lines.map(({ text, line, column, endColumn }) =>
    text.split('\n')[line]!.slice(column, endColumn),
  );
  const notes = lines.map(({ tone, notes }) => [tone, notes.map(({ text }) => text)]);
  assert.deepEqual(places, ['x * y', 'x * y']);
  assert.deepEqual(notes, [
    ['v', ['12.0000', '···']],
    ['g', ['1.0000', '1.0000']],
  ]);
});

test('where the learner is asked about a step the cell does not say its values', () => {
  assert.deepEqual(cellLine(model, stateAt(model, 3), true)!.notes, []);
});
