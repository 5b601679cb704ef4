import assert from 'node:assert/strict';
import test from 'node:test';
import { mended } from '../src/labplugin/fixes.js';

const CODE = 'for step in range(3):\n    y = f(x)\n    print(y)';

test('a fix takes the indentation of the line it replaces', () => {
  const fix = { before: 'y = f(x)', after: 'y = g(x)\nz = y' };
  assert.equal(
    mended(CODE, fix, 2),
    'for step in range(3):\n    y = g(x)\n    z = y\n    print(y)',
  );
});

test('a fix of several lines replaces all of them', () => {
  const fix = { before: 'y = f(x)\nprint(y)', after: 'pass' };
  assert.equal(mended(CODE, fix, 2), 'for step in range(3):\n    pass');
});

test('code that has changed meanwhile is left alone', () => {
  const fix = { before: 'y = f(x)', after: 'y = g(x)' };
  assert.deepEqual(
    [1, 3, 0, 9].map((line) => mended(CODE, fix, line)),
    [null, null, null, null],
  );
});
