import type { Chart } from './chart.js';

/** So wide is a strip at most, in the units of the graph: on a sheet of paper it can be read. */
const WIDEST = 900;
/** Before a layer its arrowheads, around a strip what stands out of its nodes. */
const [BEFORE, AROUND] = [14, 8];

/** From where to where each strip reaches: as many whole layers as fit, one at least. */
export function stripsOf(
  starts: ArrayLike<number>,
  [left, right]: readonly [number, number],
): (readonly [number, number])[] {
  const strips: (readonly [number, number])[] = [];
  let from = left;
  for (let layer = 1; layer < starts.length; layer++) {
    const end = layer + 1 < starts.length ? starts[layer + 1]! - BEFORE : right;
    if (end - from <= WIDEST) continue;
    strips.push([from, starts[layer]! - BEFORE]);
    from = starts[layer]! - BEFORE;
  }
  return [...strips, [from, right]];
}

/** How high and low the elements of a graph reach between two places. */
function reach(svg: SVGSVGElement, [from, to]: readonly [number, number]) {
  const { x, y, width, height } = svg.viewBox.baseVal;
  const frame = svg.getBoundingClientRect();
  const scale = frame.width / width || 1;
  let [top, bottom] = [y + height, y];
  for (const each of svg.querySelectorAll(':scope > :is(.nd, path, g)')) {
    const box = each.getBoundingClientRect();
    const [left, right] = [box.left, box.right].map((at) => x + (at - frame.left) / scale);
    if (right! < from || left! > to || !box.height) continue;
    top = Math.min(top, y + (box.top - frame.top) / scale - AROUND);
    bottom = Math.max(bottom, y + (box.bottom - frame.top) / scale + AROUND);
  }
  return { top: Math.max(y, top), bottom: Math.min(y + height, bottom) };
}

/**
 * Put a graph that is wider than paper below itself in strips, as a score has its staves; returns
 * what takes them away. On the screen they are not to be seen.
 */
export function layInStrips(root: HTMLElement, { layout }: Chart): () => void {
  const svg = root.querySelector<SVGSVGElement>('.graph .stage > svg');
  if (!svg || layout.direction !== 'right') return () => {};
  const { x, width } = svg.viewBox.baseVal;
  const strips = stripsOf(layout.layerStart, [x, x + width]);
  if (strips.length < 2) return () => {};
  const staves = root.ownerDocument.createElement('div');
  staves.className = 'strips';
  for (const [from, to] of strips) {
    const { top, bottom } = reach(svg, [from, to]);
    const stave = svg.cloneNode(true) as SVGSVGElement;
    stave.setAttribute('viewBox', `${from} ${top} ${to - from} ${bottom - top}`);
    stave.style.cssText = `width:${Math.min(1, (to - from) / WIDEST) * 100}%;max-width:${to - from}px`;
    staves.append(stave);
  }
  svg.closest('.graph')!.append(staves);
  return () => staves.remove();
}
