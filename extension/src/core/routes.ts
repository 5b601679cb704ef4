import type { Layout } from './layout.js';

/** One route of an edge: a smooth line as drawn, the same line backwards, and its middle. */
export interface Route {
  readonly path: string;
  readonly reverse: string;
  readonly start: Point;
  readonly end: Point;
  at(part: number): Point;
}
export type Point = readonly [number, number];
type Curve = readonly [Point, Point, Point, Point];

/** What the geometry of a node's ports needs to know. */
export interface Ports {
  readonly height: number;
  /** How far down a node its value and its gradient leave. */
  readonly valueY: number;
  readonly gradientY: number;
}

/** Where an edge leaves and arrives among its neighbours. */
export interface Junction {
  readonly port: number;
  readonly ports: number;
  readonly exit: number;
  readonly exits: number;
  /** Whether contributions are added where the gradient arrives. */
  readonly meets: boolean;
}

interface Ends {
  readonly from: number;
  readonly to: number;
  readonly edge: number;
}

const ARROW = 7;
const BACK_ARROW = 9;
const PLUS_ROOM = 30;

function curveAt([a, b, c, d]: Curve, t: number): Point {
  const u = 1 - t;
  const mix = (axis: 0 | 1): number =>
    u * u * u * a[axis] + 3 * u * u * t * b[axis] + 3 * u * t * t * c[axis] + t * t * t * d[axis];
  return [mix(0), mix(1)];
}

const shown = (value: number): string => String(Math.round(value * 10) / 10);
const pair = ([x, y]: Point): string => `${shown(x)} ${shown(y)}`;

/** Far out, drawing loses precision: routes are drawn as seen from an origin near by. */
function seenFrom(origin: Point, curves: readonly Curve[]): Curve[] {
  const near = ([x, y]: Point): Point => [x - origin[0], y - origin[1]];
  return curves.map(([a, b, c, d]): Curve => [near(a), near(b), near(c), near(d)]);
}

function routeOf(curves: readonly Curve[]): Route {
  const first = curves[0]!;
  const last = curves.at(-1)!;
  const draw = (list: readonly Curve[]): string =>
    `M${pair(list[0]![0])}` +
    list.map(([, b, c, d]) => `C${pair(b)} ${pair(c)} ${pair(d)}`).join('');
  const turned = curves.map(([a, b, c, d]): Curve => [d, c, b, a]).reverse();
  const middle = curves[curves.length >> 1]!;
  return {
    path: draw(curves),
    reverse: draw(turned),
    start: first[0],
    end: last[3],
    at: (part) => curveAt(middle, part),
  };
}

/** A curve that leaves and arrives along the direction of running, bent at `bend` of the way. */
function swing(a: Point, b: Point, down: boolean, bend: number): Curve {
  return down ? [a, [a[0], bend], [b[0], bend], b] : [a, [bend, a[1]], [bend, b[1]], b];
}

function straight(a: Point, b: Point): Curve {
  const third = (part: number): Point => [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part];
  return [a, third(1 / 3), third(2 / 3), b];
}

/** How far from the middle the two routes of an edge bend, so that they run side by side. */
function spread(difference: number): number {
  const size = Math.abs(difference);
  return size < 15 ? 0 : (size > 120 ? 24 : 13) * Math.sign(difference);
}

/** Where edges arrive at the left side of a node. */
function arrival(junction: Junction, ports: Ports, back: boolean): number {
  const { port, ports: count } = junction;
  if (count === 1) return back ? ports.gradientY : ports.valueY;
  const step = count === 2 ? 28 : (ports.height - 14) / count;
  const first = count === 2 ? (ports.height - step - 22) / 2 + 1 : 8;
  const apart = count === 2 ? 16 : step / 2;
  return Math.max(8, first) + port * step + (back ? apart : 0);
}

function besideExit(junction: Junction, back: boolean): number {
  const route = back ? 13 : -13;
  if (back && junction.meets) return 16;
  if (junction.exits < 2) return route;
  const room = back ? 38 : 64;
  return -25 + (back ? 26 : 0) + (room * junction.exit) / (junction.exits - 1);
}

function besideArrival(junction: Junction, back: boolean): number {
  const { port, ports: count } = junction;
  const apart = count > 2 ? 104 / (count - 1) : 52;
  return (port - (count - 1) / 2) * apart + (back ? 13 : -13) * (count > 2 ? 0.6 : 1);
}

/** The two ends of a lane. */
function routeEnds(
  layout: Layout,
  widthOf: (node: number) => number,
  ports: Ports,
  ends: Ends,
  junction: Junction,
  back: boolean,
): [Point, Point] {
  const { from, to } = ends;
  const { x, y } = layout;
  if (layout.direction === 'down') {
    const startY =
      y[from]! + ports.height + (back ? (junction.meets ? PLUS_ROOM + 7 : BACK_ARROW) : 0);
    return [
      [x[from]! + widthOf(from) / 2 + besideExit(junction, back), startY],
      [x[to]! + widthOf(to) / 2 + besideArrival(junction, back), y[to]! - (back ? 0 : ARROW)],
    ];
  }
  const startX =
    x[from]! + widthOf(from) + (back ? BACK_ARROW + (junction.meets ? PLUS_ROOM : 0) : 0);
  return [
    [startX, y[from]! + (back ? ports.gradientY : ports.valueY)],
    [x[to]! - (back ? 0 : ARROW), y[to]! + arrival(junction, ports, back)],
  ];
}

/** From a node that is narrower than its layer straight on to where the layer ends. */
function leadOut(layout: Layout, node: number, start: Point): { lead: Curve[]; from: Point } {
  const layerEnd = layout.layerEnd[layout.layerOf[node]!]!;
  const from: Point = [layerEnd, start[1]];
  const narrow = layout.direction === 'right' && start[0] < layerEnd;
  return narrow ? { lead: [straight(start, from)], from } : { lead: [], from: start };
}

/** Half of the room between a layer and the next. */
function halfGap(layout: Layout, layer: number): number {
  return (layout.layerStart[layer + 1]! - layout.layerEnd[layer]!) / 2;
}

/** A route through the layers that a long edge crosses. */
function bentRoute(layout: Layout, ends: Ends, start: Point, end: Point, back: boolean): Curve[] {
  const down = layout.direction === 'down';
  const shift = back ? 13 : 0;
  const curves: Curve[] = [];
  let at = start;
  const go = (to: Point): void => {
    curves.push(swing(at, to, down, down ? (at[1] + to[1]) / 2 : (at[0] + to[0]) / 2));
    at = to;
  };
  for (const bend of layout.bends.get(ends.edge)!) {
    const across = bend.across + shift;
    const [near, far] = [layout.layerStart[bend.layer]!, layout.layerEnd[bend.layer]!];
    go(down ? [across, near] : [near, across]);
    const leave: Point = down ? [across, far] : [far, across];
    curves.push(straight(at, leave));
    at = leave;
  }
  go(end);
  return curves;
}

/** A route beside the graph, for edges that cross very many layers. */
function sideRoute(
  layout: Layout,
  route: number,
  ends: Ends,
  start: Point,
  end: Point,
  back: boolean,
): Curve[] {
  const down = layout.direction === 'down';
  const track = route + (back ? 10 : 0);
  const [first, last] = [layout.layerOf[ends.from]!, layout.layerOf[ends.to]!];
  const leave = layout.layerEnd[first]! + halfGap(layout, first);
  const join = layout.layerStart[last]! - halfGap(layout, last - 1);
  const on: Point = down ? [track, leave] : [leave, track];
  const off: Point = down ? [track, join] : [join, track];
  return [
    swing(start, on, down, down ? (start[1] + on[1]) / 2 : (start[0] + on[0]) / 2),
    straight(on, off),
    swing(off, end, down, down ? (off[1] + end[1]) / 2 : (off[0] + end[0]) / 2),
  ];
}

function curvesOf(
  layout: Layout,
  widthOf: (node: number) => number,
  ports: Ports,
  ends: Ends,
  junction: Junction,
  back: boolean,
): Curve[] {
  const [first, end] = routeEnds(layout, widthOf, ports, ends, junction, back);
  const { lead, from: start } = leadOut(layout, ends.from, first);
  const route = layout.bypasses.get(ends.edge);
  if (route !== undefined) return [...lead, ...sideRoute(layout, route, ends, start, end, back)];
  if (layout.bends.has(ends.edge)) return [...lead, ...bentRoute(layout, ends, start, end, back)];
  const down = layout.direction === 'down';
  const join = back && junction.meets ? PLUS_ROOM / 2 : 0;
  if (down) {
    const side = spread(end[0] - start[0]) ? Math.sign(end[0] - start[0]) * 9 * (back ? 1 : -1) : 0;
    return [swing(start, end, true, (start[1] + end[1]) / 2 + side)];
  }
  const near = layout.layerEnd[layout.layerOf[ends.from]!]!;
  const bend = (near + layout.x[ends.to]!) / 2 + join + spread(end[1] - start[1]) * (back ? -1 : 1);
  return [...lead, swing(start, end, false, bend)];
}

/** Draw one route of an edge: forward from value to input, or (`back`) in reverse. */
export function drawRoute(
  layout: Layout,
  widthOf: (node: number) => number,
  ports: Ports,
  ends: Ends,
  junction: Junction,
  back: boolean,
  origin: Point,
): Route {
  return routeOf(seenFrom(origin, curvesOf(layout, widthOf, ports, ends, junction, back)));
}

/** Where the ⊕ of a node stands: in front of its gradient port. */
export function plusAt(
  layout: Layout,
  widthOf: (node: number) => number,
  ports: Ports,
  node: number,
): Point {
  const { x, y } = layout;
  return layout.direction === 'down'
    ? [x[node]! + widthOf(node) / 2 + 16, y[node]! + ports.height + PLUS_ROOM - 1]
    : [x[node]! + widthOf(node) + PLUS_ROOM, y[node]! + ports.gradientY];
}
