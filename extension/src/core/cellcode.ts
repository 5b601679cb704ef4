/**
 * The code of a tape, shown in the cell of a notebook that it came from: what an Explorer says to
 * the page around it, and what that answers.
 */

/** What stands below a piece of a line. */
export interface CellNote {
  /** Where the piece begins, and how long it is. */
  readonly column: number;
  readonly letters: number;
  readonly text: string;
  readonly tone: '' | 'g' | 'todo';
}

/** The piece of code that a step is about: lines and characters of the text, both from 0. */
export interface CellLine {
  /** All of the code, as it was recorded. */
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly tone: 'v' | 'g' | 'n';
  readonly notes: readonly CellNote[];
}

/** The height of a cell in which the code is shown, in pixels; null where none is. */
export type CellHeight = number | null;

/** The way to the page around. */
export interface CellPort {
  /** Show a piece of code in its cell; with null, none. */
  show(line: CellLine | null): void;
  listen(listener: (height: CellHeight) => void): () => void;
}

/** What a frame says to the page around it, and what that answers. */
export const LINE_MESSAGE = 'tapelab-line';
export const CELL_MESSAGE = 'tapelab-cell';
