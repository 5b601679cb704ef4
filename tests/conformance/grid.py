"""Write the tables of captured ops from a grid: python tests/conformance/grid.py.

A program of the grid stores an op with one of the captures that the fuzzer has, and calls it in
one context: eagerly, in functions, under tapes, in branches, loops, callbacks, layers or models.
Every capture meets every context; the ops take turns. Each table holds a few contexts; record.py
asks TensorFlow for the answers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent
from typing import Final

# It runs from a checkout, beside no package of its own.
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conformance.fuzzing.captures import CAPTURES, Capture  # noqa: E402  after the path
from conformance.snippets import TABLES  # noqa: E402  after the path

DATA: Final = "c([[0.5, -1.0], [2.0, 0.25]])"
OTHER: Final = "c([[-1.5, 0.75], [0.125, -0.5]])"
POSITIVE: Final = "c([[0.5, 1.5], [2.0, 0.25]])"


@dataclass(frozen=True)
class Op:
    """An op of one tensor `x`: its function and what is given beside `x`.

    One that is `unary` takes nothing beside it, one that is `elementwise` gives a tensor of the
    shape and dtype of `x`, and one that is `smooth` has a second derivative.
    """

    function: str
    settings: str = ""
    unary: bool = False
    elementwise: bool = False
    smooth: bool = True
    first: str = "x"

    @property
    def name(self) -> str:
        """The last part of the function's name."""
        return self.function.rpartition(".")[2]

    @property
    def arguments(self) -> str:
        """What is written between the brackets of a call."""
        return f"{self.first}{self.settings and ', '}{self.settings}"


UNARY: Final = tuple(
    Op(function, unary=True, elementwise=True)
    for function in (
        *("tf.sin", "tf.tanh", "tf.nn.sigmoid", "tf.nn.softplus", "tf.exp", "tf.square"),
        *("tf.math.erf", "tf.nn.swish", "tf.nn.gelu", "tf.math.cosh", "tf.identity", "tf.negative"),
        *("tf.math.atan", "tf.math.sigmoid", "tf.math.expm1", "tf.math.sinh"),
    )
)
ROUGH: Final = tuple(
    Op(function, unary=True, elementwise=True, smooth=False)
    for function in (
        *("tf.nn.relu", "tf.abs", "tf.nn.relu6", "tf.nn.elu", "tf.nn.selu", "tf.nn.leaky_relu"),
        *("tf.stop_gradient", "tf.sign", "tf.floor", "tf.nn.softsign", "tf.zeros_like"),
        *("tf.ones_like", "tf.round"),
    )
)
BINARY: Final = (
    Op("tf.add", "1.5", elementwise=True),
    Op("tf.multiply", "[2.0, -1.0]", elementwise=True),
    Op("tf.subtract", "0.5", elementwise=True),
    Op("tf.divide", "[[2.0], [4.0]]", elementwise=True),
    Op("tf.pow", "2.0", elementwise=True),
    Op("tf.maximum", "0.3", elementwise=True, smooth=False),
    Op("tf.minimum", "0.3", elementwise=True, smooth=False),
    Op("tf.math.atan2", "2.0", elementwise=True),
    Op("tf.math.squared_difference", "1.0", elementwise=True),
    Op("tf.clip_by_value", "-0.75, 1.0", elementwise=True, smooth=False),
    Op("tf.nn.leaky_relu", "alpha=0.3", elementwise=True, smooth=False),
    Op("tf.nn.bias_add", "[1.0, 2.0]", elementwise=True),
    Op("operator.mul", "3.0", elementwise=True),
    Op("operator.truediv", "4.0", elementwise=True),
    Op("tf.Tensor.__add__", "2.5", elementwise=True, first="tf.identity(x)"),
    Op("tf.Tensor.__rsub__", "1.0", elementwise=True, first="tf.identity(x)"),
)
MATRIX: Final = (
    Op("tf.matmul", "[[1.0, 2.0], [0.5, -1.0]]", elementwise=True),
    Op("tf.linalg.matmul", "x, transpose_b=True"),
    Op("operator.matmul", "x"),
    Op("tf.linalg.inv"),
    Op("tf.linalg.det"),
    Op("tf.linalg.trace"),
    Op("tf.linalg.matvec", "[2.0, -1.0]"),
    Op("tf.linalg.solve", "[[1.0], [2.0]]"),
    Op("tf.einsum", "x, x", first="'ij,kj->ik'"),
    Op("tf.tensordot", "x, axes=1"),
    Op("tf.linalg.diag_part"),
    Op("tf.linalg.band_part", "0, -1", elementwise=True),
    Op("tf.norm"),
    Op("tf.linalg.normalize", "axis=1"),
)
REDUCTIONS: Final = (
    Op("tf.reduce_sum", "axis=0"),
    Op("tf.reduce_mean", "axis=1, keepdims=True"),
    Op("tf.reduce_max", "axis=1", smooth=False),
    Op("tf.reduce_prod", "axis=0"),
    Op("tf.reduce_logsumexp", "axis=-1"),
    Op("tf.math.reduce_std"),
    Op("tf.nn.moments", "axes=[0]"),
    Op("tf.nn.softmax", "axis=-1", elementwise=True),
    Op("tf.nn.log_softmax", elementwise=True),
    Op("tf.nn.l2_loss"),
    Op("tf.math.l2_normalize", "axis=1", elementwise=True),
    Op("tf.cumsum", "axis=1", elementwise=True),
    Op("tf.math.cumprod", "axis=0, reverse=True", elementwise=True),
    Op("tf.nn.softmax_cross_entropy_with_logits", "x", first="tf.nn.softmax(x)"),
    Op("tf.argmax", "axis=1", smooth=False),
)
SHAPES: Final = (
    Op("tf.reshape", "[4]"),
    Op("tf.gather", "[1, 0, 1]"),
    Op("tf.gather_nd", "[[0, 1], [1, 1]]"),
    Op("tf.transpose", elementwise=True),
    Op("tf.concat", "1", first="[x, x * 2.0]"),
    Op("tf.stack", "axis=1", first="[x, x]"),
    Op("tf.unstack", "axis=1"),
    Op("tf.split", "2, axis=1"),
    Op("tf.expand_dims", "1"),
    Op("tf.tile", "[1, 2]"),
    Op("tf.repeat", "2, axis=0"),
    Op("tf.pad", "[[0, 1], [1, 0]]"),
    Op("tf.reverse", "[0]", elementwise=True),
    Op("tf.roll", "1, 0", elementwise=True),
    Op("tf.slice", "[0, 1], [2, 1]"),
    Op("tf.broadcast_to", "[3, 2, 2]"),
    Op("tf.where", "x, 0.5 * x", first="x > 0.0", elementwise=True),
    Op("tf.tensor_scatter_nd_update", "[[1]], [[7.0, 8.0]]", elementwise=True),
    Op("tf.boolean_mask", "[True, False]"),
    Op("operator.getitem", "(slice(None), 1)"),
    Op("tf.cast", "tf.float64"),
    Op("tf.cast", "tf.int32", smooth=False),
    Op("tf.shape", smooth=False),
    Op("tf.one_hot", "2, on_value=3.0", first="tf.cast(x, tf.int32)", smooth=False),
)
OPS: Final = (*UNARY, *ROUGH, *BINARY, *MATRIX, *REDUCTIONS, *SHAPES)


def _any(_: Op) -> bool:
    return True


def _is_unary(op: Op) -> bool:
    return op.unary


def _is_smooth(op: Op) -> bool:
    return op.smooth


def _is_elementwise(op: Op) -> bool:
    return op.elementwise


def _is_of_single_elements(op: Op) -> bool:
    """It computes each element from that element alone, whatever the rank is."""
    return op in {*UNARY, *ROUGH}


@dataclass(frozen=True)
class Setting:
    """A context of the grid: the table it belongs to, its program and the ops that it takes.

    The program calls the op as `{call}` or, where a callable is asked for, loads it as `{load}`.
    It is `without` the captures that TensorFlow refuses there.
    """

    table: str
    name: str
    program: str
    takes: Callable[[Op], bool] = _any
    without: tuple[str, ...] = ()


def _setting(
    table: str, name: str, program: str, takes: Callable[[Op], bool] = _any,
    without: tuple[str, ...] = (),
) -> Setting:  # fmt: skip
    return Setting(f"captured_{table}", name, dedent(program).strip(), takes, without)


SETTINGS: Final = (
    _setting(
        "eagerly",
        "eagerly",
        """
        x = DATA
        {call}
        """,
    ),
    _setting(
        "eagerly",
        "under_an_eager_tape",
        """
        x = tf.Variable(DATA)
        with tf.GradientTape() as tape:
            y = {call}
        [y, tape.gradient(y, x)]
        """,
    ),
    _setting(
        "in_functions",
        "in_a_function",
        """
        @tf.function
        def f(x):
            return {call}
        [f(DATA), f(OTHER), f.experimental_get_tracing_count()]
        """,
    ),
    _setting(
        "in_functions",
        "in_a_function_without_autograph",
        """
        @tf.function(autograph=False)
        def f(x):
            return {call}
        f(DATA)
        """,
    ),
    _setting(
        "in_functions",
        "as_the_function",
        """
        f = tf.function({load})
        [f(DATA), f(OTHER), f.experimental_get_tracing_count()]
        """,
        _is_unary,
        without=("call of a class", "wraps"),  # their signatures are not those of the function
    ),
    _setting(
        "in_functions",
        "with_a_signature",
        """
        shapes = []
        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def f(x):
            y = {call}
            shapes.append([str(part.shape) for part in tf.nest.flatten(y)])
            return y
        [f(DATA), shapes, f.experimental_get_tracing_count()]
        """,
    ),
    _setting(
        "in_functions",
        "in_nested_functions",
        """
        @tf.function
        def inner(x):
            return {call}
        @tf.function
        def outer(x):
            return inner(x), inner(x + 1.0)
        [outer(DATA), inner.experimental_get_tracing_count()]
        """,
    ),
    _setting(
        "in_functions",
        "in_a_concrete_function",
        """
        f = tf.function(lambda x: {call})
        concrete = f.get_concrete_function(tf.TensorSpec([2, 2], tf.float32))
        [concrete(DATA), concrete(OTHER)]
        """,
    ),
    _setting(
        "in_functions",
        "in_a_method",
        """
        class Scale(tf.Module):
            def __init__(self):
                super().__init__()
                self.w = tf.Variable(2.0)
            @tf.function
            def __call__(self, x):
                x = self.w * x
                return {call}
        scale = Scale()
        [scale(DATA), scale.w.assign(-1.0), scale(DATA)]
        """,
    ),
    _setting(
        "under_tapes",
        "under_a_tape_outside",
        """
        @tf.function
        def f(x):
            return {call}
        x = tf.Variable(DATA)
        with tf.GradientTape() as tape:
            y = f(x)
        [y, tape.gradient(y, x)]
        """,
    ),
    _setting(
        "under_tapes",
        "under_a_tape_inside",
        """
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = {call}
            return y, tape.gradient(y, x)
        f(DATA)
        """,
    ),
    _setting(
        "under_tapes",
        "under_a_tape_around_an_inner_function",
        """
        @tf.function
        def inner(x):
            return {call}
        @tf.function
        def outer(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = inner(x)
            return tape.gradient(y, x, unconnected_gradients="zero")
        outer(DATA)
        """,
    ),
    _setting(
        "under_tapes",
        "under_two_tapes",
        """
        @tf.function
        def f(x):
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = {call}
                first = inner.gradient(y, x)
            return first, outer.gradient(first, x)
        f(DATA)
        """,
        lambda op: op.smooth and op.elementwise,
    ),
    _setting(
        "under_tapes",
        "under_a_tape_inside_and_one_outside",
        """
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = {call}
            return tape.gradient(y, x)
        x = tf.Variable(DATA)
        with tf.GradientTape() as tape:
            first = f(x)
        [first, tape.gradient(first, x)]
        """,
        lambda op: op.smooth and op.unary,
    ),
    _setting(
        "in_branches_and_loops",
        "in_a_branch",
        """
        @tf.function
        def f(x):
            return tf.cond(tf.reduce_sum(x) > 0.0, lambda: {call}, lambda: {call})
        [f(DATA), f(OTHER), f.experimental_get_tracing_count()]
        """,
    ),
    _setting(
        "in_branches_and_loops",
        "in_an_if",
        """
        @tf.function
        def f(x):
            if tf.reduce_sum(x) > 0.0:
                return {call}
            else:
                return -x
        [f(DATA), f(OTHER)]
        """,
        _is_elementwise,
    ),
    _setting(
        "in_branches_and_loops",
        "in_a_while_loop",
        """
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                i, y = tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, {call}), (0, x))
            return y, tape.gradient(y, x)
        f(DATA)
        """,
        lambda op: op.elementwise and op.smooth,
    ),
    _setting(
        "in_branches_and_loops",
        "in_a_for",
        """
        @tf.function
        def f(x, n):
            for _ in tf.range(n):
                x = {call}
            return x
        [f(DATA, c(0)), f(DATA, c(2))]
        """,
        _is_elementwise,
    ),
    _setting(
        "in_callbacks",
        "in_map_fn",
        """
        f = tf.function(lambda rows: tf.map_fn(lambda x: {call}, rows))
        [tf.map_fn(lambda x: {call}, DATA), f(DATA)]
        """,
        _is_of_single_elements,
    ),
    _setting(
        "in_callbacks",
        "in_scan",
        """
        def step(total, x):
            return total + {call}
        f = tf.function(lambda rows: tf.scan(step, rows))
        [tf.scan(step, DATA), f(DATA)]
        """,
        _is_of_single_elements,
    ),
    _setting(
        "in_callbacks",
        "as_callback_of_map_fn",
        """
        @tf.function
        def f(rows):
            with tf.GradientTape() as tape:
                tape.watch(rows)
                y = tf.map_fn({load}, rows)
            return y, tape.gradient(y, rows)
        f(DATA)
        """,
        lambda op: op.unary and op.smooth,
    ),
    _setting(
        "in_callbacks",
        "as_callback_of_map_structure",
        """
        f = tf.function(lambda parts: tf.nest.map_structure({load}, parts))
        f({"rows": DATA, "more": [OTHER, c(0.5)]})
        """,
        _is_unary,
    ),
    _setting(
        "in_keras",
        "in_a_layer",
        """
        class Layer(tf.keras.layers.Layer):
            def build(self, shape):
                self.w = self.add_weight(shape=shape[-1:], initializer="ones")
            def call(self, x):
                x = x * self.w
                return {call}
        layer = Layer()
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                y = layer(x)
            return y, tape.gradient(y, layer.trainable_variables)
        f(DATA)
        """,
    ),
    _setting(
        "in_keras",
        "as_activation",
        """
        layer = tf.keras.layers.Dense(2, activation={load}, kernel_initializer="ones")
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                y = layer(x)
            return y, tape.gradient(y, layer.trainable_variables)
        [layer(OTHER), f(DATA)]
        """,
        _is_unary,
    ),
    _setting(
        "in_keras",
        "in_a_functional_model",
        """
        inputs = tf.keras.Input((2,))
        outputs = tf.keras.layers.Lambda(lambda x: {call})(inputs)
        model = tf.keras.Model(inputs, outputs)
        [model(DATA), tf.function(model)(OTHER), model.output_shape]
        """,
        _is_of_single_elements,
    ),
    _setting(
        "in_keras",
        "as_activation_of_a_sequential_model",
        """
        dense = tf.keras.layers.Dense(3, kernel_initializer="ones")
        model = tf.keras.Sequential([dense, tf.keras.layers.Activation({load})])
        f = tf.function(model)
        [f(DATA), model(DATA)]
        """,
        _is_unary,
    ),
)  # fmt: skip


def tables() -> dict[str, str]:
    """The text of every table of the grid, by its name."""
    texts: dict[str, list[str]] = {}
    for at, setting in enumerate(SETTINGS):
        ops = [op for op in OPS if setting.takes(op)]
        lines = texts.setdefault(setting.table, [HEAD])
        for turn, capture in enumerate(CAPTURES.values()):
            op = ops[(turn * STRIDE + at * len(CAPTURES)) % len(ops)]
            if capture.name not in setting.without:
                lines += _entry(capture, op, setting)
    return {name: "\n".join(lines) + "\n" for name, lines in texts.items()}


HEAD: Final = "# Written by grid.py: an op is stored in a capture and called in a context."
STRIDE: Final = 7
"""How far the next capture is from the last one in the list of ops; it has no divisor in common."""


def _entry(capture: Capture, op: Op, setting: Setting) -> Iterator[str]:
    """One program: imports, the capture, and the context with the call."""
    modules = {*capture.imports, *(["operator"] if op.function.startswith("operator.") else [])}
    plain = setting.program.replace("DATA", DATA).replace("OTHER", OTHER)
    call = f"{capture.loaded(op.function)}({'x' if capture.wraps else op.arguments})"
    program = plain.replace("{call}", call).replace("{load}", capture.loaded(op.function))
    name = "_".join([op.name.strip("_"), "by", *capture.name.replace(".", "_").split()])
    stored = capture.stored(op.function, tensors="x", settings="", arguments=op.arguments)
    yield f"{name}_{setting.name}"
    yield from (f"    import {module}" for module in sorted(modules))
    yield from (f"    {line}" for line in stored)
    yield indent(program, "    ")


def main() -> None:
    """Write the tables where they differ from the grid."""
    for name, text in tables().items():
        path = TABLES / f"{name}.txt"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote {path.name}\n")


if __name__ == "__main__":
    main()
