import type { IStatusBar } from '@jupyterlab/statusbar';
import type { ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { LiveState } from '../core/live.js';
import { count } from '../core/numbers.js';
import { say } from '../core/words.js';
import type { TapePanel } from './panel.js';

/** The newest tape in a word at the foot of the page; a click shows the panel. */
class Status extends Widget {
  private readonly button = document.createElement('button');

  constructor(click: () => void) {
    super();
    this.addClass('tapelab-status');
    this.button.type = 'button';
    this.button.title = say('Tape panel');
    this.button.addEventListener('click', click);
    this.node.append(this.button);
    this.setText('');
  }

  follow({ now }: LiveState): void {
    const { tape = null, running = false } = now ?? {};
    const ops = tape ? count(tape.ops, 'op') : '';
    this.setText(running && tape ? say('{ops}, running', { ops }) : ops);
  }

  private setText(what: string): void {
    const text = what ? `${say('Tape')}: ${what}` : say('Tape');
    if (this.button.textContent !== text) this.button.textContent = text;
  }
}

/** Put the status into the bar, where there is one and tapelab is used. */
export function addStatus(bar: IStatusBar | null, panel: TapePanel, click: () => void): void {
  if (!bar) return;
  const item = new Status(click);
  panel.spoke.connect((_, state) => item.follow(state));
  const isActive = (): boolean => panel.speaks;
  bar.registerStatusItem('tapelab:status', {
    align: 'middle',
    item,
    isActive,
    activeStateChanged: panel.spoke as unknown as ISignal<unknown, void>,
  });
}
