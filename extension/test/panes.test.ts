import assert from 'node:assert/strict';
import test from 'node:test';
import { Window } from 'happy-dom';
import { provide } from '../src/core/extras.js';
import { mount } from '../src/core/mount.js';
import type { Handle } from '../src/core/mount.js';
import type { Guess } from '../src/core/predict.js';
import EXTRAS from '../src/extras/index.js';
import { goldenBytes } from './goldens.js';

interface Page {
  host: HTMLElement;
  handle: Handle;
  press(key: string, on?: string): void;
  all(selector: string): HTMLElement[];
  text(selector: string): string;
}

function open(name = 'scene_a', step = 1): Page {
  const window = new Window();
  const host = window.document.createElement('div') as unknown as HTMLElement;
  window.document.body.append(host as never);
  const handle = mount(host, { recording: goldenBytes(name), step });
  const press = (key: string, on = '.fr.now'): void => {
    const target = host.querySelector<HTMLElement>(on)!;
    const event = new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
    target.dispatchEvent(event as never);
  };
  const all = (selector: string): HTMLElement[] => [
    ...host.querySelectorAll<HTMLElement>(selector),
  ];
  const text = (selector: string): string => host.querySelector(selector)?.textContent ?? '';
  return { host, handle, press, all, text };
}

test('before the views that come later are there, their place says so; then they appear', () => {
  const { press, all, text } = open();
  press('2');
  assert.match(text('.graph'), /comes from the kernel/);
  provide(EXTRAS);
  assert.equal(all('.pane .plot').length, 1);
  press('1');
  assert.equal(all('.stage').length, 1);
});

test('1 to 5 choose what stands beside the code, and the buttons say what is chosen', () => {
  const { press, text, all } = open();
  const seen = ['2', '3', '4', '5', '1'].map((key) => {
    press(key);
    return [text('.tab[aria-pressed=true]'), all('.pane').length];
  });
  assert.deepEqual(seen, [
    ['Flow', 1],
    ['Memory', 1],
    ['Watched', 1],
    ['Entries', 1],
    ['Graph', 0],
  ]);
});

test('a mark for every gradient, hollow until it has come', () => {
  const { handle, press, all } = open('scene_a', 6);
  press('2');
  assert.deepEqual([all('.magnitude').length, all('.magnitude.todo').length], [5, 4]);
  assert.deepEqual(
    all('.pane .key > span').map((entry) => entry.textContent),
    ['watched', 'op'],
  );
  handle.dispatch({ kind: 'last' });
  assert.equal(all('.magnitude.todo').length, 0);
});

test('NaN stands as a band at the top, with a way to where it was born', () => {
  const { press, all, handle } = open('not_finite', 10);
  press('2');
  assert.equal(all('.magnitude.nan rect').length, 1);
  assert.deepEqual(
    all('.plot .band').map((word) => word.textContent),
    ['NaN'],
  );
  all('.nonfinite button')[0]!.click();
  assert.equal(handle.step(), 2);
});

test('the memory view says what is held at this step and at most', () => {
  const { press, text } = open('matmul', 6);
  press('3');
  assert.match(text('.pane dl'), /128 bytes.*0 bytes.*148 bytes, at step 8/);
  assert.match(text('.pane'), /at its end everything: 128 bytes/);
});

test('a vector is drawn as bars, a matrix as a heat map with its scale', () => {
  const vector = open('vectors', 1);
  assert.equal(vector.all('.insp .heat rect:not(.rim)').length, 3);
  assert.equal(vector.all('.insp .scale').length, 0);
  const matrix = open('matmul', 1);
  assert.equal(matrix.all('.insp .heat rect:not(.rim)').length, 6);
  assert.equal(matrix.text('.insp .scale'), '−2.00002.0000');
});

test('cards show matrices in small beside their shapes, gradients once they are there', () => {
  const maps = (step: number, tone: string): number =>
    open('matmul', step).all(`.nd .heat .rim.${tone}`).length;
  assert.deepEqual([maps(1, 'v'), maps(1, 'g')], [2, 0]);
  assert.ok(maps(99, 'v') >= 4);
  assert.ok(maps(99, 'g') >= 3);
  assert.equal(open('vectors', 99).all('.nd .heat').length, 0);
});

test('cards are taller where a matrix is on one, so that its map can be read', () => {
  const heights = (name: string, which: string): number[] =>
    open(name, 99)
      .all(`.nd ${which}`)
      .map((each) => Number(each.getAttribute('height')));
  assert.deepEqual(new Set(heights('matmul', '.box')), new Set([116]));
  assert.deepEqual(new Set(heights('vectors', '.box')), new Set([78]));
  assert.ok(heights('matmul', '.heat .rim').every((height) => height > 24));
});

test('a typed answer is judged, shown, and told to whoever listens', () => {
  const { handle, press, host, text } = open('scene_a', 6);
  let received: readonly Guess[] = [];
  handle.onGuess((guesses) => (received = guesses));
  press('p');
  assert.match(text('.ask h3'), /What arrives at x \* y through \+\?/);
  const field = host.querySelector<HTMLInputElement>('.ask input')!;
  field.value = '2';
  press('Enter', '.ask input');
  assert.match(text('.verdict'), /You said 2\. It is 1\.0000\./);
  assert.deepEqual(
    received.map(({ step, of, said, truth, right }) => [step, of, said, truth, right]),
    [[7, 'x * y', '2', '1.0000', false]],
  );
});

test('there is a track for the way forward, one for each call, one for each tape inside', () => {
  const names = (name: string): string[] =>
    open(name)
      .all('.track')
      .map((track) => track.getAttribute('aria-label')!);
  assert.deepEqual(names('scene_a'), [
    'forward: 5 steps',
    'gradient of z with respect to x, y: 6 steps',
  ]);
  assert.equal(names('persistent').length, 3);
  assert.equal(names('second_order')[1], 'inside inner: 3 steps');
});

test('a matrix rule is shown with the matrices of this step put in', () => {
  const { all } = open('matmul', 12);
  const tables = all('.insp .eq mtable').map((table) =>
    [...table.children].map((line) => [...line.children].map((cell) => cell.textContent)),
  );
  assert.deepEqual(tables, [
    [
      ['1', '2'],
      ['3', '4'],
    ],
    [
      ['0.1667', '0', '0'],
      ['0.1667', '0', '0'],
    ],
    [
      ['0.6667', '0', '0'],
      ['1', '0', '0'],
    ],
  ]);
});

test('a line tells how many ops ran in it, and a moment can be copied as a line', () => {
  const { text, all } = open('scene_a', 3);
  assert.equal(text('.uses'), '×3');
  assert.equal(all('.position')[0]!.title, 'Copy tf.show(tape, step=3)');
});
