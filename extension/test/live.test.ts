import assert from 'node:assert/strict';
import test from 'node:test';
import { Window } from 'happy-dom';
import { NOTHING_YET, withMessage } from '../src/core/live.js';
import type { LiveActions, LiveMessage, LiveState } from '../src/core/live.js';
import { mount } from '../src/core/livepanel.js';

const MESSAGE: LiveMessage = {
  running: true,
  run: 1,
  target: 'loss',
  tape: { ops: 15, bytes: 668, recording: false, persistent: false },
  step: 2,
  calls: 2,
  loss: 0.5,
  history: [
    [1, 1, [0.25, null]],
    [2, 0.5, [0.125, null]],
  ],
  variables: [
    { name: 'W', shape: [4, 5], dtype: 'float32', norm: 0.125, state: 'gradient' },
    { name: 'scale', shape: [], dtype: 'float32', norm: null, state: 'none' },
  ],
  findings: [
    { code: 'unused', title: '`scale` is never used.', line: 4, cell: 'c', source: 'scale' },
  ],
};

function drawn(state: LiveState, actions: LiveActions = {}) {
  const window = new Window();
  const host = window.document.createElement('div') as unknown as HTMLElement;
  window.document.body.append(host as never);
  const update = mount(host, state, { actions });
  const texts = (which: string): string[] =>
    [...host.querySelectorAll(which)].map((each) => each.textContent ?? '');
  return { host, update, texts };
}

const after = (...messages: LiveMessage[]): LiveState => messages.reduce(withMessage, NOTHING_YET);

test('before anything is told the panel says what to run, and offers an example', () => {
  const { texts } = drawn(NOTHING_YET, { example: () => {} });
  assert.deepEqual(texts('h3'), ['Tape', 'Nothing on the tape yet']);
  assert.deepEqual(texts('button'), ['Insert an example']);
});

test('where no tape was heard of after a run the panel says so', () => {
  const silent = { ...MESSAGE, running: false, tape: null, step: 0, loss: null };
  const { texts } = drawn(after({ ...silent, history: [], variables: [], findings: [] }));
  assert.deepEqual(texts('h3'), ['Last run', 'Nothing on the tape yet']);
});

test('where the last tape was asked before anybody listened the panel says what to do', () => {
  const silent = { ...MESSAGE, running: false, missed: true, tape: null, step: 0, loss: null };
  const { texts } = drawn(after({ ...silent, history: [], variables: [], findings: [] }));
  assert.deepEqual(texts('h3'), ['Last run', 'The last tape is gone']);
  assert.match(texts('.blank p')[0]!, /Run the cell again/);
});

test('steps that were only counted are told, and never given the numbers of others', () => {
  const state = after({ ...MESSAGE, step: 40, calls: 40, counted: 38 });
  const { update, texts, host } = drawn(state);
  const said = (): string[] => texts('p').filter((text) => /step/.test(text) && !/ops/.test(text));
  assert.deepEqual(said(), [
    'No numbers were kept of step 40; these are those of step 2.',
    '38 of 40 steps ran compiled and were only counted. A dot is a step with numbers.',
  ]);
  assert.equal(host.querySelector('.known')!.getAttribute('d')!.split('M').length - 1, 2);
  update({ ...state, chosen: 2 });
  assert.equal(said().length, 1);
  update(after(MESSAGE));
  assert.deepEqual(said(), []);
});

test('a kernel without tapelab is told apart from one without a tape', () => {
  const { texts } = drawn({ ...NOTHING_YET, link: 'absent' });
  assert.match(texts('h3')[1]!, /not imported/);
});

test('step, loss, norms and bytes are those of the message', () => {
  const { texts } = drawn(after(MESSAGE));
  assert.deepEqual(texts('.bar .num'), ['step 2']);
  assert.deepEqual(texts('.big'), ['0.5000']);
  assert.deepEqual(texts('.norms code'), ['W', 'scale']);
  assert.deepEqual(texts('.norms .gt'), ['0.1250']);
  assert.deepEqual(texts('.norms .ch.none'), ['None']);
  assert.match(texts('.sect').join(), /668 bytes.*15 ops\. Freed after each step\./);
});

test('values of what is watched stand below, closed at first', () => {
  const [w, scale] = MESSAGE.variables;
  const { host, texts } = drawn(
    after({ ...MESSAGE, variables: [{ ...w!, value: '[1. 2.]' }, scale!] }),
  );
  assert.deepEqual([texts('.values code'), texts('.values .num')], [['W'], ['[1. 2.]']]);
  assert.equal(host.querySelector('details')!.hasAttribute('open'), false);
});

test('messages lengthen the curves by what is new', () => {
  const state = after(MESSAGE, { ...MESSAGE, history: [[3, 0.25, [0.1, null]]] });
  assert.deepEqual(state.losses, [
    [1, 1],
    [2, 0.5],
    [3, 0.25],
  ]);
  assert.deepEqual(state.norms['W']!.at(-1), [3, 0.1]);
  assert.deepEqual(state.norms['scale'], []);
});

test('where steps begin anew the curves do too', () => {
  const again = after(MESSAGE, { ...MESSAGE, history: [[1, 9, [1, null]]] });
  assert.deepEqual(again.losses, [[1, 9]]);
});

test('another run begins with nothing, whatever its steps are', () => {
  const next = after(MESSAGE, { ...MESSAGE, run: 2, history: [[7, 9, [1, null]]] });
  assert.deepEqual(next.losses, [[7, 9]]);
});

test('of a loop with two losses the curve is that of the newest', () => {
  const history: LiveMessage['history'] = [
    [1, 5, [1, null], 0],
    [2, 8, [1, null], 1],
    [3, 4, [1, null], 0],
  ];
  assert.deepEqual(after({ ...MESSAGE, history }).losses, [
    [1, 5],
    [3, 4],
  ]);
});

test('what went wrong is told with a way to try again', () => {
  const received: string[] = [];
  const failed: LiveState = { ...NOTHING_YET, link: 'failed', trouble: 'Lost', error: 'Wait.' };
  const { host, texts } = drawn(failed, { connect: () => received.push('again') });
  assert.deepEqual([texts('h3')[1], texts('p')], ['Lost', ['Wait.']]);
  host.querySelector<HTMLElement>('.blank button')!.click();
  assert.deepEqual(received, ['again']);
});

test('without a kernel the panel says what to open', () => {
  const { texts } = drawn({ ...NOTHING_YET, link: 'none' });
  assert.match(texts('h3')[1]!, /No kernel/);
});

test('a long training keeps its whole course in few points', () => {
  const history = Array.from({ length: 5000 }, (_, at) => [at, 5000 - at, [1, null]] as const);
  const parts = Array.from({ length: 100 }, (_, at) => history.slice(at * 50, at * 50 + 50));
  const { losses } = after(...parts.map((part) => ({ ...MESSAGE, history: part })));
  assert.ok(losses.length <= 320);
  assert.deepEqual([losses[0]![0], losses.at(-1)![0]], [0, 4999]);
});

test('numbers that are none are words on the way, and break the curve', () => {
  const { host, texts } = drawn(
    after({ ...MESSAGE, loss: 'nan', history: [...MESSAGE.history, [3, 'nan', [0.1, null]]] }),
  );
  assert.deepEqual(texts('.big'), ['NaN']);
  const curve = host.querySelector('.course.v .curve')!.getAttribute('d')!;
  assert.equal(curve.includes('NaN'), false);
});

test('who looks back sees the numbers of that step, and a way to the newest', () => {
  const received: (number | null)[] = [];
  const { host, texts } = drawn(
    { ...after(MESSAGE), chosen: 1 },
    { choose: (step) => received.push(step) },
  );
  assert.deepEqual([texts('.bar .num'), texts('.big')], [['step 1'], ['1.0000']]);
  assert.deepEqual(texts('.norms .gt'), ['0.2500']);
  host.querySelector('button')!.click();
  assert.deepEqual(received, [null]);
});

test('the buttons of a finding go to its line and ask why', () => {
  const received: unknown[] = [];
  const { host, texts } = drawn(after(MESSAGE), {
    goTo: (cell, line) => received.push(cell, line),
    explain: () => received.push('why'),
  });
  assert.deepEqual(texts('.acts button'), ['Go to line 4', 'Ask why']);
  host.querySelectorAll<HTMLElement>('.acts button').forEach((each) => each.click());
  assert.deepEqual(received, ['c', 4, 'why']);
});

test('epochs are marked in the film, and named where a step is pointed at', () => {
  const history = Array.from({ length: 12 }, (_, at) => [at + 1, 1, [0.25, null]] as const);
  const epochsAt = (epochs: readonly number[]) =>
    drawn(after({ ...MESSAGE, history, epochs })).host;
  const host = epochsAt([1, 7]);
  assert.equal(host.querySelector('.epoch')!.getAttribute('d'), 'M6 0v2');
  assert.match(host.querySelector('.readout b')!.textContent!, /step 12, epoch 2/);
  assert.equal(epochsAt([1, 4, 7, 10]).querySelector('.epoch'), null);
});
