import { numberOf } from '../carried.js';
import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { columnOf, LEVELS, troublesOf } from '../film.js';
import type { Cell, Film, Norm, Trouble } from '../film.js';
import type { FilmFocus, LiveActions } from '../live.js';
import { formatNumber, grouped } from '../numbers.js';
import { say, sayMany } from '../words.js';
import { button } from './parts.js';

export interface FilmState {
  readonly film: Film;
  /** The steps whose tapes can be opened; null where all can. */
  readonly kept: readonly number[] | null;
  readonly epochs: readonly number[];
  /** The step that is looked at; null is the newest. */
  readonly step: number | null;
  /** What is pointed at; null where nothing can be. */
  readonly focus: FilmFocus | null;
}

type FilmActions = Pick<LiveActions, 'choose' | 'point' | 'open' | 'explain'>;

/** The states that are no level, as they are drawn: filled, or a line through the middle. */
const STATES = { nan: 'NaN, ∞', none: 'None', zero: '0' } as const;
const stateNames = Object.keys(STATES) as (keyof typeof STATES)[];
const MOST_TROUBLES = 3;
const PAGE = 10;
/** Epochs of fewer columns on average are not marked. */
const LEAST_EPOCH = 4;

/** One path for all cells that look alike. */
function cellsPath({ lines }: Film, look: Cell): string {
  let path = '';
  lines.forEach(({ cells }, y) =>
    cells.forEach((cell, x) => {
      if (cell !== look) return;
      path += look === 'none' || look === 'zero' ? `M${x} ${y + 0.5}h1` : `M${x} ${y}h1v1h-1z`;
    }),
  );
  return path;
}

function cellsView(film: Film): Child {
  const looks: readonly Cell[] = [
    ...Array.from({ length: LEVELS }, (_, level) => level),
    ...stateNames,
  ];
  return looks.map((look) => {
    const path = cellsPath(film, look);
    return path && h('path', { class: `c-${look}`, d: path });
  });
}

export function normText(norm: Norm): string {
  if (norm === null) return say('not measured');
  return norm === 'none' ? 'None' : formatNumber(numberOf(norm));
}

/** The first and the last step of a column. */
function stepsOf({ columns }: Film, column: number): readonly [number, number] {
  return [(columns[column - 1] ?? columns[0]! - 1) + 1, columns[column]!];
}

/** The step of a column whose tape can be opened: the newest; null where none is kept. */
function keptIn(state: FilmState, column: number): number | null {
  const [from, to] = stepsOf(state.film, column);
  if (!state.kept) return to;
  return state.kept.findLast((step) => step >= from && step <= to) ?? null;
}

function cellText({ film, epochs }: FilmState, column: number, line: number): string {
  const step = film.columns[column]!;
  const epoch = epochs.filter((first) => first <= step).length;
  const { name, norms } = film.lines[line]!;
  const values = { step: grouped(step), epoch, name, norm: normText(norms[column]!) };
  return epoch
    ? say('step {step}, epoch {epoch}, {name}: {norm}', values)
    : say('step {step}, {name}: {norm}', values);
}

/** Open the tape of a column, with what explains it where a gradient looks wrong there. */
function openColumn(state: FilmState, column: number, line: number, actions: FilmActions): void {
  const step = keptIn(state, column);
  if (step === null) return;
  const cell = state.film.lines[line]!.cells[column]!;
  const wrong = typeof cell === 'string' || troubleAt(state.film, column, line);
  (wrong ? actions.explain : actions.open)?.(step);
}

const troubleAt = (film: Film, column: number, line: number): boolean =>
  troublesOf(film).some((trouble) => trouble.line === line && trouble.column <= column);

function onKey(
  event: KeyboardEvent,
  state: FilmState,
  at: readonly [number, number],
  actions: FilmActions,
): void {
  const { film } = state;
  const [column, line] = at;
  const [last, bottom] = [film.columns.length - 1, film.lines.length - 1];
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowRight: [column + 1, line],
    ArrowLeft: [column - 1, line],
    ArrowDown: [column, line + 1],
    ArrowUp: [column, line - 1],
    PageDown: [column - PAGE, line],
    PageUp: [column + PAGE, line],
    Home: [0, line],
    End: [last, line],
    ...bracketMoves(film, column, line),
  };
  const move = moves[event.key];
  if (event.key === 'Enter') openColumn(state, column, line, actions);
  else if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
  else
    go(
      state,
      Math.max(0, Math.min(last, move[0])),
      Math.max(0, Math.min(bottom, move[1])),
      actions,
    );
  event.preventDefault();
  event.stopPropagation();
}

/** `[` and `]` lead to the place before and behind this one where a gradient went wrong. */
function bracketMoves(film: Film, column: number, line: number) {
  const places = troublesOf(film).sort(
    (one, other) => one.column - other.column || one.line - other.line,
  );
  const after = (one: Trouble): boolean =>
    one.column > column || (one.column === column && one.line > line);
  const before = (one: Trouble): boolean =>
    one.column < column || (one.column === column && one.line < line);
  const [next, previous] = [places.find(after), places.findLast(before)];
  return {
    ...(next && { ']': [next.column, next.line] as const }),
    ...(previous && { '[': [previous.column, previous.line] as const }),
  };
}

function go({ film }: FilmState, column: number, line: number, actions: FilmActions): void {
  actions.point?.({ line, hover: null });
  actions.choose?.(column === film.columns.length - 1 ? null : film.columns[column]!);
}

/** The cell under the mouse. */
function cellUnder(event: PointerEvent, film: Film) {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  const part = (offset: number, length: number, count: number): number =>
    Math.max(0, Math.min(count - 1, Math.floor((offset / (length || 1)) * count)));
  return {
    column: part(event.clientX - box.left, box.width, film.columns.length),
    line: part(event.clientY - box.top, box.height, film.lines.length),
  };
}

function pointerHandlers(state: FilmState, at: readonly [number, number], actions: FilmActions) {
  const { film, focus } = state;
  if (!focus) return {};
  const move = (event: PointerEvent): void => {
    const hover = cellUnder(event, film);
    if (event.buttons & 1) go(state, hover.column, hover.line, actions);
    else if (hover.column !== focus.hover?.column || hover.line !== focus.hover.line)
      actions.point?.({ ...focus, hover });
  };
  return {
    onkeydown: (event: KeyboardEvent) => onKey(event, state, at, actions),
    onpointermove: move,
    onpointerdown: (event: PointerEvent) => {
      const { column, line } = cellUnder(event, film);
      go(state, column, line, actions);
    },
    onpointerleave: () => focus.hover && actions.point?.({ ...focus, hover: null }),
    ondblclick: () => openColumn(state, at[0], at[1], actions),
  };
}

function mapView(state: FilmState, at: readonly [number, number], actions: FilmActions): VNode {
  const { film, epochs, focus } = state;
  const [column, line] = at;
  const [wide, high] = [film.columns.length, film.lines.length];
  const starts = epochs.map((first) => film.columns.findIndex((step) => step >= first));
  const marks = epochs.length * LEAST_EPOCH > wide ? [] : starts.filter((start) => start > 0);
  return h(
    'div',
    {
      class: 'cells',
      ...(focus
        ? {
            role: 'slider',
            tabindex: 0,
            'aria-label': say('Step and variable'),
            'aria-valuemin': film.columns[0]!,
            'aria-valuemax': film.columns.at(-1)!,
            'aria-valuenow': film.columns[column]!,
            'aria-valuetext': cellText(state, column, line),
          }
        : { role: 'img', 'aria-label': say('Gradient norms by step') }),
      ...pointerHandlers(state, at, actions),
    },
    h(
      'svg',
      {
        viewBox: `0 0 ${wide} ${high}`,
        preserveAspectRatio: 'none',
        style: `height:${high * 14}px`,
        'aria-hidden': 'true',
      },
      cellsView(film),
      marks.length
        ? h('path', { class: 'epoch', d: marks.map((x) => `M${x} 0v${high}`).join('') })
        : null,
      focus &&
        'halo here'
          .split(' ')
          .map((look) =>
            h('path', { class: look, d: `M${column} 0h1v${high}h-1zM${column} ${line}h1v1h-1z` }),
          ),
    ),
  );
}

function legendView({ low, high, lines }: Film): VNode {
  const present = stateNames.filter((state) => lines.some(({ cells }) => cells.includes(state)));
  const swatch = (look: Cell): VNode =>
    h(
      'svg',
      { viewBox: '0 0 1 1', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      h('path', {
        class: `c-${look}`,
        d: look === 'none' || look === 'zero' ? 'M0 .5h1' : 'M0 0h1v1h-1z',
      }),
    );
  const power = (exponent: number): VNode =>
    h('span', { class: 'num' }, `1e${exponent}`.replace('-', '−'));
  return h(
    'div',
    { class: 'legend small muted', dir: 'ltr' },
    power(low),
    h(
      'span',
      { class: 'ramp' },
      Array.from({ length: LEVELS }, (_, level) => swatch(level)),
    ),
    power(high),
    present.map((state) => h('span', { class: 'key' }, swatch(state), STATES[state])),
  );
}

/** Those that went wrong in the same way at the same step, together. */
function together(troubles: readonly Trouble[]): Trouble[][] {
  const groups = new Map<string, Trouble[]>();
  for (const trouble of troubles) {
    const key = `${trouble.state} ${trouble.column}`;
    groups.set(key, [...(groups.get(key) ?? []), trouble]);
  }
  return [...groups.values()];
}

function troubleText({ lines, columns }: Film, group: readonly Trouble[]): string {
  const [{ line, column, state }] = group as readonly [Trouble];
  const { name } = lines[line]!;
  const more = group.length - 1;
  const names = more
    ? sayMany('{name} and {more} more', '{name} and {more} more', more, { name, more })
    : name;
  const values = { name: names, step: grouped(columns[column]!) };
  switch (state) {
    case 'nan':
      return say('{name}: NaN or infinite from step {step}', values);
    case 'none':
      return say('{name}: None from step {step}', values);
    case 'zero':
      return say('{name}: 0 from step {step}', values);
    case 'vanished':
      return say('{name}: vanished from step {step}', values);
  }
}

function troublesView(state: FilmState, actions: FilmActions): Child {
  const groups = together(troublesOf(state.film));
  if (!groups.length || !state.focus) return null;
  return h(
    'ul',
    { class: 'troubles' },
    groups.slice(0, MOST_TROUBLES).map((group) =>
      h(
        'li',
        {},
        button(troubleText(state.film, group), '', () =>
          go(state, group[0]!.column, group[0]!.line, actions),
        ),
      ),
    ),
  );
}

/** What is pointed at, in words, and whether its tape can be opened. */
function readoutView(state: FilmState, at: readonly [number, number]): Child {
  const { focus } = state;
  if (!focus) return null;
  const [column, line] = focus.hover ? [focus.hover.column, focus.hover.line] : at;
  const kept = keptIn(state, column) !== null;
  return h(
    'p',
    { class: 'small readout' },
    h('b', { class: 'num', dir: 'ltr' }, cellText(state, column, line)),
    ' ',
    h(
      'span',
      { class: 'muted' },
      kept ? say('Enter opens this tape.') : say('Only the norms of this step are kept.'),
    ),
  );
}

/** The film of a training, to be scrubbed with the mouse and with keys. */
export function filmView(state: FilmState, actions: FilmActions): VNode {
  const { film, focus } = state;
  const line = Math.min(focus?.line ?? 0, film.lines.length - 1);
  const at = [columnOf(film, state.step), line] as const;
  return h(
    'div',
    { class: 'film' },
    h(
      'div',
      { class: 'map', dir: 'ltr' },
      h(
        'ol',
        { 'aria-hidden': 'true' },
        film.lines.map(({ name }, each) =>
          h('li', { class: focus && each === line ? 'at' : '', title: name }, name),
        ),
      ),
      mapView(state, at, actions),
      h('span', {}),
      h(
        'div',
        { class: 'ends small muted num' },
        h('span', {}, grouped(film.columns[0]!)),
        h('span', {}, grouped(film.columns.at(-1)!)),
      ),
    ),
    readoutView(state, at),
    legendView(film),
    troublesView(state, actions),
  );
}
