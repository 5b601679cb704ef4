import assert from 'node:assert/strict';
import test from 'node:test';
import { Window } from 'happy-dom';
import { provide } from '../src/core/extras.js';
import { mount } from '../src/core/mount.js';
import type { Handle, MountOptions } from '../src/core/mount.js';
import EXTRAS from '../src/extras/index.js';
import { goldenBytes } from './goldens.js';
import { LEFT_EXPLAINED, leftTheTape } from './samples.js';

provide(EXTRAS);

interface Page {
  host: HTMLElement;
  handle: Handle;
  press(key: string, on?: string): void;
  text(selector: string): string;
}

function open(options: Partial<MountOptions> = {}): Page {
  const window = new Window();
  const host = window.document.createElement('div') as unknown as HTMLElement;
  window.document.body.append(host as never);
  const handle = mount(host, { recording: goldenBytes('scene_a'), ...options });
  const press = (key: string, on = '.stage'): void => {
    const target = host.querySelector<HTMLElement>(on)!;
    target.focus();
    const event = new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
    target.dispatchEvent(event as never);
  };
  const text = (selector: string): string => host.querySelector(selector)?.textContent ?? '';
  return { host, handle, press, text };
}

const why: Partial<MountOptions> = {
  recording: leftTheTape().bytes(),
  explanation: LEFT_EXPLAINED,
};

test('the sub-expression, its value, the frame and the node of a step light up together', () => {
  const { host, text } = open({ step: 4 });
  assert.equal(text('.hl.v'), 'tf.sin(x)');
  assert.equal(text('.fr.now b'), 'tf.sin(x)');
  assert.equal(text('.nd.v .t'), 'tf.sin(x)');
  assert.match(text('.insp h3'), /Sine|sin/i);
  assert.equal(host.querySelectorAll('.under').length, 2);
});

test('reading a variable lights its name alone', () => {
  assert.equal(open({ step: 1 }).text('.hl.v'), 'x');
  assert.equal(open({ step: 2 }).text('.hl.v'), 'y');
});

test('where two paths meet the contributions are added up', () => {
  const { host, text } = open({ step: 10 });
  assert.equal(text('.insp h3'), 'Two paths meet at x');
  assert.match(text('.sum'), /−0\.9900.*4\.0000.*3\.0100/);
  assert.equal(host.querySelectorAll('.plus').length, 1);
});

test('not computed yet, a gradient and a part of one look different', () => {
  const states = (step: number): string[] =>
    [...open({ step }).host.querySelectorAll('.slot')].map((slot) => slot.classList[1]!);
  assert.deepEqual(new Set(states(4)), new Set(['pending']));
  assert.deepEqual(new Set(states(9)), new Set(['part', 'pending', 'value']));
});

test('zero, None and None shown as zero look different', () => {
  const last = (name: string): string[] => {
    const { host } = open({ recording: goldenBytes(name), step: 99 });
    return [...host.querySelectorAll('.slot')].map((slot) => slot.classList[1]!);
  };
  assert.ok(last('zero').includes('zero'));
  assert.ok(last('stop_gradient').includes('none'));
  assert.ok(last('unconnected_zero').includes('nonezero'));
  assert.ok(last('not_finite').includes('nan'));
});

test('keys step, jump and select', () => {
  const { handle, press, text } = open();
  const steps = ['ArrowRight', '.', 'ArrowLeft', 'End', 'Home', 'b', ','].map((key) => {
    press(key);
    return handle.step();
  });
  assert.deepEqual(steps, [1, 2, 1, 11, 0, 6, 5]);
  press('ArrowDown');
  assert.match(text('.insp h3'), /\w/);
});

test('inside the toolbar the arrows walk from button to button', () => {
  const { host, handle, press } = open({ step: 3 });
  press('ArrowRight', '.transport button');
  assert.equal(handle.step(), 3);
  assert.equal(host.ownerDocument.activeElement, host.querySelectorAll('.transport button')[1]);
});

test('each toolbar is one tab stop, and so is the reel', () => {
  const { host } = open({ step: 3 });
  const stops = (selector: string): number =>
    [...host.querySelectorAll<HTMLElement>(`${selector} button`)].filter((b) => b.tabIndex === 0)
      .length;
  assert.deepEqual([stops('.transport'), stops('.timeline')], [1, 1]);
});

test('the focus follows the current frame', () => {
  const { host, press } = open({ step: 3 });
  press('ArrowRight', '.fr.now');
  const focused = host.ownerDocument.activeElement as HTMLElement;
  assert.equal(focused.dataset['frame'], '3');
});

test('a click on a frame, a node or a button is a step or a choice', () => {
  const { host, handle } = open();
  host.querySelector<HTMLElement>('[data-frame="3"]')!.click();
  assert.equal(handle.step(), 4);
  host.querySelector('.nd')!.dispatchEvent(new host.ownerDocument.defaultView!.Event('click'));
  assert.equal(host.querySelectorAll('.nd.s').length, 1);
  host.querySelector<HTMLElement>('[aria-label="Step"]')!.click();
  assert.equal(handle.step(), 5);
});

test('who listens hears of each step once', () => {
  const { handle } = open();
  const received: number[] = [];
  handle.onChange((step) => received.push(step));
  handle.dispatch({ kind: 'next' });
  handle.dispatch({ kind: 'select', node: 1 });
  handle.dispatch({ kind: 'last' });
  assert.deepEqual(received, [1, 11]);
});

test('an explanation comes first, with the culprit, the line to write and the cut', () => {
  const { host, text } = open(why);
  assert.equal(text('.bar h3'), 'Why is it None?');
  assert.equal(text('.hl.n'), 'np.mean(h)');
  assert.match(text('.diff .ins'), /m = tf\.reduce_mean\(h\)/);
  assert.equal(host.querySelectorAll('.cutsign').length, 1);
  assert.equal(host.querySelectorAll('.cutmark').length, 1);
  assert.equal(host.querySelectorAll('.fr.off').length, 2);
});

test('show on the tape goes to where the culprit ran', () => {
  const { host, handle, text } = open(why);
  const show = [...host.querySelectorAll<HTMLElement>('.acts button')].at(-1)!;
  show.click();
  assert.equal(text('.fr.now b'), 'm');
  assert.equal(handle.step(), 3);
});

test('a frame of the story leads to its place on the tape', () => {
  const { host, handle, text } = open(why);
  host.querySelector<HTMLElement>('[data-frame="1"]')!.click();
  assert.equal(handle.step(), 2);
  assert.equal(text('.fr.now b'), 'h');
});

test('Enter in the graph selects the node of the step', () => {
  const { press, text } = open({ step: 4 });
  press('Enter');
  assert.equal(text('.nd.s .t'), 'tf.sin(x)');
});

test('w goes from the explanation to the tape and back', () => {
  const { press, text } = open(why);
  press('w');
  assert.equal(text('.bar h3'), 'tape');
  press('w');
  assert.equal(text('.bar h3'), 'Why is it None?');
});

test('with a step the tape comes first', () => {
  assert.equal(open({ ...why, step: 2 }).text('.bar h3'), 'tape');
});

test('an empty tape says so', () => {
  const { text } = open({ recording: goldenBytes('empty') });
  assert.match(text('.state'), /Nothing on the tape yet/);
});

test('a newer recording says what to do instead of a picture', () => {
  const { host, handle, text } = open({ recording: goldenBytes('bad/newer') });
  assert.match(text('.state'), /This recording is newer.*Update tapelab/);
  handle.dispatch({ kind: 'next' });
  handle.destroy();
  assert.equal(host.childElementCount, 0);
});

test('a widget that is destroyed leaves nothing behind', () => {
  const { host, handle } = open();
  handle.dispatch({ kind: 'play' });
  handle.destroy();
  assert.equal(host.childElementCount, 0);
});

test('a long tape is folded; opened, it is painted and not made of elements', () => {
  const { host, handle } = open({ recording: goldenBytes('chain'), step: 1500 });
  assert.ok(host.querySelectorAll('.fr').length < 40);
  assert.equal(host.querySelectorAll('.nd').length, 2);
  handle.dispatch({ kind: 'foldAll', open: true });
  assert.equal(host.querySelectorAll('.nd').length, 0);
  assert.ok(host.querySelector('.stage canvas'));
  assert.match(host.querySelector('.key')!.textContent!, /the part around this step/);
});

test('a closed loop shows the iteration that this step is about', () => {
  const { host } = open({ recording: goldenBytes('chain'), step: 501 });
  const card = host.querySelector('.nd.v')!;
  assert.match(card.textContent!, /×2000/);
  assert.match(card.textContent!, /500\/2000/);
});

test('Enter, Space, f and a click open a fold, F closes the one around', () => {
  const folded = { recording: goldenBytes('chain'), step: 501 };
  for (const key of ['Enter', ' ', 'f']) {
    const { host, press } = open(folded);
    host.querySelector<HTMLElement>('.stage')!.focus();
    press(key);
    assert.equal(host.querySelectorAll('.nd').length, 3, key);
    press('F');
    assert.equal(host.querySelectorAll('.nd').length, 2, key);
  }
  const { host } = open(folded);
  const card = host.querySelector('.nd.v')!;
  (card as unknown as { onclick: () => void }).onclick();
  assert.equal(host.querySelectorAll('.nd').length, 3);
});

test('a page from right to left mirrors, its code does not', () => {
  const { host } = open({ language: 'he' });
  assert.equal(host.querySelector<HTMLElement>('.tl')!.dir, 'rtl');
  assert.equal(host.querySelector<HTMLElement>('.code')!.dir, 'ltr');
});

test('the boxes of open calls lie within the drawing', () => {
  const { host, handle } = open({ recording: goldenBytes('modules') });
  handle.dispatch({ kind: 'foldAll', open: true });
  const numbers = (text: string | null): number[] => text!.match(/-?[\d.]+/g)!.map(Number);
  const [left, top, width, height] = numbers(
    host.querySelector('.stage > svg')!.getAttribute('viewBox'),
  );
  const calls = [...host.querySelectorAll('g.call')];
  assert.ok(calls.length > 1);
  for (const call of calls) {
    const [x, y] = numbers(call.getAttribute('transform'));
    const box = call.querySelector('rect')!;
    assert.ok(x! >= left! && y! >= top!, `${x} ${y} is outside of ${left} ${top}`);
    assert.ok(x! + Number(box.getAttribute('width')) <= left! + width!);
    assert.ok(y! + Number(box.getAttribute('height')) <= top! + height!);
  }
});
