/**
 * How the parts of the Explorer share its area: a pure function of the room there is and of what is
 * shown, so that no earlier state leaves a trace in it.
 *
 * Wide: code and formula in a column on the left, the graph beside it. Narrow: one column. Below
 * both, one bar with the buttons and the timeline.
 */

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
}

export interface FrameLayout {
  readonly columns: 1 | 2;
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
/** A graph of so few nodes needs no more height than this. */
const [FEW, ENOUGH] = [12, 600];
const [NARROWEST_SIDE, WIDEST_SIDE] = [270, 400];
/** The heights of the header, of the bar below the graph, of tall frames with their buttons, of a bar of time. */
const [HEADER, BELOW_GRAPH, FRAMES_FOOT, TRACK] = [41, 44, 176, 13];
/** The height of one line of frames with the buttons beside it. */
const LINE_FOOT = 56;
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

/** Share out the area. */
export function frameLayout(size: FrameSize): FrameLayout {
  const { width, available, full, nodes, tracks } = size;
  const most = nodes <= FEW ? ENOUGH : HIGHEST;
  const height = full ? available : within(available, LOWEST, most);
  const columns = width >= WIDE ? 2 : 1;
  const side = columns === 2 ? Math.round(within(0.34 * width, NARROWEST_SIDE, WIDEST_SIDE)) : 0;
  const foot = FRAMES_FOOT + tracks * TRACK;
  const tall = columns === 2 && graphShare(width, height, side, foot) >= GRAPH_SHARE;
  const body = height - HEADER - (tall ? foot : LINE_FOOT);
  return {
    columns,
    height,
    side,
    graph: width - side - AROUND_GRAPH,
    graphHeight: Math.round(body * (columns === 2 ? 1 : GRAPH_ROWS)) - ABOVE_GRAPH,
    timeline: tall ? 'frames' : 'line',
  };
}

export function isSameLayout(one: FrameLayout, other: FrameLayout): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
