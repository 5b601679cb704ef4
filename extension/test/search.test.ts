import assert from 'node:assert/strict';
import test from 'node:test';
import { Window } from 'happy-dom';
import { provide } from '../src/core/extras.js';
import { buildModel } from '../src/core/model.js';
import type { Model } from '../src/core/model.js';
import { mount } from '../src/core/mount.js';
import type { Handle } from '../src/core/mount.js';
import { parseRecording } from '../src/core/recording.js';
import { foldAll } from '../src/core/foldactions.js';
import { goToHit, hitAt, hitsOf, markHit } from '../src/core/search.js';
import { AT_FIRST } from '../src/core/state.js';
import type { State } from '../src/core/state.js';
import { foldAround } from '../src/core/folded.js';
import { labelOf, stateAt } from '../src/core/stepstate.js';
import EXTRAS from '../src/extras/index.js';
import { goldenBytes, goldens } from './goldens.js';

provide(EXTRAS);

const modelOf = (name: string): Model => buildModel(parseRecording(goldenBytes(name)));

/** The names of everything that a query finds. */
function namesIn(model: Model, query: string): string[] {
  const hits = hitsOf(model, query);
  return Array.from({ length: hits.count }, (_, at) => {
    const hit = hitAt(hits, at)!;
    if (typeof hit === 'number') return labelOf(model, hit);
    return 'fold' in hit ? hit.path : `${hit.line}: ${hit.text}`;
  });
}

function searching(model: Model, query: string, more: Partial<State> = {}): State {
  return { ...AT_FIRST, model, step: 1, view: 'tape', findings: 0, query, ...more };
}

test('variables come first, then ops by name, title or sign, then lines that ran', () => {
  const model = modelOf('scene_a');
  assert.deepEqual(namesIn(model, 'SIN').slice(0, 1), ['tf.sin(x)']);
  assert.match(namesIn(model, 'SIN').at(-1)!, /^\d+: .*tf\.sin\(x\)/);
  assert.deepEqual(namesIn(model, 'x').slice(0, 2), ['x', 'x * y']);
  assert.deepEqual(namesIn(model, 'multiply'), ['x * y']);
  assert.deepEqual(namesIn(model, '   '), []);
  assert.deepEqual(namesIn(model, 'no such thing'), []);
});

test('the number of a line finds it', () => {
  const model = modelOf('scene_a');
  const { line } = hitsOf(model, 'tf.sin').lines[0]!;
  const { lines } = hitsOf(model, `line ${line}`);
  assert.deepEqual(
    lines.map((found) => found.line),
    [line],
  );
});

test('a line that calls a composite is found, though its ops ran elsewhere', () => {
  const model = modelOf('composite');
  const spans = model.recording.header.groups.map(({ span }) => model.recording.span(span)!);
  assert.ok(spans.length > 0);
  for (const { line } of spans) {
    assert.deepEqual(
      hitsOf(model, `line ${line}`).lines.map((found) => found.line),
      [line],
    );
  }
});

test('every node that has a name is found by it, and going there makes it current or selected', () => {
  for (const { name, bytes } of goldens()) {
    const model = buildModel(parseRecording(bytes));
    for (let node = 0; node < model.graph.nodeCount; node++) {
      const label = labelOf(model, node);
      const hits = hitsOf(model, label);
      const at = [...hits.variables, ...hits.layers, ...hits.ops].indexOf(node);
      assert.ok(at >= 0, `${name}: ${label}`);
      const there = goToHit(searching(model, label), at);
      const here = there.selected >= 0 ? there.selected : stateAt(model, there.step).node;
      assert.equal(here, node, `${name}: ${label}`);
      assert.equal(foldAround(model, there.open, node), -1, `${name}: ${label} is folded away`);
    }
  }
});

test('after the last result comes the first, and before the first the last', () => {
  const model = modelOf('scene_a');
  const { count } = hitsOf(model, 'x');
  const last = markHit(searching(model, 'x'), -1);
  assert.equal(last.hit, count - 1);
  assert.equal(markHit(last, 1).hit, 0);
  assert.equal(goToHit(searching(model, 'x'), count).hit, 0);
  assert.equal(goToHit(searching(model, 'x'), -1).hit, count - 1);
});

interface Page {
  readonly host: HTMLElement;
  readonly handle: Handle;
  press(key: string): void;
  type(text: string): void;
  active(): Element | null;
}

function open(): Page {
  const window = new Window();
  const host = window.document.createElement('div') as unknown as HTMLElement;
  window.document.body.append(host as never);
  const handle = mount(host, { recording: goldenBytes('scene_a') });
  const active = (): Element | null => host.ownerDocument.activeElement;
  host.querySelector<HTMLElement>('.fr')!.focus();
  return {
    host,
    handle,
    active,
    press: (key) => {
      const event = new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
      active()!.dispatchEvent(event as never);
    },
    type: (text) => {
      const field = host.querySelector<HTMLInputElement>('.search input')!;
      field.value = text;
      field.dispatchEvent(new window.Event('input', { bubbles: true }) as never);
    },
  };
}

test('a slash opens the search, Enter goes to a result, n and N to the next and the one before', () => {
  const { host, handle, press, type, active } = open();
  press('/');
  assert.equal(active()?.getAttribute('role'), 'combobox');
  type('x');
  const options = [...host.querySelectorAll('[role=option]')];
  assert.ok(options.length >= 3);
  press('ArrowDown');
  const marked = host.querySelector('[aria-selected=true][role=option]')!;
  assert.equal(active()?.getAttribute('aria-activedescendant'), marked.id);
  assert.equal(options.indexOf(marked), 1);
  press('Enter');
  assert.equal(host.querySelectorAll('[role=option]').length, 0);
  assert.match(host.querySelector('.going')?.textContent ?? '', /2 of/);
  const second = handle.step();
  press('n');
  assert.match(host.querySelector('.going')?.textContent ?? '', /3 of/);
  press('N');
  assert.equal(handle.step(), second);
  press('Escape');
  assert.equal(host.querySelector('.overlay'), null);
});

test('Escape closes the search, and the focus is where it was', () => {
  const { host, press, active } = open();
  const before = active();
  press('/');
  press('Escape');
  assert.equal(host.querySelector('.overlay'), null);
  assert.equal(active(), before);
});

test('the list of keys names every key once, and closes', () => {
  const { host, press, active } = open();
  press('?');
  assert.ok(active()?.classList.contains('keys'));
  const keys = [...host.querySelectorAll('.keys dt')].map((key) => key.textContent);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(keys.includes('Space'));
  press('Escape');
  assert.equal(host.querySelector('.overlay'), null);
});

test('a layer is found by its name or its path, and shown as one closed node', () => {
  const model = modelOf('modules');
  const layers = (query: string) => hitsOf(model, query).layers;
  assert.deepEqual(
    layers('blocks').map(({ path }) => path),
    ['net/blocks[0]', 'net/blocks[1]', 'net/blocks[2]'],
  );
  assert.equal(layers('net').length, 1);
  const [layer] = layers('net/blocks[1]');
  const query = 'net/blocks[1]';
  const everything = foldAll(searching(model, query), true);
  const there = goToHit(everything, 0);
  assert.ok(!(there.open as ReadonlySet<number>).has(layer!.fold));
  assert.equal(there.open!.size, everything.open!.size - 1);
  const node = stateAt(model, there.step).node;
  assert.equal(foldAround(model, there.open, node), layer!.fold);
});
