import type { CellLine } from '../cellcode.js';
import { h } from '../dom.js';
import type { Child, VNode } from '../dom.js';
import type { Graph } from '../graph.js';
import type { Model } from '../model.js';
import { count, formatBrief, grouped } from '../numbers.js';
import { isLit, labelOf, slotAt, slotText, tensorOf } from '../stepstate.js';
import type { StepState } from '../stepstate.js';
import { Kind } from '../schema.js';
import type { SourceInfo, Span } from '../schema.js';
import { say, WORDS } from '../words.js';

/** A highlighted stretch of source. */
export interface Mark {
  readonly span: Span;
  readonly tone: 'v' | 'g' | 'n';
}

/** A value written under a stretch of the current line. */
interface Note {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly tone: '' | 'g' | 'todo';
}

const WORD_LIMIT = 300;
const LOOK_BACK = 48;
const LOOK_AHEAD = 16;

const INK =
  /(#.*$)|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\b(and|as|assert|break|class|continue|def|del|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|print|raise|range|return|True|try|while|with|yield)\b/gu;

/** Python in ink: keywords bold, comments quiet, no colour. */
function ink(text: string): Child[] {
  const out: Child[] = [];
  let at = 0;
  for (const match of text.matchAll(INK)) {
    const [whole, comment, quoted] = match;
    if (quoted) continue;
    out.push(text.slice(at, match.index), h('span', { class: comment ? 'c' : 'k' }, whole));
    at = match.index + whole.length;
  }
  return [...out, text.slice(at)];
}

/** The columns a span covers on a line, or null. */
function covered(span: Span, line: number, length: number): readonly [number, number] | null {
  if (line < span.line || line > span.endLine) return null;
  const from = line === span.line ? span.column : 0;
  const to = line === span.endLine ? span.endColumn : length;
  return from < to ? [from, Math.min(to, length)] : null;
}

/** How many letters of an expression stay with the note below it where the line wraps. */
function firstWord(letters: readonly string[], from: number): number {
  let end = from;
  while (end < from + LONG && /\w/.test(letters[end] ?? '')) end++;
  return end - from;
}

/** A part of a line in ink, with the notes that begin in it. */
function inkWithNotes(
  letters: readonly string[],
  from: number,
  to: number,
  notes: readonly Note[],
): Child[] {
  const out: Child[] = [];
  let at = from;
  for (const note of notes) {
    if (note.from < from || note.from >= to) continue;
    const end = Math.min(to, note.from + firstWord(letters, note.from));
    const word = ink(letters.slice(note.from, end).join(''));
    out.push(...ink(letters.slice(at, note.from).join('')));
    out.push(h('span', { class: 'noted' }, noteView(note), word));
    at = end;
  }
  return [...out, ...ink(letters.slice(at, to).join(''))];
}

function lineText(
  letters: readonly string[],
  marks: readonly Mark[],
  line: number,
  notes: readonly Note[],
): Child[] {
  const out: Child[] = [];
  let at = 0;
  for (const { span, tone } of marks) {
    const columns = covered(span, line, letters.length);
    if (!columns || columns[0] < at) continue;
    out.push(...inkWithNotes(letters, at, columns[0], notes));
    const inside = inkWithNotes(letters, ...columns, notes);
    out.push(h('span', { class: `hl ${tone}` }, inside));
    at = columns[1];
  }
  return [...out, ...inkWithNotes(letters, at, letters.length, notes)];
}

/** A longer expression may wrap. */
const LONG = 16;

/** Where an expression begins, its value below; a line that wraps takes it along. */
function noteView({ from, to, text, tone }: Note): VNode {
  const letters = to - from;
  const look = `under ${tone}${letters > LONG ? ' long' : ''}`;
  return h('span', { class: look, style: `--letters:${letters}`, 'data-text': text });
}

/** A line that goes on in the next row is indented there by so many letters more, within reason. */
const [HANGING, MOST_HANGING] = [2, 14];

function hanging(text: string): string {
  const indent = /^\s*/.exec(text)![0].length;
  return `--hang:${Math.min(indent + HANGING, MOST_HANGING)}ch`;
}

/** How many ops ran in each line of a source. */
type Uses = ReadonlyMap<number, number>;

const usesOf = new WeakMap<Graph, Map<number, Map<number, number>>>();

/** How often each span is that of an op on the timeline: a loop runs few spans very often. */
function usesOfSpans({ graph, recording }: Model): Int32Array {
  const uses = new Int32Array(recording.spanCount);
  for (let frame = 0; frame < graph.frameCount; frame++) {
    const event = graph.frameEvent[frame]!;
    if (recording.kinds[event] === Kind.Ran) uses[recording.eventSpan(event)]!++;
  }
  return uses;
}

/** How many ops ran in each line, by source; counted once for a recording. */
function usesIn(model: Model, source: number): Uses | null {
  let found = usesOf.get(model.graph);
  if (!found) {
    usesOf.set(model.graph, (found = new Map()));
    for (const [span, uses] of usesOfSpans(model).entries()) {
      const place = model.recording.span(span);
      if (!place || !uses) continue;
      const lines = found.get(place.source) ?? new Map<number, number>();
      found.set(place.source, lines.set(place.line, (lines.get(place.line) ?? 0) + uses));
    }
  }
  return found.get(source) ?? null;
}

function usesView(uses: number): VNode | null {
  const summary = say('{ops} ran in this line', { ops: count(uses, 'op') });
  return uses > 1 ? h('span', { class: 'uses', title: summary }, `×${grouped(uses)}`) : null;
}

/** Source lines with marks; `on` is the current line, `notes` stand under it, from left to right. */
export function sourceView(
  source: SourceInfo,
  on: number,
  marks: readonly Mark[],
  notes: readonly Note[] = [],
  title: string | null = null,
  uses: Uses | null = null,
): VNode {
  const all = source.text.replace(/\n+$/, '').split('\n');
  const here = Math.max(0, on - source.first_line);
  const long = all.length > WORD_LIMIT;
  const start = long ? Math.max(0, here - 60) : 0;
  const lines = long ? all.slice(start, here + 60) : all;
  return h(
    'div',
    { class: 'code', dir: 'ltr', role: 'group', 'aria-label': WORDS.code },
    title ? h('div', { class: 'title' }, title) : null,
    lines.map((text, at) => {
      const line = source.first_line + start + at;
      const isCurrent = line === on;
      return h(
        'span',
        { class: isCurrent ? 'ln on' : 'ln', 'data-n': line, key: line, style: hanging(text) },
        lineText([...text], marks, line, isCurrent ? notes : []),
        usesView(uses?.get(line) ?? 0),
      );
    }),
  );
}

/** How many lines the longest source of a recording has: the room for code is the same for all. */
export function longestSource({ recording }: Model): number {
  return Math.max(1, ...recording.header.sources.map(({ text }) => text.split('\n').length));
}

function spanOfFrame(model: Model, frame: number): Span | null {
  const event = model.graph.frameEvent[frame];
  if (event === undefined) return null;
  return model.recording.span(model.recording.eventSpan(event));
}

function sourceLine(model: Model, span: Span): string {
  const source = model.recording.header.sources[span.source];
  return source?.text.split('\n')[span.line - source.first_line] ?? '';
}

/** The line in which a span begins, up to its end: of a block the line that opens it. */
function firstLine(model: Model, span: Span): Span {
  const end = span.endLine === span.line ? span.endColumn : [...sourceLine(model, span)].length;
  return { ...span, endLine: span.line, endColumn: end };
}

/** Where a name stands inside a span: a read of `x` in `x * y` lights `x` alone. */
function narrowedTo(model: Model, span: Span, name: string): Span {
  if (span.line !== span.endLine || !/^\w+$/.test(name)) return span;
  const text = [...sourceLine(model, span)].slice(span.column, span.endColumn).join('');
  const found = new RegExp(`(?<![\\w.])${name}(?!\\w)`).exec(text);
  if (!found) return span;
  const column = span.column + found.index;
  return { ...span, column, endColumn: column + name.length };
}

/** The name on the left of `=` in the line where a value was made. */
function targetName(model: Model, node: number): Span | null {
  const tensor = tensorOf(model, node);
  const span = tensor && model.recording.span(tensor.span);
  if (!tensor?.named || !span) return span ?? null;
  const before = /^\s*/.exec(sourceLine(model, span))![0].length;
  const named = sourceLine(model, span).slice(before).startsWith(`${tensor.name} =`);
  return named
    ? { ...span, endLine: span.line, column: before, endColumn: before + tensor.name.length }
    : span;
}

/** The stretch of source that the current step is about. */
export function spanOfStep(model: Model, current: StepState): Span | null {
  if (current.phase === 'backward' && current.through < 0) return targetName(model, current.node);
  const { opened } = model.graph;
  if (current.phase === 'forward' && !current.step) {
    const block = model.recording.span(model.recording.eventSpan(opened));
    return block && firstLine(model, block);
  }
  const span = spanOfFrame(model, current.frame);
  const event = model.graph.frameEvent[current.frame];
  const kind = event === undefined ? undefined : model.recording.kinds[event];
  const reads = kind === Kind.Watched || kind === Kind.Read;
  return span && reads ? narrowedTo(model, span, labelOf(model, current.node)) : span;
}

interface Candidate {
  readonly node: number;
  readonly span: Span;
}

/** Ops near the current frame that stand on the same line; a loop runs a line very often. */
function opsOnLine(model: Model, current: StepState, span: Span): Candidate[] {
  const { frameCount, frameNode } = model.graph;
  const found = new Map<string, Candidate>();
  const from = Math.max(0, current.frame - LOOK_BACK);
  const to = Math.min(frameCount - 1, current.frame + LOOK_AHEAD);
  for (let frame = from; frame <= to; frame++) {
    const here = spanOfFrame(model, frame);
    const event = model.graph.frameEvent[frame]!;
    if (model.recording.kinds[event] !== Kind.Ran || !here) continue;
    if (here.source !== span.source || here.line !== span.line || here.endLine !== span.line)
      continue;
    const place = `${here.column}-${here.endColumn}`;
    if (found.has(place) && frame > current.frame) continue;
    found.set(place, { node: frameNode[frame]!, span: here });
  }
  return [...found.values()];
}

const size = ({ span }: Candidate): number => span.endColumn - span.column;

/** The innermost expressions that do not overlap; outer ones only where nothing inner has a note. */
function innermost(candidates: readonly Candidate[]): Candidate[] {
  const chosen: Candidate[] = [];
  for (const candidate of [...candidates].sort((a, b) => size(a) - size(b))) {
    const { column, endColumn } = candidate.span;
    const clear = chosen.every(({ span }) => endColumn <= span.column || column >= span.endColumn);
    if (clear) chosen.push(candidate);
  }
  return chosen;
}

const BRIEF = 18;

function noteFor(model: Model, current: StepState, { node, span }: Candidate): Note | null {
  const at = { from: span.column, to: span.endColumn };
  if (current.phase === 'backward') {
    const slot = slotAt(model, current, node);
    const text = slotText(model, slot, BRIEF);
    return text ? { ...at, text, tone: 'g' } : null;
  }
  if (!isLit(model, current, node)) return { ...at, text: '···', tone: 'todo' };
  const tensor = tensorOf(model, node);
  return tensor ? { ...at, text: formatBrief(tensor, BRIEF), tone: '' } : null;
}

/** Notes whose texts would run into each other are left out, the later ones first. */
function withoutCollisions(notes: readonly Note[]): Note[] {
  const kept: Note[] = [];
  let end = -Infinity;
  for (const note of [...notes].sort((a, b) => a.from - b.from)) {
    const half = (note.text.length * 0.85) / 2;
    const middle = (note.from + note.to) / 2;
    if (middle - half < end) continue;
    end = middle + half + 0.5;
    kept.push(note);
  }
  return kept;
}

function notesFor(model: Model, current: StepState, span: Span): Note[] {
  const event = model.graph.frameEvent[current.frame];
  const ran = event !== undefined && model.recording.kinds[event] === Kind.Ran;
  const backward = current.phase === 'backward';
  if (!ran || (backward && current.through < 0 && !current.flow)) return [];
  const candidates = opsOnLine(model, current, span);
  const notes = innermost(candidates).map((candidate) => noteFor(model, current, candidate));
  const real = notes.filter((note): note is Note => note !== null);
  if (real.length || !backward) return withoutCollisions(real);
  const outer = candidates.sort((a, b) => size(b) - size(a))[0];
  const tensor = outer && tensorOf(model, outer.node);
  if (!outer || !tensor) return [];
  const text = formatBrief(tensor, BRIEF);
  return [{ from: outer.span.column, to: outer.span.endColumn, text, tone: '' }];
}

/** The sub-expression of a step, and the values under its line. */
interface Annotated {
  readonly mark: Mark;
  readonly notes: readonly Note[];
}

/** What is lit and noted at a step; where the learner is asked about it, without the values. */
function annotated(model: Model, current: StepState, hidesResult: boolean): Annotated | null {
  const span = spanOfStep(model, current);
  if (!span) return null;
  const tone = current.phase === 'backward' ? 'g' : 'v';
  return { mark: { span, tone }, notes: hidesResult ? [] : notesFor(model, current, span) };
}

/** The learner's code, with the sub-expression of this step lit and its values underneath. */
export function codeView(model: Model, current: StepState, hidesResult = false): VNode | null {
  const { sources } = model.recording.header;
  const shown = annotated(model, current, hidesResult);
  const at = shown?.mark.span.source ?? 0;
  const source = sources[at];
  if (!source) return null;
  const title = sources.length > 1 ? source.title || source.file : null;
  const uses = usesIn(model, at);
  if (!shown) return sourceView(source, -1, [], [], title, uses);
  return sourceView(source, shown.mark.span.line, [shown.mark], shown.notes, title, uses);
}

/** The same for the cell that the code came from; null where it came from several, or from none. */
export function cellLine(model: Model, current: StepState, hidesResult = false): CellLine | null {
  const { sources } = model.recording.header;
  const shown = annotated(model, current, hidesResult);
  const [source] = sources;
  if (!shown || !source || sources.length > 1) return null;
  const { span, tone } = shown.mark;
  const { text, first_line: first } = source;
  const { line, column, endLine, endColumn } = span;
  const notes = shown.notes.map(({ from, to, text, tone }) => ({
    column: from,
    letters: to - from,
    text,
    tone,
  }));
  return { text, line: line - first, column, endLine: endLine - first, endColumn, tone, notes };
}
