import assert from 'node:assert/strict';
import test from 'node:test';
import { FRAME_WIDTHS, framePitch, visibleFrames } from '../src/core/views/timeline.js';

const WIDTH = 1100;
const FRAME_WIDTH = FRAME_WIDTHS.frames;

/** Where a frame stands in the reel, and where the window that was scrolled to ends. */
function assertInView(count: number, frame: number): void {
  const scrolled = frame * framePitch(count, FRAME_WIDTH) - (WIDTH - FRAME_WIDTH) / 2;
  const { from, to, left } = visibleFrames(count, FRAME_WIDTH, scrolled, WIDTH);
  assert.ok(from <= frame && frame < to, `${frame} is not among ${from}–${to}`);
  const x = left + (frame - from) * FRAME_WIDTH - Math.max(0, scrolled);
  assert.ok(x >= 0 && x <= WIDTH - FRAME_WIDTH, `${frame} of ${count} stands at ${x}`);
}

test('a short reel is drawn whole', () => {
  assert.deepEqual(visibleFrames(60, FRAME_WIDTH, 500, WIDTH), { from: 0, to: 60, left: 0 });
});

test('the current frame of a long reel is drawn, and in view', () => {
  for (const count of [61, 2000, 100_000, 1_000_000]) {
    for (const part of [0, 0.3, 0.999]) assertInView(count, Math.floor(count * part));
  }
});

test('a long reel draws few frames, and no wider than a browser can', () => {
  const { from, to } = visibleFrames(1_000_000, FRAME_WIDTH, 5e6, WIDTH);
  assert.ok(to - from < 30);
  assert.ok(1_000_000 * framePitch(1_000_000, FRAME_WIDTH) < 16e6);
});
