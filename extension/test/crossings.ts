import { spawnSync } from 'node:child_process';
import type { Chart } from '../src/core/chart.js';
import { samplesOf } from './random.js';

type Point = readonly [number, number];
type Line = readonly Point[];

function turn([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point): number {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

/** Where two segments cross, if they do. */
function meet(a: Point, b: Point, c: Point, d: Point): Point | null {
  const [one, other] = [turn(a, b, c), turn(a, b, d)];
  if (Math.sign(one) * Math.sign(other) >= 0 || turn(c, d, a) * turn(c, d, b) >= 0) return null;
  const part = one / (one - other);
  return [c[0] + part * (d[0] - c[0]), c[1] + part * (d[1] - c[1])];
}

function* crossingsOf(one: Line, other: Line): Generator<Point> {
  for (let a = 1; a < one.length; a++) {
    for (let b = 1; b < other.length; b++) {
      const point = meet(one[a - 1]!, one[a]!, other[b - 1]!, other[b]!);
      if (point) yield point;
    }
  }
}

/** Crossings as near as this look like one: of roads that run on top of each other. */
const ONE_SPOT = 8;

/** How many crossings there are to be seen. */
export function crossings(lines: readonly Line[]): number {
  const seen: Point[] = [];
  for (let a = 0; a < lines.length; a++) {
    for (let b = a + 1; b < lines.length; b++) {
      for (const [x, y] of crossingsOf(lines[a]!, lines[b]!)) {
        const near = seen.some(([u, v]) => Math.hypot(u - x, v - y) < ONE_SPOT);
        if (!near) seen.push([x, y]);
      }
    }
  }
  return seen.length;
}

/** The value lanes of a chart. */
export function routesOf(chart: Chart): Line[] {
  return Array.from(chart.edges, (_, edge) => samplesOf(chart.route(edge, false, false).path, 16));
}

/** The same edges as Graphviz' `dot` draws them; null where it is not installed. */
export function linesOfDot(chart: Chart): Line[] | null {
  const inches = (pixels: number): string => (pixels / 72).toFixed(3);
  const nodes = Array.from(chart.nodes, (_, place) => {
    const [width, height] = [chart.widthOf(place), chart.ports.height].map(inches);
    return `${place} [shape=box fixedsize=true width=${width} height=${height}]`;
  });
  const edges = Array.from(chart.edges, (_, edge) => {
    const { from, to } = chart.ends(edge);
    return `${from} -> ${to}`;
  });
  const input = `digraph { rankdir=LR; ${[...nodes, ...edges].join('; ')} }`;
  const { error, stdout } = spawnSync('dot', ['-Tplain'], { input, encoding: 'utf8' });
  if (error) return null;
  return stdout
    .split('\n')
    .filter((row) => row.startsWith('edge '))
    .map((row) => {
      const numbers = row.split(' ').slice(3).map(Number);
      const points = Array.from({ length: numbers[0]! }, (_, at) => {
        const [x, y] = [numbers[1 + 2 * at]!, numbers[2 + 2 * at]!];
        return `${x * 72} ${y * 72}`;
      });
      const path = points.map((point, at) => (at % 3 === 1 ? `C${point}` : ` ${point}`)).join(' ');
      return samplesOf(`M${path.trim()}`, 16);
    });
}
