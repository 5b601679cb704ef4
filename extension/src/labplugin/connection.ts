import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { withMessage, NOTHING_YET } from '../core/live.js';
import type { LiveState } from '../core/live.js';
import { kernelReplays } from '../core/replays.js';
import { say } from '../core/words.js';
import { isThere, presenceIn } from './presence.js';
import type { Overheard } from './presence.js';
import { parseMessage, TARGET, VERSION } from './protocol.js';
import type {
  Explained,
  Failed,
  Gone,
  Request,
  Settings,
  Taken,
  PanelMessage,
} from './protocol.js';

/** A shown panel says so again this often: a page that vanishes says no goodbye. */
const HEARTBEAT = 10_000;
/** How soon tapelab is looked for in a cell that may import it, in milliseconds. */
const FIRST_LOOK = 200;

type Presence = 'unknown' | 'there' | 'absent';

export type Taking = Taken & { readonly bytes: Uint8Array };
export type Answer = Taking | Explained | Gone | Failed;

/**
 * What this page knows of one kernel, from its pushes alone: nothing is evaluated there.
 *
 * A page has one connection to each kernel, however many notebooks share it.
 */
export class Connection implements IDisposable {
  readonly changed = new Signal<this, LiveState>(this);
  readonly answered = new Signal<this, Answer>(this);
  /** The recording that was opened last, at other values of its variables. */
  readonly replays = kernelReplays((values) => {
    if (this.greeted) this.send({ do: 'replay', values });
    return this.greeted;
  });
  settings: () => Partial<Settings> = () => ({});
  private live: LiveState = NOTHING_YET;
  private frozen: LiveState | null = null;
  private comm: Kernel.IComm | null = null;
  private greeted = false;
  private shown = false;
  private presence: Presence = 'unknown';
  private waiting: Request[] = [];
  private hoping = false;
  private heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly kernel: Kernel.IKernelConnection) {
    kernel.statusChanged.connect(this.followStatus, this);
    kernel.connectionStatusChanged.connect(this.followConnection, this);
    kernel.disposed.connect(() => this.dispose());
  }

  isDisposed = false;

  /** Whether tapelab is there, as far as this page knows. */
  get speaks(): boolean {
    return this.presence === 'there';
  }

  get state(): LiveState {
    return this.frozen ?? this.live;
  }

  /** A message of the kernel passes by, on whichever connection of this page. */
  overhear(message: Overheard): void {
    if (this.speaks) return;
    const presence = presenceIn(message);
    if (presence === 'there') this.find();
    else if (presence === 'perhaps') void this.hope();
  }

  /** Let the kernel send while the panel is visible, and nothing otherwise. */
  show(shown: boolean): void {
    if (shown === this.shown) return;
    this.shown = shown;
    if (!shown) this.hide();
    else if (this.greeted) this.begin();
    else void this.connect();
  }

  /** Try again to reach the kernel's side, also where it was not there before. */
  retry(): void {
    this.presence = 'unknown';
    this.disconnect();
    this.update(NOTHING_YET);
    void this.connect();
  }

  pause(): void {
    this.frozen = this.frozen ? null : { ...this.live, paused: true };
    this.changed.emit(this.state);
  }

  choose(step: number | null): void {
    if (this.frozen) this.frozen = { ...this.frozen, chosen: step };
    this.update({ ...this.live, chosen: step });
  }

  point(focus: LiveState['focus']): void {
    if (this.frozen) this.frozen = { ...this.frozen, focus };
    this.update({ ...this.live, focus });
  }

  /** Ask the kernel for something, at the latest when it has greeted. */
  ask(request: Request): void {
    if (this.greeted) this.send(request);
    else this.waiting.push(request);
  }

  private send(request: Request): void {
    if (this.comm && !this.comm.isDisposed) this.comm.send(request as never);
  }

  dispose(): void {
    if (this.isDisposed) return;
    this.isDisposed = true;
    clearInterval(this.heartbeat);
    if (!this.kernel.isDisposed) this.comm?.close();
    Signal.clearData(this);
  }

  private update(live: LiveState): void {
    this.live = live;
    if (!this.frozen) this.changed.emit(live);
  }

  private async connect(): Promise<void> {
    const { kernel } = this;
    if (!this.shown || this.comm || this.presence === 'absent' || this.isDisposed) return;
    const there = this.speaks || (await isThere(kernel));
    if (this.comm || !this.shown || this.isDisposed) return;
    if (!there && !this.speaks) return this.lose();
    const comm = (this.comm = kernel.createComm(TARGET));
    comm.onMsg = (message) => this.onMessage(message);
    comm.onClose = () => this.lose();
    // Where the kernel can, it answers while the cell runs.
    const { subshellStarted } = comm as { subshellStarted?: Promise<void> };
    if (kernel.supportsSubshells) await subshellStarted?.catch(() => {});
    if (this.comm === comm && !comm.isDisposed) comm.open({ version: VERSION });
  }

  /** It is there: let it greet. */
  private find(): void {
    this.presence = 'there';
    this.update({ ...this.live, link: 'waiting' });
    void this.connect();
  }

  /** A cell runs that speaks of tapelab: look for it until it is there, or the cell is done. */
  private async hope(): Promise<void> {
    this.presence = 'unknown';
    if (this.hoping) return;
    this.hoping = true;
    for (let pause = FIRST_LOOK; this.shown && !this.speaks; pause = Math.min(2 * pause, 2000)) {
      await new Promise((done) => setTimeout(done, pause));
      const isLast = this.kernel.status !== 'busy';
      if (!this.isDisposed && !this.speaks && (await isThere(this.kernel))) this.find();
      if (isLast || this.isDisposed) break;
    }
    this.hoping = false;
  }

  /** The kernel closed the line: tapelab is not imported there. */
  private lose(): void {
    this.disconnect();
    this.presence = 'absent';
    this.update({ ...NOTHING_YET, link: 'absent' });
  }

  private disconnect(): void {
    clearInterval(this.heartbeat);
    const { comm } = this;
    this.comm = null;
    this.greeted = false;
    this.frozen = null;
    this.waiting = [];
    if (comm && !comm.isDisposed) comm.dispose();
  }

  private onMessage({ content, buffers }: KernelMessage.ICommMsgMsg): void {
    const message = parseMessage(content.data);
    if (message) this.take(message, buffers?.[0]);
  }

  private take(message: PanelMessage, bytes: ArrayBuffer | ArrayBufferView | undefined): void {
    switch (message.is) {
      case 'hello':
        return this.greet(message.version, message.tapelab);
      case 'live':
        if (this.shown) this.update(withMessage(this.live, message));
        return;
      case 'recording':
        this.answered.emit({ ...message, bytes: asBytes(bytes) });
        return;
      case 'replay':
        return this.replays.receive(bytes ? asBytes(bytes) : null, message.error ?? '');
      case 'explanation':
      case 'gone':
      case 'error':
        this.answered.emit(message);
    }
  }

  private greet(version: number, tapelab: string): void {
    if (version !== VERSION) {
      return this.fail(
        say('The kernel has another version of tapelab'),
        say('It has {version}. Install the same one there and where JupyterLab is.', {
          version: tapelab,
        }),
      );
    }
    this.greeted = true;
    this.presence = 'there';
    this.update({ ...this.live, link: 'open' });
    this.set(this.settings());
    if (this.shown) this.begin();
    this.waiting.splice(0).forEach((request) => this.send(request));
  }

  /** Tell the kernel what was changed in the settings. */
  settle(settings: Partial<Settings>): void {
    if (!this.greeted) return;
    this.set(settings);
    const { rate, history } = settings;
    if (this.shown && (rate ?? history)) this.begin();
  }

  private set(settings: Partial<Settings>): void {
    if (Object.keys(settings).length) this.send({ do: 'set', settings });
  }

  private begin(): void {
    const { rate, history } = this.settings();
    const show = {
      do: 'show',
      ...(rate ? { rate } : {}),
      ...(history ? { history } : {}),
    } as const;
    this.send(show);
    clearInterval(this.heartbeat);
    this.heartbeat = setInterval(() => this.send(show), HEARTBEAT);
  }

  private hide(): void {
    clearInterval(this.heartbeat);
    if (this.greeted) this.send({ do: 'hide' });
  }

  private fail(trouble: string, error: string): void {
    this.update({ ...this.live, link: 'failed', trouble, error });
  }

  /** A kernel that starts again knows nothing of us, nor of tapelab. */
  private followStatus(_: unknown, status: Kernel.Status): void {
    if (status !== 'restarting' && status !== 'autorestarting' && status !== 'dead') return;
    this.lose();
  }

  private followConnection(_: unknown, status: Kernel.ConnectionStatus): void {
    if (status === 'connected') {
      if (this.live.link !== 'failed') return;
      this.update({ ...this.live, link: this.greeted ? 'open' : 'waiting' });
      if (this.greeted && this.shown) this.begin();
    } else if (this.greeted) {
      this.fail(
        say('The connection to the kernel is lost'),
        say('JupyterLab tries to restore it; what runs goes on.'),
      );
    }
  }
}

function asBytes(data: ArrayBuffer | ArrayBufferView | undefined): Uint8Array {
  if (!data) return new Uint8Array(0);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
