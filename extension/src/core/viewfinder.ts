import type { Chart } from './chart.js';
import { wantExtras } from './extras.js';
import type { View } from './panzoom.js';
import { stateAt } from './stepstate.js';
import { isWindowed, middleOf, placeAt } from './scene.js';
import type { Camera } from './scene.js';
import type { State } from './state.js';
import type { Store } from './store.js';
import { choiceAt } from './views/graph.js';

/** Where to look at the graph: its pane is moved, or a camera before what is too large. */
export class Viewfinder implements View {
  private camera: Camera = { x: 0, y: 0, width: 640, height: 420 };
  private followed = -1;

  constructor(
    private readonly root: HTMLElement,
    private readonly store: Store,
    private readonly chart: () => Chart,
  ) {}

  zoom = (): number => this.store.state().zoom;

  /** Go to the current node again, even if it is the one that was looked at last. */
  forget(): void {
    this.followed = -1;
  }

  /** Move the camera of a large graph to the current node, once per step. */
  follow({ model, step, selected }: State): void {
    const node = selected >= 0 ? selected : stateAt(model, step).node;
    const chart = this.chart();
    if (node === this.followed || node < 0 || !isWindowed(chart)) return;
    this.followed = node;
    const middle = middleOf(chart, node);
    if (middle) this.camera = { ...this.camera, ...middle };
  }

  /** Take in that the pane may have another width now; whether it has. */
  resized(): boolean {
    const width = this.root.querySelector('.stage.windowed')?.clientWidth || this.camera.width;
    const changed = width !== this.camera.width;
    this.camera = { ...this.camera, width };
    return changed;
  }

  /** What the camera sees at the present size. */
  private seen(): Camera {
    const zoom = this.zoom();
    const { width, height } = this.camera;
    return { ...this.camera, width: width / zoom, height: height / zoom };
  }

  /** Paint a graph that is too large to be made of elements. */
  paint(): void {
    const canvas = this.root.querySelector<HTMLCanvasElement>('.stage.windowed > canvas');
    const paint = canvas && wantExtras()?.paint;
    if (!paint) return;
    const { clientWidth: width, clientHeight: height } = canvas;
    this.camera = { ...this.camera, width, height };
    const { model, step, zoom, selected } = this.store.state();
    const [chart, camera] = [this.chart(), this.seen()];
    const current = stateAt(model, step);
    paint(canvas, { model, chart, current, camera, zoom, highlight: { selected } });
  }

  /** Choose the node under the pointer in a painted graph. */
  choose(event: MouseEvent): void {
    const canvas = event.composedPath()[0] as Element;
    if (canvas.tagName !== 'CANVAS') return;
    const { left, top } = canvas.getBoundingClientRect();
    const zoom = this.zoom();
    const [camera, chart] = [this.seen(), this.chart()];
    const x = camera.x - camera.width / 2 + (event.clientX - left) / zoom;
    const y = camera.y - camera.height / 2 + (event.clientY - top) / zoom;
    const place = placeAt(chart, camera, x, y);
    if (place >= 0) this.store.dispatch(choiceAt(chart, place));
  }

  /** Show the graph at another size; what is at a point of its pane stays there. */
  zoomTo(zoom: number, x: number, y: number): void {
    const pane = this.root.querySelector('.stage');
    const before = this.zoom();
    this.store.dispatch({ kind: 'zoom', by: 0, to: zoom });
    const after = this.zoom();
    if (!pane) return;
    const ratio = after / before;
    if (isWindowed(this.chart())) {
      const { width, height } = this.camera;
      this.moveBy((x - width / 2) * (ratio - 1), (y - height / 2) * (ratio - 1));
    } else {
      pane.scrollLeft = (pane.scrollLeft + x) * ratio - x;
      pane.scrollTop = (pane.scrollTop + y) * ratio - y;
    }
  }

  /** Move the graph by hand: its pane, or the camera within bounds. */
  moveBy(byX: number, byY: number): void {
    const { layout } = this.chart();
    if (!isWindowed(this.chart())) {
      this.root.querySelector('.stage')?.scrollBy(byX, byY);
      return;
    }
    const zoom = this.zoom();
    const within = (value: number, high: number): number => Math.max(0, Math.min(high, value));
    const x = within(this.camera.x + byX / zoom, layout.width);
    const y = within(this.camera.y + byY / zoom, layout.height);
    this.camera = { ...this.camera, x, y };
    this.paint();
  }

  /** Show the graph at the size at which all of it can be seen. */
  fit(): void {
    const { width, height } = this.chart().layout;
    const pane = this.root.querySelector('.stage');
    const room = { width: pane?.clientWidth || 640, height: pane?.clientHeight || 420 };
    const zoom = Math.min(1, room.width / (width + 20), room.height / (height + 20));
    this.camera = { ...this.camera, x: width / 2, y: height / 2 };
    this.store.dispatch({ kind: 'zoom', by: 0, to: zoom });
  }
}
