import { h } from '../dom.js';
import { faceOf, foldsIn } from '../folded.js';
import type { Frames } from '../stops.js';
import type { VNode } from '../dom.js';
import type { Model } from '../model.js';
import { Kind } from '../schema.js';
import { formatBrief, grouped } from '../numbers.js';
import { glyphOf, isOffFrame, labelOf, opOf, slotAt, slotText, tensorOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import type { FrameLayout } from '../framelayout.js';
import type { Action } from '../state.js';
import { WORDS } from '../words.js';

/** The width of a frame in a timeline of one line, and in one of tall frames. */
export const FRAME_WIDTHS: Readonly<Record<FrameLayout['timeline'], number>> = {
  line: 56,
  frames: 128,
};
/** Up to so many frames the timeline is drawn whole; above, only what can be seen. */
export const WHOLE_TIMELINE = 60;
/** Browsers lay out nothing wider; a longer timeline moves faster than the hand that scrolls it. */
const WIDEST_TIMELINE = 12_800_000;

/** The frames to draw, and how far from the left the first of them stands. */
export interface TimelinePart {
  readonly from: number;
  readonly to: number;
  readonly left: number;
}

/** How far apart frames are as the scroll bar sees it. */
export function framePitch(count: number, frameWidth: number): number {
  return Math.min(frameWidth, WIDEST_TIMELINE / count);
}

/** The frames to draw when so much of a long timeline has been scrolled past. */
export function visibleFrames(
  count: number,
  frameWidth: number,
  scrolled: number,
  width: number,
): TimelinePart {
  if (count <= WHOLE_TIMELINE) return { from: 0, to: count, left: 0 };
  const pitch = framePitch(count, frameWidth);
  const middle = Math.round((scrolled + (width - frameWidth) / 2) / pitch);
  const reach = Math.ceil(width / frameWidth / 2) + 4;
  const from = Math.max(0, Math.min(count, middle) - reach);
  const left = Math.max(0, middle * pitch - (middle - from) * frameWidth);
  return { from, to: Math.min(count, middle + reach), left };
}

/** The frames to draw when one of them has been scrolled to the middle. */
export function partAround(
  count: number,
  frameWidth: number,
  frame: number,
  width: number,
): TimelinePart {
  const pitch = framePitch(count, frameWidth);
  const centred = frame * pitch - (width - frameWidth) / 2;
  const scrolled = Math.max(0, Math.min(centred, count * pitch - width));
  return visibleFrames(count, frameWidth, scrolled, width);
}

/** The number of a frame among those on the tape, counted from 1. */
function frameNumber(model: Model, frame: number): string {
  return isOffFrame(model, frame) ? '' : grouped(frame + 1);
}

const ASSIGNED = ['assign', 'assign_add', 'assign_sub', 'assign'];

/** What a frame says in its upper right corner: the op, in short. */
export function frameTag(model: Model, frame: number): string {
  const { graph, recording } = model;
  const event = recording.event(graph.frameEvent[frame]!);
  if (event.kind === Kind.Watched) return 'watch';
  if (event.kind === Kind.Read) return 'read';
  if (event.kind === Kind.Left) return event.how;
  if (event.kind === Kind.Assigned) return ASSIGNED[event.how]!;
  const node = graph.frameNode[frame]!;
  return [...glyphOf(model, node)].length <= 4
    ? glyphOf(model, node)
    : (opOf(model, node)?.name ?? '');
}

export function frameLabel(model: Model, frame: number): string {
  const node = model.graph.frameNode[frame]!;
  if (node >= 0) return labelOf(model, node);
  const event = model.recording.event(model.graph.frameEvent[frame]!);
  if (event.kind !== Kind.Assigned) return '';
  return model.recording.header.variables[event.variable]?.name ?? '';
}

/** So many letters stand side by side in a frame; a few frames are wider than many. */
const [ROOM, WIDE_ROOM, FEW] = [13, 22, 7];

function frameValue(model: Model, current: StepState, frame: number, taken: number): string {
  if (frame >= current.step) return WORDS.notRun;
  const node = model.graph.frameNode[frame]!;
  const tensor = tensorOf(model, node);
  const room = model.graph.frameCount > FEW ? ROOM : WIDE_ROOM;
  return tensor ? formatBrief(tensor, Math.min(14, room - taken)) : '';
}

function frameGradient(model: Model, current: StepState, frame: number): string {
  const node = model.graph.frameNode[frame]!;
  if (current.phase !== 'backward' || node < 0 || isOffFrame(model, frame)) return '';
  return slotText(model, slotAt(model, current, node), 9);
}

function look(model: Model, current: StepState, frame: number, isCurrent: boolean): string {
  const backward = current.phase === 'backward';
  const last = current.step === current.stepCount;
  const through = current.through >= 0;
  const rewound = backward && (last || (isCurrent ? through : frame > current.frame));
  return [
    'fr',
    isOffFrame(model, frame) ? 'off' : '',
    frame < current.step ? 'f' : 'todo',
    rewound && !isOffFrame(model, frame) ? 'b' : '',
    isCurrent ? `now ${backward ? 'bwd' : 'fwd'}` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** What a frame is called, and what it says in its corner: of a closed call, how much is in it. */
function frameTitle(model: Model, frame: number, fold: number): readonly [string, string] {
  if (fold < 0) return [frameLabel(model, frame), frameTag(model, frame)];
  const { label, glyph, corner } = faceOf(model, frame, foldsIn(model), fold);
  return [corner ? `${label} ${corner}` : label, glyph];
}

function frameView(
  model: Model,
  current: StepState,
  frame: number,
  fold: number,
  isCurrent: boolean,
  choose: () => void,
): VNode {
  const off = isOffFrame(model, frame);
  const gradient = frameGradient(model, current, frame);
  const [label, tag] = frameTitle(model, frame, fold);
  return h(
    'button',
    {
      type: 'button',
      class: look(model, current, frame, isCurrent),
      'data-frame': frame,
      tabindex: isCurrent || (current.frame < 0 && frame === 0) ? 0 : -1,
      'aria-current': isCurrent ? 'step' : null,
      onclick: choose,
    },
    off ? null : [h('span', { class: 'top' }), h('span', { class: 'bot' })],
    h('i', {}, h('span', {}, frameNumber(model, frame)), h('span', {}, tag)),
    h('b', { title: label }, label),
    h(
      's',
      {},
      h('span', {}, frameValue(model, current, frame, gradient.length)),
      gradient ? h('u', {}, h('span', { class: 'sr' }, `${WORDS.gradient} `), gradient) : null,
      off ? h('span', { class: 'sr' }, `, ${WORDS.notRecorded}`) : null,
    ),
  );
}

function cutView(): VNode {
  return h(
    'li',
    { class: 'cutmark', key: 'cut', 'aria-label': WORDS.noPathAcross },
    h(
      'svg',
      { viewBox: '0 0 20 100', 'aria-hidden': 'true' },
      h('path', { class: 'jag', d: 'M10 0L5 12L15 25L5 38L15 51L5 64L15 77L5 90L10 100' }),
    ),
  );
}

/** The tape itself: a frame for each step, in order. `cutBefore` tears it at a place. */
export function timelineView(
  model: Model,
  current: StepState,
  part: TimelinePart,
  frames: Frames,
  width: number,
  dispatch: (action: Action) => void,
  cutBefore = -1,
): VNode {
  const { count } = frames;
  const whole = count <= WHOLE_TIMELINE;
  const here = frames.placeOf(current.frame);
  const isOff = (place: number): boolean => isOffFrame(model, frames.frameAt(place));
  const items: VNode[] = [];
  for (let at = part.from; at < part.to; at++) {
    if (at === cutBefore) items.push(cutView());
    const next = at + 1;
    const ends = next === count || next === cutBefore || isOff(next);
    const start = at === 0 || isOff(at - 1) || at === cutBefore;
    const classes = `${start ? 'start ' : ''}${ends ? 'end' : ''}`;
    const [frame, fold] = [frames.frameAt(at), frames.foldAt(at)];
    const choose = (): void => dispatch({ kind: 'frame', frame });
    const place = whole ? {} : { 'aria-posinset': next, 'aria-setsize': count };
    items.push(
      h(
        'li',
        { class: classes, key: frame, ...place },
        frameView(model, current, frame, fold, at === here, choose),
      ),
    );
  }
  const style = whole
    ? null
    : `width:${Math.round(count * framePitch(count, width))}px;padding-left:${part.left}px`;
  return h(
    'ol',
    { class: whole ? 'timeline' : 'timeline long', style, 'aria-label': WORDS.timeline },
    items,
  );
}
