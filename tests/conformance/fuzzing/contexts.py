"""The contexts in which a program calls a captured function: functions, branches, loops, layers.

A context is text around one call. `{call}` is the call, `{names}` the tensors that are its
parameters where the context is a function, `{n}` a number that makes names unique, and
`{shape}` and `{dtype}` are those of the result. The last line is the expression of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent
from typing import Any, Final


@dataclass(frozen=True)
class Context:
    """Text around a call, how often it is drawn, and which calls it takes."""

    name: str
    share: int
    text: str
    takes: Callable[[Call], bool]

    def lines(self, call: Call, n: int) -> list[str]:
        """The statements of the context; the last one is the expression of the result."""
        text = self.text.replace("{call}", call.text).replace("{n}", str(n))
        text = text.replace("{names}", ", ".join(call.names))
        text = text.replace("{self and names}", ", ".join(["self", *call.names]))
        value = call.value
        if "{shape}" in text:
            text = text.replace("{shape}", str(list(value.shape)))
        if "{dtype}" in text:
            text = text.replace("{dtype}", value.dtype.name)
        return text.splitlines()


@dataclass(frozen=True)
class Call:
    """One call of a program: its text, the tensors it takes, and what it gives eagerly."""

    text: str
    names: list[str]
    inputs: list[Any]
    value: Any
    tf: Any


def _gives_tensors(call: Call) -> bool:
    """Also no assertion, which gives None eagerly and an operation in a graph."""
    return call.value is not None and is_returnable(call.tf, call.value)


def _gives_numbers(call: Call) -> bool:
    """One tensor with a known shape, of a dtype that a loop can begin with zeros of."""
    return _is_tensor(call, call.value) and call.value.dtype.name != "string"


def _takes_floats(call: Call) -> bool:
    """Keras casts what has another floating dtype, and reads a variable that it is given."""
    floats = [_is_tensor(call, each) and each.dtype.name == "float32" for each in call.inputs]
    return bool(floats) and all(floats) and _gives_tensors(call)


def _is_tensor(call: Call, value: Any) -> bool:
    return isinstance(value, call.tf.Tensor) and not isinstance(value, call.tf.Variable)


def is_returnable(tf: Any, value: Any) -> bool:
    """Whether a function gives a value back as what it is: tensors, None, and lists of them."""
    if isinstance(value, list | tuple):
        return all(is_returnable(tf, each) for each in value)
    kinds = (tf.Tensor, tf.IndexedSlices, type(None))
    return isinstance(value, kinds) and not isinstance(value, tf.Variable)


def _context(
    name: str, share: int, text: str, takes: Callable[[Call], bool] = _gives_tensors
) -> Context:
    return Context(name, share, dedent(text).strip(), takes)


CONTEXTS: Final[tuple[Context, ...]] = (
    _context("eager", 40, "{call}", lambda _: True),
    _context(
        "function",
        16,
        """
        @tf.function(autograph=False)
        def compute{n}({names}):
            return {call}
        compute{n}({names})
        """,
    ),
    _context(
        "function with AutoGraph",
        4,
        """
        @tf.function
        def compute{n}({names}):
            return {call}
        compute{n}({names})
        """,
    ),
    _context(
        "function of a lambda",
        5,
        """
        compute{n} = tf.function(lambda {names}: {call}, autograph=False)
        compute{n}({names})
        """,
    ),
    _context(
        "nested functions",
        6,
        """
        @tf.function(autograph=False)
        def outer{n}({names}):
            @tf.function(autograph=False)
            def inner{n}():
                return {call}
            return inner{n}()
        outer{n}({names})
        """,
    ),
    _context(
        "concrete function",
        3,
        """
        compute{n} = tf.function(lambda: {call}, autograph=False).get_concrete_function()
        compute{n}()
        """,
    ),
    _context(
        "method of a tf.Module",
        4,
        """
        class Step{n}(tf.Module):
            @tf.function(autograph=False)
            def __call__({self and names}):
                return {call}
        Step{n}()({names})
        """,
    ),
    _context(
        "branch",
        5,
        "tf.cond(tf.constant(True), lambda: {call}, lambda: {call})",
    ),
    _context(
        "branch of a function",
        3,
        """
        @tf.function(autograph=False)
        def compute{n}({names}):
            return tf.cond(tf.constant(True), lambda: {call}, lambda: {call})
        compute{n}({names})
        """,
    ),
    _context(
        "one of several branches",
        2,
        "tf.switch_case(tf.constant(1), [lambda: {call}, lambda: {call}])",
    ),
    _context(
        "while_loop",
        3,
        """
        start{n} = (0, tf.zeros({shape}, tf.{dtype}))
        tf.while_loop(lambda i, _: i < 2, lambda i, _: (i + 1, {call}), start{n})[1]
        """,
        _gives_numbers,
    ),
    _context(
        "map_fn",
        3,
        "tf.map_fn(lambda _: {call}, tf.range(2), fn_output_signature=tf.{dtype})[1]",
        _gives_numbers,
    ),
    _context(
        "foldl",
        2,
        "tf.foldl(lambda y, _: {call}, tf.range(2), initializer=tf.zeros({shape}, tf.{dtype}))",
        _gives_numbers,
    ),
    _context(
        "scan",
        2,
        "tf.scan(lambda y, _: {call}, tf.range(2), initializer=tf.zeros({shape}, tf.{dtype}))[1]",
        _gives_numbers,
    ),
    _context(
        "map_structure",
        2,
        'tf.nest.map_structure(lambda _: {call}, {"y": 0})["y"]',
        lambda _: True,
    ),
    _context(
        "layer",
        6,
        """
        class Layer{n}(tf.keras.layers.Layer):
            def call({self and names}):
                return {call}
        Layer{n}()({names})
        """,
        _takes_floats,
    ),
    _context(
        "layer of a function",
        3,
        """
        keras{n} = tf.keras.layers.Lambda(lambda {names}: {call})
        compute{n} = tf.function(keras{n}, autograph=False)
        compute{n}({names})
        """,
        lambda call: _takes_floats(call) and len(call.names) == 1,
    ),
)
"""Every context. A call whose result is no tensor stays outside of functions."""
