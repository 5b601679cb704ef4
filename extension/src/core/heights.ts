/** Panes that never shrink while stepping, so that the buttons stay under the hand. */
const HELD = '.body, .insp';

export function holdHeights(root: HTMLElement): void {
  const panes = [...root.querySelectorAll<HTMLElement>(HELD)];
  const heights = panes.map((pane) => pane.offsetHeight);
  panes.forEach((pane, at) => {
    const height = heights[at]!;
    if (height > (parseFloat(pane.style.minHeight) || 0)) pane.style.minHeight = `${height}px`;
  });
}

/** After a change of width, heights are measured again. */
export function releaseHeights(root: HTMLElement): void {
  for (const pane of root.querySelectorAll<HTMLElement>(HELD)) pane.style.minHeight = '';
}
