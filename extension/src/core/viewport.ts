/** The elements of JupyterLab, of Notebook and of our own panels that scroll what stands in them. */
const SCROLLERS = '.jp-WindowedPanel-outer, .tapelab-panel, .tapelab-file';
/** Our own panels show one thing: what stands above it takes its part of the height. */
const OWN = '.tapelab-panel, .tapelab-file';
/** Of a notebook a little of what stands around is seen. */
const AROUND = 24;

/** A frame takes so much, or what it began with, until the page around it says how much. */
const IN_A_FRAME = 600;

/** What a page around a frame says: how high the part is that can be seen. */
export const VIEWPORT_MESSAGE = 'tapelab-viewport';

/** How much height can be seen at once where an element stands; tells of changes. */
export class Viewport {
  private readonly page: Window & typeof globalThis;
  /** The scrolling element and its observer, known once the element stands in the page. */
  private scroller: Element | null = null;
  private readonly observer: ResizeObserver;
  /** The height that can be seen of a frame: what it began with, then what the page around says. */
  private framed: number;

  constructor(
    private readonly root: HTMLElement,
    private readonly changed: () => void,
  ) {
    this.page = root.ownerDocument.defaultView!;
    this.framed = Math.max(IN_A_FRAME, this.page.innerHeight);
    this.observer = new this.page.ResizeObserver(changed);
    this.page.addEventListener('resize', changed);
    this.page.addEventListener('message', this.receive);
  }

  /** The height to fill. */
  height(): number {
    const { fullscreenElement } = this.root.getRootNode() as Document | ShadowRoot;
    if (fullscreenElement === this.root) return this.page.innerHeight;
    const scroller = this.root.closest(SCROLLERS);
    if (scroller !== this.scroller) this.follow(scroller);
    if (!scroller) return this.page.parent === this.page ? this.page.innerHeight : this.framed;
    const above = scroller.matches(OWN) ? this.above(scroller) : AROUND;
    return scroller.clientHeight - above;
  }

  stop(): void {
    this.observer.disconnect();
    this.page.removeEventListener('resize', this.changed);
    this.page.removeEventListener('message', this.receive);
  }

  private above(scroller: Element): number {
    const [outer, inner] = [scroller, this.root].map((one) => one.getBoundingClientRect().top);
    return inner! - outer! + scroller.scrollTop;
  }

  private follow(scroller: Element | null): void {
    this.observer.disconnect();
    this.scroller = scroller;
    if (scroller) this.observer.observe(scroller);
  }

  /** A frame is as high as what it shows: only the page around it knows how high it may be. */
  private readonly receive = (event: MessageEvent<unknown>): void => {
    const data = event.data as { type?: string; height?: number } | null;
    if (event.source !== this.page.parent || data?.type !== VIEWPORT_MESSAGE) return;
    this.framed = Number(data.height) || this.framed;
    this.changed();
  };
}
