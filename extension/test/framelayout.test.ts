import assert from 'node:assert/strict';
import test from 'node:test';
import { frameLayout } from '../src/core/framelayout.js';
import type { FrameSize } from '../src/core/framelayout.js';
import { dice } from './random.js';

const LAPTOP: FrameSize = {
  width: 880,
  available: 600,
  full: false,
  nodes: 40,
  tracks: 2,
  cell: null,
  beside: false,
};
const at = (size: Partial<FrameSize>) => frameLayout({ ...LAPTOP, ...size });

test('a laptop has code beside the graph, and one line of frames', () => {
  assert.deepEqual(at({}), {
    columns: 2,
    code: 'strip',
    bare: false,
    height: 600,
    side: 299,
    graph: 562,
    graphHeight: 491,
    timeline: 'line',
  });
});

test('a large screen has tall frames, unless they would take the graph its part', () => {
  assert.equal(at({ width: 1500, available: 860 }).timeline, 'frames');
  assert.equal(at({ width: 1500, available: 860, tracks: 9 }).timeline, 'line');
});

test('a narrow place has one column', () => {
  assert.deepEqual(
    [719, 720].map((width) => at({ width }).columns),
    [1, 2],
  );
});

test('a small graph takes no more height than it needs, a large one no more than one can follow', () => {
  assert.equal(at({ available: 2000, nodes: 5 }).height, 600);
  assert.equal(at({ available: 2000 }).height, 860);
  assert.equal(at({ available: 100 }).height, 420);
});

test('the whole screen is filled', () => {
  assert.equal(at({ available: 1400, nodes: 5, full: true }).height, 1400);
});

test('wherever there are two columns the graph has more room than all else beside it', () => {
  const roll = dice(7);
  for (let round = 0; round < 500; round++) {
    const size = {
      width: 720 + roll(1200),
      available: roll(1400),
      nodes: roll(40),
      tracks: 1 + roll(9),
    };
    const { columns, side, height } = at(size);
    assert.equal(columns, 2);
    assert.ok(side >= 270 && side <= 400 && side < 0.4 * size.width, JSON.stringify(size));
    assert.ok(height >= 420 && height <= 860);
  }
});

test('the pane of the graph is what header, foot and the other rows leave', () => {
  assert.equal(at({ width: 1500, available: 860 }).graphHeight, 860 - 41 - 202 - 12);
  assert.equal(at({ width: 600 }).graphHeight, Math.round((600 - 41 - 56) * 0.6) - 12);
});

test('below a cell that shows the code the graph has the whole width, where both fit', () => {
  const { code, bare, side, height } = at({ cell: 200 });
  assert.deepEqual([code, bare, side, height], ['cell', true, 0, 400]);
  assert.deepEqual(at({ cell: 271 }), at({ cell: null }));
});

test('what is asked or explained below a cell stands beside the graph, without the code', () => {
  const { code, bare, columns, height } = at({ cell: 200, beside: true });
  assert.deepEqual([code, bare, columns, height], ['cell', false, 2, 400]);
});

test('on the whole screen no cell is seen: the code has its strip', () => {
  assert.equal(at({ cell: 200, full: true }).code, 'strip');
});
