import { focusOn, HERE } from './keyboard.js';
import type { Overlay, State } from './state.js';

/** Where the cursor is put when something comes over the picture. */
const INSIDE = '.overlay input, .overlay.keys';

/** Moves the focus into what comes over the picture, and back when it has gone. */
export class OverlayFocus {
  private shown: Overlay = null;
  private before: HTMLElement | null = null;

  constructor(private readonly root: HTMLElement) {}

  follow({ overlay }: State): void {
    // What lies over the picture may come later than it was wanted.
    const inside = overlay === 'search' || overlay === 'keys';
    if (overlay === this.shown || (inside && !this.root.querySelector(INSIDE))) return;
    const { activeElement } = this.root.getRootNode() as Document | ShadowRoot;
    const came = this.shown === null || this.shown === 'hits';
    if (inside && came) this.before = activeElement as HTMLElement | null;
    this.shown = overlay;
    if (inside) {
      focusOn(this.root, INSIDE);
      this.root.querySelector('.overlay')?.scrollIntoView({ block: 'nearest' });
    } else if (this.before?.isConnected && this.root.contains(this.before))
      this.before.focus({ preventScroll: true });
    else focusOn(this.root, HERE);
  }
}
