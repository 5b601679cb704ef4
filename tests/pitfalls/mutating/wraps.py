"""Pitfalls that are put around an expression."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from typing import NamedTuple

from tests.pitfalls.mutating.text import Mutant, Program, some

Mutation = Callable[[Program, random.Random], Mutant | None]


class Wrap(NamedTuple):
    """What stands around an expression, and the code that tells of it."""

    code: str
    around: str
    keeps_values: bool = True
    head: str = ""


_POOL = "from concurrent.futures import ThreadPoolExecutor\n"
_ROUND = "NON_DIFFERENTIABLE"

WRAPS = {
    ".numpy()": Wrap("LEFT_ENGINE", "tf.constant(({e}).numpy())"),
    "np.array": Wrap("LEFT_ENGINE", "tf.convert_to_tensor(np.array({e}))"),
    "np.multiply": Wrap("LEFT_ENGINE", "tf.constant(np.multiply({e}, 1.0), tf.float32)"),
    "float()": Wrap("LEFT_ENGINE", "tf.constant(float({e}))"),
    "tolist()": Wrap("LEFT_ENGINE", "tf.constant(({e}).numpy().tolist())"),
    "a list of floats": Wrap("LEFT_ENGINE", "tf.constant([float(v) for v in {e}])"),
    "numpy_function": Wrap("LEFT_ENGINE", "tf.numpy_function(lambda a: a, [{e}], tf.float32)"),
    "stop_gradient": Wrap("STOPPED", "tf.stop_gradient({e})"),
    "tf.Variable()": Wrap("COPIED_VALUE", "tf.Variable({e})"),
    "tf.Variable(), frozen": Wrap("COPIED_VALUE", "tf.Variable({e}, trainable=False)"),
    "a thread": Wrap(
        "OTHER_THREAD", "ThreadPoolExecutor(1).submit(lambda: {e}).result()", head=_POOL
    ),
    "a Dataset": Wrap("STATE_READ", "next(iter(tf.data.Dataset.from_tensors({e})))"),
    "a metric": Wrap("STATE_READ", "tf.keras.metrics.Mean()({e})", False),
    "int and back": Wrap("INT_DTYPE", "tf.cast(tf.cast({e}, tf.int32), tf.float32)", False),
    "round": Wrap(_ROUND, "tf.round({e})", False),
    "floor": Wrap(_ROUND, "tf.floor({e})", False),
    "floor division": Wrap(_ROUND, "(({e}) // 0.25)", False),
    "a comparison": Wrap(_ROUND, "tf.cast(({e}) > 0.1, tf.float32)", False),
    "argmax": Wrap(_ROUND, "tf.cast(tf.argmax({e}, axis=-1), tf.float32)", False),
    "tf.size": Wrap("SHAPE_ONLY", "tf.cast(tf.size({e}), tf.float32)", False),
}

TWINS = {
    "tf.sin": "np.sin", "tf.cos": "np.cos", "tf.exp": "np.exp", "tf.tanh": "np.tanh",
    "tf.sqrt": "np.sqrt", "tf.abs": "np.abs", "tf.square": "np.square",
    "tf.reduce_sum": "np.sum", "tf.reduce_mean": "np.mean", "tf.math.log": "np.log",
}  # fmt: skip
"""Functions of NumPy that a learner may take instead."""


def wrapped(kind: str, wrap: Wrap) -> Mutation:
    """A mutation that puts something around any expression."""

    def mutate(program: Program, draw: random.Random) -> Mutant | None:
        node = some(draw, program.expressions)
        if node is None:
            return None
        text = program.with_text(node, wrap.around.format(e=program.text_of(node)))
        return Mutant(kind, wrap.code, wrap.head + text, wrap.keeps_values)

    return mutate


def by_numpy(program: Program, draw: random.Random) -> Mutant | None:
    """NumPy's function in place of TensorFlow's."""
    inside = [node for node in program.expressions if isinstance(node, ast.Call)]
    call = some(draw, [node for node in inside if ast.unparse(node.func) in TWINS])
    if call is None:
        return None
    name = ast.unparse(call.func)
    text = program.text_of(call).replace(name, TWINS[name], 1)
    return Mutant("NumPy's function", "LEFT_ENGINE", program.with_text(call, text))


def by_predict(program: Program, draw: random.Random) -> Mutant | None:
    """`model.predict(…)` in place of `model(…)`."""
    inside = [node for node in program.expressions if isinstance(node, ast.Call)]
    call = some(draw, [node for node in inside if ast.unparse(node.func) in {"model", "net"}])
    if call is None:
        return None
    text = f"{ast.unparse(call.func)}.predict({program.text_of(call.args[0])}, verbose=0)"
    return Mutant("predict", "LEFT_ENGINE", program.with_text(call, text))


def two_lines(program: Program, draw: random.Random) -> Mutant | None:
    """A value that leaves in one line and comes back in the next."""
    statement = some(draw, stored(program))
    if statement is None:
        return None
    (name,) = map(ast.unparse, statement.targets)
    outside = some(draw, [f"np.array({name})", f"{name}.numpy()", f"np.asarray({name}) * 1.0"])
    return _after(
        program, statement, "out, and back a line later", "LEFT_ENGINE",
        [f"outside = {outside}  # here", f"{name} = tf.constant(outside, tf.float32)"],
    )  # fmt: skip


def assigned(program: Program, draw: random.Random) -> Mutant | None:
    """A value that is put into a variable, which is used in its place."""
    statement = some(draw, stored(program))
    if statement is None:
        return None
    (name,) = map(ast.unparse, statement.targets)
    mutant = _after(
        program, statement, "assign in the tape", "STATE_READ",
        [f"kept_value.assign({name})  # here", f"{name} = kept_value * 1.0"],
    )  # fmt: skip
    head = "kept_value = tf.Variable(0.0, shape=tf.TensorShape(None))\n"
    return Mutant(mutant.kind, mutant.code, head + mutant.text)


def stored(program: Program) -> list[ast.Assign]:
    """The statements that name a value."""
    nodes = [node for body in (program.block, *program.functions) for node in ast.walk(body)]
    named = [n for n in nodes if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
    return [node for node in named if len(node.targets) == 1 and isinstance(node.value, ast.expr)]


def _after(program: Program, statement: ast.stmt, kind: str, code: str, lines: list[str]) -> Mutant:
    indented = [program.indentation(statement) + line for line in lines]
    own = program.lines[statement.lineno - 1 : statement.end_lineno]
    text = program.replaced(statement.lineno, statement.end_lineno, [*own, *indented])
    return Mutant(kind, code, text)
