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

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where a chart stands on the screen: its origin, and how large it is drawn. */
export interface Stand {
  readonly chart: Chart;
  readonly origin: Point;
  readonly scale: number;
}

function drawing(root: HTMLElement): SVGSVGElement | null {
  return root.querySelector<SVGSVGElement>('.stage > svg');
}

/** Where a chart stands now; null if it is painted. */
export function standOf(root: HTMLElement, chart: Chart | null): Stand | null {
  const svg = drawing(root);
  if (!chart || !svg || isWindowed(chart)) return null;
  const { left, top, width } = svg.getBoundingClientRect();
  const { baseVal } = svg.viewBox;
  const scale = width / baseVal.width || 1;
  return { chart, scale, origin: { x: left - baseVal.x * scale, y: top - baseVal.y * scale } };
}

/** Where a fold begins on the screen, and its middle across: of its node, or of all inside. */
function anchorOf({ chart, origin, scale }: Stand, fold: number): Point {
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
  return { x: origin.x + left * scale, y: origin.y + ((top + bottom) / 2) * scale };
}

/** The fold that is closed in just one of two charts of the same graph; -1 if several are. */
function toggled(before: Chart, after: Chart): number {
  const closed = ({ folded }: Chart): Set<number> =>
    new Set(folded!.foldAt.filter((fold) => fold >= 0));
  const [was, is] = [closed(before), closed(after)];
  const gone = [...was].filter((fold) => !is.has(fold));
  const come = [...is].filter((fold) => !was.has(fold));
  return gone.length === 1 ? gone[0]! : come.length === 1 ? come[0]! : -1;
}

/** Let the chart that is drawn now come out of the one that stood there before. */
export function glide(root: HTMLElement, before: Stand, after: Chart): void {
  const pane = root.querySelector<HTMLElement>('.stage');
  const folds = before.chart.folded?.folds;
  let now = standOf(root, after);
  if (!pane || !now || !folds || after.folded?.folds !== folds) return;
  const fold = toggled(before.chart, after);
  if (fold >= 0) {
    const [from, to] = [anchorOf(before, fold), anchorOf(now, fold)];
    pane.scrollBy(to.x - from.x, to.y - from.y);
    now = standOf(root, after)!;
  }
  const { matchMedia } = root.ownerDocument.defaultView!;
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const { origin, scale } = now;
  const seen = ({ layout }: Chart, place: number, stand: Stand): string => {
    const x = (stand.origin.x + layout.x[place]! * stand.scale - origin.x) / scale;
    const y = (stand.origin.y + layout.y[place]! * stand.scale - origin.y) / scale;
    return `translate(${Math.round(x)}px,${Math.round(y)}px)`;
  };
  drawing(root)!
    .querySelectorAll(':scope > .nd')
    .forEach((card, place) => {
      const old = before.chart.placeOf(after.nodes[place]!);
      if (old < 0) return;
      const isNew = before.chart.nodes[old] !== after.nodes[place];
      card.animate(
        [
          { transform: seen(before.chart, old, before), opacity: isNew ? 0 : 1 },
          { transform: seen(after, place, now), opacity: 1 },
        ],
        { duration: DURATION, easing: EASING },
      );
    });
  for (const sign of drawing(root)!.querySelectorAll(':scope > g:not(.nd)')) {
    sign.animate([{ opacity: 0 }, { opacity: 0, offset: LATE }, { opacity: 1 }], DURATION);
  }
}
