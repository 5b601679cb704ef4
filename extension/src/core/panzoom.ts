/** What can be moved and sized: a pane that scrolls, or a camera before a large graph. */
export interface View {
  zoom(): number;
  /** Show at another size; what is at a point of the pane stays there. */
  zoomTo(zoom: number, x: number, y: number): void;
  /** Move what is seen, in pixels of the page. */
  moveBy(x: number, y: number): void;
}

export type Listen = <Name extends keyof HTMLElementEventMap>(
  name: Name,
  listener: (event: HTMLElementEventMap[Name]) => void,
  options?: AddEventListenerOptions,
) => void;

/** A press that moves further than this is no click. */
const CLICK_RADIUS = 4;
const KEY_MOVES = 80;
const WHEEL_ZOOMS = 0.0025;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-KEY_MOVES, 0],
  ArrowRight: [KEY_MOVES, 0],
  ArrowUp: [0, -KEY_MOVES],
  ArrowDown: [0, KEY_MOVES],
};

function paneOf(event: Event): Element | null {
  return (event.target as Element).closest('.stage');
}

function within(pane: Element, x: number, y: number): readonly [number, number] {
  const { left, top } = pane.getBoundingClientRect();
  return [x - left, y - top];
}

/** Move and size the graph by mouse, wheel, touch and keyboard. */
export function listenForMoves(listen: Listen, view: View): void {
  const pointers = new Map<number, PointerEvent>();
  let moved = 0;
  let spread = 0;

  const pinch = (pane: Element): void => {
    const [one, other] = [...pointers.values()];
    const distance = Math.hypot(one!.clientX - other!.clientX, one!.clientY - other!.clientY);
    const middle = within(
      pane,
      (one!.clientX + other!.clientX) / 2,
      (one!.clientY + other!.clientY) / 2,
    );
    if (spread > 0) view.zoomTo((view.zoom() * distance) / spread, ...middle);
    spread = distance;
  };
  listen('pointerdown', (event) => {
    if (!paneOf(event)) return;
    pointers.set(event.pointerId, event);
    moved = spread = 0;
  });
  for (const name of ['pointerup', 'pointercancel'] as const) {
    listen(name, (event) => {
      pointers.delete(event.pointerId);
      spread = 0;
    });
  }
  listen('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    const pane = paneOf(event);
    if (!before || !pane || !event.buttons) return;
    pointers.set(event.pointerId, event);
    if (pointers.size === 2) return pinch(pane);
    const [x, y] = [event.clientX - before.clientX, event.clientY - before.clientY];
    moved += Math.abs(x) + Math.abs(y);
    if (moved > CLICK_RADIUS) view.moveBy(-x, -y);
  });
  listen(
    'click',
    (event) => {
      if (moved > CLICK_RADIUS && paneOf(event)) event.stopPropagation();
      moved = 0;
    },
    { capture: true },
  );
  listen(
    'wheel',
    (event) => {
      const pane = paneOf(event);
      if (!pane) return;
      if (event.ctrlKey || event.metaKey) {
        const zoom = view.zoom() * Math.exp(-event.deltaY * WHEEL_ZOOMS);
        view.zoomTo(zoom, ...within(pane, event.clientX, event.clientY));
        event.preventDefault();
      } else {
        // Up and down scrolls the page, as everywhere else in it.
        const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
        if (!sideways || (Math.abs(sideways) <= Math.abs(event.deltaY) && !event.shiftKey)) return;
        view.moveBy(sideways, 0);
        event.preventDefault();
      }
    },
    { passive: false },
  );
  listen('keydown', (event) => {
    const by = event.shiftKey && paneOf(event) ? ARROWS[event.key] : undefined;
    if (!by) return;
    view.moveBy(...by);
    event.preventDefault();
    event.stopImmediatePropagation();
  });
}
