import assert from 'node:assert/strict';
import test from 'node:test';
import { Window } from 'happy-dom';
import { provide } from '../src/core/extras.js';
import { mount } from '../src/core/mount.js';
import { parseRecording } from '../src/core/recording.js';
import EXTRAS from '../src/extras/index.js';
import { directionOf, say, sayMany, speak } from '../src/core/words.js';
import type { Catalogue } from '../src/core/words.js';
import { goldenBytes, goldens } from './goldens.js';

provide(EXTRAS);

/** A language without a single Latin letter; its values stay as they are. */
const FOREIGN = new Proxy({} as Catalogue, {
  get: (_, english) =>
    String(english)
      .split(/(\{\w+\})/)
      .map((part, at) => (at % 2 ? part : part.replaceAll(/[A-Za-z]/g, 'ж')))
      .join(''),
});
/** Code that the Explorer writes for the learner, and names that it shortens. */
const CODE = /tf\.show\(\w+, step=\d+\)|\S*…\S*/g;
const OURS = new Set(['None', 'NaN', 'True', 'False', 'scalar', 'bfloat']);

test('a sentence stands in English where the language has none for it', () => {
  speak({ Step: 'Schritt', '{count} op': ['{count} Op', '{count} Ops'] });
  assert.equal(say('Step'), 'Schritt');
  assert.equal(say('line {line}', { line: 3 }), 'line 3');
  assert.equal(sayMany('{count} op', '{count} ops', 2, { count: 2 }), '2 Ops');
  assert.equal(sayMany('{count} node', '{count} nodes', 1, { count: 1 }), '1 node');
  speak(undefined);
  assert.equal(say('Step'), 'Step');
});

test('what is no value of a sentence stays as it is', () => {
  assert.equal(say('{a} and {b}', { a: '{b}' }), '{b} and {b}');
});

test('numbers keep their direction in sentences that are written from right to left', () => {
  speak({ 'mean {mean}': 'ממוצע {mean}' });
  assert.equal(say('mean {mean}', { mean: '−0.5000' }), 'ממוצע \u2066−0.5000\u2069');
  assert.equal(say('mean {mean}', { mean: '[1. 2.]' }), 'ממוצע \u2066[1. 2.]\u2069');
  assert.equal(say('mean {mean}', { mean: '0.5000' }), 'ממוצע 0.5000');
  speak(undefined);
  assert.equal(say('mean {mean}', { mean: '−0.5000' }), 'mean −0.5000');
});

test('languages have a direction', () => {
  assert.equal(directionOf('he'), 'rtl');
  assert.equal(directionOf('ar-EG'), 'rtl');
  assert.equal(directionOf('zh-CN'), 'ltr');
  assert.equal(directionOf(undefined), 'ltr');
});

/** Every text that a person sees or hears, but for the learner's code. */
function* english(root: Element): Generator<string> {
  const walk = function* (node: Node): Generator<string> {
    if (node.nodeType === 3) yield node.nodeValue ?? '';
    if (node.nodeType !== 1) return;
    const element = node as Element;
    if (element.tagName === 'STYLE' || element.classList.contains('code')) return;
    for (const name of ['aria-label', 'title', 'placeholder', 'aria-valuetext']) {
      yield element.getAttribute(name) ?? '';
    }
    for (const child of element.childNodes) yield* walk(child);
  };
  for (const text of walk(root)) yield text.replaceAll(CODE, '');
}

/** The words of a recording itself, which no catalogue translates. */
function wordsOf(name: string): Set<string> {
  const recording = parseRecording(goldenBytes(name));
  const received = JSON.stringify(recording.header) + recording.header.strings.join(' ');
  const glyphs = recording.header.ops.map((op) => op.formula).join(' ');
  return new Set([...OURS, ...(`${received} ${glyphs}`.match(/[A-Za-z]+/g) ?? [])]);
}

for (const { name } of goldens()) {
  test(`every word about ${name} comes from the recording or from the catalogue`, () => {
    const window = new Window();
    const host = window.document.createElement('div') as unknown as HTMLElement;
    window.document.body.append(host as never);
    const handle = mount(host, { recording: goldenBytes(name), words: FOREIGN });
    const known = wordsOf(name);
    const found = new Set<string>();
    const look = (): void => {
      for (const text of english(host)) {
        for (const word of text.match(/[A-Za-z]{3,}/g) ?? [])
          if (!known.has(word)) found.add(text.trim());
      }
    };
    look();
    for (let step = 1; step <= 24; step++) {
      handle.dispatch({ kind: 'go', step });
      look();
    }
    for (const pane of ['flow', 'memory', 'watched'] as const) {
      handle.dispatch({ kind: 'pane', pane });
      look();
    }
    handle.dispatch({ kind: 'select', node: 0 });
    look();
    handle.destroy();
    assert.deepEqual([...found], []);
  });
}
