import type { NodeLook, Tone } from '../appearance.js';
import { PORTS } from '../chart.js';
import type { Detail } from '../chart.js';
import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { formatShape } from '../numbers.js';
import { sheetOf } from '../planes.js';
import type { Sheet } from '../planes.js';
import { Form } from '../previews.js';
import type { Recording } from '../recording.js';
import { shadedPixels, tintedCells } from './figures.js';

/** How high a map may be, how large its cells, how wide a bar, on cards of each kind. */
const SIZES: Readonly<Record<Detail, { high: number; cell: number; bar: number } | null>> = {
  maps: { high: 36, cell: 12, bar: 8 },
  full: { high: 16, cell: 6, bar: 5 },
  plain: { high: 16, cell: 6, bar: 5 },
  title: null,
};
const NARROWEST = 8;
/** How far in the words reach that stand before the rows of a card. */
const WORDS = { v: 46, g: 64 } as const;

/** Where a map may stand: beside what its row says, so wide and so high. */
interface Place {
  readonly tone: Tone;
  readonly right: number;
  readonly middle: number;
  readonly room: number;
  readonly detail: Detail;
}

const known = new WeakMap<Recording, Map<string, VNode | null>>();

/** What a tensor looks like in its row; null where there is no room for it. */
function mapView(recording: Recording, tensor: number, place: Place): VNode | null {
  const drawn = known.get(recording) ?? new Map<string, VNode | null>();
  known.set(recording, drawn);
  const key = `${tensor} ${Object.values(place).join(' ')}`;
  let found = drawn.get(key);
  if (found === undefined) drawn.set(key, (found = drawMap(recording, tensor, place)));
  return found;
}

function drawMap(recording: Recording, tensor: number, place: Place): VNode | null {
  const info = recording.tensor(tensor);
  const sheet = sheetOf(recording, info, 0);
  if (sheet?.form === Form.Ends) return barsView(sheet, place);
  return sheet && cellsView(sheet, place, info.dtype);
}

/** A matrix or an image, its right edge where there is room. */
function cellsView(sheet: Sheet, place: Place, dtype: string): VNode | null {
  const { high, cell } = SIZES[place.detail]!;
  const { rows, columns, numbers } = sheet;
  const size = Math.min(cell, high / rows, place.room / columns);
  const [width, height] = [columns * size, rows * size];
  if (Math.min(width, height) < NARROWEST) return null;
  if (sheet.form === Form.Colours) {
    return framed(place, width, height, shadedPixels(sheet, size, dtype));
  }
  const most = Math.max(...[...numbers].filter(Number.isFinite).map(Math.abs)) || 1;
  return framed(place, width, height, tintedCells(sheet, size, most, place.tone));
}

/** A vector: upwards above zero, downwards and grey below. */
function barsView(sheet: Sheet, place: Place): VNode | null {
  const { high, bar } = SIZES[place.detail]!;
  const { columns, depth, numbers } = sheet;
  const pitch = Math.min(bar, place.room / columns);
  if (columns * pitch < NARROWEST) return null;
  const finite = [...numbers].filter(Number.isFinite);
  const top = Math.max(0, ...finite);
  const unit = high / (top - Math.min(0, ...finite) || 1);
  const wide = pitch > 3 ? pitch - 1 : pitch;
  const paths: Record<string, string> = {};
  for (let at = 0; at < columns; at++) {
    const ends = [...numbers.subarray(at * depth, (at + 1) * depth), 0];
    const odd = !ends.every(Number.isFinite);
    const look = odd ? 'odd' : ends[0]! < 0 && ends[depth - 1]! <= 0 ? 'down' : place.tone;
    const from = odd ? 0 : (top - Math.max(...ends)) * unit;
    const tall = odd ? high : Math.max(1, (Math.max(...ends) - Math.min(...ends)) * unit);
    const bars = paths[look] ?? '';
    paths[look] =
      `${bars}M${(at * pitch).toFixed(1)} ${Math.min(from, high - 1).toFixed(1)}h${wide.toFixed(1)}v${tall.toFixed(1)}h${(-wide).toFixed(1)}z`;
  }
  const bars = Object.entries(paths).map(([look, d]) => h('path', { class: look, d }));
  return framed(place, columns * pitch, high, bars);
}

function framed({ tone, right, middle }: Place, width: number, height: number, inside: VNode[]) {
  const place = `translate(${right - width} ${middle - height / 2})`;
  const rim = { x: -1, y: -1, width: width + 2, height: height + 2, rx: 1.5 };
  return h('g', { class: 'heat', transform: place }, inside, [
    h('rect', { class: `rim ${tone}`, ...rim }),
  ]);
}

/** What a card shows of tensors that it cannot write: its value, and its gradient once it is there. */
export function nodeMaps(recording: Recording, look: NodeLook): Child {
  const { detail, width, value, slotText, tensors } = look;
  if (!SIZES[detail]) return null;
  const { valueY, gradientY } = PORTS[detail];
  const rows = [
    ['v', tensors[0], value, valueY, width - 19 - value.length * 7.3],
    ['g', tensors[1], slotText, gradientY, width - 13 - Math.max(28, slotText.length * 7.2 + 10)],
  ] as const;
  return rows.map(([tone, tensor, text, middle, right]) => {
    if (tensor < 0) return null;
    const { shape } = recording.tensor(tensor);
    if (shape.length < 2 && text !== formatShape(shape)) return null;
    const room = right - (detail === 'full' ? WORDS[tone] : 12);
    return mapView(recording, tensor, { tone, right, middle, room, detail });
  });
}
