import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import css from './retry.css';

/** Leads from "Try again" in a verdict to the code above it. */
export const again: JupyterFrontEndPlugin<void> = {
  id: 'tapelab:again',
  description: 'The way from a verdict back to its cell.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_: JupyterFrontEnd, notebooks: INotebookTracker) => {
    const style = document.createElement('style');
    style.textContent = css;
    document.head.append(style);
    document.addEventListener('click', ({ target }) => {
      const button = target instanceof Element && target.closest('.tapelab-verdict .again');
      if (button) edit(notebooks, button);
    });
  },
};

/** Put the cursor into the cell under which something stands. */
function edit(notebooks: INotebookTracker, inside: Element): void {
  const panel = notebooks.find((each) => each.node.contains(inside));
  const at = panel?.content.widgets.findIndex((cell) => cell.node.contains(inside)) ?? -1;
  if (!panel || at < 0) return;
  panel.content.activeCellIndex = at;
  panel.content.mode = 'edit';
  panel.content.widgets[at]?.editorWidget?.node.scrollIntoView({ block: 'nearest' });
}
