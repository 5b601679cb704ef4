import { Notification } from '@jupyterlab/apputils';
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Message } from '@lumino/messaging';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { Explanation } from '../core/explanation.js';
import { NOTHING_YET } from '../core/live.js';
import type { LiveActions, LiveState } from '../core/live.js';
import { mount } from '../core/livepanel.js';
import { say, speak } from '../core/words.js';
import { Cells } from './cells.js';
import type { Caret } from './cells.js';
import type { Answer, Connection, Taking } from './connection.js';
import type { Connections } from './connections.js';
import type { Followed, Follower } from './activekernel.js';
import { tapeIcon } from './icon.js';
import css from './panel.css';
import type { TapeRequest } from './protocol.js';
import type { Preferences } from './settings.js';
import { TapeView } from './tape-view.js';

const PANEL = 'tapelab-panel';
/** How long a message is shown, in milliseconds; without it JupyterLab only counts the message. */
const LONG_ENOUGH = 10_000;

/** The panel beside a notebook: what its newest tape does, live, and any step of it to look into. */
export class TapePanel extends Widget {
  private connection: Connection | null = null;
  /** What the panel knows of the kernel has changed. */
  readonly spoke = new Signal<this, LiveState>(this);
  private readonly live = document.createElement('div');
  private readonly tape: TapeView;
  private readonly cells: Cells;
  private draw: (state: LiveState) => void = () => {};
  private frame = 0;
  private asksWhy = false;
  private taken: Taking | null = null;

  constructor(
    private readonly follower: Follower,
    private readonly connections: Connections,
    private readonly preferences: Preferences,
    private readonly actions: Pick<LiveActions, 'example'>,
  ) {
    super();
    this.id = PANEL;
    this.addClass(PANEL);
    this.title.icon = tapeIcon;
    this.cells = new Cells(follower, (caret) => this.point(caret));
    this.tape = new TapeView(this.cells, () => this.showLive());
    const style = document.createElement('style');
    style.textContent = css;
    this.node.append(style, this.live);
    this.dress();
    follower.changed.connect((_, followed) => this.follow(followed));
    follower.kernels.connect((_, context) => this.attend(context));
    document.addEventListener('visibilitychange', this.look);
    preferences.changed.connect(() => this.dress());
    this.follow(follower.current);
  }

  /** Show the recording of a step or of a cell: of the newest tape, without either. */
  open(request: TapeRequest): void {
    this.asksWhy = false;
    this.connection?.ask({ do: 'open', ...request });
  }

  /** Show why the gradient of a step or of a cell is what it is. */
  explain(request: TapeRequest): void {
    this.asksWhy = true;
    this.connection?.ask({ do: 'open', ...request });
  }

  /** Try once more to reach the kernel's side. */
  reconnect(): void {
    this.connection?.retry();
  }

  /** Whether there may be a tape in the kernel of now. */
  get speaks(): boolean {
    const { follower, connection } = this;
    return (
      (connection?.speaks ?? false) || (follower.notebook !== null && mentionsTapelab(follower))
    );
  }

  pause(): void {
    this.connection?.pause();
  }

  /** Draw again in the current language. */
  dress(): void {
    const { language, words } = this.preferences.speech;
    speak(words);
    this.title.caption = say('Tape');
    const actions: LiveActions = {
      pause: () => this.pause(),
      choose: (step) => this.connection?.choose(step),
      point: (focus) => this.connection?.point(focus),
      open: (step) => this.open({ step }),
      explain: (step) => this.explain({ step }),
      connect: () => this.reconnect(),
      goTo: (cell, line) => void this.cells.goTo(cell, line),
      ...this.actions,
    };
    this.draw = mount(this.live, this.state, { actions, language, words });
  }

  override dispose(): void {
    document.removeEventListener('visibilitychange', this.look);
    this.connection?.show(false);
    this.cells.clear();
    super.dispose();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.look();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this.look();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.look();
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    this.connection?.show(false);
  }

  /** What there is to be seen: of the kernel, or why there is nothing. */
  private get state(): LiveState {
    const { connection, follower } = this;
    const state = connection?.state ?? { ...NOTHING_YET, link: 'none' };
    return { ...state, name: follower.current?.title.label ?? '' };
  }

  /** Only a visible panel receives messages of the kernel. */
  private readonly look = (): void => {
    this.connection?.show(this.isVisible && document.visibilityState === 'visible');
  };

  private follow(followed: Followed | null): void {
    const kernel = followed?.sessionContext.session?.kernel;
    const next = kernel ? this.connections.of(kernel) : null;
    if (next === this.connection && !this.connection?.isDisposed) return;
    const before = this.connection;
    if (before && !before.isDisposed) {
      before.show(false);
      before.changed.disconnect(this.redraw, this);
      before.answered.disconnect(this.onAnswer, this);
    }
    this.connection = next;
    next?.changed.connect(this.redraw, this);
    next?.answered.connect(this.onAnswer, this);
    this.showLive();
    this.look();
  }

  private attend({ session }: ISessionContext): void {
    if (session?.kernel) this.connections.of(session.kernel);
  }

  private redraw(): void {
    this.spoke.emit(this.state);
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.node.dataset['link'] = this.state.link;
      if (!this.isDisposed && !this.tape.isOpen) this.draw(this.state);
    });
  }

  private onAnswer(_: Connection, answer: Answer): void {
    switch (answer.is) {
      case 'explanation':
        if (this.taken) this.showTape(this.taken, answer.explanation);
        return;
      case 'recording':
        this.taken = answer;
        if (this.asksWhy && !answer.explanation)
          this.connection?.ask({ do: 'explain', step: answer.step, cell: answer.cell ?? null });
        return this.showTape(answer, answer.explanation);
      case 'gone':
        return void Notification.info(say('This step is not kept any more. Choose a later one.'), {
          autoClose: LONG_ENOUGH,
        });
      case 'error':
        return void Notification.warning(answer.message, { autoClose: LONG_ENOUGH });
    }
  }

  private showTape(taken: Taking, explanation: Explanation | null): void {
    this.live.remove();
    this.node.append(this.tape.node);
    const why = this.asksWhy ? { why: true } : { step: 1 };
    const replays = this.connection?.replays;
    void this.tape.show(taken, { explanation, replays, ...why }, this.preferences);
  }

  /** Leave the step that was looked into. */
  showLive(): void {
    if (this.tape.isOpen) {
      this.tape.close();
      this.tape.node.remove();
      this.node.append(this.live);
    }
    this.redraw();
  }

  private point(caret: Caret): void {
    if (this.isVisible && this.tape.isOpen) this.tape.point(caret);
  }
}

function mentionsTapelab({ notebook }: Follower): boolean {
  const cells = notebook?.content.widgets ?? [];
  return cells.some(({ model }) => model.sharedModel.getSource().includes('tapelab'));
}
