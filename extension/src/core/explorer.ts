import { chartOf } from './chart.js';
import type { Chart } from './chart.js';
import { copyText } from './clipboard.js';
import { patch } from './dom.js';
import type { Explanation } from './explanation.js';
import { handleKey, keepOneTabStop, keepScrollable } from './keyboard.js';
import type { Direction } from './layout.js';
import { frameAt } from './picture.js';
import { showCurrent } from './scrolling.js';
import type { Action, State, Store } from './store.js';
import { storyOf } from './story.js';
import type { Story } from './story.js';
import { explorerView } from './views/explorer.js';
import { FRAME_WIDTH, framePitch, visibleFrames, WHOLE_REEL } from './views/reel.js';
import { isWindowed, middleOf } from './views/stage.js';
import type { Camera } from './views/stage.js';
import { speak } from './words.js';
import type { Catalogue } from './words.js';

/** What a page can do with a mounted widget. */
export interface Handle {
  destroy(): void;
  dispatch(action: Action): void;
  step(): number;
  onChange(listener: (step: number) => void): () => void;
}

const PLAY_PACE = 900;
const NARROW = 480;

/** Take everything off the page that `mount` put there. */
export function clear(root: HTMLElement): void {
  root.parentElement?.replaceChildren();
}

/** Tells the widgets of a page apart where their drawings need names. */
let mounted = 0;

/** Keeps one widget on the page in step with its store. */
export class Explorer implements Handle {
  private charts = new Map<Direction, Chart>();
  private stories = new Map<string, Story>();
  private direction: Direction = 'right';
  private camera: Camera = { x: 0, y: 0, width: 640, height: 420 };
  private followed = -1;
  private shownStep = -1;
  private heldAt = 0;
  private shownNode = -1;
  private timer: ReturnType<typeof setInterval> | undefined;
  private copiedFinding = -1;
  private readonly hatch = `tapelab-hatch-${++mounted}`;
  private readonly cleanups: (() => void)[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly store: Store,
    private readonly explanation: Explanation | null,
    private readonly words?: Catalogue | undefined,
  ) {
    this.cleanups.push(store.subscribe(() => this.update()));
    this.listen();
    this.observe();
    this.draw();
  }

  step = (): number => this.store.state().step;
  dispatch = (action: Action): void => this.store.dispatch(action);

  onChange(listener: (step: number) => void): () => void {
    let last = this.step();
    return this.store.subscribe(() => {
      if (this.step() !== last) listener((last = this.step()));
    });
  }

  destroy(): void {
    clearInterval(this.timer);
    for (const cleanup of this.cleanups) cleanup();
    clear(this.root);
  }

  private update(): void {
    const { playing } = this.store.state();
    if (playing && this.timer === undefined) {
      this.timer = setInterval(() => this.dispatch({ kind: 'tick' }), PLAY_PACE);
    } else if (!playing) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    this.draw();
  }

  private chart(): Chart {
    const { model } = this.store.state();
    let chart = this.charts.get(this.direction);
    if (!chart) this.charts.set(this.direction, (chart = chartOf(model, this.direction)));
    return chart;
  }

  private story(state: State): Story | null {
    if (state.view !== 'why' || !this.explanation) return null;
    const key = `${state.finding} ${this.direction} ${state.model.chosen}`;
    let story = this.stories.get(key);
    if (!story) {
      const finding = this.explanation.findings[state.finding];
      story = storyOf(state.model, this.explanation, finding, this.direction);
      this.stories.set(key, story);
    }
    return story;
  }

  /** Draw the present state; `still` leaves scroll positions alone. */
  private draw(still = false): void {
    speak(this.words);
    const state = this.store.state();
    const inReel = this.focusIsIn('.reelwrap');
    const chosen = state.selected !== this.shownNode;
    const moved = !still && (state.step !== this.shownStep || chosen);
    this.follow(state);
    const view = explorerView(state, this.surroundings(state, moved), this.dispatch);
    patch(this.root, view);
    if (moved) showCurrent(this.root, state);
    this.shownStep = state.step;
    this.shownNode = state.selected;
    keepOneTabStop(this.root);
    keepScrollable(this.root);
    this.holdHeight();
    if (inReel && moved)
      this.root.querySelector<HTMLElement>('.fr.now')?.focus({ preventScroll: true });
  }

  /** Never shrink while stepping, so that the buttons stay under the hand. */
  private holdHeight(): void {
    for (const pane of this.root.querySelectorAll<HTMLElement>('.body, .insp')) {
      const { offsetHeight } = pane;
      if (offsetHeight > (parseFloat(pane.style.minHeight) || 0)) {
        pane.style.minHeight = `${offsetHeight}px`;
      }
    }
  }

  /** After a change of width, heights are found anew. */
  private releaseHeight(): void {
    for (const pane of this.root.querySelectorAll<HTMLElement>('.body, .insp')) {
      pane.style.minHeight = '';
    }
  }

  private surroundings(state: State, moved: boolean) {
    const chart = this.chart();
    const zoom = state.zoom;
    const { width, height } = this.camera;
    return {
      chart,
      hatch: this.hatch,
      camera: { ...this.camera, width: width / zoom, height: height / zoom },
      reel: this.reelPart(state, moved),
      story: this.story(state),
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
    if (node === this.followed || node < 0 || !isWindowed(this.chart())) return;
    this.followed = node;
    const middle = middleOf(this.chart(), node);
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
    this.on('keydown', (event: KeyboardEvent) => {
      if (!handleKey(this.root, event, this.store.state(), this.dispatch)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.on('focusin', () => keepOneTabStop(this.root));
    this.on(
      'scroll',
      (event: Event) => {
        const long = this.store.state().model.graph.frameCount > WHOLE_REEL;
        if (long && (event.target as Element).classList.contains('reelwrap')) this.draw(true);
      },
      { capture: true },
    );
    this.on('wheel', (event: WheelEvent) => this.wheel(event), { passive: false });
    this.on('pointermove', (event: PointerEvent) => {
      if (event.buttons === 1) this.pan(event, -event.movementX, -event.movementY);
    });
  }

  /** Sideways the wheel moves a large graph; up and down it stays the page's. */
  private wheel(event: WheelEvent): void {
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (Math.abs(sideways) > Math.abs(event.deltaY) || event.shiftKey) this.pan(event, sideways, 0);
  }

  /** Move the camera of a large graph by hand, within its bounds. */
  private pan(event: Event, byX: number, byY: number): void {
    if (!(event.target as Element).closest('.stage.windowed')) return;
    event.preventDefault();
    const { layout } = this.chart();
    const within = (value: number, high: number): number => Math.max(0, Math.min(high, value));
    const zoom = this.store.state().zoom;
    this.camera = {
      ...this.camera,
      x: within(this.camera.x + byX / zoom, layout.width),
      y: within(this.camera.y + byY / zoom, layout.height),
    };
    this.draw(true);
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
    if (clientWidth !== this.heldAt) this.releaseHeight();
    this.heldAt = clientWidth;
    const direction: Direction = clientWidth <= NARROW ? 'down' : 'right';
    const pane = this.root.querySelector('.stage.windowed');
    const width = pane?.clientWidth || this.camera.width;
    if (direction === this.direction && width === this.camera.width) {
      showCurrent(this.root, this.store.state());
      return;
    }
    this.direction = direction;
    this.followed = -1;
    this.camera = { ...this.camera, width };
    this.draw(true);
    showCurrent(this.root, this.store.state());
  }
}
