import { ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';
import { Annotations } from './annotations.js';
import { again } from './retry.js';
import { addCommands, addToPalette, COMMANDS } from './commands.js';
import { Connections } from './connections.js';
import { filesPlugin } from './files.js';
import { Follower } from './activekernel.js';
import { lessons, LESSONS } from './lessons.js';
import { OutlinePanel } from './outline/panel.js';
import { TapePanel } from './panel.js';
import { prose } from './prose.js';
import { Preferences } from './settings.js';
import { ENGLISH } from './translation.js';
import { addStatus } from './status.js';

const PLUGIN = 'tapelab:plugin';
let speech = () => ENGLISH;

const panel: JupyterFrontEndPlugin<void> = {
  id: PLUGIN,
  description: 'The Tape panel and its commands.',
  autoStart: true,
  optional: [
    INotebookTracker,
    IConsoleTracker,
    ILayoutRestorer,
    ICommandPalette,
    ISettingRegistry,
    IStatusBar,
    ITranslator,
  ],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null,
    statusBar: IStatusBar | null,
    translator: ITranslator | null,
  ) => {
    if (!notebooks && !consoles) return;
    const preferences = new Preferences(translator);
    speech = () => preferences.speech;
    const connections = new Connections(app.serviceManager.kernels, preferences.forKernel);
    if (notebooks) new Annotations(notebooks, preferences);
    const follower = new Follower(notebooks, consoles);
    const example = () => void app.commands.execute(COMMANDS.example);
    const made = new TapePanel(follower, connections, preferences, { example });
    app.shell.add(made, 'right', { rank: 900 });
    restorer?.add(made, made.id);
    const open = () => void app.commands.execute(LESSONS);
    const outline = notebooks && new OutlinePanel(notebooks, preferences, open);
    if (outline) {
      app.shell.add(outline, 'left', { rank: 410 });
      restorer?.add(outline, outline.id);
    }
    addCommands({ app, panel: made, outline, follower, preferences });
    addToPalette(palette);
    addStatus(statusBar, made, () => void app.commands.execute(COMMANDS.panel));
    preferences.changed.connect((_, changed) => {
      connections.all().forEach((each) => each.settle(changed));
    });
    void preferences.load(registry, PLUGIN);
  },
};

export default [panel, filesPlugin(() => speech()), lessons, prose, again];
