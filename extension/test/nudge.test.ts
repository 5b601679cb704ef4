import assert from 'node:assert/strict';
import test from 'node:test';
import { Window } from 'happy-dom';
import { provide } from '../src/core/extras.js';
import { buildModel } from '../src/core/model.js';
import { mount } from '../src/core/mount.js';
import { arrive, begin, comparison, movableTensor, rounded, unitOf } from '../src/core/nudge.js';
import { parseRecording } from '../src/core/recording.js';
import type { Replays } from '../src/core/whatif.js';
import EXTRAS from '../src/extras/index.js';
import { goldenBytes } from './goldens.js';

provide(EXTRAS);

const model = buildModel(parseRecording(goldenBytes('scene_a')));
const X = 0;

test('a variable of one number can be moved, an op and a matrix cannot', () => {
  assert.equal(movableTensor(model, X), model.graph.nodeTensor[X]);
  const others = [...Array(model.graph.nodeCount).keys()].slice(1);
  assert.equal(others.filter((node) => movableTensor(model, node) >= 0).length, 1);
  const matrix = buildModel(parseRecording(goldenBytes('matmul')));
  assert.ok([...Array(matrix.graph.nodeCount).keys()].every((n) => movableTensor(matrix, n) < 0));
  assert.equal(movableTensor(model, -1), -1);
});

test('the tangent says what the gradient says, the program what it does', () => {
  const nudge = begin(model, X);
  assert.deepEqual([nudge.name, nudge.targetName], ['x', 'z']);
  const there = { value: 3.5, target: 14 - 0.35, derivative: 3 };
  const { predicted, moved } = comparison({ ...nudge, now: there })!;
  assert.ok(Math.abs(predicted - 0.5 * (4 + Math.cos(3))) < 1e-6);
  assert.ok(Math.abs(moved - (13.65 - (12 + Math.sin(3)))) < 1e-6);
  assert.deepEqual(arrive(nudge, model).visited.length, 2);
});

test('a value moves in steps of about a hundredth of it', () => {
  assert.deepEqual([3, 0, 40, -0.02].map(unitOf), [0.05, 0.005, 0.5, 0.005]);
  assert.equal(rounded(0.1 + 0.2, 0.05), 0.3);
});

function open(replays?: Replays) {
  const window = new Window();
  const document = window.document as unknown as Document;
  const host = document.createElement('div');
  document.body.append(host);
  const handle = mount(host, { recording: goldenBytes('scene_a'), step: 10, replays });
  const press = (key: string, target: Element): void => {
    const event = new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
    target.dispatchEvent(event as unknown as Event);
  };
  const box = (): HTMLElement => host.querySelector<HTMLElement>('.nudge')!;
  const choose = (): void => {
    handle.dispatch({ kind: 'select', node: X });
    press('Enter', host.querySelector('.stage')!);
  };
  return { host, press, box, choose, handle };
}

test('keys move the value, Escape takes everything back', () => {
  const asked: [number, number][][] = [];
  const { press, box, choose } = open({
    move: (values) => void asked.push([...values]),
    listen: () => () => {},
  });
  assert.equal(box().hidden, true);
  choose();
  assert.equal(box().hidden, false);
  const field = box().querySelector('input')!;
  press('ArrowUp', field);
  press('PageDown', field);
  field.value = '−2.5';
  press('Enter', field);
  const tensor = model.graph.nodeTensor[X]!;
  assert.deepEqual(asked, [[[tensor, 3.05]], [[tensor, 2.55]], [[tensor, -2.5]]]);
  press('Escape', field);
  assert.deepEqual(asked.at(-1), []);
  assert.equal(box().hidden, true);
});

test('what cannot run again says why', () => {
  const listeners: Parameters<Replays['listen']>[0][] = [];
  const listen: Replays['listen'] = (listener) => (listeners.push(listener), () => {});
  const { box, choose } = open({ move: () => {}, listen });
  choose();
  for (const listener of listeners) listener(null, '`f` cannot run again.');
  assert.equal(box().querySelector('[role=status]')!.textContent, 'f cannot run again.');
});

test('without a kernel the field says so, and is gone with the widget', () => {
  const { box, choose, handle, host } = open();
  choose();
  assert.match(box().textContent!, /With a kernel, tf.show/);
  assert.equal(box().querySelector('input')!.disabled, true);
  handle.destroy();
  assert.equal(host.querySelector('.nudge'), null);
});
