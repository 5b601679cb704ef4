import { Encoder } from './encode.js';
import { Kind, Role } from '../src/core/schema.js';

/** z = x * y + tf.sin(x), with the way back to x and y: scenes a and b. */
export function twoPaths(): Encoder {
  const tape = new Encoder(
    'x = tf.Variable(3.0)\ny = tf.Variable(4.0)\nwith tf.GradientTape() as tape:\n' +
      '    z = x * y + tf.sin(x)\ndz_dx, dz_dy = tape.gradient(z, [x, y])',
  );
  const multiply = tape.op(
    'multiply',
    'Multiply',
    '×',
    'z = x \\cdot y',
    'x y',
    { formula: '\\bar x = \\bar z \\cdot y', local: 'y' },
    { formula: '\\bar y = \\bar z \\cdot x', local: 'x' },
  );
  const sin = tape.op('sin', 'Sine', 'sin', 'y = \\sin x', 'x', {
    formula: '\\bar x = \\bar y \\cdot \\cos x',
    local: '\\cos x',
  });
  const add = tape.op(
    'add',
    'Add',
    '+',
    'z = x + y',
    'x y',
    { formula: '\\bar x = \\bar z', local: '1' },
    { formula: '\\bar y = \\bar z', local: '1' },
  );
  const vx = tape.variable('x');
  const vy = tape.variable('y');
  const x = tape.tensor({ role: Role.State, name: 'x', named: true, value: 3, variable: vx });
  const y = tape.tensor({ role: Role.State, name: 'y', named: true, value: 4, variable: vy });
  const product = tape.tensor({ role: Role.Result, name: 'x * y', value: 12, at: [4, 8, 13] });
  const sine = tape.tensor({
    role: Role.Result,
    name: 'tf.sin(x)',
    value: Math.sin(3),
    at: [4, 16, 25],
  });
  const z = tape.tensor({
    role: Role.Result,
    name: 'z',
    named: true,
    value: 12 + Math.sin(3),
    at: [4, 8, 25],
  });
  const g = (value: number): number => tape.tensor({ role: Role.Gradient, name: '', value });
  tape.event(Kind.Opened, [], [3, 5, 22]);
  tape.event(Kind.Watched, [x, vx, 1], [4, 8, 9]);
  tape.event(Kind.Watched, [y, vy, 1], [4, 12, 13]);
  const ranMultiply = tape.ran(multiply, [x, y], product, [4, 8, 13]);
  const ranSin = tape.ran(sin, [x], sine, [4, 16, 25]);
  const ranAdd = tape.ran(add, [product, sine], z, [4, 8, 25]);
  tape.event(Kind.Closed);
  const [dx, dy] = [g(4 + Math.cos(3)), g(3)];
  tape.event(Kind.Asked, [0, 0, 0, 1, 2, z, x, y, dx, dy], [5, 15, 39]);
  const one = g(1);
  const flow = (
    event: number,
    position: number,
    tensor: number,
    upstream: number,
    local: number,
    contribution: number,
    sum: number,
  ): number =>
    tape.event(Kind.Flowed, [0, event, position, tensor, upstream, local, contribution, sum]);
  flow(-1, 0, z, -1, -1, one, one);
  flow(ranAdd, 0, product, one, one, one, one);
  flow(ranAdd, 1, sine, one, one, one, one);
  const cosine = g(Math.cos(3));
  flow(ranSin, 0, x, one, cosine, cosine, cosine);
  flow(ranMultiply, 0, x, one, y, g(4), dx);
  flow(ranMultiply, 1, y, one, x, dy, dy);
  return tape;
}

/** loss = tf.sqrt(np.mean(tf.square(x))): scene c. */
export function leftTheTape(zeros = false): Encoder {
  const tape = new Encoder(
    'x = tf.Variable([1.0, 2.0, 3.0])\nwith tf.GradientTape() as tape:\n    h = tf.square(x)\n' +
      '    m = np.mean(h)\n    loss = tf.sqrt(m)\nprint(tape.gradient(loss, x))    # None',
  );
  const square = tape.op('square', 'Square', 'x²', 'y = x^2', 'x', {
    formula: '\\bar x = \\bar y \\cdot 2 x',
    local: '2 x',
  });
  const sqrt = tape.op('sqrt', 'Square root', '√', 'y = \\sqrt{x}', 'x', {
    formula: '\\bar x = \\frac{\\bar y}{2 y}',
    local: '\\frac{1}{2 y}',
  });
  const vx = tape.variable('x');
  const x = tape.tensor({
    role: Role.State,
    name: 'x',
    named: true,
    value: [1, 2, 3],
    variable: vx,
  });
  const hidden = tape.tensor({
    role: Role.Result,
    name: 'h',
    named: true,
    value: [1, 4, 9],
    at: [3, 8, 20],
  });
  const m = tape.tensor({
    role: Role.OffTape,
    name: 'm',
    named: true,
    value: 14 / 3,
    dtype: 'float32',
    at: [4, 8, 18],
  });
  const back = tape.tensor({
    role: Role.Constant,
    name: 'm',
    named: true,
    value: 14 / 3,
    at: [5, 11, 21],
  });
  const loss = tape.tensor({
    role: Role.Result,
    name: 'loss',
    named: true,
    value: Math.sqrt(14 / 3),
    at: [5, 11, 21],
  });
  tape.event(Kind.Opened, [], [2, 5, 22]);
  tape.event(Kind.Watched, [x, vx, 1], [3, 8, 20]);
  tape.ran(square, [x], hidden, [3, 8, 20]);
  tape.event(Kind.Left, [hidden, tape.string('np.mean'), m], [4, 8, 18]);
  tape.event(Kind.Returned, [m, back], [5, 11, 21]);
  tape.ran(sqrt, [back], loss, [5, 11, 21], 1);
  tape.event(Kind.Closed);
  const result = zeros ? tape.tensor({ role: Role.Gradient, name: '', value: [0, 0, 0] }) : -1;
  tape.event(Kind.Asked, [0, 0, zeros ? 1 : 0, 1, 1, loss, x, result], [6, 6, 28]);
  const one = tape.tensor({ role: Role.Gradient, name: '', value: 1 });
  tape.event(Kind.Flowed, [0, -1, 0, loss, -1, -1, one, one]);
  return tape;
}

/** What tf.explain says about `leftTheTape`. */
export const LEFT_EXPLAINED = {
  target: 'loss',
  source: 'x',
  connected: false,
  partial: false,
  findings: [
    {
      code: 'LEFT_ENGINE',
      title: 'The path ends at `np.mean(h)`',
      message:
        'NumPy computed the mean, off the tape. It came back as a plain number, 4.6667, so no path leads from `loss` to `x`.',
      where: { source: 0, line: 4, column: 8, end_line: 4, end_column: 18 },
      fix: { before: 'm = np.mean(h)', after: 'm = tf.reduce_mean(h)' },
      lesson: '05',
      evidence: [2, 3, 4],
      steps: [
        { line: 3, text: '`h` was recorded' },
        { line: 4, text: '`h` left the tape through `np.mean`' },
        { line: 5, text: '4.6667 came back as a constant' },
      ],
    },
  ],
} as const;

/** A chain y = sin(sin(… x)) of so many ops, with its way back. */
export function chain(length: number): Encoder {
  const tape = new Encoder(
    `with tf.GradientTape() as tape:\n    y = x\n    for _ in range(${length}):\n        y = tf.sin(y)`,
  );
  const sin = tape.op('sin', 'Sine', 'sin', 'y = \\sin x', 'x', {
    formula: '\\bar x = \\bar y \\cdot \\cos x',
    local: '\\cos x',
  });
  const vx = tape.variable('x');
  const x = tape.tensor({ role: Role.State, name: 'x', named: true, value: 1, variable: vx });
  tape.event(Kind.Opened);
  tape.event(Kind.Watched, [x, vx, 1]);
  const tensors = [x];
  const events: number[] = [];
  const place = tape.span([4, 12, 21]);
  for (let at = 0, value = 1; at < length; at++) {
    value = Math.sin(value);
    const start = tape.numbers.push(value) - 1;
    tensors.push(tape.tensors.push([Role.Result, 0, 0, tape.string('y'), 1, -1, place, start]) - 1);
    events.push(
      tape.events.push({
        kind: Kind.Ran,
        fields: [sin, -1, 0, 1, tensors[at]!, tensors[at + 1]!],
        span: place,
      }) - 1,
    );
  }
  tape.event(Kind.Closed);
  const one = tape.tensor({ role: Role.Gradient, name: '', value: 1 });
  tape.event(Kind.Asked, [0, 0, 0, 1, 1, tensors[length]!, x, one]);
  tape.event(Kind.Flowed, [0, -1, 0, tensors[length]!, -1, -1, one, one]);
  for (let at = length - 1; at >= 0; at--) {
    tape.event(Kind.Flowed, [0, events[at]!, 0, tensors[at]!, one, one, one, one]);
  }
  return tape;
}
