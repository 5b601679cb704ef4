import type { Cell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { ConsolePanel } from '@jupyterlab/console';
import { NotebookActions } from '@jupyterlab/notebook';
import { cellsOf, findCell } from './activekernel.js';
import type { Follower } from './activekernel.js';
import { Marks } from './highlights.js';
import type { Stretch, Tone } from './highlights.js';

/** A piece of code of a tape: in a cell, or wherever its text stands. */
export interface Piece {
  readonly cell: string | null | undefined;
  readonly text: string | null;
  readonly stretch: Stretch;
  readonly tone: Tone;
}

/** Where the learner has put the cursor: a line from 1, a column from 0. */
export interface Caret {
  readonly cell: string;
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** The links between a tape and the cells whose code it recorded. */
export class Cells {
  private readonly marks = new Marks((editor) => this.onCursor(editor));

  constructor(
    private readonly follower: Follower,
    private readonly moved: (caret: Caret) => void,
  ) {
    follower.notebooks?.activeCellChanged.connect((_, cell) => void this.prepare(cell));
    void this.prepare(follower.notebooks?.activeCell ?? null);
    follower.consoles?.widgetAdded.connect((_, panel) => this.attend(panel));
    follower.consoles?.forEach((panel) => this.attend(panel));
  }

  /** Light a piece of code; `show` also brings it on the screen. Says whether it was found. */
  async light({ cell: id, text, stretch, tone }: Piece, show: boolean): Promise<boolean> {
    const cell = this.find(id, text);
    if (!cell) {
      this.clear();
      return false;
    }
    const editor = await this.editorOf(cell, show);
    if (editor) {
      this.marks.light(editor, stretch, tone);
      if (show) editor.revealPosition({ line: stretch.line - 1, column: stretch.column });
    }
    return true;
  }

  /** Put the cursor on a line of a cell. Says whether there is such a cell. */
  async goTo(id: string | null, line: number): Promise<boolean> {
    const cell = this.find(id, null);
    if (!cell) return false;
    const { notebook } = this.follower;
    const at = notebook?.content.widgets.indexOf(cell) ?? -1;
    if (notebook && at >= 0) notebook.content.activeCellIndex = at;
    const editor = await this.editorOf(cell, true);
    if (!editor) return false;
    const position = { line: Math.max(0, line - 1), column: 0 };
    editor.setCursorPosition(position);
    editor.revealPosition(position);
    const end = editor.getLine(position.line)?.length ?? 0;
    this.marks.light(editor, { line, column: 0, endLine: line, endColumn: end }, 'g');
    editor.focus();
    return true;
  }

  /** The source of a cell of the notebook; null where it has no such cell. */
  sourceOf(id: string | null | undefined): string | null {
    const cell = this.find(id, null);
    const inNotebook = cell && this.follower.notebook?.content.widgets.includes(cell);
    return inNotebook ? cell.model.sharedModel.getSource() : null;
  }

  /** Run code in a new cell below another one. */
  async runBelow(id: string | null | undefined, code: string): Promise<void> {
    const { notebook } = this.follower;
    const cell = this.find(id, null);
    if (!notebook || !cell) return;
    const { content, sessionContext } = notebook;
    content.activeCellIndex = content.widgets.indexOf(cell);
    NotebookActions.insertBelow(content);
    content.activeCell!.model.sharedModel.setSource(code);
    await NotebookActions.run(content, sessionContext);
  }

  clear(): void {
    this.marks.clear();
  }

  private find(id: string | null | undefined, text: string | null): Cell | null {
    const { current } = this.follower;
    return current && !current.isDisposed ? findCell(current, id, text) : null;
  }

  private async editorOf(cell: Cell, show: boolean): Promise<CodeEditor.IEditor | null> {
    const { notebook } = this.follower;
    if (show && notebook?.content.widgets.includes(cell)) {
      await notebook.content.scrollToCell(cell, 'smart').catch(() => {});
    }
    if (!cell.inViewport && !show) return cell.editor;
    return (await isReady(cell)) ? cell.editor : null;
  }

  private async prepare(cell: Cell | null): Promise<void> {
    if (cell?.model.type !== 'code') return;
    if ((await isReady(cell)) && cell.editor) this.marks.prepare(cell.editor);
  }

  /** What has run in a console can be pointed at like the cells of a notebook. */
  private attend({ console }: ConsolePanel): void {
    console.cells.changed.connect((_, { newValues }) => {
      newValues.forEach((cell) => void this.prepare(cell));
    });
  }

  private onCursor(editor: CodeEditor.IEditor): void {
    const { current } = this.follower;
    const cell = current && cellsOf(current).find((each) => each.editor === editor);
    if (!cell) return;
    const { line, column } = editor.getCursorPosition();
    const text = cell.model.sharedModel.getSource();
    this.moved({ cell: cell.model.id, text, line: line + 1, column });
  }
}

/** Wait until a cell has its editor; false where it has gone before. */
async function isReady(cell: Cell): Promise<boolean> {
  await cell.ready.catch(() => {});
  return !cell.isDisposed;
}
