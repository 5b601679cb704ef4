import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';

/** A stretch of code in an editor: lines from 1, columns from 0. */
export interface Stretch {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export type Tone = 'v' | 'g';

type Light = { readonly stretch: Stretch; readonly tone: Tone } | null;

const light = StateEffect.define<Light>();

const lit = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects, state }) => {
    const change = effects.find((effect) => effect.is(light));
    if (!change) return marks.map(changes);
    const { value } = change as { value: Light };
    if (!value) return Decoration.none;
    const { doc } = state;
    const { stretch, tone } = value;
    const at = (line: number, column: number): number => {
      const { from, to } = doc.line(Math.max(1, Math.min(doc.lines, line)));
      return Math.min(to, from + column);
    };
    const from = at(stretch.line, stretch.column);
    const to = at(stretch.endLine, stretch.endColumn);
    const line = Decoration.line({ class: 'tapelab-line' }).range(doc.lineAt(from).from);
    const mark = Decoration.mark({ class: `tapelab-lit ${tone}` });
    return Decoration.set(from < to ? [line, mark.range(from, to)] : [line]);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The colours of values and gradients, as in core/styles/tokens.css. */
const theme = EditorView.baseTheme({
  '.tapelab-line': { boxShadow: 'inset 3px 0 color-mix(in srgb, currentColor 50%, transparent)' },
  '.tapelab-lit': { borderRadius: '3px', outline: '1px solid transparent' },
  '.tapelab-lit.v': { backgroundColor: 'color-mix(in srgb, #0072b2 20%, transparent)' },
  '.tapelab-lit.g': { backgroundColor: 'color-mix(in srgb, #d55e00 22%, transparent)' },
});

type CursorListener = (editor: CodeEditor.IEditor) => void;

/** Highlights code in the editors of cells, and observes the cursor. */
export class Marks {
  private readonly prepared = new WeakSet<CodeEditor.IEditor>();
  private marked: CodeEditor.IEditor | null = null;

  constructor(private readonly moved: CursorListener) {}

  /** Let an editor be marked, and its cursor be followed. */
  prepare(editor: CodeEditor.IEditor): void {
    if (this.prepared.has(editor) || !('injectExtension' in editor)) return;
    this.prepared.add(editor);
    const follow = EditorView.updateListener.of(({ selectionSet, view }) => {
      if (selectionSet && view.hasFocus) this.moved(editor);
    });
    (editor as CodeMirrorEditor).injectExtension([lit, theme, follow]);
  }

  /** Light a stretch, and nothing else. */
  light(editor: CodeEditor.IEditor, stretch: Stretch, tone: Tone): void {
    if (this.marked !== editor) this.clear();
    this.prepare(editor);
    this.marked = editor;
    setLight(editor, { stretch, tone });
  }

  clear(): void {
    if (this.marked && !this.marked.isDisposed) setLight(this.marked, null);
    this.marked = null;
  }
}

function setLight(editor: CodeEditor.IEditor, value: Light): void {
  (editor as CodeMirrorEditor).editor?.dispatch({ effects: light.of(value) });
}
