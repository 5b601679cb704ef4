import type { Tone } from '../appearance.js';
import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { entriesView, nodesWithEntries, RESULT } from '../entries.js';
import type { EntriesView, Figure, Summand } from '../entries.js';
import type { Room } from '../extras.js';
import { formatShort, grouped } from '../numbers.js';
import type { StepState } from '../stepstate.js';
import type { Dispatch, State } from '../state.js';
import { labelOf } from '../stepstate.js';
import { cellAt, MOST_SIDE, placeAt } from '../tensorgrid.js';
import { say } from '../words.js';
import { tintedCells } from './figures.js';
import type { Matrix } from './figures.js';
import { button, prose } from './parts.js';

/** So many rows and columns have their numbers in the cells. */
const ROOMY = 8;
const NUMBER_WIDE = 60;
const NUMBER_HIGH = 24;
const LARGEST = 24;
const SMALLEST = 4;
/** What stands above the cells, above each tensor, and between two of them; less is too low. */
const [ABOVE, CAPTION, GAP, LOWEST] = [116, 26, 16, 96];
/** So many summands are written out. */
const MOST_SUMMANDS = 6;
const MOST_NODES = 8;
/** The cells of so many are outlined finely. */
const MANY = 64;
/** Smaller cells have finer lines around them. */
const FINE = 10;

const inSum = (value: number): string =>
  value < 0 ? `(${formatShort(value)})` : formatShort(value);

/** What a tensor is called; a gradient has a bar, as in the formulas. */
const nameOf = ({ label, isGradient }: Figure): VNode =>
  h('bdi', { class: isGradient ? 'bar-over' : null }, label);

interface Cells {
  readonly wide: number;
  readonly high: number;
  /** Whether a number stands in each cell. */
  readonly numbers: boolean;
}

const across = ({ grid, transposed }: Figure): number => (transposed ? grid.rows : grid.columns);
const down = ({ grid, transposed }: Figure): number => (transposed ? grid.columns : grid.rows);

/** How large the cells of all tensors are, so that they fit. */
function cellsFor({ figures, isMatrixProduct }: EntriesView, { width, height }: Room): Cells {
  const columns = figures.map(across);
  const rows = figures.map(down);
  const inRow = isMatrixProduct ? columns[0]! + columns[2]! : Math.max(...columns);
  const inColumn = isMatrixProduct ? rows[1]! + rows[2]! : Math.max(...rows);
  const free = width - (isMatrixProduct ? 40 : 16);
  const high = Math.max(LOWEST, height - ABOVE - (isMatrixProduct ? 2 * CAPTION + GAP : CAPTION));
  const fits = inRow * NUMBER_WIDE <= free && inColumn * NUMBER_HIGH <= high;
  if (fits && Math.max(...columns, ...rows) <= ROOMY)
    return { wide: NUMBER_WIDE, high: NUMBER_HIGH, numbers: true };
  const side = Math.floor(Math.min(LARGEST, free / inRow, high / inColumn));
  return { wide: Math.max(SMALLEST, side), high: Math.max(SMALLEST, side), numbers: false };
}

/** Where a key leads from a cell, in rows and columns as they are drawn; null for other keys. */
function moved(key: string, at: number, rows: number, columns: number): number | null {
  const [row, column] = [Math.floor(at / columns), at % columns];
  const to: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [row, Math.max(0, column - 1)],
    ArrowRight: [row, Math.min(columns - 1, column + 1)],
    ArrowUp: [Math.max(0, row - 1), column],
    ArrowDown: [Math.min(rows - 1, row + 1), column],
    Home: [row, 0],
    End: [row, columns - 1],
    PageUp: [0, column],
    PageDown: [rows - 1, column],
  };
  const place = to[key];
  return place ? place[0] * columns + place[1] : null;
}

/** Cells so pale that numbers can be read on them; what is below zero is grey. */
function paleCells({ numbers, columns }: Matrix, most: number, tone: Tone): VNode[] {
  return Array.from(numbers, (value, cell) => {
    const share = Math.round(Math.sqrt(Math.abs(value) / most) * 45) || 0;
    const base = value < 0 ? 'ink' : tone;
    return h('rect', {
      x: (cell % columns) * LARGEST,
      y: Math.floor(cell / columns) * LARGEST,
      width: LARGEST,
      height: LARGEST,
      style: `fill:color-mix(in oklab,var(--${base}) ${value < 0 ? share / 2 : share}%,var(--pane))`,
    });
  });
}

/** The cells of a matrix, with their numbers where there is room for words. */
function cellsView(
  sheet: Matrix,
  cells: Cells,
  words: boolean,
  most: number,
  tone: Tone,
  isDim: (cell: number) => boolean = () => false,
): readonly [VNode, VNode[]] {
  const scale = `scale(${cells.wide / LARGEST} ${cells.high / LARGEST})`;
  const tints = words ? paleCells(sheet, most, tone) : tintedCells(sheet, LARGEST, most, tone);
  const texts = Array.from(words ? sheet.numbers : [], (value, cell) =>
    h(
      'text',
      {
        class: isDim(cell) ? 'dim' : null,
        x: ((cell % sheet.columns) + 0.5) * cells.wide,
        y: (Math.floor(cell / sheet.columns) + 0.5) * cells.high + 4,
      },
      formatShort(value),
    ),
  );
  return [h('g', { class: 'cells', transform: scale }, tints), texts];
}

/** One tensor as a grid of cells, of which those that belong to the entry are lit. */
function gridView(view: EntriesView, at: number, cells: Cells, dispatch: Dispatch): VNode {
  const figure = view.figures[at]!;
  const { grid, tone, transposed, lit, pointed } = figure;
  const [rows, columns] = [down(figure), across(figure)];
  const [width, height] = [columns * cells.wide, rows * cells.high];
  /** From a cell as it is drawn to that of the grid, and back. */
  const turned = (cell: number): number =>
    transposed ? (cell % columns) * rows + Math.floor(cell / columns) : cell;
  const drawnAt = (cell: number): readonly [x: number, y: number] => {
    const [row, column] = [Math.floor(cell / grid.columns), cell % grid.columns];
    return transposed
      ? [row * cells.wide, column * cells.high]
      : [column * cells.wide, row * cells.high];
  };
  const box = (cell: number, inset = 0): string => {
    const [x, y] = drawnAt(cell);
    const [w, t] = [cells.wide - 2 * inset, cells.high - 2 * inset];
    return `M${x + inset} ${y + inset}h${w}v${t}h-${w}z`;
  };
  const point = (cell: number): void => {
    const place = placeAt(grid, turned(cell));
    const { entry, target } = view;
    if (entry.figure === at && cellAt(grid, entry.place) === turned(cell)) return;
    dispatch({ kind: 'entry', entry: { target, figure: at, place } });
  };
  const onpointermove = (event: PointerEvent): void => {
    const area = (event.currentTarget as Element).getBoundingClientRect();
    const column = Math.floor(((event.clientX - area.left) / area.width) * columns);
    const row = Math.floor(((event.clientY - area.top) / area.height) * rows);
    if (column >= 0 && row >= 0 && column < columns && row < rows) point(row * columns + column);
  };
  const onkeydown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const now = pointed < 0 ? ([...lit][0] ?? 0) : pointed;
    const shown = transposed
      ? (now % grid.columns) * columns + Math.floor(now / grid.columns)
      : now;
    const to = moved(event.key, shown, rows, columns);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    point(to);
  };
  const finite = [...grid.numbers].filter(Number.isFinite);
  const most = Math.max(...finite.map(Math.abs)) || 1;
  const order = Array.from({ length: rows * columns }, (_, cell) => turned(cell));
  const shown = { rows, columns, numbers: Float64Array.from(order, (cell) => grid.numbers[cell]!) };
  const isDim = (cell: number): boolean => !lit.has(turned(cell));
  const [tints, texts] = cellsView(shown, cells, cells.numbers, most, tone, isDim);
  const whole = `M0 0h${width}v${height}h-${width}z`;
  const all = [...lit].map((cell) => box(cell)).join('');
  return h(
    'svg',
    {
      class: 'plane',
      key: 'plane',
      viewBox: `-2 -2 ${width + 4} ${height + 4}`,
      width: width + 4,
      height: height + 4,
      tabindex: 0,
      role: 'application',
      'aria-roledescription': say('tensor'),
      'aria-label': `${figure.isGradient ? say('gradient of {label}', { label: figure.label }) : figure.label} ${figure.pattern}${pointed < 0 ? '' : ` = ${formatShort(view.value)}`}`,
      'aria-keyshortcuts': 'ArrowUp ArrowDown ArrowLeft ArrowRight Home End PageUp PageDown',
      onpointermove,
      onpointerdown: onpointermove,
      onkeydown,
    },
    finite.length ? tints : h('path', { class: 'empty', d: whole }),
    lit.size < rows * columns
      ? h('path', { class: 'veil', 'fill-rule': 'evenodd', d: whole + all })
      : null,
    texts,
    h('path', { class: `frame ${tone}`, d: whole }),
    h('path', { class: lit.size > MANY || cells.wide < FINE ? 'lit many' : 'lit', d: all }),
    pointed >= 0
      ? h('path', { class: cells.wide < FINE ? 'pointed fine' : 'pointed', d: box(pointed) })
      : null,
  );
}

/** What of a tensor is drawn, where that is not all of it. */
function extent({ grid, tensor }: Figure): string {
  const { shape } = tensor;
  const { plane, slice, rows, columns, high, wide } = grid;
  const others = shape.some((size, axis) => size > 1 && !plane.includes(axis));
  const place = shape.map((_, axis) => (plane.includes(axis) ? ':' : slice[axis])).join(', ');
  return [
    shape.join('×'),
    others ? `[${place}]` : '',
    rows < high || columns < wide ? say('{parts} samples', { parts: `${rows}×${columns}` }) : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

function figureView(view: EntriesView, at: number, cells: Cells, dispatch: Dispatch): VNode {
  const figure = view.figures[at]!;
  return h(
    'figure',
    { class: 'tensor', key: at },
    h(
      'figcaption',
      {},
      h('code', { dir: 'ltr' }, nameOf(figure), figure.transposed ? h('sup', {}, '⊤') : null),
      h('span', { class: 'small muted', dir: 'ltr' }, extent(figure)),
    ),
    gridView(view, at, cells, dispatch),
  );
}

/** The summands with the number of those that are left out. */
function summed(summands: readonly Summand[], scale: number, isAll: boolean): string {
  const shown = summands.slice(0, MOST_SUMMANDS).map((factors) => factors.map(inSum).join('·'));
  const more = summands.length > MOST_SUMMANDS || !isAll ? ['…'] : [];
  const sum = [...shown, ...more].join(' + ');
  if (scale === 1) return sum;
  return `${formatShort(scale)} · ${shown.length + more.length > 1 ? `(${sum})` : sum}`;
}

/** The rule at the entry, in names and then in numbers. */
function sumView(view: EntriesView): VNode {
  const { figures, entry, summands, termCount, isCut, isRounded, value, derivatives } = view;
  const target = figures.at(-1)!;
  const pointed = figures[entry.figure]!;
  const isTarget = entry.figure === figures.length - 1;
  const others = figures.slice(0, -1).filter(({ lit }) => lit.size > 0);
  const part = (figure: Figure): Child => [nameOf(figure), figure.pattern];
  const between = (parts: readonly Child[], sign: string): Child =>
    parts.map((each, at) => (at ? [sign, each] : each));
  const several = termCount > 1;
  const factors =
    derivatives && view.isSum ? [part(others[0]!), partialOf(view)] : others.map(part);
  const names: Child = isTarget
    ? [
        part(target),
        view.isSum ? ' = ' : ' ← ',
        view.isSum && several ? 'Σ ' : '',
        between(factors, view.isSum ? ' · ' : ', '),
      ]
    : [part(pointed), ' → ', part(target)];
  const numbers = summands?.length
    ? `${isRounded ? '≈' : '='} ${summed(summands, view.scale, !isCut)} ${isRounded ? '≈' : '='} ${formatShort(value)}`
    : `= ${formatShort(value)}`;
  return h(
    'div',
    { class: 'sums', role: 'status' },
    h('p', { dir: 'ltr' }, names),
    h('p', { class: 'num', dir: 'ltr' }, numbers),
    termCount > MOST_SUMMANDS
      ? h(
          'p',
          { class: 'small muted' },
          isCut
            ? say('the first {count} terms', { count: grouped(termCount) })
            : say('{count} terms', { count: grouped(termCount) }),
        )
      : null,
  );
}

/** ∂result/∂input at the entries in question, where a gradient is looked at. */
function partialOf({ label, figures }: EntriesView): Child {
  const [upstream, own] = [figures[0]!, figures.at(-1)!];
  return [`∂${label}`, upstream.pattern, '/∂', own.label, own.pattern];
}

/** The derivatives that the entry has by those that it is made of: a row of the Jacobian. */
function jacobianView(view: EntriesView, cells: Cells): VNode | null {
  const { derivatives, target, termCount } = view;
  if (!derivatives || termCount > MOST_SIDE || !derivatives.every(Number.isFinite)) return null;
  const columns = derivatives.length;
  const numbers = Float64Array.from(derivatives);
  const sheet = { rows: 1, columns, numbers };
  const most = Math.max(...derivatives.map(Math.abs)) || 1;
  const words = cells.numbers && columns <= ROOMY;
  const [width, height] = [columns * cells.wide, cells.high];
  const caption =
    target === RESULT ? say('its row of the Jacobian') : say('its column of the Jacobian');
  return h(
    'figure',
    { class: 'tensor jacobian', key: 'jacobian' },
    h('figcaption', {}, caption),
    h(
      'svg',
      {
        class: 'plane',
        viewBox: `-2 -2 ${width + 4} ${height + 4}`,
        width: width + 4,
        height: height + 4,
        role: 'img',
        'aria-label': `${caption}: ${derivatives.map(formatShort).join(', ')}`,
      },
      cellsView(sheet, cells, words, most, 'v'),
      h('path', { class: 'frame v', d: `M0 0h${width}v${height}h-${width}z` }),
    ),
  );
}

/** What to look at: the result, or a gradient that has come back through the op. */
function targetsView({ targets, target }: EntriesView, dispatch: Dispatch): VNode | null {
  if (targets.length < 2) return null;
  return h(
    'div',
    { class: 'targets', role: 'group', 'aria-label': say('What to look at') },
    targets.map(({ target: each, label }) =>
      button(
        prose(
          each === RESULT
            ? say('value of `{label}`', { label })
            : say('gradient of `{label}`', { label }),
        ),
        'quiet tab',
        () => dispatch({ kind: 'entry', entry: { target: each, figure: -1, place: 0 } }),
        { 'aria-pressed': String(each === target) },
      ),
    ),
  );
}

/** The ops whose rules can be looked at, where the step is about none. */
function choicesView(state: State, dispatch: Dispatch): Child {
  const nodes = nodesWithEntries(state.model, MOST_NODES);
  if (!nodes.length)
    return h('p', { class: 'muted' }, say('No op on this tape has tensors of several numbers.'));
  return [
    h('p', { class: 'muted' }, say('This step has no tensors of several numbers. Choose an op:')),
    h(
      'div',
      { class: 'targets' },
      nodes.map((node) =>
        button(h('code', { dir: 'ltr' }, labelOf(state.model, node)), 'quiet', () =>
          dispatch({ kind: 'select', node }),
        ),
      ),
    ),
  ];
}

/** Which entries make an entry of a tensor: what is pointed at, and what belongs to it, lit. */
export function entriesPane(
  state: State,
  current: StepState,
  room: Room,
  dispatch: Dispatch,
): Child {
  const view = entriesView(state, current);
  if (!view) return choicesView(state, dispatch);
  const cells = cellsFor(view, room);
  return [
    targetsView(view, dispatch),
    sumView(view),
    h(
      'div',
      { class: `entries${view.isMatrixProduct ? ' product' : ''}`, dir: 'ltr' },
      view.figures.map((_, at) => figureView(view, at, cells, dispatch)),
      jacobianView(view, cells),
    ),
  ];
}
