import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';

/** The frame of a plot: its size in pixels and the part of it that is for the data. */
export interface Box {
  readonly width: number;
  readonly left: number;
  readonly top: number;
  readonly high: number;
  readonly wide: number;
}

const LEFT = 64;
const TOP = 22;
const BELOW = 28;
const RIGHT = 8;

export function boxOf(width: number, high = 220, right = RIGHT): Box {
  return { width, left: LEFT, top: TOP, high, wide: Math.max(120, width - LEFT - right) };
}

export function line(look: string, d: string): VNode {
  return h('path', { class: look, d });
}

export function label(x: number, y: number, text: string, look = ''): VNode {
  return h('text', { class: `tick ${look}`, x, y }, text);
}

/** A horizontal line with its number at the left. */
export function level(box: Box, y: number, text: string): VNode[] {
  return [line('grid', `M${box.left} ${y}h${box.wide}`), label(box.left - 8, y + 4, text, 'end')];
}

/** The line at which the tape stands now. */
export function present(box: Box, x: number, tone: 'v' | 'g'): VNode {
  return line(`now ${tone}`, `M${x} ${box.top - 6}V${box.top + box.high}`);
}

export function plot(box: Box, name: string, ...inside: Child[]): VNode {
  const height = box.top + box.high + BELOW;
  return h(
    'svg',
    {
      class: 'plot',
      viewBox: `0 0 ${box.width} ${height}`,
      style: `width:${box.width}px;height:${height}px`,
      role: 'img',
      'aria-label': name,
    },
    inside,
  );
}
