import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import css from './prose.css';

/** Sets the text of lessons that run from right to left as a page of such a language. */
export const prose: JupyterFrontEndPlugin<void> = {
  id: 'tapelab:prose',
  description: 'Markdown from right to left.',
  autoStart: true,
  activate: () => {
    const style = document.createElement('style');
    style.textContent = css;
    document.head.append(style);
  },
};
