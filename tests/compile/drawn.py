"""Functions drawn at random: of tensors and variables, with tapes, branches and loops inside."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

UNARY = ("tanh", "sigmoid", "exp", "square", "sin", "abs", "softplus", "sign", "round")
LINES = (
    *("unary", "unary", "plus", "minus", "times", "over", "larger", "mean", "product", "row"),
    *("number", "branch", "loop", "where", "softmax", "stack", "concat", "turn", "add_to"),
    *("write", "count", "place", "shape", "gather", "twice", "cast"),
    *("drop", "noise", "seeded", "choose", "pick", "rows", "part", "sums", "bins", "stop", "again"),
)

WRITING = frozenset({"add_to", "write", "count", "rows", "part"})
"""Those that write into variables, which later ones may read."""


@dataclass(frozen=True)
class Line:
    """One line: what is done, to which two of the values so far, with which choices."""

    kind: str
    one: str
    other: str
    function: str
    number: float
    row: int
    chance: float

    @property
    def seed(self):
        """A seed of its own: with one, an op draws the same in a function as eagerly."""
        return int(self.chance * 1e9)


@dataclass(frozen=True)
class Drawn:
    """A function of (x, y), two variables and a counter, and what it is differentiated by."""

    lines: tuple[Line, ...]
    shape: tuple[int, int]
    tapes: int
    sources: tuple[str, ...]

    @property
    def kinds(self):
        """The kinds of its lines."""
        return {line.kind for line in self.lines}


def drawn(seed):
    """The function of a seed."""
    dice = random.Random(seed)
    shape = dice.choice([(2, 3), (1, 4), (3, 3)])
    names, lines = ["x", "y", "v", "w"], []
    kinds = [kind for kind in LINES if seed % 2 or kind not in WRITING]
    for at in range(dice.randint(3, 12)):
        one, other = dice.choice(names), dice.choice(names)
        choices = dice.choice(UNARY), dice.uniform(-2, 2), dice.randrange(shape[0]), dice.random()
        lines.append(Line(dice.choice(kinds), one, other, *choices))
        names.append(f"t{at}")
    sources = dice.sample(["x", "v", "w"], dice.randint(1, 3))
    return Drawn(tuple(lines), shape, dice.choice([0, 1, 1, 2]), tuple(sources))


def body(tf, program, values, counter):
    """Run the lines; the value of the last one."""
    for at, line in enumerate(program.lines):
        a, b = (tf.convert_to_tensor(values[name]) for name in (line.one, line.other))
        values[f"t{at}"] = STEPS[line.kind](tf, line, a, b, values, counter)
    return values[f"t{len(program.lines) - 1}"]


def run(tf, program, x, y, v, w, counter):
    """The whole function: its value, or its gradients of first or of second order, and a step."""
    values = {"x": x, "y": y, "v": v, "w": w}
    if not program.tapes:
        result = body(tf, program, values, counter)
        return result, {"sum": tf.reduce_sum(result)}
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_mean(body(tf, program, values, counter))
        sources = [values[name] for name in program.sources]
        found = tape.gradient(loss, sources, unconnected_gradients="zero")
        first = [tf.convert_to_tensor(each) for each in found]
        size = tf.reduce_sum(first[0] * first[0])
    if program.tapes == 1:
        v.assign_sub(0.01 * first[0])
        return loss, first
    return loss, outer.gradient(size, [x, v], unconnected_gradients="zero")


def _branch(tf, line, a, b, values, counter):
    if line.chance < 0.3:
        return tf.cond(tf.reduce_sum(a) > 0, lambda: a * 2.0, lambda: b - 1.0)
    return tf.cond(tf.constant(line.chance > 0.6), lambda: a * 2.0, lambda: b - 1.0)


def _loop(tf, line, a, b, values, counter):
    start = [tf.constant(0), a]
    _, last = tf.while_loop(lambda i, c: i < 2, lambda i, c: (i + 1, tf.sin(c) + b), start)
    return last


def _add_to(tf, line, a, b, values, counter):
    values["v"].assign_add(0.1 * a)
    return b + values["v"]


def _write(tf, line, a, b, values, counter):
    values["w"].assign(tf.tanh(a))
    return b * values["w"]


def _count(tf, line, a, b, values, counter):
    counter.assign_add(1.5)
    return a * 0.5 + counter


def _choose(tf, line, a, b, values, counter):
    picked = tf.cast(tf.reduce_sum(tf.abs(a)) * 2.71 + 0.13, tf.int32) % 3
    return tf.switch_case(picked, [lambda: a + b, lambda: tf.sin(a), lambda: b * 2.0])


def _rows(tf, line, a, b, values, counter):
    values["w"].scatter_nd_add([[line.row]], tf.tanh(a)[:1])
    values["w"].scatter_update(tf.IndexedSlices(b[:1] * 0.5, tf.constant([line.row])))
    return a + values["w"]


def _part(tf, line, a, b, values, counter):
    values["v"][line.row].assign(tf.tanh(b)[line.row] * line.number)
    return a * values["v"]


def _sums(tf, line, a, b, values, counter):
    ids = tf.argmax(b, axis=1) % 2
    return a + tf.math.unsorted_segment_mean(a, ids, 2)[:1]


def _bins(tf, line, a, b, values, counter):
    found = tf.histogram_fixed_width(b, [-2.0, 2.0], nbins=4)
    return a * tf.cast(tf.reduce_max(found), tf.float32) * 0.1


def _again(tf, line, a, b, values, counter):
    return tf.recompute_grad(lambda x: tf.tanh(x) * tf.sin(x))(a) + b


def _seeded(tf, line, a, b, values, counter):
    return a + tf.random.stateless_normal(a.shape, [line.row, 3])


STEPS = {
    "unary": lambda tf, line, a, b, *_: getattr(tf.math, line.function)(tf.clip_by_value(a, -3, 3)),
    "plus": lambda tf, line, a, b, *_: a + b,
    "minus": lambda tf, line, a, b, *_: a - b,
    "times": lambda tf, line, a, b, *_: tf.tanh(a) * b,
    "over": lambda tf, line, a, b, *_: a / (tf.abs(b) + 1.0),
    "larger": lambda tf, line, a, b, *_: tf.maximum(a, b),
    "mean": lambda tf, line, a, b, *_: a + tf.reduce_mean(b, axis=line.row % 2, keepdims=True),
    "product": lambda tf, line, a, b, *_: tf.tanh(tf.matmul(a, b, transpose_b=True) @ b),
    "row": lambda tf, line, a, b, *_: a + b[line.row],
    "number": lambda tf, line, a, b, *_: a * line.number + 1.0,
    "branch": _branch,
    "loop": _loop,
    "where": lambda tf, line, a, b, *_: tf.where(a > b, a, b * 0.5),
    "softmax": lambda tf, line, a, b, *_: tf.nn.softmax(a),
    "stack": lambda tf, line, a, b, *_: tf.reduce_mean(tf.stack([a, b, a]), axis=0),
    "concat": lambda tf, line, a, b, *_: tf.concat([a, b], 0)[: a.shape[0]],
    "turn": lambda tf, line, a, b, *_: tf.transpose(tf.transpose(a) * 1.0),
    "add_to": _add_to,
    "write": _write,
    "count": _count,
    "place": lambda tf, line, a, b, *_: a + tf.cast(tf.argmax(b, axis=1), tf.float32)[:, None],
    "shape": lambda tf, line, a, b, *_: tf.reshape(a, tf.shape(b)) / tf.cast(tf.size(a), a.dtype),
    "gather": lambda tf, line, a, b, *_: b + tf.gather(a, tf.argmax(b, axis=1) % a.shape[0])[:1],
    "twice": lambda tf, line, a, b, *_: tf.tanh(a + b) * tf.tanh(a + b),
    "cast": lambda tf, line, a, b, *_: tf.cast(tf.cast(a, tf.float64) * 1.0, tf.float32),
    "drop": lambda tf, line, a, b, *_: tf.nn.dropout(a, 0.4, seed=line.seed),
    "noise": lambda tf, line, a, b, *_: (
        a * tf.random.normal(tf.shape(b), mean=tf.reduce_mean(b), seed=line.seed)
    ),
    "seeded": _seeded,
    "choose": _choose,
    "pick": lambda tf, line, a, b, *_: tf.cond(
        tf.random.uniform([], seed=line.seed) < 0.5,
        lambda: tf.nn.dropout(a, 0.2, seed=line.seed + 1),
        lambda: b,
    ),
    "rows": _rows,
    "part": _part,
    "sums": _sums,
    "bins": _bins,
    "stop": lambda tf, line, a, b, *_: a + tf.stop_gradient(b * 2.0),
    "again": _again,
}


def states(tf, program, seed):
    """New variables of the function's shape, with numbers of a seed, and a counter."""
    numbers = np.random.default_rng(seed)
    v, w = (tf.Variable(numbers.normal(size=program.shape).astype("f")) for _ in range(2))
    return v, w, tf.Variable(0.0)


def inputs(tf, program, seed, count):
    """Pairs of tensors of the function's shape."""
    numbers = np.random.default_rng(seed)
    shape = (count, 2, *program.shape)
    return [(tf.constant(x), tf.constant(y)) for x, y in numbers.normal(size=shape).astype("f")]
