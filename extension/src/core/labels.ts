import type { Chart } from './chart.js';
import type { Route, Point } from './routes.js';

/** A number to write beside a lane. */
export interface Label {
  readonly edge: number;
  readonly text: string;
  readonly route: Route;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const LABEL_HEIGHT = 18;
const PARTS = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78];

export function labelWidth(text: string): number {
  return [...text].length * 7.4 + 10;
}

function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

function boxAround([x, y]: Point, width: number): Box {
  return { x: x - width / 2, y: y - LABEL_HEIGHT / 2, width, height: LABEL_HEIGHT };
}

interface Candidate {
  readonly at: Point;
  /** What is against this place, in square pixels of something covered. */
  readonly cost: number;
}

/** On the far side of the value lane a label could be taken for the value's. */
const FAR_SIDE = 300;

/** Places beside a lane, the best first: below a flat one, on the outer side of a sloping one. */
function candidates(route: Route, width: number, down: boolean): Candidate[] {
  const rise = route.end[1] - route.start[1];
  const flat = Math.abs(rise) < 40;
  const side = rise > 0 ? -1 : 1;
  return PARTS.flatMap((part): Candidate[] => {
    const [x, y] = route.at(part);
    const beside = (byX: number, byY: number, cost = 0): Candidate => ({
      at: [x + byX, y + byY],
      cost,
    });
    if (down) return [beside(width / 2 - 12, 0), beside(12 - width / 2, 0), beside(0, 0)];
    if (flat) return [beside(0, 15), beside(0, -37, FAR_SIDE)];
    return [beside(side * (width / 2 - 12), 10), beside(side * (width / 2 + 4), 0), beside(0, 0)];
  });
}

const SAMPLES = 12;
/** What a line under a label costs, in square pixels of something covered. */
const LINE_COST = 12;

function crossings(box: Box, points: readonly Point[]): number {
  const inside = points.filter(
    ([x, y]) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height,
  );
  return inside.length * LINE_COST;
}

/** Points along all routes, so that labels keep off the lines of others. */
function pointsOn(routes: readonly Route[]): Point[] {
  return routes.flatMap((route) =>
    Array.from({ length: SAMPLES }, (_, at) => route.at((at + 0.5) / SAMPLES)),
  );
}

/** Put every label beside its lane and clear of the nodes and of the other labels. */
export function placeLabels(
  chart: Chart,
  labels: readonly Label[],
  taken: readonly Box[],
  routes: readonly Route[],
): Map<number, Point> {
  const boxes: Box[] = [...taken];
  for (let place = 0; place < chart.nodes.length; place++) {
    const [x, y] = [chart.layout.x[place]!, chart.layout.y[place]!];
    boxes.push({
      x: x - 5,
      y: y - 5,
      width: chart.widthOf(place) + 10,
      height: chart.ports.height + 10,
    });
  }
  const chosen = new Map<number, Point>();
  const down = chart.layout.direction === 'down';
  const lines = pointsOn(routes);
  for (const { edge, text, route } of labels) {
    const width = labelWidth(text);
    let [best, least]: [Point, number] = [route.at(0.5), Infinity];
    for (const { at, cost } of candidates(route, width, down)) {
      const box = boxAround(at, width);
      const covered = 4 * boxes.reduce((sum, other) => sum + overlap(box, other), 0);
      const total = cost + covered + crossings(box, lines);
      if (total < least) [best, least] = [at, total];
      if (total === 0) break;
    }
    boxes.push(boxAround(best, width));
    chosen.set(edge, best);
  }
  return chosen;
}
