import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import { formatValues } from '../numbers.js';
import type { TensorInfo } from '../schema.js';
import { WORDS } from '../words.js';

const CELL = 12;
const MOST = 16;

/** A tensor as rows and columns: leading axes are stacked. */
function asMatrix(tensor: TensorInfo): { rows: number; columns: number } {
  const columns = tensor.shape.at(-1) ?? 1;
  return { rows: tensor.values!.length / columns, columns };
}

/** Average a row-major matrix down to at most `MOST` rows and columns. */
function averaged(values: Float64Array, rows: number, columns: number): number[][] {
  const [high, wide] = [Math.min(rows, MOST), Math.min(columns, MOST)];
  const cut = (at: number, of: number, size: number): number => Math.floor((at * size) / of);
  return Array.from({ length: high }, (_, row) =>
    Array.from({ length: wide }, (_, column) => {
      let [sum, count] = [0, 0];
      for (let y = cut(row, high, rows); y < cut(row + 1, high, rows); y++) {
        for (let x = cut(column, wide, columns); x < cut(column + 1, wide, columns); x++) {
          sum += values[y * columns + x]!;
          count++;
        }
      }
      return sum / count;
    }),
  );
}

function cellView(
  value: number,
  row: number,
  column: number,
  most: number,
  role: 'v' | 'g',
): VNode[] {
  const strength = Math.round(Math.sqrt(Math.abs(value) / most) * 100) || 0;
  const base = value >= 0 ? `var(--${role})` : 'var(--ink)';
  const share = value >= 0 ? strength : strength * 0.72;
  const [x, y] = [column * CELL, row * CELL];
  const style = `fill:color-mix(in oklab,${base} ${share}%,var(--pane))`;
  const cell = h('rect', { x, y, width: CELL - 1, height: CELL - 1, rx: 1.5, style });
  if (value >= 0 || strength <= 22) return [cell];
  const stroke = strength > 60 ? 'var(--surface)' : 'var(--ink)';
  const minus = `M${x + 3} ${y + (CELL - 1) / 2}h${CELL - 7}`;
  return [cell, h('path', { class: 'below', d: minus, style: `stroke:${stroke}` })];
}

/** A heat map: hue above zero, grey with a minus below, zero the colour of the pane. */
export function heatView(tensor: TensorInfo, role: 'v' | 'g', label: string): VNode | null {
  const { values, shape, dtype } = tensor;
  const drawable = values && values.length > 1 && shape.length > 0 && !dtype.startsWith('complex');
  if (!drawable || !values.every(Number.isFinite)) return null;
  const { rows, columns } = asMatrix(tensor);
  const cells = averaged(values, rows, columns);
  const most = Math.max(...cells.flat().map(Math.abs)) || 1;
  const [width, height] = [cells[0]!.length * CELL, cells.length * CELL];
  return h(
    'svg',
    {
      class: 'heat',
      viewBox: `-2 -2 ${width + 3} ${height + 3}`,
      style: `width:${width + 3}px;height:${height + 3}px`,
      role: 'img',
      'aria-label': label,
    },
    cells.map((line, row) => line.map((value, column) => cellView(value, row, column, most, role))),
    h('rect', {
      class: `rim ${role}`,
      x: -1.5,
      y: -1.5,
      width: width + 2,
      height: height + 2,
      rx: 2.5,
    }),
  );
}

const LONGEST = 120;

/** All the numbers of a tensor, as far as they were kept and can be read. */
export function valuesView(tensor: TensorInfo, role: 'v' | 'g'): VNode {
  const text = formatValues(tensor);
  if (text === null) return h('span', { class: 'muted' }, WORDS.notKept);
  const shown = text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
  return h('bdi', { class: `num ${role}t` }, shown);
}
