import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { say } from '../core/words.js';
import { insertExample } from './example.js';
import type { Follower } from './activekernel.js';
import { lessonIcon, tapeIcon, whyIcon } from './icon.js';
import { OUTLINE } from './outline/panel.js';
import type { OutlinePanel } from './outline/panel.js';
import type { TapePanel } from './panel.js';
import type { TapeRequest } from './protocol.js';
import type { Preferences } from './settings.js';

/** Every command of the panel, for use without the mouse. */
export const COMMANDS = {
  panel: 'tapelab:toggle-panel',
  outline: 'tapelab:toggle-outline',
  connect: 'tapelab:connect',
  show: 'tapelab:show-tape',
  explain: 'tapelab:explain',
  live: 'tapelab:show-live',
  pause: 'tapelab:pause',
  hints: 'tapelab:toggle-hints',
  example: 'tapelab:insert-example',
} as const;

export interface Parts {
  readonly app: JupyterFrontEnd;
  readonly panel: TapePanel;
  /** Where there are notebooks. */
  readonly outline: OutlinePanel | null;
  readonly follower: Follower;
  readonly preferences: Preferences;
}

type Side = { readonly collapseLeft?: () => void; readonly collapseRight?: () => void };

function activeCell({ notebook }: Follower): Cell | null {
  return notebook?.content.activeCell ?? null;
}

/** The cell of the context menu: in its editor, a right click does not make it the active one. */
function pointedAt(app: JupyterFrontEnd, follower: Follower): Cell | null {
  const node = app.contextMenuHitTest(({ classList }) => classList.contains('jp-Cell'));
  const cells = follower.notebook?.content.widgets ?? [];
  return cells.find((cell) => cell.node === node) ?? activeCell(follower);
}

/** Register the commands, under the words of the language of now. */
export function addCommands({ app, panel, outline, follower, preferences }: Parts): void {
  const { commands, shell } = app;
  const sides = shell as Side;
  const come = (): void => shell.activateById(panel.id);
  // In the toolbar and the menu of a cell they are about its own tape.
  const about = ({ cell }: { cell?: unknown }): TapeRequest => {
    const meant = cell === 'pointed at' ? pointedAt(app, follower) : activeCell(follower);
    return { step: null, cell: cell ? (meant?.model.id ?? null) : null };
  };
  // A cell offers them only where there is a tape to be seen.
  const isVisible = ({ cell }: { cell?: unknown }): boolean => !cell || panel.speaks;
  commands.addCommand(COMMANDS.panel, {
    label: () => say('Tape panel'),
    icon: tapeIcon,
    isToggled: () => panel.isVisible,
    execute: () => (panel.isVisible ? sides.collapseRight?.() : come()),
  });
  commands.addCommand(COMMANDS.outline, {
    label: () => say('Lesson outline'),
    icon: lessonIcon,
    isEnabled: () => outline !== null,
    isToggled: () => outline?.isVisible ?? false,
    execute: () => (outline?.isVisible ? sides.collapseLeft?.() : shell.activateById(OUTLINE)),
  });
  commands.addCommand(COMMANDS.connect, {
    label: () => say('Connect the Tape panel'),
    caption: () => say('Ask the kernel once more whether it has a tape'),
    isEnabled: () => follower.current !== null,
    execute: () => (come(), panel.reconnect()),
  });
  commands.addCommand(COMMANDS.show, {
    label: () => say('Show this tape'),
    caption: (args) =>
      args['cell']
        ? say('Step through the tape of this cell in the panel')
        : say('Step through the newest tape in the panel'),
    icon: tapeIcon,
    isEnabled: () => follower.current !== null,
    isVisible,
    execute: (args) => (come(), panel.open(about(args))),
  });
  commands.addCommand(COMMANDS.explain, {
    label: () => say('Explain this gradient'),
    caption: (args) =>
      args['cell']
        ? say('Say why the gradient of this cell is what it is')
        : say('Say why the newest gradient is what it is'),
    icon: whyIcon,
    isEnabled: () => follower.current !== null,
    isVisible,
    execute: (args) => (come(), panel.explain(about(args))),
  });
  commands.addCommand(COMMANDS.live, {
    label: () => say('Back to the live tape'),
    execute: () => (come(), panel.showLive()),
  });
  commands.addCommand(COMMANDS.pause, {
    label: () => say('Pause the panel, or go on'),
    execute: () => panel.pause(),
  });
  commands.addCommand(COMMANDS.hints, {
    label: () => say('Hints under cells'),
    isToggled: () => preferences.hints,
    execute: () => preferences.setHints(!preferences.hints),
  });
  commands.addCommand(COMMANDS.example, {
    label: () => say('Insert an example'),
    isEnabled: () => follower.notebook !== null,
    execute: () => insertExample(follower.notebook),
  });
  panel.spoke.connect(() => commands.notifyCommandChanged());
  preferences.changed.connect(() => commands.notifyCommandChanged());
}

/** List the commands in the palette. */
export function addToPalette(palette: ICommandPalette | null): void {
  for (const command of Object.values(COMMANDS)) {
    palette?.addItem({ command, category: say('Tapelab') });
  }
}
