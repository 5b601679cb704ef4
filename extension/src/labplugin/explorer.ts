import { provide } from '../core/extras.js';
import { mount } from '../core/mount.js';
import type { Handle, MountOptions } from '../core/mount.js';
import type { Model } from '../core/model.js';
import { isPacked, unpacked } from '../core/compression.js';
import { stateAt } from '../core/stepstate.js';
import type { SourceInfo, Span } from '../core/schema.js';
import type { State } from '../core/state.js';
import type { Store } from '../core/store.js';
import { spanOfStep } from '../core/views/code.js';
import EXTRAS from '../extras/index.js';
import { charactersBefore, columnAfter } from './columns.js';
import type { Tone } from './highlights.js';

provide(EXTRAS);

/** The piece of code that the Explorer is about. */
export interface Look {
  readonly span: Span;
  readonly text: string;
  readonly title: string;
  readonly tone: Tone;
  /** Whether a node was pointed at, rather than stepped to. */
  readonly chosen: boolean;
}

/** A place in a source as an editor counts: lines from 1, columns from 0 in UTF-16. */
export interface Place {
  readonly source: number;
  readonly line: number;
  readonly column: number;
}

export interface Shown extends Handle {
  /** Light the node whose code stands at a place. */
  point(place: Place): void;
  sources(): readonly { readonly title: string; readonly text: string }[];
}

export interface ShowOptions extends Omit<MountOptions, 'onStore'> {
  readonly look?: (look: Look | null) => void;
}

function spanOfNode(model: Model, node: number): Span | null {
  const { graph, recording } = model;
  const event = graph.nodeEvent[node]!;
  if (event >= 0) return recording.span(recording.eventSpan(event));
  const tensor = graph.nodeTensor[node]!;
  return tensor < 0 ? null : recording.span(recording.tensor(tensor).span);
}

function lineOf({ text, first_line }: SourceInfo, line: number): string {
  return text.split('\n')[line - first_line] ?? '';
}

/** A span of a recording, which counts characters, as an editor counts. */
function asEdited(span: Span, source: SourceInfo): Span {
  const column = columnAfter(lineOf(source, span.line), span.column);
  const endColumn = columnAfter(lineOf(source, span.endLine), span.endColumn);
  return { ...span, column, endColumn };
}

function lookOf({ model, step, selected }: State): Look | null {
  if (!model.stepCount) return null;
  const current = stateAt(model, step);
  const span = selected >= 0 ? spanOfNode(model, selected) : spanOfStep(model, current);
  const source = span && model.recording.header.sources[span.source];
  if (!span || !source) return null;
  const tone = current.phase === 'backward' ? 'g' : 'v';
  return {
    span: asEdited(span, source),
    text: source.text,
    title: source.title,
    tone,
    chosen: selected >= 0,
  };
}

function covers(span: Span, { source, line, column }: Place): boolean {
  return (
    span.source === source &&
    line >= span.line &&
    line <= span.endLine &&
    (line > span.line || column >= span.column) &&
    (line < span.endLine || column <= span.endColumn)
  );
}

const sizeOf = (span: Span): number =>
  (span.endLine - span.line) * 1000 + span.endColumn - span.column;

/** The node of the smallest piece of code around a place; else the last one on its line. */
function nodeAt(model: Model, edited: Place): number {
  const source = model.recording.header.sources[edited.source];
  if (!source) return -1;
  const column = charactersBefore(lineOf(source, edited.line), edited.column);
  const place = { ...edited, column };
  let [best, size, last] = [-1, Infinity, -1];
  for (let node = 0; node < model.graph.nodeCount; node++) {
    const span = spanOfNode(model, node);
    if (!span) continue;
    if (covers(span, place) && sizeOf(span) < size) [best, size] = [node, sizeOf(span)];
    if (span.source === place.source && span.line <= place.line && span.endLine >= place.line)
      last = node;
  }
  return best >= 0 ? best : last;
}

/** Show a recording, and follow what is looked at there. */
export async function showRecording(host: Element, options: ShowOptions): Promise<Shown> {
  const { recording: given, look, ...more } = options;
  const recording = isPacked(given) ? await unpacked(given) : given;
  let store: Store | undefined;
  const onStore = (made: Store): void => {
    store = made;
    if (!look) return;
    const report = (): void => look(lookOf(made.state()));
    made.subscribe(report);
    report();
  };
  const handle = mount(host, { ...more, recording, onStore });
  return {
    ...handle,
    destroy: () => handle.destroy(),
    onChange: (listener) => handle.onChange(listener),
    onGuess: (listener) => handle.onGuess(listener),
    point: (place) => {
      const state = store?.state();
      const node = state ? nodeAt(state.model, place) : -1;
      if (node >= 0 && node !== state!.selected) store!.dispatch({ kind: 'select', node });
    },
    sources: () => store?.state().model.recording.header.sources ?? [],
  };
}
