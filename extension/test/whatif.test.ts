import assert from 'node:assert/strict';
import test from 'node:test';
import { Window } from 'happy-dom';
import { provide } from '../src/core/extras.js';
import { mount } from '../src/core/mount.js';
import EXTRAS from '../src/extras/index.js';
import { gridSource } from '../src/core/whatif.js';
import type { Curve, GridData, Source } from '../src/core/whatif.js';
import { goldenBytes } from './goldens.js';

provide(EXTRAS);

const curve = (height: number): Curve => ({ results: [0, height], derivatives: [height, height] });
const input = (name: string) => ({ name, low: 0, high: 1, start: 0.5 });
const GRID: GridData = {
  name: 'f',
  inputs: [input('x'), input('y')],
  bounds: {
    results: [0, 10],
    derivatives: [
      [0, 10],
      [0, 10],
    ],
  },
  counts: [2, 3],
  sizes: [1, 1, 1, 1, 1, 1, 1],
  evaluations: [0, 1, 2, 3, 4, 5, 6].map((at) => ({
    values: [at, at],
    result: at,
    derivatives: [at, null],
  })),
  curves: [[0, 1, 2, 3].map(curve), [0, 1, 2].map(curve)],
};
const BYTES = Uint8Array.from([10, 11, 12, 13, 14, 15, 16]);

function moved(source: Source, values: readonly number[]): number[] {
  const received: number[] = [];
  const stop = source.listen((recording) => received.push(...recording));
  source.move(values);
  stop();
  return received;
}

test('a grid begins at the start, which need not lie on it', () => {
  const source = gridSource(GRID, BYTES);
  assert.equal(source.evaluation().result, 0);
  assert.deepEqual(source.evaluation().curves, [curve(0), curve(0)]);
});

test('a slider leads to the nearest moment, and to the curves that run through it', () => {
  const source = gridSource(GRID, BYTES);
  assert.deepEqual(moved(source, [0.9, 0.6]), [15]);
  assert.equal(source.evaluation().result, 5);
  assert.deepEqual(source.evaluation().curves, [curve(2), curve(2)]);
  assert.deepEqual(moved(source, [0, 0]), [11]);
});

test('back at the start everything is as it was', () => {
  const source = gridSource(GRID, BYTES);
  source.move([1, 1]);
  assert.deepEqual(moved(source, [0.5, 0.5]), [10]);
  assert.equal(source.evaluation().result, 0);
});

test('the picture shows sliders, plots and slopes above the tape', () => {
  const window = new Window();
  const host = window.document.createElement('div') as unknown as HTMLElement;
  window.document.body.append(host as never);
  const recording = goldenBytes('scene_a');
  const grid = { ...GRID, sizes: GRID.sizes.map(() => recording.length) };
  const all = new Uint8Array(recording.length * 7);
  for (let at = 0; at < 7; at++) all.set(recording, at * recording.length);
  const handle = mount(host, { recording, whatIf: gridSource(grid, all) });
  assert.equal(handle.step(), 11);
  const thumbs = host.querySelectorAll<HTMLInputElement>('.slider input');
  assert.equal(thumbs.length, 2);
  thumbs[0]!.value = '1';
  thumbs[0]!.dispatchEvent(new window.Event('input') as never);
  assert.match(host.querySelector('.sliders')!.textContent!, /∂f\/∂x = 4\.0000/);
  assert.equal(host.querySelector('.sliders .ch.none')?.textContent, 'None');
  assert.match(
    host.querySelector('.plots svg')!.getAttribute('aria-label')!,
    /^f along x: 4\.0000/,
  );
  assert.equal(host.querySelectorAll('.fr').length, 5);
  handle.destroy();
});

test('a slider says where it stands before the kernel has answered; the rest is not drawn again', async () => {
  const window = new Window();
  const host = window.document.createElement('div') as unknown as HTMLElement;
  window.document.body.append(host as never);
  const recording = goldenBytes('scene_a');
  const evaluation = { ...GRID.evaluations[0]!, curves: [curve(1), curve(1)] };
  const silent = { evaluation: () => evaluation, move: () => {}, listen: () => () => {} };
  const source: Source = { experiment: GRID, counts: null, ...silent };
  const handle = mount(host, { recording, whatIf: source });
  // What somebody else wrote there stands for what would be overwritten.
  host.querySelector('.timeline b')!.textContent = 'as it was';
  const thumb = host.querySelector<HTMLInputElement>('.slider input')!;
  thumb.value = '0.25';
  thumb.dispatchEvent(new window.Event('input') as never);
  await window.happyDOM.waitUntilComplete();
  assert.equal(host.querySelector('.slider output')!.textContent, '0.2500');
  assert.equal(host.querySelector('.timeline b')!.textContent, 'as it was');
  handle.destroy();
});
