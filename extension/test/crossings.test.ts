import assert from 'node:assert/strict';
import test from 'node:test';
import { chartOf } from '../src/core/chart.js';
import type { Chart } from '../src/core/chart.js';
import { buildModel } from '../src/core/model.js';
import { parseRecording } from '../src/core/recording.js';
import { crossings, routesOf, linesOfDot } from './crossings.js';
import { goldens } from './goldens.js';
import { randomChart } from './random.js';

/** The size of a tape in a lesson, in nodes. */
const LESSON = 28;

const lessons = goldens()
  .map(({ bytes }) => buildModel(parseRecording(bytes)))
  .filter(({ graph }) => graph.edgeCount > 0 && graph.nodeCount <= LESSON)
  .map((model) => chartOf(model, 'right'));
const tangled = Array.from({ length: 24 }, (_, at) => randomChart(at + 1, 'right')).filter(
  (chart) => chart.nodes.length <= LESSON,
);

function compared(charts: readonly Chart[]): { ours: number; dots: number } | null {
  let [ours, dots] = [0, 0];
  for (const chart of charts) {
    const lines = linesOfDot(chart);
    if (!lines) return null;
    assert.equal(lines.length, chart.edges.length);
    ours += crossings(routesOf(chart));
    dots += crossings(lines);
  }
  return { ours, dots };
}

const NO_DOT = "Graphviz' dot is not installed (Debian: apt-get install graphviz)";

test('lines that cross are counted once for each place', () => {
  const cross = [
    [
      [0, 0],
      [2, 2],
    ],
    [
      [0, 2],
      [2, 0],
    ],
    [
      [0, 5],
      [2, 5],
    ],
  ] as const;
  assert.equal(crossings(cross), 1);
});

test('on the tapes of lessons hardly more roads cross than dot lets cross', (t) => {
  assert.ok(lessons.length >= 15);
  const found = compared(lessons);
  if (!found) return t.skip(NO_DOT);
  const { ours, dots } = found;
  assert.ok(ours <= dots + 2, `${ours} crossings, dot has ${dots}`);
});

test('on tangled graphs of that size at most half as many again cross', (t) => {
  assert.ok(tangled.length >= 15);
  const found = compared(tangled);
  if (!found) return t.skip(NO_DOT);
  const { ours, dots } = found;
  assert.ok(dots > 20, `dot has only ${dots} crossings: these graphs say nothing`);
  assert.ok(ours <= 1.5 * dots, `${ours} crossings, dot has ${dots}`);
});
