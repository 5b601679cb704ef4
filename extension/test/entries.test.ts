import assert from 'node:assert/strict';
import test from 'node:test';
import { Window } from 'happy-dom';
import { entriesView, patternOf, settingsOf } from '../src/core/entries.js';
import { provide } from '../src/core/extras.js';
import { buildModel } from '../src/core/model.js';
import { mount } from '../src/core/mount.js';
import { parseRecording } from '../src/core/recording.js';
import { AT_FIRST } from '../src/core/state.js';
import type { State } from '../src/core/state.js';
import { stateAt } from '../src/core/stepstate.js';
import { cellAt, gridOf, placeAt } from '../src/core/tensorgrid.js';
import EXTRAS from '../src/extras/index.js';
import { goldenBytes } from './goldens.js';

provide(EXTRAS);

function at(name: string, step: number, entry: State['entry'] = null) {
  const model = buildModel(parseRecording(goldenBytes(name)));
  const state: State = { ...AT_FIRST, model, step, view: 'tape', findings: 0, entry };
  return entriesView(state, stateAt(model, step));
}

const golden = parseRecording(goldenBytes('matmul'));
const STEPS = buildModel(golden).stepCount;

test('an entry of a product is made of a row and a column, and its sum is written out', () => {
  const view = at('matmul', 2, { target: -1, figure: 2, place: 4 })!;
  assert.deepEqual(
    view.figures.map(({ label, pattern }) => label + pattern),
    ['x[1, :]', 'w[:, 1]', 'x @ w[1, 1]'],
  );
  const lit = view.figures.map((figure) => [...figure.lit].sort());
  assert.deepEqual(lit, [[2, 3], [1, 4], [4]]);
  assert.deepEqual(view.summands, [
    [3, -0.5],
    [4, 0.25],
  ]);
  assert.equal(view.value, 3 * -0.5 + 4 * 0.25);
  assert.equal(view.isMatrixProduct, true);
});

test('an entry of an input goes into a row of the result', () => {
  const view = at('matmul', 2, { target: -1, figure: 0, place: 2 })!;
  assert.deepEqual([...view.figures[2]!.lit], [3, 4, 5]);
  assert.equal(view.summands, null);
});

test('the gradient of a product is a product with a transposed matrix', () => {
  const view = at('matmul', STEPS)!;
  assert.equal(view.targets.length, 2);
  assert.deepEqual(
    view.figures.map(({ label, transposed, isGradient }) => [label, transposed, isGradient]),
    [
      ['x', true, false],
      ['x @ w', false, true],
      ['w', false, true],
    ],
  );
  const sum = view.summands!.reduce((total, factors) => total + factors.reduce((a, b) => a * b), 0);
  assert.ok(Math.abs(sum - view.value) < 1e-6);
});

test('a step back shows the gradient of the input it goes to, any other target on demand', () => {
  assert.equal(at('matmul', STEPS)!.target, 1);
  assert.equal(at('matmul', STEPS, { target: -1, figure: -1, place: 0 })!.target, -1);
  const gone = at('matmul', STEPS, { target: 0, figure: 2, place: 0 })!;
  assert.equal(gone.target, -1, 'no gradient goes to a constant');
});

test('there is nothing to see at a scalar, and the settings of an op are found by its event', () => {
  assert.equal(at('scene_a', 3), null);
  const model = buildModel(golden);
  const node = model.graph.frameNode[1]!;
  assert.deepEqual(settingsOf(golden, model.graph.nodeEvent[node]!), {
    transpose_a: false,
    transpose_b: false,
  });
  assert.deepEqual(settingsOf(golden, 0), {});
});

test('a pattern names what several places have in common', () => {
  assert.equal(patternOf([2, 3, 4], [0, 1, 2, 3]), '[0, 0, :]');
  assert.equal(patternOf([2, 3, 4], [4, 5, 16, 17]), '[:, 1, 0:2]');
  assert.equal(patternOf([], [0]), '');
});

test('cells and places lead to each other, in planes that are sampled too', () => {
  for (const index of Array.from({ length: golden.tensorCount }, (_, each) => each)) {
    const tensor = golden.tensor(index);
    const size = tensor.shape.reduce((product, length) => product * length, 1);
    for (let place = 0; place < size; place++) {
      const grid = gridOf(golden, tensor, place);
      assert.equal(placeAt(grid, cellAt(grid, place)), place);
    }
  }
  const large = { ...golden.tensor(0), shape: [300, 70], values: null };
  const grid = gridOf(golden, large, 0);
  assert.deepEqual([grid.rows, grid.columns], [64, 64]);
  for (let cell = 0; cell < 64 * 64; cell++) assert.equal(cellAt(grid, placeAt(grid, cell)), cell);
  assert.ok(grid.numbers.every(Number.isNaN));
});

function open(name: string, step: number) {
  const window = new Window();
  const document = window.document as unknown as Document;
  const host = document.createElement('div');
  document.body.append(host);
  const handle = mount(host, { recording: goldenBytes(name), explanation: null, step });
  const root = host.querySelector<HTMLElement>('.tl') ?? host;
  const all = (selector: string) => [...root.querySelectorAll<HTMLElement>(selector)];
  const press = (key: string, target: Element = root): void => {
    const event = new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
    target.dispatchEvent(event as unknown as Event);
  };
  return { handle, all, press };
}

test('arrow keys walk over the entries and leave the step alone', () => {
  const { handle, all, press } = open('matmul', 2);
  press('5');
  const planes = all('.entries .plane');
  assert.equal(planes.length, 3);
  const names = (): string => all('.sums p')[0]!.textContent!;
  press('Home', planes[2]!);
  press('PageUp', planes[2]!);
  assert.equal(names(), 'x @ w[0, 0] = Σ x[0, :] · w[:, 0]');
  press('ArrowDown', planes[2]!);
  press('End', planes[2]!);
  assert.equal(names(), 'x @ w[1, 2] = Σ x[1, :] · w[:, 2]');
  assert.match(all('.sums p')[1]!.textContent!, /^= 3·1 \+ 4·\(−2\) = −5$/);
  assert.equal(handle.step(), 2);
  assert.equal(all('.entries .plane')[2], planes[2], 'the same element keeps the focus');
});

test('where the step has no tensors, the ops that have some are offered', () => {
  const { all, press } = open('matmul', 1);
  press('5');
  assert.equal(all('.entries').length, 0);
  const offered = all('.pane .targets button');
  assert.ok(offered.length >= 3);
  offered[0]!.click();
  assert.equal(all('.entries .plane').length, 3);
});
