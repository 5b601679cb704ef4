import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { sheetOf } from '../planes.js';
import { Form } from '../previews.js';
import type { Recording } from '../recording.js';
import type { NodeLook } from './node.js';
import type { Tone } from './numbers.js';
import { tintedCells } from './pictures.js';

const HIGH = 16;
const LARGEST_CELL = 6;
const NARROWEST = 8;
/** Where the rows of a card begin, and how far in the words before them reach. */
const ROWS = { v: { y: 31, words: 46 }, g: { y: 53, words: 64 } } as const;

const known = new WeakMap<Recording, Map<string, VNode | null>>();

/** A matrix in the row of a card, its right edge at `right`; null where there is no room for it. */
function mapView(recording: Recording, tensor: number, tone: Tone, right: number, room: number) {
  const drawn = known.get(recording) ?? new Map<string, VNode | null>();
  known.set(recording, drawn);
  const key = `${tensor} ${tone} ${right} ${room}`;
  let found = drawn.get(key);
  if (found === undefined) {
    drawn.set(key, (found = drawMap(recording, tensor, tone, right, room)));
  }
  return found;
}

function drawMap(
  recording: Recording,
  tensor: number,
  tone: Tone,
  right: number,
  room: number,
): VNode | null {
  const sheet = sheetOf(recording, recording.tensor(tensor), 0);
  if (sheet?.form !== Form.Means) return null;
  const { rows, columns, numbers } = sheet;
  const size = Math.min(LARGEST_CELL, HIGH / rows, room / columns);
  const [width, height] = [columns * size, rows * size];
  if (Math.min(width, height) < NARROWEST) return null;
  const most = Math.max(...[...numbers].filter(Number.isFinite).map(Math.abs)) || 1;
  return h(
    'g',
    {
      class: 'heat',
      transform: `translate(${right - width} ${ROWS[tone].y + (HIGH - height) / 2})`,
    },
    tintedCells(sheet, size, most, tone),
    h('rect', {
      class: `rim ${tone}`,
      x: -1,
      y: -1,
      width: width + 2,
      height: height + 2,
      rx: 1.5,
    }),
  );
}

/** What a card shows of matrices, beside their shapes: its value, and its gradient once it is there. */
export function cardMaps(recording: Recording, look: NodeLook): Child {
  const { detail, width, value, slotText, tensors } = look;
  if (detail === 'title') return null;
  const places = [
    ['v', tensors[0], width - 19 - value.length * 7.3],
    ['g', tensors[1], width - 13 - Math.max(28, slotText.length * 7.2 + 10)],
  ] as const;
  return places.map(([tone, tensor, right]) => {
    const left = detail === 'full' ? ROWS[tone].words : 12;
    return tensor < 0 ? null : mapView(recording, tensor, tone, right, right - left);
  });
}
