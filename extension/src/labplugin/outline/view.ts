import { h } from '../../core/dom.js';
import type { Child, VNode } from '../../core/dom.js';
import { button, prose } from '../../core/views/parts.js';
import { say, sayMany } from '../../core/words.js';
import { gradeOf } from './lesson.js';
import type { Grade, Item, Lesson, Task } from './lesson.js';

export interface OutlineActions {
  readonly goTo: (item: Item) => void;
  readonly lessons: () => void;
}

/** What stands in the sign before an exercise. */
const SIGNS: Readonly<Record<Grade, Child>> = {
  full: h('path', { d: 'M3.5 8.5l3 3 6-7', class: 'stroke' }),
  part: [
    h('circle', { cx: 8, cy: 8, r: 5.25, class: 'stroke' }),
    h('path', { d: 'M8 2.75a5.25 5.25 0 0 1 0 10.5z' }),
  ],
  none: h('path', { d: 'M4 4l8 8M12 4l-8 8', class: 'stroke' }),
  open: null,
};

function signOf(grade: Grade): string {
  const said = { full: say('right'), part: say('partly right'), none: say('not yet') };
  return grade === 'open' ? say('not checked yet') : said[grade];
}

/** Points as they are written: without zeros at the end. */
function written(points: number): string {
  return String(Number(points.toFixed(2)));
}

function pointsOf({ points, of }: Task): string {
  if (of === null) return '';
  if (points === null)
    return sayMany('{count} point', '{count} points', of, { count: written(of) });
  return say('{at} of {of}', { at: written(points), of: written(of) });
}

function sign(grade: Grade): VNode {
  return h(
    'span',
    { class: `sign ${grade}`, role: 'img', 'aria-label': signOf(grade) },
    h('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, SIGNS[grade]),
  );
}

function rowView(item: Item, isCurrent: boolean, hasFocus: boolean, go: () => void): VNode {
  const title = h('span', { class: 'title', dir: 'auto' }, prose(item.title));
  const inside: Child =
    item.kind === 'exercise'
      ? [
          sign(gradeOf(item)),
          title,
          h('span', { class: `num${item.points === null ? ' muted' : ''}` }, pointsOf(item)),
        ]
      : title;
  return h(
    'li',
    { class: `level${item.level}` },
    h(
      'button',
      {
        type: 'button',
        class: `row ${item.kind}`,
        'aria-current': isCurrent ? 'location' : null,
        tabindex: hasFocus ? 0 : -1,
        onclick: go,
      },
      inside,
    ),
  );
}

function totalOf({ points, of }: Lesson): string {
  const at = written(points);
  return of === null
    ? say('{points} points so far', { points: at })
    : say('{points} of {of} points', { points: at, of: written(of) });
}

function headView(lesson: Lesson): VNode {
  const { number, title, items, points, of } = lesson;
  const tasks = items.filter((item) => item.kind === 'exercise');
  const share = of ? Math.min(100, (100 * points) / of) : 0;
  const done = tasks.filter((task) => gradeOf(task) === 'full').length;
  return h(
    'div',
    { class: 'top' },
    h('h3', { dir: 'auto' }, title ? prose(title) : say('Lesson {number}', { number })),
    tasks.length > 0 && [
      h(
        'div',
        { class: 'meter', 'aria-hidden': 'true' },
        h('i', { style: `width:${share.toFixed(1)}%` }),
      ),
      h(
        'p',
        { class: 'small', role: 'status' },
        h('b', {}, totalOf(lesson)),
        ' · ',
        say('{done} of {all} exercises right', { done, all: tasks.length }),
      ),
    ],
  );
}

/** Up and down lead from row to row; Tab leads on. */
function onKeys(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement;
  const rows = [...list.querySelectorAll<HTMLElement>('.row')];
  const at = rows.indexOf(event.target as HTMLElement);
  const way = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  const next = way === undefined ? undefined : rows[way];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** The outline of a lesson: what it is worth, its headings, its exercises with their points. */
export function outlineView(
  lesson: Lesson | null,
  current: number,
  actions: OutlineActions,
): VNode[] {
  if (!lesson) {
    return [
      h(
        'div',
        { class: 'blank' },
        h('h3', {}, say('No lesson here')),
        h('p', { class: 'muted' }, say('Open a lesson: its parts and your points appear here.')),
        button(say('Tapelab lessons'), '', actions.lessons),
      ),
    ];
  }
  const { items } = lesson;
  const start = Math.max(0, current);
  return [
    headView(lesson),
    h(
      'nav',
      { 'aria-label': say('Lesson outline') },
      h(
        'ol',
        { onkeydown: onKeys },
        items.map((item, at) =>
          rowView(item, at === current, at === start, () => actions.goTo(item)),
        ),
      ),
    ),
  ];
}
