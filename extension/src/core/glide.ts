/**
 * How a graph becomes another one when a call is opened or closed: the call stays where it is on
 * the screen, what was there glides to its new place, and what is new comes out of the call.
 */
import type { Chart } from './chart.js';
import { isWindowed } from './scene.js';

const DURATION = 220;
const EASING = 'cubic-bezier(.2,0,0,1)';
/** Edges and signs appear when the nodes have almost arrived. */
const LATE = 0.6;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Where a fold begins, and the middle across: of its node, or of all that is shown of it. */
function placeOfFold(chart: Chart, fold: number): Place | null {
  const { layout, ports, folded } = chart;
  const { parent, ofNode } = folded!.folds;
  let [left, top, bottom] = [Infinity, Infinity, -Infinity];
  for (let place = 0; place < chart.nodes.length; place++) {
    const closed = chart.foldAt(place);
    let around = closed >= 0 ? closed : ofNode[chart.nodes[place]!]!;
    while (around > fold) around = parent[around]!;
    if (around !== fold) continue;
    left = Math.min(left, layout.x[place]!);
    top = Math.min(top, layout.y[place]!);
    bottom = Math.max(bottom, layout.y[place]! + ports.height);
  }
  return left < Infinity ? { x: left, y: (top + bottom) / 2 } : null;
}

/** The fold that one of two charts shows open and the other closed; -1 if they differ otherwise. */
function toggled(before: Chart, after: Chart): number {
  const closed = (chart: Chart): number[] => [...chart.folded!.foldAt].filter((fold) => fold >= 0);
  const [was, is] = [closed(before), closed(after)];
  const [gone, come] = [
    was.filter((fold) => !is.includes(fold)),
    is.filter((f) => !was.includes(f)),
  ];
  return gone.length === 1 ? gone[0]! : come.length === 1 ? come[0]! : -1;
}

/** Draw a change of folds: `after` stands on the page already, `before` stood there. */
export function glide(root: HTMLElement, before: Chart, after: Chart, scrolled: Place): boolean {
  const pane = root.querySelector<HTMLElement>('.stage');
  const svg = pane?.querySelector('svg');
  if (!pane || !svg || !before.folded || !after.folded) return false;
  if (before.folded.folds !== after.folded.folds || isWindowed(before)) return false;
  const scale = svg.clientWidth / svg.viewBox.baseVal.width;
  const fold = toggled(before, after);
  const [from, to] =
    fold < 0 ? [null, null] : [placeOfFold(before, fold), placeOfFold(after, fold)];
  if (from && to) {
    pane.scrollLeft = scrolled.x + (to.x - from.x) * scale;
    pane.scrollTop = scrolled.y + (to.y - from.y) * scale;
  }
  const { matchMedia } = root.ownerDocument.defaultView!;
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return fold >= 0;
  const byX = (pane.scrollLeft - scrolled.x) / scale;
  const byY = (pane.scrollTop - scrolled.y) / scale;
  const cards = [...svg.querySelectorAll<SVGGElement>(':scope > .nd')];
  cards.forEach((card, place) => {
    const old = before.placeOf(after.nodes[place]!);
    if (old < 0) return;
    const [x, y] = [Math.round(after.layout.x[place]!), Math.round(after.layout.y[place]!)];
    const start = `translate(${before.layout.x[old]! + byX}px,${before.layout.y[old]! + byY}px)`;
    const isNew = before.nodes[old] !== after.nodes[place];
    card.animate(
      [
        { transform: start, opacity: isNew ? 0 : 1 },
        { transform: `translate(${x}px,${y}px)`, opacity: 1 },
      ],
      { duration: DURATION, easing: EASING },
    );
  });
  for (const sign of svg.querySelectorAll<SVGGElement>(':scope > g:not(.nd)')) {
    sign.animate([{ opacity: 0 }, { opacity: 0, offset: LATE }, { opacity: 1 }], DURATION);
  }
  return fold >= 0;
}
