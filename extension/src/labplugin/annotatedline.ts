import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import { StateEffect, StateField } from '@codemirror/state';
import type { Text } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';
import type { CellLine, CellNote } from '../core/cellcode.js';

/** The values below a line, each where its piece of code begins. */
class NotesRow extends WidgetType {
  constructor(private readonly notes: readonly CellNote[]) {
    super();
  }

  override eq(other: NotesRow): boolean {
    return JSON.stringify(this.notes) === JSON.stringify(other.notes);
  }

  override toDOM(): HTMLElement {
    const row = document.createElement('div');
    row.className = 'tapelab-notes';
    row.setAttribute('aria-hidden', 'true'); // the Explorer below says it
    for (const { column, letters, text, tone } of this.notes) {
      const note = document.createElement('span');
      note.className = tone || 'v';
      note.style.left = `${Math.max(column + letters / 2, text.length / 2)}ch`;
      note.textContent = text;
      row.append(note);
    }
    return row;
  }

  override get estimatedHeight(): number {
    return ROW;
  }
}

/** The height of the row of values; there is one at each step, that nothing below it moves. */
const ROW = 18;

const shown = StateEffect.define<CellLine | null>();

function decorationsOf(doc: Text, { notes, tone, ...place }: CellLine): DecorationSet {
  const at = (line: number, column: number): number => {
    const { from, to } = doc.line(Math.max(1, Math.min(doc.lines, line)));
    return Math.min(to, from + column);
  };
  const [from, to] = [at(place.line, place.column), at(place.endLine, place.endColumn)];
  const line = doc.lineAt(from);
  const row = Decoration.widget({ widget: new NotesRow(notes), block: true, side: 1 });
  const mark = Decoration.mark({ class: `tapelab-lit ${tone}` });
  return Decoration.set(
    [
      Decoration.line({ class: 'tapelab-line' }).range(line.from),
      ...(from < to ? [mark.range(from, to)] : []),
      row.range(line.to),
    ],
    true,
  );
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (decorations, { changes, effects, state }) => {
    const effect = effects.find((one) => one.is(shown));
    if (!effect) return decorations.map(changes);
    const { value } = effect as StateEffect<CellLine | null>;
    return value ? decorationsOf(state.doc, value) : Decoration.none;
  },
  provide: (own) => EditorView.decorations.from(own),
});

/** The colours of values and gradients, as in core/styles/tokens.css. */
const theme = EditorView.baseTheme({
  '.tapelab-notes': {
    position: 'relative',
    height: `${ROW}px`,
    margin: '0 2px 0 6px',
    overflow: 'hidden',
    userSelect: 'none',
  },
  '.tapelab-notes > span': {
    position: 'absolute',
    transform: 'translateX(-50%)',
    whiteSpace: 'pre',
    fontWeight: '600',
    lineHeight: `${ROW}px`,
  },
  '.tapelab-notes > .v': { color: 'color-mix(in srgb, #0072b2 60%, currentColor)' },
  '.tapelab-notes > .g': { color: 'color-mix(in srgb, #d55e00 60%, currentColor)' },
  '.tapelab-notes > .todo': { fontWeight: '400' },
});

const prepared = new WeakSet<CodeMirrorEditor>();

/** Show a step in an editor, in lines from 1 and columns as it counts them; with null, none. */
export function annotate(editor: CodeMirrorEditor, line: CellLine | null): void {
  if (!prepared.has(editor)) {
    if (!line) return;
    prepared.add(editor);
    editor.injectExtension([field, theme]);
  }
  editor.editor.dispatch({ effects: shown.of(line) });
}
