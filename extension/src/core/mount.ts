import { chartOf } from './chart.js';
import type { Chart } from './chart.js';
import { copyText } from './clipboard.js';
import { patch } from './dom.js';
import type { Explanation } from './explanation.js';
import { handleKey, keepOneTabStop, keepScrollable } from './keyboard.js';
import type { Direction } from './layout.js';
import { buildModel } from './model.js';
import type { Model } from './model.js';
import { frameAt } from './picture.js';
import { parseRecording, RecordingError } from './recording.js';
import type { Recording } from './recording.js';
import { Kind } from './schema.js';
import { createStore } from './store.js';
import type { Action, State, Store } from './store.js';
import { STYLES } from './styles.js';
import { explorerView, loadingView, stateView } from './views/explorer.js';
import { FRAME_WIDTH, framePitch, visibleFrames, WHOLE_REEL } from './views/reel.js';
import { isWindowed, middleOf } from './views/stage.js';
import type { Camera } from './views/stage.js';
import { storyOf } from './views/why.js';
import type { Story } from './views/why.js';
import { directionOf, WORDS } from './words.js';

export interface MountOptions {
  readonly recording: Uint8Array;
  readonly explanation?: Explanation | null;
  /** The step to begin with, from 1; without one, an explanation comes first. */
  readonly step?: number;
  readonly language?: string;
}

export interface Handle {
  destroy(): void;
  dispatch(action: Action): void;
  step(): number;
  onChange(listener: (step: number) => void): () => void;
}

const PLAY_PACE = 900;
const NARROW = 480;
/** What is scrolled into view gets so much room around it, in pixels. */
const ROOM_AROUND = 48;
/** Above so many events, reading is announced before it begins. */
const MANY_EVENTS = 400_000;

function createRoot(host: Element, language: string | undefined): HTMLElement {
  const root = host.ownerDocument.createElement('div');
  root.className = 'tl';
  root.dir = directionOf(language);
  if (language) root.lang = language;
  root.setAttribute('role', 'region');
  root.setAttribute('aria-label', WORDS.widget);
  root.setAttribute('data-lm-suppress-shortcuts', 'true');
  const style = host.ownerDocument.createElement('style');
  style.textContent = STYLES;
  host.replaceChildren(style, root);
  return root;
}

/** Take everything off the page that `createRoot` put there. */
function clear(root: HTMLElement): void {
  root.parentElement?.replaceChildren();
}

function initialState(model: Model, options: MountOptions): State {
  const findings = options.explanation?.findings.length ?? 0;
  const asksWhy = findings > 0 && !options.step;
  const step = Math.max(1, Math.min(model.stepCount, options.step ?? 1));
  const view = asksWhy ? 'why' : 'tape';
  return { model, step, selected: -1, playing: false, view, finding: 0, findings, zoom: 1 };
}

/** Keeps one widget on the page in step with its store. */
class Explorer implements Handle {
  private charts = new Map<Direction, Chart>();
  private stories = new Map<string, Story>();
  private direction: Direction = 'right';
  private camera: Camera = { x: 0, y: 0, width: 640, height: 420 };
  private followed = -1;
  private shownStep = -1;
  private timer: ReturnType<typeof setInterval> | undefined;
  private copiedFinding = -1;
  private readonly cleanups: (() => void)[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly store: Store,
    private readonly explanation: Explanation | null,
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
    const state = this.store.state();
    const inReel = this.focusIsIn('.reelwrap');
    const moved = !still && state.step !== this.shownStep;
    this.follow(state);
    const view = explorerView(state, this.surroundings(state, moved), this.dispatch);
    patch(this.root, view);
    if (moved) this.showCurrent(state);
    this.shownStep = state.step;
    keepOneTabStop(this.root);
    keepScrollable(this.root);
    if (inReel && moved)
      this.root.querySelector<HTMLElement>('.fr.now')?.focus({ preventScroll: true });
  }

  private surroundings(state: State, moved: boolean) {
    const chart = this.chart();
    const zoom = state.zoom;
    const { width, height } = this.camera;
    return {
      chart,
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

  /** Scroll reel, code and graph so that the current step can be seen. */
  private showCurrent(state: State): void {
    const wrap = this.root.querySelector<HTMLElement>('.reelwrap');
    const { frame } = frameAt(state.model, state.step);
    const now = this.root.querySelector<HTMLElement>('.fr.now');
    if (wrap && now) {
      const { frameCount } = state.model.graph;
      const long = frameCount > WHOLE_REEL;
      const left = long ? frame * framePitch(frameCount) : (now.parentElement?.offsetLeft ?? 0);
      wrap.scrollLeft = left - (wrap.clientWidth - now.offsetWidth) / 2;
    }
    this.reveal('.code', '.hl');
    this.reveal('.stage', '.nd:is(.v, .g, .n)');
  }

  private reveal(paneSelector: string, itemSelector: string): void {
    const pane = this.root.querySelector<HTMLElement>(paneSelector);
    const item = pane?.querySelector(itemSelector);
    if (!pane || !item || pane.classList.contains('windowed')) return;
    const [outer, inner] = [pane.getBoundingClientRect(), item.getBoundingClientRect()];
    const right = inner.right - outer.left + pane.scrollLeft;
    if (right < outer.width) pane.scrollLeft = 0;
    else if (inner.left < outer.left || inner.right > outer.right) {
      pane.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
    }
    const above = inner.top - outer.top - ROOM_AROUND;
    const below = inner.bottom - outer.bottom + ROOM_AROUND;
    if (above < 0) pane.scrollTop += above;
    else if (below > 0) pane.scrollTop += below;
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
    this.on('wheel', (event: WheelEvent) => this.pan(event, event.deltaX, event.deltaY), {
      passive: false,
    });
    this.on('pointermove', (event: PointerEvent) => {
      if (event.buttons === 1) this.pan(event, -event.movementX, -event.movementY);
    });
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
    const direction: Direction = clientWidth <= NARROW ? 'down' : 'right';
    const pane = this.root.querySelector('.stage.windowed');
    const width = pane?.clientWidth || this.camera.width;
    if (direction === this.direction && width === this.camera.width) {
      this.showCurrent(this.store.state());
      return;
    }
    this.direction = direction;
    this.followed = -1;
    this.camera = { ...this.camera, width };
    this.draw(true);
    this.showCurrent(this.store.state());
  }
}

function failed(root: HTMLElement, error: unknown): Handle {
  if (!(error instanceof RecordingError)) throw error;
  patch(root, [stateView(error.title, error.advice)]);
  return {
    destroy: () => clear(root),
    dispatch: () => {},
    step: () => 0,
    onChange: () => () => {},
  };
}

/** A handle for a widget that is still being read: it does later what it is told now. */
function deferred(root: HTMLElement, recording: Recording, start: () => Explorer): Handle {
  let explorer: Explorer | null = null;
  let cancelled = false;
  const waiting: ((ready: Explorer) => void)[] = [];
  const later = (what: (ready: Explorer) => void): void => {
    if (explorer) what(explorer);
    else waiting.push(what);
  };
  const ops = recording.kinds.reduce((sum, kind) => sum + Number(kind === Kind.Ran), 0);
  patch(root, [loadingView(ops, 0.1)]);
  setTimeout(() => {
    if (cancelled) return;
    explorer = start();
    for (const what of waiting) what(explorer);
  }, 32);
  return {
    destroy: () => {
      cancelled = true;
      explorer?.destroy();
      clear(root);
    },
    dispatch: (action) => later((ready) => ready.dispatch(action)),
    step: () => explorer?.step() ?? 1,
    onChange: (listener) => {
      let stop = (): void => {};
      later((ready) => (stop = ready.onChange(listener)));
      return () => stop();
    },
  };
}

/** Show a recording inside an element. */
export function mount(host: Element, options: MountOptions): Handle {
  const root = createRoot(host, options.language);
  try {
    const recording = parseRecording(options.recording);
    const start = (): Explorer => {
      const store = createStore(initialState(buildModel(recording), options));
      return new Explorer(root, store, options.explanation ?? null);
    };
    return recording.eventCount > MANY_EVENTS ? deferred(root, recording, start) : start();
  } catch (error) {
    return failed(root, error);
  }
}
