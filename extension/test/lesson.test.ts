import assert from 'node:assert/strict';
import test from 'node:test';
import { gradeOf, itemAt, lessonIn } from '../src/labplugin/outline/lesson.js';
import type { CellFacts, Item, Lesson } from '../src/labplugin/outline/lesson.js';

const prose = (source: string): CellFacts => ({
  isCode: false,
  source,
  execution: null,
  cardData: [],
});
const code = (
  source: string,
  execution: number | null = null,
  ...cardData: unknown[]
): CellFacts => ({
  isCode: true,
  source,
  execution,
  cardData,
});
const verdict = (exercise: string, points: number, of = 10) => ({ exercise, points, of });
const EXERCISES = [
  { id: '02.1', title: 'x², anywhere', points: 10 },
  { id: '02.2', title: 'Both slopes', points: 5 },
];
const FACTS = { lesson: '02', exercises: EXERCISES };

const A_LESSON = [
  prose('# 02 · The *first* tape\n\nWords.'),
  code('import tapelab as tf'),
  prose('## A slope\n\n```python\n# no heading\n```\n\n### Exercise 02.1: x², anywhere'),
  code('@tf.exercise("02.1")\ndef slope(value):\n    ...\n\ntf.check("02.1")'),
  prose('## What the tape counts, in `tf` and [there](https://example.org)'),
  code("# tf.check('09.9')\ntf.check('02.2')"),
];

const titles = (lesson: Lesson | null): string[] => lesson!.items.map(({ title }) => title);
const task = (lesson: Lesson | null, id: string) =>
  lesson!.items.find((item) => item.kind === 'exercise' && item.id === id) as Item & {
    kind: 'exercise';
  };

test('a lesson is its headings and its exercises, in the order of the notebook', () => {
  const lesson = lessonIn(A_LESSON, FACTS);
  assert.equal(lesson!.title, '02 · The first tape');
  assert.deepEqual(titles(lesson), [
    'A slope',
    'x², anywhere',
    'What the tape counts, in `tf` and there',
    'Both slopes',
  ]);
  assert.deepEqual(
    lesson!.items.map(({ cell, begins, level }) => [cell, begins, level]),
    [
      [2, 2, 2],
      [3, 2, 3],
      [4, 4, 2],
      [5, 5, 3],
    ],
  );
});

test('before the first verdict the total is known, and nothing is earned', () => {
  const lesson = lessonIn(A_LESSON, FACTS)!;
  assert.deepEqual([lesson.points, lesson.of], [0, 15]);
  assert.equal(gradeOf(task(lesson, '02.1')), 'open');
});

test('the verdict that was given last counts, wherever its cell stands', () => {
  const again = code('tf.check("02.1")', 9, verdict('02.1', 7));
  const first = code('tf.check("02.1")', 4, verdict('02.1', 10), { predictions: [] });
  const lesson = lessonIn([again, ...A_LESSON, first], FACTS)!;
  assert.deepEqual([task(lesson, '02.1').points, lesson.points, lesson.of], [7, 7, 15]);
  assert.equal(gradeOf(task(lesson, '02.1')), 'part');
});

test('right, partly right, not yet', () => {
  const grades = [10, 2.5, 0].map((points) => {
    const cardData = code('tf.check("02.1")', 1, verdict('02.1', points));
    return gradeOf(task(lessonIn([cardData], FACTS), '02.1'));
  });
  assert.deepEqual(grades, ['full', 'part', 'none']);
});

test('a lesson whose notebook says nothing learns points from verdicts, and claims no total', () => {
  const cells = [
    prose('### Exercise hw.1: Mine'),
    code('tf.check("hw.1")'),
    code('tf.check("hw.10")'),
  ];
  const open = lessonIn(cells)!;
  assert.deepEqual(titles(open), ['Mine', 'hw.10']);
  assert.deepEqual([open.of, task(open, 'hw.1').of], [null, null]);
  const cardData = [code('', 1, verdict('hw.1', 3, 4)), code('', 2, verdict('hw.10', 1.5, 2))];
  const lesson = lessonIn([...cells, ...cardData])!;
  assert.deepEqual([lesson.points, lesson.of], [4.5, 6]);
});

test('a notebook without a lesson has no outline', () => {
  assert.equal(lessonIn([prose('# Notes'), code('x = 1')]), null);
});

test('a cell belongs to what begins there, or last above it', () => {
  const lesson = lessonIn(A_LESSON, FACTS)!;
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((cell) => itemAt(lesson, cell)),
    [-1, -1, 0, 1, 2, 3],
  );
});

test('what claims to be a verdict and is none is left out', () => {
  const odd = [null, 7, {}, { exercise: '02.1' }, { exercise: '02.1', points: '10', of: 10 }];
  const lesson = lessonIn([code('tf.check("02.1")', 1, ...odd)], FACTS)!;
  assert.equal(task(lesson, '02.1').points, null);
});
