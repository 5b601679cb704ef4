import assert from 'node:assert/strict';
import test from 'node:test';
import { chartOf } from '../src/core/chart.js';
import type { Chart } from '../src/core/chart.js';
import type { Direction } from '../src/core/layout.js';
import { foldedChart, randomChart, samplesOf } from './random.js';

const SEEDS = Array.from({ length: 40 }, (_, at) => at + 1);
const DIRECTIONS: Direction[] = ['right', 'down'];
const CHARTS = { 'as it ran': randomChart, folded: foldedChart } as const;
const KINDS = Object.entries(CHARTS).flatMap(([kind, chart]) =>
  DIRECTIONS.map((direction) => ({ kind, chart, direction })),
);

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function boxOf(chart: Chart, place: number): Box {
  const { x, y } = chart.layout;
  return { x: x[place]!, y: y[place]!, width: chart.widthOf(place), height: chart.ports.height };
}

function boxes(chart: Chart): Box[] {
  return Array.from(chart.nodes, (_, place) => boxOf(chart, place));
}

function apart(a: Box, b: Box): boolean {
  return (
    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y
  );
}

/** Strictly inside, by more than what rounding does. */
function inside([x, y]: readonly [number, number], box: Box): boolean {
  const by = 1;
  return (
    x > box.x + by && x < box.x + box.width - by && y > box.y + by && y < box.y + box.height - by
  );
}

for (const { kind, chart: made, direction } of KINDS) {
  test(`${kind}, ${direction}: nodes of any width do not overlap`, () => {
    for (const seed of SEEDS) {
      const all = boxes(made(seed, direction));
      for (let a = 0; a < all.length; a++) {
        for (let b = a + 1; b < all.length; b++) {
          assert.ok(apart(all[a]!, all[b]!), `seed ${seed}: ${a} and ${b}`);
        }
      }
    }
  });

  test(`${kind}, ${direction}: no lane crosses a box, on the way there or back`, () => {
    for (const seed of SEEDS) {
      const chart = made(seed, direction);
      const all = boxes(chart);
      for (let edge = 0; edge < chart.edges.length; edge++) {
        for (const [back, meets] of [
          [false, false],
          [true, false],
          [true, true],
        ] as const) {
          const points = samplesOf(chart.route(edge, back, meets).path);
          const hit = all.findIndex((box) => points.some((point) => inside(point, box)));
          const { from, to } = chart.ends(edge);
          const received = `seed ${seed}: ${back ? 'back' : 'on'} from ${from} to ${to} through ${hit}`;
          assert.equal(hit, -1, received);
        }
      }
    }
  });

  test(`${kind}, ${direction}: every road leads on, and no box lies outside the picture`, () => {
    for (const seed of SEEDS) {
      const chart = made(seed, direction);
      const along = direction === 'right' ? chart.layout.x : chart.layout.y;
      for (let edge = 0; edge < chart.edges.length; edge++) {
        const { from, to } = chart.ends(edge);
        const length = direction === 'right' ? chart.widthOf(from) : chart.ports.height;
        assert.ok(along[from]! + length < along[to]!, `seed ${seed}, edge ${edge}`);
      }
      for (const { x, y, width, height } of boxes(chart)) {
        assert.ok(x >= -0.01 && x + width <= chart.layout.width + 0.01, `seed ${seed}: ${x}`);
        assert.ok(y >= -0.01 && y + height <= chart.layout.height + 0.01, `seed ${seed}: ${y}`);
      }
    }
  });
}

test('of the folded charts many hold both open and closed folds, and long roads', () => {
  const charts = SEEDS.map((seed) => foldedChart(seed, 'right'));
  const closed = charts.filter(({ folded }) => folded!.foldAt.some((fold) => fold >= 0));
  const open = closed.filter(({ folded }) => folded!.foldAt.some((fold) => fold < 0));
  assert.ok(open.length > SEEDS.length / 3, `${open.length} of ${SEEDS.length}`);
  assert.ok(charts.some(({ layout }) => layout.bends.size > 0 && layout.bypasses.size > 0));
});

test('a chart of part of a graph keeps to the same rules', () => {
  const whole = randomChart(5, 'right');
  const wanted = new Set(Array.from(whole.nodes).filter((node) => node % 3));
  const part = chartOf(whole.model, 'right', { wanted });
  assert.equal(part.nodes.length, wanted.size);
  const all = boxes(part);
  for (let edge = 0; edge < part.edges.length; edge++) {
    const points = samplesOf(part.route(edge, false, false).path);
    assert.ok(!all.some((box) => points.some((point) => inside(point, box))));
  }
});
