import type { CellHeight, CellPort } from './cellcode.js';
import type { Chart } from './chart.js';
import { copyText } from './clipboard.js';
import { patch } from './dom.js';
import type { VNode } from './dom.js';
import { Drawings } from './drawings.js';
import type { Explanation } from './explanation.js';
import { extras, onExtras, wantExtras } from './extras.js';
import { frameLayout, isSameLayout } from './framelayout.js';
import type { FrameLayout } from './framelayout.js';
import { FullScreen } from './fullscreen.js';
import { glide, standOf } from './glide.js';
import {
  focusOn,
  FRAME,
  handleKey,
  HERE,
  isLost,
  keepOneTabStop,
  keepScrollable,
} from './keyboard.js';
import type { Direction } from './layout.js';
import { OverlayFocus } from './overlayfocus.js';
import { listenForMoves } from './panzoom.js';
import type { Listen } from './panzoom.js';
import { stateAt } from './stepstate.js';
import { framesOf } from './stops.js';
import { followPrint } from './paper.js';
import { Player } from './player.js';
import type { Guess, Question } from './predict.js';
import { showCurrent } from './scroll.js';
import type { Model } from './model.js';
import { questionOf } from './store.js';
import type { Action, Pane, State } from './state.js';
import type { Store } from './store.js';
import { layInStrips } from './strips.js';
import { SliderState } from './sliderstate.js';
import { Viewfinder } from './viewfinder.js';
import { Viewport } from './viewport.js';
import { explorerView, lineInCell, needsSide } from './views/explorer.js';
import { trackCount } from './views/time.js';
import { FRAME_WIDTHS, partAround, visibleFrames, WHOLE_TIMELINE } from './views/timeline.js';
import type { TimelinePart } from './views/timeline.js';
import type { Source } from './whatif.js';
import { speak } from './words.js';
import type { Catalogue } from './words.js';

/** What a page can do with a mounted widget. */
export interface Handle {
  destroy(): void;
  dispatch(action: Action): void;
  step(): number;
  onChange(listener: (step: number) => void): () => void;
  /** Observe every answer to a question, together with those before it. */
  onGuess(listener: (guesses: readonly Guess[]) => void): () => void;
}

const NARROW = 480;
/** Until the widget stands in a page and its width is known. */
const USUAL_WIDTH = 880;

/** Take everything off the page that `mount` put there. */
export function clear(root: HTMLElement): void {
  root.parentElement?.replaceChildren();
}

/** Tells the widgets of a page apart where their drawings need names. */
let mounted = 0;

/** Keeps one widget on the page in step with its store. */
export class Explorer implements Handle {
  private readonly page: Window & typeof globalThis;
  private readonly drawings: Drawings;
  private readonly player = new Player(() => this.dispatch({ kind: 'tick' }));
  private direction: Direction = 'right';
  private readonly finder: Viewfinder;
  private readonly overlayFocus: OverlayFocus;
  private readonly sliding: SliderState | null;
  private timeline: TimelinePart = { from: 0, to: 0, left: 0 };
  private shownStep = -1;
  private shownNode = -1;
  private shownChart: Chart | null = null;
  private shownPane: Pane = 'graph';
  private predicting: State['predicting'] = 'off';
  private paneWidth = 640;
  private readonly viewport: Viewport;
  private readonly fullScreen: FullScreen;
  private layout: FrameLayout;
  /** The height of the cell that shows the code, once the page around has said so. */
  private cellHeight: CellHeight = null;
  private lineSaid = '';
  /** The height of the sliders above. */
  private above = 0;
  private copiedFinding = -1;
  private soon = 0;
  private view: readonly VNode[] = [];
  private readonly hatch = `tapelab-hatch-${++mounted}`;
  private readonly cleanups: (() => void)[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly store: Store,
    private readonly explanation: Explanation | null,
    private readonly words?: Catalogue | undefined,
    source?: Source | null,
    private readonly cell: CellPort | null = null,
  ) {
    this.page = root.ownerDocument.defaultView!;
    this.drawings = new Drawings(explanation);
    this.sliding = source ? new SliderState(root, source, () => this.slideSoon()) : null;
    this.overlayFocus = new OverlayFocus(root);
    this.finder = new Viewfinder(root, store, () => this.chart());
    this.viewport = new Viewport(root, () => this.resized());
    this.cleanups.push(() => this.viewport.stop());
    this.fullScreen = new FullScreen(root, () => {
      this.resized();
      this.draw(true);
    });
    this.layout = this.layOut();
    this.followCell();
    this.cleanups.push(store.subscribe(() => this.update()));
    this.cleanups.push(onExtras(() => this.dressUp()));
    this.cleanups.push(followPrint(this.page, store, () => layInStrips(this.root, this.chart())));
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

  /** Do something when the widget is taken off the page. */
  onDestroy(cleanup: () => void): void {
    this.cleanups.push(cleanup);
  }

  destroy(): void {
    this.player.follow(0);
    this.page.cancelAnimationFrame(this.soon);
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
      this.predicting = 'off';
      // Wanted before the questions were there: now they are, so once more.
      if (this.store.state().predicting === 'on') {
        this.dispatch({ kind: 'predict' });
        this.dispatch({ kind: 'predict' });
      }
    }
    this.draw();
  }

  /** Put another run of the same program in the place of this one. */
  show(model: Model): void {
    this.sliding?.renew();
    const { graph } = this.store.state().model;
    const alike =
      graph.nodeCount === model.graph.nodeCount && graph.edgeCount === model.graph.edgeCount;
    this.drawings.renew(alike);
    this.store.dispatch({ kind: 'model', model });
    this.resized();
  }

  /** Share out the area that there is now. */
  private layOut(): FrameLayout {
    const state = this.store.state();
    const { model } = state;
    this.above = this.root.querySelector<HTMLElement>('.whatif')?.offsetHeight ?? 0;
    return frameLayout({
      width: this.root.clientWidth || USUAL_WIDTH,
      available: this.viewport.height() - this.above,
      full: this.fullScreen.isOn,
      nodes: model.graph.nodeCount,
      tracks: trackCount(model),
      cell: this.cellHeight,
      beside: needsSide(state),
    });
  }

  /** Give the parts their room; a card that says why there is nothing is as high as its words. */
  private applyLayout(): void {
    const { columns, bare, height, side, timeline } = this.layout;
    const framed = this.store.state().model.stepCount > 0;
    const body = bare ? 'bare' : columns === 2 ? 'wide' : 'narrow';
    const look = `framed ${body} ${timeline}`;
    const classes = framed ? `tl ${look}` : 'tl';
    // The same class again would have the page work out every style of the widget again.
    if (this.root.className !== classes) this.root.className = classes;
    this.root.style.height = framed ? `${this.above + height}px` : '';
    this.root.style.setProperty('--side', `${side}px`);
  }

  private update(): void {
    const { playing, speed } = this.store.state();
    // Below its cell the Explorer has a column beside the graph only while something stands there.
    if (this.cellHeight !== null && !isSameLayout(this.layOut(), this.layout)) this.resized();
    this.player.follow(playing ? speed : 0);
    this.draw();
  }

  /** Leave the code to the cell that it came from, where the page around shows it there. */
  private followCell(): void {
    const { cell } = this;
    if (!cell) return;
    this.cleanups.push(
      cell.listen((height) => {
        this.cellHeight = height;
        this.resized();
      }),
      () => cell.show(null),
    );
  }

  /** Say what the cell is to show, where that has changed. */
  private sayLine(state: State, question: Question | null): void {
    if (!this.cell) return;
    const line = lineInCell(state, question);
    const said = JSON.stringify(line);
    if (said !== this.lineSaid) this.cell.show(line);
    this.lineSaid = said;
  }

  /** Draw the sliders before the next frame, unless everything is drawn until then. */
  private slideSoon(): void {
    this.page.cancelAnimationFrame(this.soon);
    this.soon = this.page.requestAnimationFrame(() => this.put(this.view));
  }

  /** Put a view on the page, below the sliders if there are any. */
  private put(view: readonly VNode[]): void {
    this.view = view;
    const sliders = this.sliding && wantExtras()?.whatIf?.(this.sliding.sliders());
    patch(this.root, sliders ? [...sliders, ...view] : view);
  }

  private chart(): Chart {
    const state = this.store.state();
    if (this.drawings.isRefolded(state)) this.finder.forget();
    return this.drawings.chart(state, this.direction, this.layout.graph);
  }

  /** Draw the present state; `still` leaves scroll positions alone. */
  private draw(keepScroll = false): void {
    this.page.cancelAnimationFrame(this.soon);
    speak(this.words);
    extras()?.speak(this.words);
    const state = this.store.state();
    this.applyLayout();
    const [inTimeline, inside] = [this.focusIsIn('.timelinewrap'), this.focusIsIn('*')];
    const chosen = state.selected !== this.shownNode;
    const refolded = this.drawings.isRefolded(state);
    const before = refolded ? standOf(this.root, this.shownChart) : null;
    const moved = !keepScroll && (state.step !== this.shownStep || chosen || refolded);
    this.finder.follow(state);
    const around = this.surroundings(state, moved);
    this.put(explorerView(state, around, this.dispatch));
    this.sayLine(state, around.question);
    if (state.pane !== this.shownPane || state.predicting !== this.predicting) this.settle(state);
    this.finder.paint();
    if (moved) showCurrent(this.root, state, this.layout.timeline);
    this.shownChart = this.chart();
    if (before) glide(this.root, before, this.shownChart);
    this.shownStep = state.step;
    this.shownNode = state.selected;
    this.overlayFocus.follow(state);
    keepScrollable(this.root);
    keepOneTabStop(this.root);
    if (inside && isLost(this.root, this.focusIsIn('*'))) focusOn(this.root, HERE);
    else if (inTimeline && moved && state.predicting !== 'question') focusOn(this.root, FRAME);
  }

  /** After another pane or a question has come up: fit the one, put the cursor into the other. */
  private settle(state: State): void {
    const [before, now] = [this.predicting === 'question', state.predicting === 'question'];
    const field = now && !before ? '.ask input' : before && !now ? FRAME : null;
    this.shownPane = state.pane;
    this.predicting = state.predicting;
    this.resized();
    if (!field) return;
    focusOn(this.root, field);
    if (now) this.root.querySelector('.ask')?.scrollIntoView({ block: 'nearest' });
  }

  private surroundings(state: State, moved: boolean) {
    const chart = this.chart();
    return {
      chart,
      hatch: this.hatch,
      paneRoom: { width: this.paneWidth, height: this.layout.graphHeight },
      question: state.predicting === 'question' ? questionOf(state) : null,
      layout: this.layout,
      fullScreen: this.fullScreen,
      fit: () => this.finder.fit(),
      timeline: (this.timeline = this.timelinePart(state, moved)),
      story: this.drawings.story(state, this.direction),
      explanation: this.explanation,
      copied: this.copiedFinding === state.finding,
      copy: this.copier(state),
    };
  }

  private timelinePart(state: State, moved: boolean): TimelinePart {
    const wrap = this.root.querySelector('.timelinewrap');
    const width = wrap?.clientWidth || 1100;
    const { count, placeOf } = framesOf(state);
    const frameWidth = FRAME_WIDTHS[this.layout.timeline];
    return moved
      ? partAround(count, frameWidth, placeOf(stateAt(state.model, state.step).frame), width)
      : visibleFrames(count, frameWidth, wrap?.scrollLeft ?? 0, width);
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
    listenForMoves(this.on.bind(this) as Listen, this.finder);
    this.on('keydown', (event: KeyboardEvent) => {
      const used =
        this.fullScreen.handleKey(event) ||
        handleKey(this.root, event, this.store.state(), this.dispatch, () => this.chart());
      if (!used) return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.on('focusin', () => {
      keepOneTabStop(this.root);
      this.finder.paint();
    });
    this.on('scroll', (event: Event) => this.scrolled(event.target as Element), { capture: true });
    this.on('click', (event: MouseEvent) => this.finder.choose(event));
    this.on('transitionend', () => this.finder.paint());
  }

  /** Draw what has come into view of a long timeline, unless it stands there already. */
  private scrolled(pane: Element): void {
    const state = this.store.state();
    const long = framesOf(state).count > WHOLE_TIMELINE;
    if (!long || !pane.classList.contains('timelinewrap')) return;
    const { from, to, left } = this.timelinePart(state, false);
    if (from !== this.timeline.from || to > this.timeline.to || left !== this.timeline.left)
      this.draw(true);
  }

  private observe(): void {
    const observer = new this.page.ResizeObserver(() => this.resized());
    observer.observe(this.root);
    this.cleanups.push(() => observer.disconnect());
  }

  private resized(): void {
    const { clientWidth } = this.root;
    if (!clientWidth) return;
    const layout = this.layOut();
    const shared = isSameLayout(layout, this.layout);
    this.layout = layout;
    this.applyLayout();
    const direction: Direction = clientWidth <= NARROW ? 'down' : 'right';
    const paneWidth = this.root.querySelector('.pane')?.clientWidth || this.paneWidth;
    const same = shared && !this.finder.resized() && paneWidth === this.paneWidth;
    if (direction === this.direction && same) keepScrollable(this.root);
    else {
      this.direction = direction;
      this.finder.forget();
      this.paneWidth = paneWidth;
      this.draw(true);
    }
    showCurrent(this.root, this.store.state(), layout.timeline);
  }
}
