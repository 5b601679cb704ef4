import type { ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { patch } from '../../core/dom.js';
import { createRoot } from '../../core/root.js';
import { STYLES } from '../../core/styles.js';
import { say, speak } from '../../core/words.js';
import { lessonIcon } from '../icon.js';
import type { Preferences } from '../settings.js';
import { DATA, itemAt, lessonIn } from './lesson.js';
import type { CellFacts, Item, Lesson, LessonFacts } from './lesson.js';
import css from './outline.css';
import { outlineView } from './view.js';

export const OUTLINE = 'tapelab-outline';

/** The outline of the lesson in front, with the points that its notebook holds. */
export class OutlinePanel extends Widget {
  private root: HTMLElement | null = null;
  private notebook: NotebookPanel | null = null;
  private frame = 0;

  constructor(
    notebooks: INotebookTracker,
    private readonly preferences: Preferences,
    private readonly lessons: () => void,
  ) {
    super();
    this.id = OUTLINE;
    this.addClass(OUTLINE);
    this.title.icon = lessonIcon;
    this.dress();
    notebooks.currentChanged.connect((_, notebook) => this.follow(notebook));
    notebooks.activeCellChanged.connect(() => this.redraw());
    preferences.changed.connect(() => this.dress());
    this.follow(notebooks.currentWidget);
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.redraw();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.redraw();
  }

  /** Draw again in the current language. */
  private dress(): void {
    const { language, words } = this.preferences.speech;
    speak(words);
    this.title.caption = say('Lesson');
    this.root = createRoot(this.node, language, say('Lesson'), STYLES + css);
    this.redraw();
  }

  private follow(notebook: NotebookPanel | null): void {
    if (this.notebook && !this.notebook.isDisposed) {
      this.notebook.content.modelContentChanged.disconnect(this.redraw, this);
    }
    this.notebook = notebook;
    notebook?.content.modelContentChanged.connect(this.redraw, this);
    this.redraw();
  }

  /** Many changes, one drawing; hidden, none. */
  private redraw(): void {
    if (this.frame || !this.isVisible) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (!this.isDisposed) this.draw();
    });
  }

  private draw(): void {
    const { notebook, preferences, lessons } = this;
    speak(preferences.speech.words);
    const lesson = notebook && lessonOf(notebook);
    const current = lesson ? itemAt(lesson, notebook!.content.activeCellIndex) : -1;
    const goTo = (item: Item): void => void this.goTo(item);
    patch(this.root!, outlineView(lesson, current, { goTo, lessons }));
  }

  /** Make the cell of an item the active one, with its heading at the top of the screen. */
  private async goTo(item: Item): Promise<void> {
    const { notebook } = this;
    const cells = notebook?.content;
    const above = cells?.widgets[item.begins];
    if (!cells || !above) return;
    cells.activeCellIndex = item.cell;
    cells.activate();
    await cells.scrollToItem(item.begins, 'start').catch(() => {});
    await above.ready;
    const headings = above.node.querySelectorAll(':is(h1, h2, h3, h4, h5, h6)');
    headings[item.nth]?.scrollIntoView({ block: 'start' });
  }
}

function lessonOf({ content }: NotebookPanel): Lesson | null {
  const { model } = content;
  if (!model) return null;
  const facts = (model.getMetadata('tapelab') ?? {}) as LessonFacts;
  const cells = Array.from(model.cells, (cell): CellFacts => {
    const isCode = cell.type === 'code';
    const source = cell.sharedModel.getSource();
    if (!isCode) return { isCode, source, execution: null, cardData: [] };
    const { outputs, executionCount } = cell as ICodeCellModel;
    const cardData = Array.from({ length: outputs.length }, (_, at) => outputs.get(at).data[DATA]);
    return { isCode, source, execution: executionCount, cardData };
  });
  return lessonIn(cells, facts);
}
