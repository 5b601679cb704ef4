import type { NodeLook } from '../appearance.js';
import { cornerWidth, LETTER, pillWidth, PORTS } from '../chart.js';
import { h } from '../dom.js';
import type { VNode } from '../dom.js';
import { NodeKind } from '../graph.js';
import { isLegible, smallTitle } from '../legibility.js';
import type { SlotState } from '../stepstate.js';
import { cells, fitted } from '../text.js';
import { WORDS } from '../words.js';

const CLASSES: Readonly<Record<NodeKind, string>> = {
  [NodeKind.Variable]: 'variable',
  [NodeKind.Constant]: 'constant',
  [NodeKind.Op]: 'op',
  [NodeKind.Off]: 'off',
};
export const RADIUS: Readonly<Record<NodeKind, number>> = {
  [NodeKind.Variable]: 12,
  [NodeKind.Constant]: 1.5,
  [NodeKind.Op]: 6,
  [NodeKind.Off]: 1.5,
};

export const EYE = 'M-7 0Q0-7.5 7 0Q0 7.5-7 0Z';

/** The width of a letter of a label, on average. */
const LABEL_LETTER = 5.8;

export function eyeView(x: number, y: number, watched: boolean): VNode {
  return h(
    'g',
    { class: 'eye', transform: `translate(${x} ${y})` },
    h('path', { d: EYE }),
    h('circle', { class: 'pupil', r: 2 }),
    watched
      ? null
      : [
          h('path', { class: 'unsee', d: 'M-8 8l16-16' }),
          h('path', { class: 'strike', d: 'M-8 8l16-16' }),
        ],
  );
}

/** The slot of the gradient; `right` is where it ends. */
function slotView(state: SlotState, text: string, right: number, y: number, room: number): VNode {
  const wanted = text ? Math.max(28, [...text].length * 7.2 + 10) : 44;
  const width = Math.min(room, wanted);
  const middle = state === 'zero' || state === 'nonezero';
  return h(
    'g',
    {
      class: `slot ${state}${middle ? ' mid' : ''}`,
      transform: `translate(${right - width} ${y})`,
    },
    h('rect', { width, height: 18 }),
    text ? h('text', { x: middle ? width / 2 : width - 5, y: 13 }, text) : null,
  );
}

function titleRow(look: NodeLook): VNode[] {
  const { glyph, width, kind } = look;
  const pill = pillWidth(glyph);
  const start = glyph ? 16 + pill : 12;
  const eyed = kind === NodeKind.Variable || (kind === NodeKind.Constant && look.watched);
  const room = width - start - (eyed ? 30 : 10) - cornerWidth(look.corner);
  const title = fitted(look.label, Math.floor(room / LETTER));
  const parts = [h('text', { class: 't', x: start, y: 19 }, title)];
  if (glyph) {
    parts.unshift(
      h('rect', { class: 'disc', x: 8, y: 5, width: pill, height: 19, rx: 9.5 }),
      h('text', { class: 'glyph', x: 8 + pill / 2, y: 18.5 }, glyph),
    );
  }
  if (eyed) parts.push(eyeView(width - 17, 15, look.watched));
  if (look.corner) parts.push(h('text', { class: 'lab end', x: width - 10, y: 19 }, look.corner));
  return parts;
}

function rows(look: NodeLook): (VNode | null)[] {
  const { width, detail, value } = look;
  const { valueY, gradientY } = PORTS[detail];
  const words = detail === 'full';
  const wide = look.value.length * 7.3 > width - 62;
  const lost = look.slot === null && look.kind === NodeKind.Off;
  const word = lost ? WORDS.notRecorded : WORDS.gradient;
  const beside = width - 24 - cells(word) * LABEL_LETTER;
  const slotWide = look.slotText.length * 7.2 + 10 > beside;
  return [
    words && !wide ? h('text', { class: 'lab', x: 12, y: valueY + 4 }, WORDS.value) : null,
    words && !slotWide ? h('text', { class: 'lab', x: 12, y: gradientY + 4 }, word) : null,
    value ? h('text', { class: 'val', x: width - 12, y: valueY + 4 }, value) : null,
    look.slot === null
      ? null
      : slotView(
          look.slot,
          look.slotText,
          width - 6,
          gradientY - 9,
          words && !slotWide ? beside : width - 12,
        ),
  ];
}

function briefRow(look: NodeLook): (VNode | null)[] {
  const value = look.value ? h('text', { class: 'val start', x: 10, y: 45 }, look.value) : null;
  const slot = look.slot && slotView(look.slot, look.slotText, look.width - 6, 32, 66);
  return [value, slot];
}

/** The height of the band that stands for a gradient where its slot could not be read. */
export const BAND = 12;

/** What can be read of a card that is shown small: its name, and how its gradient stands. */
function smallRows(look: NodeLook, zoom: number): (VNode | null)[] {
  const { width, height, label, slot } = look;
  const room = height - BAND - 8;
  const title = smallTitle(label, width - 12, room, zoom);
  const middle = room / 2 + 2;
  return [
    title &&
      h(
        'text',
        { class: 't middle', x: width / 2, y: middle, style: `font-size:${title.size}px` },
        title.text,
      ),
    slot &&
      h(
        'g',
        { class: `slot ${slot}`, transform: `translate(6 ${height - BAND - 5})` },
        h('rect', { width: width - 12, height: BAND }),
      ),
  ];
}

/** The rows of a card, as much of them as can be read at a size. */
function rowsView(look: NodeLook, zoom: number): (VNode | null)[] {
  if (!isLegible(zoom)) return smallRows(look, zoom);
  return [
    h('path', { class: 'hair', d: `M0 28.5H${look.width}` }),
    ...titleRow(look),
    ...(look.detail === 'title' ? briefRow(look) : rows(look)),
  ];
}

/** A card: what runs, its value, its gradient; `hatch` names the pattern of what is off the tape. */
export function nodeView(look: NodeLook, hatch: string, zoom: number): VNode[] {
  const { width, height, kind, halo } = look;
  const radius = RADIUS[kind];
  const fill = kind === NodeKind.Off ? `fill:url(#${hatch})` : null;
  const parts: (VNode | null)[] = [
    h('title', {}, look.label),
    halo
      ? h('rect', {
          class: 'halo',
          x: -4.5,
          y: -4.5,
          width: width + 9,
          height: height + 9,
          rx: radius + 4.5,
        })
      : null,
    ...(look.stacked ? [6, 3] : []).map((by) =>
      h('rect', { class: 'box', x: by, y: by, width, height, rx: radius }),
    ),
    h('rect', { class: 'box', width, height, rx: radius, style: fill }),
    ...rowsView(look, zoom),
  ];
  return parts.filter((part): part is VNode => part !== null);
}

export function nodeClass(look: NodeLook): string {
  return `nd ${CLASSES[look.kind]}${look.lit ? '' : ' todo'}${look.halo ? ` ${look.halo}` : ''}`;
}
