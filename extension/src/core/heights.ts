/** Panes that never shrink while stepping, so that the buttons stay under the hand. */
const HELD = '.body, .insp';

export function holdHeights(root: HTMLElement): void {
  for (const pane of root.querySelectorAll<HTMLElement>(HELD)) {
    const { offsetHeight } = pane;
    if (offsetHeight > (parseFloat(pane.style.minHeight) || 0)) {
      pane.style.minHeight = `${offsetHeight}px`;
    }
  }
}

/** After a change of width, heights are found anew. */
export function releaseHeights(root: HTMLElement): void {
  for (const pane of root.querySelectorAll<HTMLElement>(HELD)) pane.style.minHeight = '';
}
