/** What the outputs of tapelab carry beside what is shown of them. */
export const DATA = 'application/vnd.tapelab+json';

/** What is read of a cell of a notebook. */
export interface CellFacts {
  readonly isCode: boolean;
  readonly source: string;
  /** The number under which it ran last; null where it did not. */
  readonly execution: number | null;
  /** What its outputs carry under `DATA`. */
  readonly cardData: readonly unknown[];
}

/** What a lesson is called and worth, as its notebook's metadata say. */
export interface LessonFacts {
  readonly lesson?: string;
  readonly exercises?: readonly { id: string; title: string; points: number }[];
}

interface Entry {
  /** The place of its cell in the notebook. */
  readonly cell: number;
  /** Where its heading stands: in which cell, and how many headings come before it there. */
  readonly begins: number;
  readonly nth: number;
  /** How deep it stands, from 1. */
  readonly level: number;
  readonly title: string;
}

export interface Heading extends Entry {
  readonly kind: 'heading';
}

export interface Task extends Entry {
  readonly kind: 'exercise';
  readonly id: string;
  /** What the newest verdict gave; null before the first. */
  readonly points: number | null;
  /** What a full answer is worth; null where it is not known yet. */
  readonly of: number | null;
}

export type Item = Heading | Task;

export interface Lesson {
  readonly number: string;
  readonly title: string;
  readonly items: readonly Item[];
  readonly points: number;
  /** What the lesson is worth; null as long as an exercise has not said what it is. */
  readonly of: number | null;
}

interface Verdict {
  readonly exercise: string;
  readonly points: number;
  readonly of: number;
}

const DEEPEST = 3;
const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/;
const FENCE = /^\s*(```|~~~)/;
const EXERCISE_CALL = /^[^#\n]*\.(?:exercise|check)\(\s*(["'])(.+?)\1/gm;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;
const EMPHASIS = /(\*{1,2}|__)(\S(?:.*?\S)?)\1/g;

/** A line of Markdown as plain words; code keeps its backticks. */
function plain(text: string): string {
  return text.replace(LINK, '$1').replace(EMPHASIS, '$2');
}

function headingsOf({ isCode, source }: CellFacts, cell: number): Heading[] {
  const found: Heading[] = [];
  let fenced = false;
  for (const line of isCode ? [] : source.split('\n')) {
    if (FENCE.test(line)) fenced = !fenced;
    const match = fenced ? null : HEADING.exec(line);
    if (!match) continue;
    const [, marks, text] = match;
    const level = marks!.length;
    const [title, nth] = [plain(text!), found.length];
    found.push({ kind: 'heading', cell, begins: cell, nth, level, title });
  }
  return found;
}

/** The exercises that the code of a cell answers or checks. */
function askedIn({ isCode, source }: CellFacts): string[] {
  const gradientCalls = isCode ? [...source.matchAll(EXERCISE_CALL)].map((match) => match[2]!) : [];
  return [...new Set(gradientCalls)];
}

function isVerdict(cardData: unknown): cardData is Verdict {
  const { exercise, points, of } = (cardData ?? {}) as Record<string, unknown>;
  return typeof exercise === 'string' && typeof points === 'number' && typeof of === 'number';
}

/** The newest verdict on each exercise: that of the cell which ran last. */
function verdictsIn(cells: readonly CellFacts[]): Map<string, Verdict> {
  const ordered = cells.toSorted((a, b) => (a.execution ?? 0) - (b.execution ?? 0));
  const verdicts = ordered.flatMap(({ cardData }) => cardData.filter(isVerdict));
  return new Map(verdicts.map((verdict) => [verdict.exercise, verdict]));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** What a notebook holds of a lesson: its headings and exercises in order; null without any exercise. */
export function lessonIn(cells: readonly CellFacts[], facts: LessonFacts = {}): Lesson | null {
  const known = new Map((facts.exercises ?? []).map((each) => [each.id, each]));
  const verdicts = verdictsIn(cells);
  const items: Item[] = [];
  const seen = new Set<string>();
  cells.forEach((cell, at) => {
    items.push(...headingsOf(cell, at));
    for (const id of askedIn(cell).filter((each) => !seen.has(each))) {
      seen.add(id);
      const own = items.findLastIndex((item) => item.kind === 'heading' && isAbout(item, id));
      const { begins, nth, level, title } = items.splice(own, own < 0 ? 0 : 1)[0] ?? {
        begins: at,
        nth: -1,
        level: DEEPEST,
        title: '',
      };
      const { points = null, of = known.get(id)?.points ?? null } = verdicts.get(id) ?? {};
      items.push({
        kind: 'exercise',
        cell: at,
        begins,
        nth,
        level,
        title: known.get(id)?.title ?? titleOf(title, id),
        id,
        points,
        of,
      });
    }
  });
  const tasks = items.filter((item) => item.kind === 'exercise');
  if (!tasks.length && facts.lesson === undefined) return null;
  const first = items.find((item) => item.kind === 'heading' && item.level === 1);
  const worth = tasks.map(({ of }) => of);
  return {
    number: facts.lesson ?? '',
    title: first?.title ?? '',
    items: items.filter((item) => item !== first && item.level <= DEEPEST),
    points: sum(tasks.map(({ points }) => points ?? 0)),
    of: worth.includes(null) ? null : sum(worth as number[]),
  };
}

function isAbout({ title }: Item, id: string): boolean {
  const after = title.split(id).slice(1);
  return after.length > 0 && !/^\w/.test(after[0]!);
}

/** `x², anywhere` of the heading `Exercise 02.1: x², anywhere`; the exercise's id without one. */
function titleOf(heading: string, id: string): string {
  const [, after = ''] = heading.split(id);
  return after.replace(/^[\s:.–-]+/, '') || id;
}

/** The item that a cell belongs to: the first one that begins there, or the last one above. */
export function itemAt({ items }: Lesson, cell: number): number {
  const own = items.findIndex((item) => item.begins === cell);
  return own >= 0 ? own : items.findLastIndex((item) => item.begins < cell);
}

export type Grade = 'full' | 'part' | 'none' | 'open';

export function gradeOf({ points, of }: Task): Grade {
  if (points === null) return 'open';
  return points === of ? 'full' : points > 0 ? 'part' : 'none';
}
