import type { ISessionContext } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import type { IConsoleTracker, ConsolePanel } from '@jupyterlab/console';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

/** The notebook or console that the panel follows. */
export type Followed = NotebookPanel | ConsolePanel;

type Trackers = readonly (INotebookTracker | IConsoleTracker)[];

/** Knows which notebook or console was used last, and whose kernels there are. */
export class Follower {
  readonly changed = new Signal<this, Followed | null>(this);
  /** A kernel begins, or another one, in any of them. */
  readonly kernels = new Signal<this, ISessionContext>(this);
  private last: Followed | null = null;

  constructor(
    readonly notebooks: INotebookTracker | null,
    readonly consoles: IConsoleTracker | null,
  ) {
    for (const tracker of this.trackers) {
      tracker.currentChanged.connect(() => this.follow(tracker.currentWidget));
      tracker.widgetAdded.connect((_: unknown, widget: Followed) => this.attend(widget));
      tracker.forEach((widget: Followed) => this.attend(widget));
      this.follow(tracker.currentWidget);
    }
  }

  get current(): Followed | null {
    return this.last;
  }

  get notebook(): NotebookPanel | null {
    const { last } = this;
    return last && !('console' in last) ? last : null;
  }

  /** Follow what has come to the front, if it is a notebook or a console. */
  follow(widget: Widget | null): void {
    const found = this.trackers.some((tracker) => widget && tracker.has(widget));
    if (!found || widget === this.last) return;
    this.last = widget as Followed;
    this.changed.emit(this.last);
  }

  private get trackers(): Trackers {
    return [this.notebooks, this.consoles].filter((each) => each !== null);
  }

  private attend(widget: Followed): void {
    const { sessionContext } = widget;
    const update = (): void => {
      this.kernels.emit(sessionContext);
      if (widget === this.last) this.changed.emit(widget);
    };
    sessionContext.kernelChanged.connect(update);
    if (sessionContext.session?.kernel) update();
    widget.disposed.connect(() => {
      if (widget !== this.last) return;
      this.last = null;
      this.trackers.forEach((tracker) => this.follow(tracker.currentWidget));
      if (!this.last) this.changed.emit(null);
    });
  }
}

/** The cells of a notebook or console that hold code, in their order. */
export function cellsOf(followed: Followed): readonly Cell[] {
  if ('console' in followed) {
    const { cells, promptCell } = followed.console;
    const ran = Array.from({ length: cells.length }, (_, at) => cells.get(at));
    return promptCell ? [...ran, promptCell] : ran;
  }
  return followed.content.widgets;
}

/** The cell of an id if this is its code; else the cell whose code it is, the newest first. */
export function findCell(
  followed: Followed,
  id: string | null | undefined,
  text: string | null,
): Cell | null {
  const cells = cellsOf(followed);
  const named = (id && cells.find(({ model }) => model.id === id)) || null;
  if (text === null) return named;
  const said = text.trim();
  const isIt = ({ model }: Cell): boolean => model.sharedModel.getSource().trim() === said;
  return named && isIt(named) ? named : (cells.findLast(isIt) ?? named);
}
