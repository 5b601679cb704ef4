import { patch } from '../dom.js';
import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import { arrive, begin, comparison, movableTensor, rounded, unitOf } from '../nudge.js';
import type { Nudge } from '../nudge.js';
import { formatNumber } from '../numbers.js';
import type { StateSource } from '../state.js';
import type { Replays } from '../whatif.js';
import { say } from '../words.js';
import { button, prose } from './parts.js';

const WIDTH = 220;
const HEIGHT = 116;
const EDGE = 10;
/** Pointers that move less than this click. */
const STILL = 3;
/** So many pixels are one unit of a value. */
const PIXELS = 3;

/** The tangent at the start, the curve as far as it was seen, and where both lead now. */
function plotView(nudge: Nudge): VNode | null {
  const { start, now, visited } = nudge;
  const compared = comparison(nudge);
  if (!compared) return null;
  const reach = Math.max(
    unitOf(start.value) * 4,
    ...visited.map((p) => Math.abs(p.value - start.value)),
  );
  const rise = (value: number): number => start.target! + start.derivative! * (value - start.value);
  const ends = [start.value - reach, start.value + reach] as const;
  const heights = [...ends.map(rise), ...visited.map((p) => p.target ?? NaN)].filter(
    Number.isFinite,
  );
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const x = (value: number): number =>
    EDGE + ((value - ends[0]) / (2 * reach)) * (WIDTH - 2 * EDGE);
  const y = (target: number): number =>
    HEIGHT - EDGE - ((target - low) / (high - low || 1)) * (HEIGHT - 2 * EDGE);
  const seen = visited.filter((p) => p.target !== null && Number.isFinite(p.target));
  const curve = seen.map((p, at) => `${at ? 'L' : 'M'}${x(p.value)} ${y(p.target!)}`).join('');
  const { predicted, moved } = compared;
  return h(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      width: WIDTH,
      height: HEIGHT,
      role: 'img',
      'aria-label': say('The tangent leads to {tangent}, the program to {target}.', {
        tangent: formatNumber(start.target! + predicted),
        target: formatNumber(start.target! + moved),
      }),
    },
    h('path', {
      class: 'tangent',
      d: `M${x(ends[0])} ${y(rise(ends[0]))}L${x(ends[1])} ${y(rise(ends[1]))}`,
    }),
    h('path', { class: 'seen', d: curve }),
    h('path', {
      class: 'ghost',
      d: `M${x(start.value)} ${y(start.target!)}L${x(now.value)} ${y(now.target!)}`,
    }),
    h('path', {
      class: 'gap',
      d: `M${x(now.value)} ${y(rise(now.value))}V${y(now.target!)}`,
    }),
    h('circle', { class: 'start', cx: x(start.value), cy: y(start.target!), r: 3.5 }),
    h('circle', { class: 'predicted', cx: x(now.value), cy: y(rise(now.value)), r: 3.5 }),
    h('circle', { class: 'here', cx: x(now.value), cy: y(now.target!), r: 4.5 }),
  );
}

/** The nudge in numbers, beside what the gradient says. */
function wordsView(nudge: Nudge): Child {
  const compared = comparison(nudge);
  const by = nudge.now.value - nudge.start.value;
  if (!compared || by === 0) return null;
  const { predicted, moved } = compared;
  return [
    h(
      'p',
      {},
      prose(
        say('`{target}` moves by {moved}; the tangent says {predicted}.', {
          target: nudge.targetName,
          moved: formatNumber(moved),
          predicted: formatNumber(predicted),
        }),
      ),
    ),
    h(
      'p',
      { class: 'small muted' },
      say('{moved} / {by} = {ratio} · gradient {derivative}', {
        moved: formatNumber(moved),
        by: formatNumber(by),
        ratio: formatNumber(moved / by),
        derivative: formatNumber(nudge.start.derivative!),
      }),
    ),
  ];
}

/** Lets values of variables be dragged in their nodes, or moved by keys in a field beside them. */
export class NudgeControl {
  private nudge: Nudge | null = null;
  private message = '';
  private readonly box: HTMLElement;
  private readonly stops: (() => void)[] = [];
  private readonly moved = new Map<number, number>();

  constructor(
    private readonly root: HTMLElement,
    private readonly store: StateSource,
    private readonly replays: Replays | null,
  ) {
    this.box = root.ownerDocument.createElement('div');
    this.box.className = 'tl nudge';
    this.box.dir = root.dir;
    this.box.hidden = true;
    root.after(this.box);
    const on = (name: string, listener: (event: never) => void): void => {
      root.addEventListener(name, listener as EventListener, { capture: true });
      this.stops.push(() =>
        root.removeEventListener(name, listener as EventListener, { capture: true }),
      );
    };
    on('pointerdown', (event: PointerEvent) => this.grab(event));
    on('keydown', (event: KeyboardEvent) => this.pressed(event));
    this.stops.push(store.subscribe(() => this.follow()));
    if (replays) this.stops.push(replays.listen((_, error) => this.say(error)));
  }

  destroy(): void {
    for (const stop of this.stops) stop();
    this.box.remove();
  }

  /** A drag begins on the node of a variable; one that does not move is a click. */
  private grab(event: PointerEvent): void {
    const card = (event.composedPath()[0] as Element).closest('[data-node]');
    const node = Number(card?.getAttribute('data-node') ?? -1);
    const { model } = this.store.state();
    if (event.button || movableTensor(model, node) < 0) return;
    event.stopPropagation();
    const from = event.clientX;
    let value = NaN;
    const page = this.root.ownerDocument.defaultView!;
    const move = ({ clientX }: PointerEvent): void => {
      const by = clientX - from;
      if (Number.isNaN(value)) {
        if (Math.abs(by) < STILL) return;
        this.open(node);
        value = this.nudge!.now.value;
      }
      const unit = unitOf(this.nudge!.start.value);
      this.moveTo(rounded(value + Math.round(by / PIXELS) * unit, unit));
    };
    const end = (): void => {
      page.removeEventListener('pointermove', move);
      page.removeEventListener('pointerup', end);
      page.removeEventListener('pointercancel', end);
      if (Number.isNaN(value)) return;
      // The click at the end of a drag chooses nothing.
      const swallow = (click: Event): void => click.stopPropagation();
      page.addEventListener('click', swallow, { capture: true, once: true });
      page.requestAnimationFrame(() => page.removeEventListener('click', swallow, true));
      this.box.querySelector('input')?.focus({ preventScroll: true });
    };
    page.addEventListener('pointermove', move);
    page.addEventListener('pointerup', end);
    page.addEventListener('pointercancel', end);
  }

  /** Enter on a variable that is chosen leads to the field with its value. */
  private pressed(event: KeyboardEvent): void {
    const { model, selected } = this.store.state();
    const inGraph = (event.composedPath()[0] as Element).closest('.stage');
    if (event.key === 'Escape' && this.nudge) {
      event.stopPropagation();
      event.preventDefault();
      this.undo();
    } else if (event.key === 'Enter' && inGraph && movableTensor(model, selected) >= 0) {
      event.stopPropagation();
      event.preventDefault();
      this.open(selected);
      this.box.querySelector('input')?.focus({ preventScroll: true });
    }
  }

  private open(node: number): void {
    const { model } = this.store.state();
    if (this.nudge?.node !== node) this.nudge = begin(model, node);
    this.message = this.replays
      ? ''
      : say(
          'Here the values stay as they were recorded. With a kernel, `tf.show(tape).widget()` moves them.',
        );
    this.draw();
  }

  private moveTo(value: number): void {
    if (!this.nudge || !this.replays || !Number.isFinite(value)) return;
    if (this.moved.get(this.nudge.tensor) === value) return;
    this.moved.set(this.nudge.tensor, value);
    this.replays.move(this.moved);
  }

  /** Everything as it was recorded. */
  private undo(): void {
    if (!this.nudge) return;
    this.moved.delete(this.nudge.tensor);
    this.replays?.move(this.moved);
    this.nudge = null;
    this.draw();
    this.root.querySelector<HTMLElement>('.stage')?.focus({ preventScroll: true });
  }

  private say(error: string): void {
    this.message = error;
    this.draw();
  }

  private shown: unknown = null;

  /** The recording has changed, or what is looked at. */
  private follow(): void {
    const { model } = this.store.state();
    if (this.nudge && model !== this.shown) {
      this.nudge = arrive(this.nudge, model);
      this.message = '';
    }
    this.shown = model;
    this.draw();
  }

  private keyed(event: KeyboardEvent): void {
    const field = event.target as HTMLInputElement;
    const { start } = this.nudge!;
    const unit = unitOf(start.value);
    const steps: Readonly<Record<string, number>> = {
      ArrowUp: 1,
      ArrowDown: -1,
      PageUp: 10,
      PageDown: -10,
    };
    const by = steps[event.key];
    event.stopPropagation();
    if (event.key === 'Escape') this.undo();
    else if (event.key === 'Enter') this.moveTo(Number(field.value.replace('−', '-')));
    else if (by !== undefined) {
      const now = this.moved.get(this.nudge!.tensor) ?? this.nudge!.now.value;
      this.moveTo(rounded(now + by * unit, unit));
    } else return;
    event.preventDefault();
  }

  private draw(): void {
    const { nudge } = this;
    this.box.hidden = !nudge;
    if (!nudge) return patch(this.box, []);
    const value = this.moved.get(nudge.tensor) ?? nudge.now.value;
    patch(this.box, [
      h(
        'label',
        { dir: 'ltr' },
        h('code', {}, nudge.name),
        ' = ',
        h('input', {
          value: String(Number(value.toPrecision(7))),
          inputmode: 'decimal',
          disabled: !this.replays,
          'aria-label': say('Value of {name}', { name: nudge.name }),
          'aria-keyshortcuts': 'ArrowUp ArrowDown PageUp PageDown Enter Escape',
          onkeydown: (event: KeyboardEvent) => this.keyed(event),
        }),
        button(say('Undo'), 'quiet', () => this.undo(), { 'aria-keyshortcuts': 'Escape' }),
      ),
      plotView(nudge) ?? '',
      h(
        'div',
        { role: 'status' },
        this.message ? h('p', {}, prose(this.message)) : wordsView(nudge),
      ),
    ]);
    this.place(nudge.node);
  }

  /** Put the box below the node, inside of what is around. */
  private place(node: number): void {
    const card = this.root.querySelector(`[data-node="${node}"]`);
    const around = this.box.offsetParent ?? this.root;
    if (!card) return;
    const [at, frame] = [card.getBoundingClientRect(), around.getBoundingClientRect()];
    const left = at.left - frame.left + around.scrollLeft;
    const most = frame.width - this.box.offsetWidth - 8;
    this.box.style.left = `${Math.max(8, Math.min(left, most))}px`;
    this.box.style.top = `${at.bottom - frame.top + around.scrollTop + 8}px`;
  }
}
