import assert from 'node:assert/strict';
import test from 'node:test';
import { foldsIn } from '../src/core/folded.js';
import { buildModel } from '../src/core/model.js';
import { parseRecording } from '../src/core/recording.js';
import { AT_FIRST } from '../src/core/state.js';
import type { State } from '../src/core/state.js';
import { loopsAt, goToIteration } from '../src/core/iterations.js';
import { goldenBytes } from './goldens.js';

function state(name: string, step: number): State {
  const model = buildModel(parseRecording(goldenBytes(name)));
  return { ...AT_FIRST, model, step, view: 'tape', findings: 0 };
}

test('a loop of single ops has an iteration for each of them', () => {
  const start = state('chain', 1);
  const [loop] = loopsAt(start);
  assert.equal(loop!.iterations.length, foldsIn(start.model).size[loop!.fold]);
  assert.equal(loop!.iterations.length, 2000);
});

test('to another iteration the step keeps its place', () => {
  const start = state('chain', 1);
  const there = goToIteration(start, loopsAt(start)[0]!, 700);
  assert.equal(there.kind, 'go');
  const then = { ...start, step: (there as { step: number }).step };
  assert.equal(loopsAt(then)[0]!.iteration, 700);
});
