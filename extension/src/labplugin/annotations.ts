import type { Cell, CodeCell } from '@jupyterlab/cells';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { CELL_MESSAGE, LINE_MESSAGE } from '../core/cellcode.js';
import type { CellHeight, CellLine } from '../core/cellcode.js';
import { annotate } from './annotatedline.js';
import { columnAfter } from './columns.js';
import type { Preferences } from './settings.js';

/** Where an Explorer stands: a frame, or an element of the page. */
const EXPLORERS = 'iframe[srcdoc], .tl:not(.nudge)';
/** What stands between the code of a cell and its output, in pixels. */
const BETWEEN = 16;

/** How many lines of a cell stand above a code that is all it holds; -1 where it holds another. */
function linesAbove(cell: string, text: string): number {
  if (cell.trim() !== text.trim()) return -1;
  const blank = (code: string): number => code.slice(0, code.search(/\S/)).split('\n').length - 1;
  return blank(cell) - blank(text);
}

/** The code of a cell, with the step of the Explorer below it. */
class AnnotatedCell {
  /** Whether the Explorer is gone: another may stand in its place. */
  isOver = false;
  private line: CellLine | null = null;
  private said: CellHeight = null;
  private readonly sizes = new ResizeObserver(() => this.update());
  private frame = 0;

  constructor(
    private readonly cell: CodeCell,
    private readonly element: Element,
    private readonly answer: (height: CellHeight) => void,
    private readonly preferences: Preferences,
  ) {
    cell.model.contentChanged.connect(this.updateSoon, this);
    cell.outputArea.outputLengthChanged.connect(this.updateSoon, this);
    preferences.changed.connect(this.updateSoon, this);
    cell.disposed.connect(this.end, this);
    void cell.ready.then(() => {
      if (this.isOver) return;
      this.sizes.observe(cell.inputArea!.node);
      this.updateSoon();
    });
  }

  show(line: CellLine | null): void {
    this.line = line;
    this.updateSoon();
  }

  /** In the next frame: an editor takes no change while it tells of one. */
  private updateSoon(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.update());
  }

  private update(): void {
    if (this.isOver) return;
    const { cell, element, place } = this;
    if (cell.editor) annotate(cell.editor as CodeMirrorEditor, place);
    if (element.isConnected) this.report();
    else this.end();
  }

  /** What is lit in the cell; null where it holds other code by now, or several Explorers. */
  private get place(): CellLine | null {
    const { cell, element, line, preferences } = this;
    if (!line || !preferences.annotations || !element.isConnected) return null;
    if (cell.outputArea.node.querySelectorAll(EXPLORERS).length !== 1) return null;
    const above = linesAbove(cell.model.sharedModel.getSource(), line.text);
    return above < 0 ? null : edited(line, above);
  }

  /** Say how high the cell is that shows the code, or that none does. */
  private report(): void {
    const { editor, inputArea } = this.cell;
    const high = editor && this.place ? inputArea!.node.offsetHeight : 0;
    const height = high ? high + BETWEEN : null;
    if (height !== this.said) this.answer((this.said = height));
  }

  private end(): void {
    this.isOver = true;
    cancelAnimationFrame(this.frame);
    this.sizes.disconnect();
    Signal.disconnectReceiver(this);
  }
}

/** A line of the recorded code as an editor counts: lines from 1, columns in UTF-16. */
function edited(line: CellLine, above: number): CellLine {
  const lines = line.text.split('\n');
  const column = (at: number, characters: number): number =>
    columnAfter(lines[at] ?? '', characters);
  return {
    ...line,
    line: line.line + above + 1,
    column: column(line.line, line.column),
    endLine: line.endLine + above + 1,
    endColumn: column(line.endLine, line.endColumn),
    notes: line.notes.map((note) => ({ ...note, column: column(line.line, note.column) })),
  };
}

/** Shows the steps of Explorers in the cells whose code they recorded. */
export class Annotations {
  private readonly cells = new WeakMap<Element, AnnotatedCell>();

  constructor(
    private readonly notebooks: INotebookTracker,
    private readonly preferences: Preferences,
  ) {
    window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
      const said = data as { type?: string; line: CellLine | null } | null;
      if (said?.type !== LINE_MESSAGE) return;
      const frame = [...document.querySelectorAll('iframe')].find(
        ({ contentWindow }) => contentWindow === source,
      );
      const answer = (height: CellHeight): void =>
        frame?.contentWindow?.postMessage({ type: CELL_MESSAGE, height }, '*');
      if (frame) this.show(frame, said.line, answer);
    });
  }

  private show(
    element: Element,
    line: CellLine | null,
    answer: (height: CellHeight) => void,
  ): void {
    let shown = this.cells.get(element);
    const cell = !shown || shown.isOver ? this.cellOf(element) : null;
    if (cell) {
      shown = new AnnotatedCell(cell, element, answer, this.preferences);
      this.cells.set(element, shown);
    }
    shown?.show(line);
  }

  /** The code cell in whose output an element stands. */
  private cellOf(element: Element): CodeCell | null {
    const notebook = this.notebooks.find(({ node }) => node.contains(element));
    const isCell = (cell: Cell): boolean =>
      cell.model.type === 'code' && cell.node.contains(element);
    return (notebook?.content.widgets.find(isCell) as CodeCell | undefined) ?? null;
  }
}
