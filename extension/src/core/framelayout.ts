/**
 * How the parts of the Explorer share its area: a pure function of the room there is and of what is
 * shown, so that no earlier state leaves a trace in it.
 *
 * Wide: code and formula in a column on the left, the graph beside it. Narrow: one column. Below
 * both, one bar with the buttons and the timeline.
 */

import type { CellHeight } from './cellcode.js';

/** The room there is, and what has to stand in it. */
export interface FrameSize {
  readonly width: number;
  /** The height that can be seen at once where the Explorer stands. */
  readonly available: number;
  /** Whether it has the whole screen. */
  readonly full: boolean;
  /** How many nodes the graph has with all its groups open. */
  readonly nodes: number;
  /** How many bars of time there are. */
  readonly tracks: number;
  /** The height of the cell in which the code is shown; null where none is. */
  readonly cell: CellHeight;
  /** Whether anything but the code has to stand beside the graph. */
  readonly beside: boolean;
}

export interface FrameLayout {
  readonly columns: 1 | 2;
  /** Where the code is shown: in a strip of its own, or in its cell. */
  readonly code: 'strip' | 'cell';
  /** Whether the graph has the whole width, the formula below it. */
  readonly bare: boolean;
  /** The height of header, body and foot together. */
  readonly height: number;
  /** The width of the column of code and formula, where there are two. */
  readonly side: number;
  /** The width and the height of the pane of the graph. */
  readonly graph: number;
  readonly graphHeight: number;
  /** One line of frames beside the buttons, or tall frames below them. */
  readonly timeline: 'line' | 'frames';
}

/** From this width on code and formula stand beside the graph. */
const WIDE = 720;
const [LOWEST, HIGHEST] = [420, 860];
/** The least height below a cell in which the code is shown: there the graph has the whole width. */
const LOWEST_BELOW_CELL = 330;
/** A graph of so few nodes needs no more height than this. */
const [FEW, ENOUGH] = [12, 600];
const [NARROWEST_SIDE, WIDEST_SIDE] = [270, 400];
/** The heights of the header, of the bar below the graph, of tall frames with their buttons, of a bar of time. */
const [HEADER, BELOW_GRAPH, FRAMES_FOOT, TRACK] = [41, 44, 176, 13];
/** The height of one line of frames with the buttons beside it, and of the formula above it. */
const [LINE_FOOT, FORMULA] = [56, 40];
/** The padding of the pane of the graph, and the borders around: beside it, and above and below. */
const [AROUND_GRAPH, ABOVE_GRAPH] = [19, 12];
/** In one column the graph has so much of the height of the body. */
const GRAPH_ROWS = 3 / 5;
/** Tall frames are for where they leave the graph so much of the area. */
const GRAPH_SHARE = 0.46;

const within = (value: number, low: number, high: number): number =>
  Math.max(low, Math.min(high, value));

/** How much of the area is left for the graph above a foot of this height. */
const graphShare = (width: number, height: number, side: number, foot: number): number =>
  ((width - side) * (height - HEADER - BELOW_GRAPH - foot)) / (width * height);

/** In its cell the code is shown where that and the Explorer below it can be seen at once. */
function codePlace({ cell, full, available }: FrameSize): FrameLayout['code'] {
  return cell !== null && !full && available - cell >= LOWEST_BELOW_CELL ? 'cell' : 'strip';
}

/** Share out the area. */
export function frameLayout(size: FrameSize): FrameLayout {
  const { width, full, nodes, tracks, beside } = size;
  const code = codePlace(size);
  const bare = code === 'cell' && !beside;
  const available = size.available - (code === 'cell' ? size.cell! : 0);
  const most = nodes <= FEW ? ENOUGH : HIGHEST;
  const lowest = code === 'cell' ? LOWEST_BELOW_CELL : LOWEST;
  const height = full ? available : within(available, lowest, most);
  const columns = width >= WIDE && !bare ? 2 : 1;
  const side = columns === 2 ? Math.round(within(0.34 * width, NARROWEST_SIDE, WIDEST_SIDE)) : 0;
  const foot = FRAMES_FOOT + tracks * TRACK;
  const tall = columns === 2 && graphShare(width, height, side, foot) >= GRAPH_SHARE;
  const body = height - HEADER - (tall ? foot : LINE_FOOT + (bare ? FORMULA : 0));
  const rows = columns === 2 || bare ? 1 : GRAPH_ROWS;
  return {
    columns,
    code,
    bare,
    height,
    side,
    graph: width - side - AROUND_GRAPH,
    graphHeight: Math.round(body * rows) - ABOVE_GRAPH,
    timeline: tall ? 'frames' : 'line',
  };
}

export function isSameLayout(one: FrameLayout, other: FrameLayout): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
