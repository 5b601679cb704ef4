import assert from 'node:assert/strict';
import test from 'node:test';
import { MathematicsError, namesIn, parseFormula, sides } from '../src/core/mathematics.js';
import { mathml, partialOf } from '../src/core/mathml.js';
import type { Stand } from '../src/core/mathml.js';
import { textOf } from './text.js';

const read = (latex: string, names: string[] = []): string =>
  textOf(mathml(parseFormula(latex, names))).replace(/\u2061/g, '');

const numbers = (values: Record<string, string>): Map<string, Stand> =>
  new Map(Object.entries(values).map(([name, text]) => [name, { text, tone: 'v', number: true }]));

test('the formulas of the ops are read', () => {
  assert.equal(read('z = x \\cdot y'), 'z=x·y');
  assert.equal(read('\\bar A = \\bar Y B^\\top'), 'A¯=Y¯B⊤');
  assert.equal(read('\\frac{1}{2 \\sqrt{x}}'), '12x');
  assert.equal(read('y = \\max(0, x)'), 'y=max(0,x)');
  assert.equal(read('\\bar z \\text{ if } c'), 'z¯\u00a0if\u00a0c');
  assert.equal(read('y_i = \\operatorname{softmax}(x)_i'), 'yi=softmax(x)i');
});

test('a long name of an input is one name, other letters are a product', () => {
  assert.deepEqual([...namesIn(parseFormula('logits - xy', ['logits']))].sort(), [
    'logits',
    'x',
    'y',
  ]);
});

test('a bar marks a gradient, not a value', () => {
  assert.deepEqual([...namesIn(parseFormula('\\bar z \\cdot y'))], ['y']);
});

test('numbers take the place of names, negative ones in brackets', () => {
  const product = parseFormula('x \\cdot y');
  assert.equal(textOf(mathml(product, numbers({ x: '3.0000', y: '−1.5000' }))), '3.0000·(−1.5000)');
  const square = parseFormula('x^2');
  assert.equal(textOf(mathml(square, numbers({ x: '−2' }))), '(−2)2');
});

test('inside a partial a product loses its dot', () => {
  assert.equal(textOf(partialOf(parseFormula('x \\cdot y'))), '∂(xy)');
  assert.equal(textOf(partialOf(parseFormula('\\sin x'))).replace('\u2061', ''), '∂sinx');
});

test('an equation has two sides', () => {
  const { left, right } = sides(parseFormula('y = x + 1'));
  assert.equal(left && textOf(mathml(left)), 'y');
  assert.equal(textOf(mathml(right)), 'x+1');
});

test('what cannot be drawn is refused by name', () => {
  assert.throws(() => parseFormula('\\begin{x}'), MathematicsError);
  assert.throws(() => parseFormula('\\frac{1}{'), MathematicsError);
});
