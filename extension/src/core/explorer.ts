import type { Chart } from './chart.js';
import { copyText } from './clipboard.js';
import { patch } from './dom.js';
import { Drawings } from './drawings.js';
import type { Explanation } from './explanation.js';
import { extras, onExtras, wantExtras } from './extras.js';
import { holdHeights, releaseHeights } from './heights.js';
import { handleKey, keepOneTabStop, keepScrollable } from './keyboard.js';
import type { Direction } from './layout.js';
import { listenForMoves } from './panzoom.js';
import type { Listen } from './panzoom.js';
import { frameAt } from './picture.js';
import { Player } from './player.js';
import { questionAt } from './predict.js';
import type { Guess } from './predict.js';
import { showCurrent } from './scrolling.js';
import type { Model } from './model.js';
import type { Action, Pane, State, Store } from './store.js';
import { explorerView } from './views/explorer.js';
import { FRAME_WIDTH, framePitch, visibleFrames, WHOLE_REEL } from './views/reel.js';
import type { Sliders } from './views/whatif.js';
import type { Source } from './whatif.js';
import { choiceAt } from './views/graph.js';
import { isWindowed, middleOf, placeAt } from './views/stage.js';
import type { Camera } from './views/stage.js';
import { speak } from './words.js';
import type { Catalogue } from './words.js';

/** What a page can do with a mounted widget. */
export interface Handle {
  destroy(): void;
  dispatch(action: Action): void;
  step(): number;
  onChange(listener: (step: number) => void): () => void;
  /** Hear of every answer to a question, together with those before it. */
  onGuess(listener: (guesses: readonly Guess[]) => void): () => void;
}

const NARROW = 480;

/** Take everything off the page that `mount` put there. */
export function clear(root: HTMLElement): void {
  root.parentElement?.replaceChildren();
}

/** Tells the widgets of a page apart where their drawings need names. */
let mounted = 0;

/** Keeps one widget on the page in step with its store. */
export class Explorer implements Handle {
  private readonly drawings: Drawings;
  private readonly player = new Player(() => this.dispatch({ kind: 'tick' }));
  private direction: Direction = 'right';
  private camera: Camera = { x: 0, y: 0, width: 640, height: 420 };
  private followed = -1;
  private shownStep = -1;
  private heldAt = 0;
  private shownNode = -1;
  private shownPane: Pane = 'graph';
  private asked: State['predicting'] = 'off';
  private paneWidth = 640;
  private copiedFinding = -1;
  private sliders: Sliders | null = null;
  private readonly hatch = `tapelab-hatch-${++mounted}`;
  private readonly cleanups: (() => void)[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly store: Store,
    private readonly explanation: Explanation | null,
    private readonly words?: Catalogue | undefined,
    source?: Source | null,
  ) {
    this.drawings = new Drawings(explanation);
    if (source) this.sliders = this.slidersOf(source);
    this.cleanups.push(store.subscribe(() => this.update()));
    this.cleanups.push(onExtras(() => this.dressUp()));
    this.listen();
    this.observe();
    this.dressUp();
  }

  step = (): number => this.store.state().step;
  dispatch = (action: Action): void => this.store.dispatch(action);

  onChange(listener: (step: number) => void): () => void {
    let last = this.step();
    return this.store.subscribe(() => {
      if (this.step() !== last) listener((last = this.step()));
    });
  }

  onGuess(listener: (guesses: readonly Guess[]) => void): () => void {
    let { guesses } = this.store.state();
    return this.store.subscribe(() => {
      const now = this.store.state().guesses;
      if (now !== guesses) listener((guesses = now));
    });
  }

  destroy(): void {
    this.player.follow(0);
    for (const cleanup of this.cleanups) cleanup();
    clear(this.root);
  }

  /** Put on the style of the views that came later, and draw. */
  private dressUp(): void {
    const more = extras();
    if (more) {
      const style = this.root.ownerDocument.createElement('style');
      style.textContent = more.style;
      this.root.before(style);
      this.shownPane = 'graph';
      this.asked = 'off';
    }
    this.draw();
  }

  /** Put another run of the same program in the place of this one. */
  show(model: Model): void {
    const { sliders } = this;
    if (sliders?.source.counts) {
      this.sliders = { ...sliders, values: sliders.source.moment().values };
    }
    const { graph } = this.store.state().model;
    const alike =
      graph.nodeCount === model.graph.nodeCount && graph.edgeCount === model.graph.edgeCount;
    this.drawings.renew(alike);
    this.store.dispatch({ kind: 'model', model });
  }

  private slidersOf(source: Source): Sliders {
    const starts = source.experiment.inputs.map(({ start }) => start);
    const moveTo = (values: readonly number[], moved: number): void => {
      this.sliders = { ...this.sliders!, values, moved };
      source.move(values);
      if (!source.counts) this.draw(true);
      this.root.querySelectorAll<HTMLInputElement>('.slider input').forEach((thumb, input) => {
        const place = String(this.sliders!.values[input]);
        if (thumb !== this.root.ownerDocument.activeElement) thumb.value = place;
      });
    };
    return {
      source,
      values: source.moment().values,
      moved: 0,
      move: (input, value) => moveTo(this.sliders!.values.with(input, value), input),
      reset: () => moveTo(starts, 0),
    };
  }

  private update(): void {
    const { playing, speed } = this.store.state();
    this.player.follow(playing ? speed : 0);
    this.draw();
  }

  private chart(): Chart {
    const state = this.store.state();
    if (this.drawings.isRefolded(state)) this.followed = -1;
    return this.drawings.chart(state, this.direction);
  }

  /** Draw the present state; `still` leaves scroll positions alone. */
  private draw(still = false): void {
    speak(this.words);
    extras()?.speak(this.words);
    const state = this.store.state();
    const inReel = this.focusIsIn('.reelwrap');
    const chosen = state.selected !== this.shownNode;
    const refolded = this.drawings.isRefolded(state);
    const moved = !still && (state.step !== this.shownStep || chosen || refolded);
    this.follow(state);
    const view = explorerView(state, this.surroundings(state, moved), this.dispatch);
    const sliders = this.sliders && wantExtras()?.whatIf(this.sliders);
    patch(this.root, sliders ? [...sliders, ...view] : view);
    if (state.pane !== this.shownPane || state.predicting !== this.asked) this.settle(state);
    this.paint();
    if (moved) showCurrent(this.root, state);
    this.shownStep = state.step;
    this.shownNode = state.selected;
    keepOneTabStop(this.root);
    keepScrollable(this.root);
    holdHeights(this.root);
    if (inReel && moved && state.predicting !== 'asking')
      this.root.querySelector<HTMLElement>('.fr.now')?.focus({ preventScroll: true });
  }

  /** After another pane or a question has come up: fit the one, put the cursor into the other. */
  private settle(state: State): void {
    const [asked, asks] = [this.asked === 'asking', state.predicting === 'asking'];
    const field = asks && !asked ? '.ask input' : asked && !asks ? '.fr.now' : null;
    this.shownPane = state.pane;
    this.asked = state.predicting;
    this.resized();
    if (field) this.root.querySelector<HTMLElement>(field)?.focus({ preventScroll: true });
  }

  private surroundings(state: State, moved: boolean) {
    const chart = this.chart();
    return {
      chart,
      hatch: this.hatch,
      paneWidth: this.paneWidth,
      asked: state.predicting === 'asking' ? questionAt(state.model, state.step) : null,
      fit: () => this.fit(),
      reel: this.reelPart(state, moved),
      story: this.drawings.story(state, this.direction),
      explanation: this.explanation,
      copied: this.copiedFinding === state.finding,
      copy: this.copier(state),
    };
  }

  private reelPart(state: State, moved: boolean) {
    const wrap = this.root.querySelector('.reelwrap');
    const width = wrap?.clientWidth || 1100;
    const { frameCount } = state.model.graph;
    const { frame } = frameAt(state.model, state.step);
    const centred = frame * framePitch(frameCount) - (width - FRAME_WIDTH) / 2;
    return visibleFrames(frameCount, moved ? centred : (wrap?.scrollLeft ?? 0), width);
  }

  /** Move the camera of a large graph to the current node, once per step. */
  private follow(state: State): void {
    const picture = frameAt(state.model, state.step);
    const node = state.selected >= 0 ? state.selected : picture.node;
    const chart = this.chart();
    if (node === this.followed || node < 0 || !isWindowed(chart)) return;
    this.followed = node;
    const middle = middleOf(chart, node);
    if (middle) this.camera = { ...this.camera, ...middle };
  }

  private focusIsIn(selector: string): boolean {
    const { activeElement } = this.root.getRootNode() as Document | ShadowRoot;
    return (
      !!activeElement && this.root.contains(activeElement) && !!activeElement.closest(selector)
    );
  }

  private copier(state: State): (() => void) | null {
    const fix = this.explanation?.findings[state.finding]?.fix;
    if (!fix) return null;
    return () => {
      void copyText(this.root, fix.after).then((copied) => {
        this.copiedFinding = copied ? state.finding : -1;
        this.draw(true);
      });
    };
  }

  private on(
    name: string,
    listener: (event: never) => void,
    options?: AddEventListenerOptions,
  ): void {
    this.root.addEventListener(name, listener as EventListener, options);
    this.cleanups.push(() =>
      this.root.removeEventListener(name, listener as EventListener, options),
    );
  }

  private listen(): void {
    // Before the other keys, because Shift and an arrow do not step.
    listenForMoves(this.on.bind(this) as Listen, {
      zoom: () => this.store.state().zoom,
      zoomTo: (zoom, x, y) => this.zoomTo(zoom, x, y),
      moveBy: (x, y) => this.moveBy(x, y),
    });
    this.on('keydown', (event: KeyboardEvent) => {
      if (!handleKey(this.root, event, this.store.state(), this.dispatch)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.on('focusin', () => {
      keepOneTabStop(this.root);
      this.paint();
    });
    this.on(
      'scroll',
      (event: Event) => {
        const long = this.store.state().model.graph.frameCount > WHOLE_REEL;
        if (long && (event.target as Element).classList.contains('reelwrap')) this.draw(true);
      },
      { capture: true },
    );
    this.on('click', (event: MouseEvent) => this.chooseIn(event));
    this.on('transitionend', () => this.paint());
  }

  /** What the camera sees at the present size. */
  private seen(): Camera {
    const { zoom } = this.store.state();
    const { width, height } = this.camera;
    return { ...this.camera, width: width / zoom, height: height / zoom };
  }

  /** Paint a graph that is too large to be made of elements. */
  private paint(): void {
    const canvas = this.root.querySelector<HTMLCanvasElement>('.stage.windowed > canvas');
    const paint = canvas && wantExtras()?.paint;
    if (!paint) return;
    const { clientWidth: width, clientHeight: height } = canvas;
    this.camera = { ...this.camera, width, height };
    const { model, step, zoom, selected } = this.store.state();
    const options = { hatch: this.hatch, selected, dispatch: this.dispatch };
    const [chart, camera, picture] = [this.chart(), this.seen(), frameAt(model, step)];
    paint(canvas, { model, chart, picture, camera, zoom, options });
  }

  /** Choose the node under the pointer in a painted graph. */
  private chooseIn(event: MouseEvent): void {
    const canvas = event.composedPath()[0] as Element;
    if (canvas.tagName !== 'CANVAS') return;
    const { left, top } = canvas.getBoundingClientRect();
    const { zoom } = this.store.state();
    const [camera, chart] = [this.seen(), this.chart()];
    const x = camera.x - camera.width / 2 + (event.clientX - left) / zoom;
    const y = camera.y - camera.height / 2 + (event.clientY - top) / zoom;
    const place = placeAt(chart, camera, x, y);
    if (place >= 0) this.dispatch(choiceAt(chart, place));
  }

  /** Show the graph at another size; what is at a point of its pane stays there. */
  private zoomTo(zoom: number, x: number, y: number): void {
    const pane = this.root.querySelector('.stage');
    const before = this.store.state().zoom;
    this.dispatch({ kind: 'zoom', by: 0, to: zoom });
    const after = this.store.state().zoom;
    if (!pane) return;
    if (isWindowed(this.chart())) {
      const by = 1 / before - 1 / after;
      this.moveBy(
        (x - this.camera.width / 2) * by * after,
        (y - this.camera.height / 2) * by * after,
      );
    } else {
      const ratio = after / before;
      pane.scrollLeft = (pane.scrollLeft + x) * ratio - x;
      pane.scrollTop = (pane.scrollTop + y) * ratio - y;
    }
  }

  /** Move the graph by hand: its pane scrolls, or the camera goes on within bounds. */
  private moveBy(byX: number, byY: number): void {
    if (!isWindowed(this.chart())) {
      this.root.querySelector('.stage')?.scrollBy(byX, byY);
      return;
    }
    const { layout } = this.chart();
    const { zoom } = this.store.state();
    const within = (value: number, high: number): number => Math.max(0, Math.min(high, value));
    const x = within(this.camera.x + byX / zoom, layout.width);
    const y = within(this.camera.y + byY / zoom, layout.height);
    this.camera = { ...this.camera, x, y };
    this.paint();
  }

  /** The size at which all of the graph can be seen. */
  private fit(): void {
    const { width, height } = this.chart().layout;
    const pane = this.root.querySelector('.stage');
    const room = { width: pane?.clientWidth || 640, height: pane?.clientHeight || 420 };
    const zoom = Math.min(1, room.width / (width + 20), room.height / (height + 20));
    this.camera = { ...this.camera, x: width / 2, y: height / 2 };
    this.dispatch({ kind: 'zoom', by: 0, to: zoom });
  }

  private observe(): void {
    const Observer = this.root.ownerDocument.defaultView?.ResizeObserver;
    if (!Observer) return;
    const observer = new Observer(() => this.resized());
    observer.observe(this.root);
    this.cleanups.push(() => observer.disconnect());
  }

  private resized(): void {
    const { clientWidth } = this.root;
    if (!clientWidth) return;
    if (clientWidth !== this.heldAt) releaseHeights(this.root);
    this.heldAt = clientWidth;
    const direction: Direction = clientWidth <= NARROW ? 'down' : 'right';
    const pane = this.root.querySelector('.stage.windowed');
    const width = pane?.clientWidth || this.camera.width;
    const paneWidth = this.root.querySelector('.pane')?.clientWidth || this.paneWidth;
    const same = width === this.camera.width && paneWidth === this.paneWidth;
    if (direction === this.direction && same) {
      showCurrent(this.root, this.store.state());
      return;
    }
    this.direction = direction;
    this.followed = -1;
    this.paneWidth = paneWidth;
    this.camera = { ...this.camera, width };
    this.draw(true);
    showCurrent(this.root, this.store.state());
  }
}
