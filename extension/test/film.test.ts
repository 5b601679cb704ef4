import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { Window } from 'happy-dom';
import { patch } from '../src/core/dom.js';
import { columnOf, filmOf, troublesOf, withRows } from '../src/core/film.js';
import type { Film, FilmRow, TrainingSeries } from '../src/core/film.js';
import { filmView } from '../src/core/views/film.js';
import type { FilmState } from '../src/core/views/film.js';
import type { LiveActions } from '../src/core/live.js';

interface Golden {
  readonly series: TrainingSeries;
  readonly columns: number;
  readonly film: Film;
}
const FILE = fileURLToPath(new URL('../../tests/fixtures/films.json', import.meta.url));
const GOLDENS = JSON.parse(readFileSync(FILE, 'utf8')) as Golden[];

const rounded = (film: Film): Film => ({
  ...film,
  lines: film.lines.map((line) => ({
    ...line,
    norms: line.norms.map((norm) =>
      typeof norm === 'number' ? Number(norm.toPrecision(12)) : norm,
    ),
  })),
});

const rowsOf = (count: number, norm: (step: number) => FilmRow[2][number]): FilmRow[] =>
  Array.from({ length: count }, (_, at) => [at + 1, 1, [norm(at + 1)]]);

function drawn(state: FilmState, actions: LiveActions = {}) {
  const window = new Window();
  const host = window.document.createElement('div') as unknown as HTMLElement;
  window.document.body.append(host as never);
  const draw = (next: FilmState): void => patch(host, [filmView(next, actions)]);
  draw(state);
  const map = host.querySelector<HTMLElement>('.cells')!;
  const press = (key: string): boolean =>
    map.dispatchEvent(
      new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }) as never,
    );
  return { host, draw, map, press };
}

const WITH_NAN = filmOf(
  {
    variables: [
      ['W', 4],
      ['b', 2],
    ],
    rows: Array.from({ length: 12 }, (_, at) => [at + 1, 1, [at > 6 ? 'nan' : 0.5, 0.25]] as const),
  },
  80,
);
const STATE: FilmState = {
  film: WITH_NAN,
  kept: [8, 12],
  epochs: [1, 7],
  step: null,
  focus: { line: 0, hover: null },
};

test('the film is the one that Python draws', () => {
  assert.ok(GOLDENS.length > 3);
  for (const { series, columns, film } of GOLDENS)
    assert.deepEqual(rounded(filmOf(series, columns)), rounded(film));
});

test('a column is as bad as the worst of its steps', () => {
  const rows = rowsOf(100, (step) => (step === 3 ? 'nan' : step === 50 ? 'none' : 1));
  const { lines } = filmOf({ variables: [['W', 1]], rows }, 10);
  assert.deepEqual(
    lines[0]!.cells.map((cell) => typeof cell),
    ['string', ...Array(3).fill('number'), 'string', ...Array(5).fill('number')],
  );
});

test('troubles begin where a gradient became what it is now, NaN comes first', () => {
  const variables = ['a', 'b', 'c', 'd'].map((name) => [name, 1] as const);
  const norms = (step: number): FilmRow[2] => [
    step > 5 ? 1e-9 : 1,
    step > 2 ? 0 : 1,
    step > 7 ? 'nan' : 1,
    step === 3 ? 0 : 1,
  ];
  const rows = Array.from({ length: 9 }, (_, at) => [at + 1, 1, norms(at + 1)] as const);
  assert.deepEqual(
    troublesOf(filmOf({ variables, rows }, 80)).map(({ line, column, state }) => [
      line,
      column,
      state,
    ]),
    [
      [2, 7, 'nan'],
      [1, 2, 'zero'],
      [0, 5, 'vanished'],
    ],
  );
});

test('of a long training few rows are kept, with the first NaN among them', () => {
  let rows: readonly FilmRow[] = [];
  for (let step = 1; step <= 5000; step += 10)
    rows = withRows(
      rows,
      rowsOf(10, (at) => (step + at - 1 >= 1234 ? 'nan' : 1)).map(([at, ...rest]) => [
        step + at - 1,
        ...rest,
      ]),
    );
  assert.ok(rows.length <= 321);
  assert.equal(rows.find(([, , [norm]]) => norm === 'nan')![0], 1234);
  assert.equal(rows.at(-1)![0], 5000);
});

test('a film beside another one has its scale', () => {
  const one = filmOf({ variables: [['W', 1]], rows: rowsOf(3, (step) => 10 ** -step) }, 9);
  const rows = rowsOf(3, (step) => 10 ** step);
  const { low, high, lines } = filmOf({ variables: [['W', 1]], rows }, 9, one);
  assert.deepEqual([low, high], [one.low, 3]);
  assert.ok(lines[0]!.cells.every((cell) => Number(cell) > 5));
});

test('a step stands in the column that reaches it', () => {
  const film = filmOf({ variables: [['W', 1]], rows: rowsOf(10, () => 1) }, 5);
  assert.deepEqual(film.columns, [2, 4, 6, 8, 10]);
  assert.deepEqual(
    [1, 2, 3, 10, null].map((step) => columnOf(film, step)),
    [0, 0, 1, 4, 4],
  );
});

test('keys go to the step and the variable beside, and say both', () => {
  const chosen: unknown[] = [];
  const { press, map } = drawn(
    { ...STATE, step: 4 },
    { choose: (step) => chosen.push(step), point: ({ line }) => chosen.push(`line ${line}`) },
  );
  assert.equal(map.getAttribute('aria-valuetext'), 'step 4, epoch 1, W: 0.5000');
  for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'Home', 'End']) press(key);
  assert.deepEqual(chosen, [
    ...['line 0', 5],
    ...['line 0', 3],
    ...['line 1', 4],
    ...['line 0', 1],
    ...['line 0', null],
  ]);
});

test('a bracket leads to where a gradient became NaN, Enter opens it with its reason', () => {
  const received: unknown[] = [];
  const actions: LiveActions = {
    choose: (step) => received.push(step),
    open: (step) => received.push(`open ${step}`),
    explain: (step) => received.push(`explain ${step}`),
  };
  const { press, draw } = drawn({ ...STATE, step: 2 }, actions);
  press(']');
  draw({ ...STATE, step: 8 });
  press('Enter');
  draw({ ...STATE, step: null, focus: { line: 1, hover: null } });
  press('Enter');
  assert.deepEqual(received, [8, 'explain 8', 'open 12']);
});

test('a step whose tape is not kept has norms, and Enter opens nothing', () => {
  const received: unknown[] = [];
  const { press, host } = drawn({ ...STATE, step: 3 }, { open: (step) => received.push(step) });
  press('Enter');
  assert.deepEqual(received, []);
  assert.match(host.querySelector('.readout')!.textContent!, /0\.5000.*Only the norms/);
});

test('the legend names what occurs, and each look is one path', () => {
  const { host } = drawn(STATE);
  assert.deepEqual(
    [...host.querySelectorAll('.key')].map((key) => key.textContent),
    ['NaN, ∞'],
  );
  assert.ok(host.querySelectorAll('.cells path').length <= 15);
});

test('variables that went wrong together are one button, which goes there', () => {
  const chosen: unknown[] = [];
  const rows = rowsOf(9, (step) => (step > 4 ? 'nan' : 1)).map(
    ([step, loss, [norm]]) => [step, loss, [norm!, norm!, norm!]] as const,
  );
  const variables = ['a', 'b', 'c'].map((name) => [name, 1] as const);
  const film = filmOf({ variables, rows }, 80);
  const { host } = drawn({ ...STATE, film }, { choose: (step) => chosen.push(step) });
  const buttons = [...host.querySelectorAll('button')];
  assert.deepEqual(
    buttons.map((each) => each.textContent),
    ['a and 2 more: NaN or infinite from step 5'],
  );
  buttons[0]!.click();
  assert.deepEqual(chosen, [5]);
});
