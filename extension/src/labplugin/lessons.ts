import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { say } from '../core/words.js';
import { tapeIcon } from './icon.js';

/** The page that lists the lessons, where `tapelab lessons` has put them. */
const START_PAGE = 'Start here.ipynb';
export const LESSONS = 'tapelab:lessons';

async function openLessons({ commands, serviceManager }: JupyterFrontEnd): Promise<void> {
  // Listed, because asking for a file that is not there is an error in the browser's log.
  const { content } = await serviceManager.contents.get('', { type: 'directory', content: true });
  const isThere = (content as { name: string }[]).some(({ name }) => name === START_PAGE);
  if (isThere) {
    await commands.execute('docmanager:open', { path: START_PAGE });
    return;
  }
  Notification.info(
    say(
      'There are no lessons in the folder that JupyterLab shows. `tapelab lab` copies them and opens them.',
    ),
    { autoClose: 10_000 },
  );
}

/** A card of the launcher that leads to the lessons. */
export const lessons: JupyterFrontEndPlugin<void> = {
  id: 'tapelab:lessons',
  description: 'The way to the lessons.',
  autoStart: true,
  optional: [ILauncher, ICommandPalette],
  activate: (app: JupyterFrontEnd, launcher: ILauncher | null, palette: ICommandPalette | null) => {
    if (!launcher && !palette) return;
    app.commands.addCommand(LESSONS, {
      label: () => say('Tapelab lessons'),
      caption: () => say('Open the list of lessons'),
      icon: tapeIcon,
      execute: () => openLessons(app),
    });
    launcher?.add({ command: LESSONS, category: 'Other', rank: 0 });
    palette?.addItem({ command: LESSONS, category: 'Tapelab' });
  },
};
