import { h, patch } from '../core/dom.js';
import type { VNode } from '../core/dom.js';
import type { Explanation } from '../core/explanation.js';
import type { MountOptions } from '../core/mount.js';
import { createRoot } from '../core/root.js';
import { button, prose } from '../core/views/parts.js';
import { say } from '../core/words.js';
import type { Caret, Cells } from './cells.js';
import type { Taking } from './connection.js';
import { mended } from './fixes.js';
import type { Look, Shown } from './explorer.js';
import type { Preferences } from './settings.js';
import type { Speech } from './translation.js';

/** The recording of a step in the Explorer, its code lit in the cells that it came from. */
export class TapeView {
  readonly node = document.createElement('div');
  private readonly explorer = document.createElement('div');
  private taken: Taking | null = null;
  private shown: Shown | null = null;
  private fromCaret = false;
  private latest = 0;

  constructor(
    private readonly cells: Cells,
    private readonly back: () => void,
  ) {
    this.node.className = 'tapelab-tape';
    this.explorer.className = 'tapelab-explorer';
  }

  get isOpen(): boolean {
    return this.taken !== null;
  }

  /** Show what the kernel sent; its explanation comes first. */
  async show(
    taken: Taking,
    start: Pick<MountOptions, 'explanation' | 'step' | 'why' | 'replays'>,
    how: Preferences,
  ): Promise<void> {
    const mine = ++this.latest;
    this.taken = taken;
    const { showRecording } = await import('./explorer.js');
    if (mine !== this.latest) return;
    this.shown?.destroy();
    this.drawHead(how.speech, start.explanation ?? null);
    this.shown = await showRecording(this.explorer, {
      recording: taken.bytes,
      ...start,
      ...how.speech,
      look: (look) => this.follow(look),
    });
    this.shown.dispatch({ kind: 'speed', speed: how.speed });
  }

  close(): void {
    this.latest++;
    this.taken = null;
    this.shown?.destroy();
    this.shown = null;
    this.node.replaceChildren();
    this.cells.clear();
  }

  /** Light the node of the line that the cursor is on. */
  point({ cell, text, line, column }: Caret): void {
    const { shown, taken } = this;
    if (!shown || !taken) return;
    const byCell = taken.cells.indexOf(cell);
    const texts = shown.sources().map((source) => source.text.trim());
    const source = byCell >= 0 ? byCell : texts.lastIndexOf(text.trim());
    if (source < 0) return;
    this.fromCaret = true;
    shown.point({ source, line: line - this.blankAbove(source), column });
    this.fromCaret = false;
  }

  private drawHead({ language }: Speech, explanation: Explanation | null): void {
    const head = document.createElement('div');
    const { step } = this.taken!;
    this.node.replaceChildren(head, this.explorer);
    const name = step === null ? say('This tape') : say('step {step}', { step });
    const root = createRoot(head, language, say('Tape panel'));
    patch(root, [
      h(
        'div',
        { class: 'bar' },
        button(say('Back to live'), 'quiet', this.back),
        h('span', { class: 'num muted' }, name),
        h('span', { class: 'push' }),
        this.runView(explanation),
      ),
      ...wellView(explanation),
    ]);
  }

  /** The button that runs the cell with the first fix in it, and returns to the live panel. */
  private runView(explanation: Explanation | null): VNode | null {
    const { cells } = this.taken!;
    for (const { fix, where } of explanation?.findings ?? []) {
      if (!fix?.line || !where) continue;
      const cell = cells[where.source];
      const code = this.cells.sourceOf(cell);
      const fresh = code && mended(code, fix, fix.line + this.blankAbove(where.source));
      if (!fresh) continue;
      const run = (): void => {
        this.back();
        void this.cells.runBelow(cell, fresh);
      };
      const title = say('Runs this cell again, with the line mended, in a new cell below it.');
      return button(say('Run with this line'), '', run, { title });
    }
    return null;
  }

  private follow(look: Look | null): void {
    if (!look || !this.taken) return this.cells.clear();
    const { span, text, tone, chosen } = look;
    const above = this.blankAbove(span.source);
    const stretch = { ...span, line: span.line + above, endLine: span.endLine + above };
    const piece = { cell: this.taken.cells[span.source], text, stretch, tone };
    void this.cells.light(piece, chosen && !this.fromCaret);
  }

  private blankAbove(source: number): number {
    return this.taken?.blank?.[source] ?? 0;
  }
}

/** What there is to say of a gradient with which nothing is wrong. */
function wellView(explanation: Explanation | null): VNode[] {
  if (!explanation || explanation.findings.length) return [];
  const { connected, target, source, headline = '' } = explanation;
  const about = { target, source };
  const text = connected
    ? say(
        'The gradient of `{target}` with respect to `{source}` arrives, and nothing looks wrong with it.',
        about,
      )
    : source
      ? say('No fault was found in the gradient of `{target}` with respect to `{source}`.', about)
      : headline;
  return [h('p', { class: 'well', role: 'status' }, prose(text))];
}
