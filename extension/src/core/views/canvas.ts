import { hasReturned, isNow, lookOf } from '../appearance.js';
import type { NodeLook } from '../appearance.js';
import { cornerWidth, LETTER, pillWidth } from '../chart.js';
import { EdgeKind, NodeKind } from '../graph.js';
import { isLit } from '../stepstate.js';
import { isLegible, smallTitle } from '../legibility.js';
import type { SlotState } from '../stepstate.js';
import type { Point } from '../routes.js';
import { visiblePart } from '../scene.js';
import type { Scene } from '../scene.js';
import { fitted } from '../text.js';
import { BAND, EYE, RADIUS } from './node.js';

/** Looks up a colour of the theme by the name of its token. */
type Ink = (token: string) => string;

/** Below this size the heads of arrows would be dots. */
const ARROWS = 0.4;

interface SlotInk {
  readonly fill?: string;
  readonly stroke?: string;
  readonly dash?: readonly number[];
  readonly text: string;
}

const SLOTS: Readonly<Record<SlotState, SlotInk>> = {
  pending: { stroke: 'mark', dash: [1.5, 3], text: 'ink' },
  value: { fill: 'g-tint', text: 'g-text' },
  part: { fill: 'g-tint', stroke: 'g', dash: [1.5, 3], text: 'g-text' },
  zero: { stroke: 'g', text: 'g-text' },
  none: { stroke: 'n', dash: [5, 3], text: 'n-text' },
  nonezero: { stroke: 'n', dash: [5, 3], text: 'n-text' },
  nan: { fill: 'ink', text: 'surface' },
};
const HALOS = { v: 'v', g: 'g', n: 'n', s: 'ink' } as const;

class Painter {
  private readonly mono: string;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly ink: Ink,
  ) {
    this.mono = ink('mono');
    context.lineJoin = 'round';
  }

  box(x: number, y: number, width: number, height: number, radius: number): void {
    this.context.beginPath();
    this.context.roundRect(x, y, width, height, radius);
  }

  fill(token: string): void {
    this.context.fillStyle = this.ink(token);
    this.context.fill();
  }

  stroke(token: string, width: number, dash: readonly number[] = [], path?: Path2D): void {
    const { context } = this;
    context.strokeStyle = this.ink(token);
    context.lineWidth = width;
    context.setLineDash([...dash]);
    if (path) context.stroke(path);
    else context.stroke();
  }

  text(text: string, x: number, y: number, token: string, align: CanvasTextAlign, size = 12): void {
    const { context } = this;
    context.font = `600 ${size}px ${this.mono}`;
    context.textAlign = align;
    context.fillStyle = this.ink(token);
    context.fillText(text, x, y);
  }

  arrow([x, y]: Point, token: string, back: boolean, down: boolean): void {
    const [along, across] = back ? [9, 5] : [-8, 4.5];
    const { context } = this;
    context.beginPath();
    context.moveTo(x, y);
    if (down) {
      context.lineTo(x - across, y + along);
      context.lineTo(x + across, y + along);
    } else {
      context.lineTo(x + along, y - across);
      context.lineTo(x + along, y + across);
    }
    this.fill(token);
  }
}

function outline(painter: Painter, look: NodeLook, focused: boolean): void {
  const { kind, width, height, lit } = look;
  const radius = RADIUS[kind];
  const dash = lit ? (kind === NodeKind.Off ? [5, 4] : []) : [1.5, 3];
  const variable = kind === NodeKind.Variable;
  for (const by of look.stacked ? [6, 3, 0] : [0]) {
    painter.box(by, by, width, height, radius);
    painter.fill(kind === NodeKind.Off ? 'pane' : 'surface');
    painter.stroke(variable ? 'w' : 'mark', variable ? 2 : 1.25, dash);
  }
  if (!look.halo) return;
  if (focused) {
    painter.box(-8, -8, width + 16, height + 16, radius + 8);
    painter.stroke('focus', 2);
  }
  painter.box(-4.5, -4.5, width + 9, height + 9, radius + 4.5);
  painter.stroke(HALOS[look.halo], look.halo === 's' ? 1.5 : 3);
}

function card(painter: Painter, context: CanvasRenderingContext2D, look: NodeLook): void {
  const { width, glyph, kind, corner } = look;
  const pill = pillWidth(glyph);
  const eyed = kind === NodeKind.Variable;
  if (glyph) {
    painter.box(8, 5, pill, 19, 9.5);
    painter.fill('pane');
    painter.stroke('mark', 1);
    painter.text(glyph, 8 + pill / 2, 18.5, 'ink', 'center', 11.5);
  }
  const start = glyph ? 16 + pill : 12;
  const room = width - start - (eyed ? 30 : 10) - cornerWidth(corner);
  const title = fitted(look.label, Math.floor(room / LETTER));
  painter.text(title, start, 19, look.lit ? 'ink' : 'muted', 'left', 12.5);
  if (corner) painter.text(corner, width - 10, 19, 'muted', 'right', 11.5);
  if (eyed && look.watched) {
    context.translate(width - 17, 15);
    painter.stroke('w-text', 1.5, [], new Path2D(EYE));
    context.translate(17 - width, -15);
  }
  painter.text(look.value, 10, 45, 'v-text', 'left');
  if (look.slot) slot(painter, look.slot, look.slotText, width - 6);
}

/** What can be read of a card that is shown small; as in `node.ts`. */
function smallCard(painter: Painter, look: NodeLook, zoom: number): void {
  const { width, height, label, lit } = look;
  const room = height - BAND - 8;
  const title = smallTitle(label, width - 12, room, zoom);
  const ink = lit ? 'ink' : 'muted';
  if (title)
    painter.text(title.text, width / 2, room / 2 + 2 + title.size / 3, ink, 'center', title.size);
  if (look.slot) slotBox(painter, look.slot, 6, height - BAND - 5, width - 12, BAND);
}

function slot(painter: Painter, state: SlotState, text: string, right: number): void {
  const width = Math.min(66, text ? Math.max(28, [...text].length * 7.2 + 10) : 44);
  slotBox(painter, state, right - width, 32, width, 18);
  painter.text(text, right - 5, 45, SLOTS[state].text, 'right');
}

function slotBox(
  painter: Painter,
  state: SlotState,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  const { fill, stroke, dash } = SLOTS[state];
  painter.box(x, y, width, height, 4);
  if (fill) painter.fill(fill);
  if (stroke) painter.stroke(stroke, 1.5, dash);
}

function drawEdge(painter: Painter, scene: Scene, edge: number, origin: Point): void {
  const { model, chart, current, zoom } = scene;
  const { from, to } = chart.ends(edge);
  const down = chart.layout.direction === 'down';
  const taped = model.graph.edgeKind[chart.edges[edge]!] === EdgeKind.Taped;
  const lit = isLit(model, current, chart.nodes[to]!) && isLit(model, current, chart.nodes[from]!);
  const look = taped && lit ? 'v' : 'mark';
  const route = chart.route(edge, false, false, origin);
  painter.stroke(look, 1.5, taped ? (lit ? [] : [1.5, 4]) : [5, 4], new Path2D(route.path));
  const [x, y] = route.end;
  if (zoom >= ARROWS) painter.arrow(down ? [x, y + 7] : [x + 7, y], look, false, down);
  if (!hasReturned(model, chart, current, edge)) return;
  const back = chart.route(edge, true, false, origin);
  painter.stroke('g', isNow(chart, current, edge) ? 4 : 2, [], new Path2D(back.path));
  const [backX, backY] = back.start;
  const tip: Point = down ? [backX, backY - 9] : [backX - 9, backY];
  if (zoom >= ARROWS) painter.arrow(tip, 'g', true, down);
}

/** Draw the part of a large graph that the camera sees. */
export function paint(canvas: HTMLCanvasElement, scene: Scene): void {
  const context = canvas.getContext?.('2d');
  if (!context) return;
  const style = getComputedStyle(canvas);
  const tokens = new Map<string, string>();
  const ink: Ink = (token) => {
    let found = tokens.get(token);
    if (found === undefined)
      tokens.set(token, (found = style.getPropertyValue(`--${token}`).trim()));
    return found;
  };
  const { chart, camera, zoom, model, current, highlight } = scene;
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round);
  if (canvas.width !== width) canvas.width = width!;
  if (canvas.height !== height) canvas.height = height!;
  const scale = zoom * ratio;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width! / scale, height! / scale);
  const painter = new Painter(context, ink);
  const origin: Point = [camera.x - camera.width / 2, camera.y - camera.height / 2];
  const part = visiblePart(chart, camera);
  const focused = !!canvas.parentElement?.matches(':focus-visible');
  for (const edge of part.edges) drawEdge(painter, scene, edge, origin);
  for (const place of part.places) {
    const look = lookOf(model, chart, current, place, highlight);
    const x = chart.layout.x[place]! - origin[0];
    const y = chart.layout.y[place]! - origin[1];
    context.translate(x, y);
    outline(painter, look, focused);
    if (isLegible(zoom)) card(painter, context, look);
    else smallCard(painter, look, zoom);
    context.translate(-x, -y);
  }
}
