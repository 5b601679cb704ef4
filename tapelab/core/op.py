r"""How an op is declared: a kernel, one gradient rule per input, and what to say of them.

    @op(formula=r"z = x \cdot y", glyph="×", raw="Mul", broadcasts=True)
    def multiply(x, y):
        '''Each entry is the product of the two entries at its place.'''
        return np.multiply(x, y)

    @multiply.grad("x", r"\bar x = \bar z \cdot y", local="y")
    def multiply_grad_x(dz, z, x, y):
        return multiply(dz, y)

The arrays are positional, the settings keyword-only. Called with raw arrays an op runs its kernel;
called with tensors it is also recorded, in the log and by the active tapes. A rule is therefore
fast on arrays, and can be differentiated again on tensors.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Final, overload

import numpy as np

from tapelab.core.execute import run
from tapelab.core.op_declaration import PATTERNS, Op, first_sentence
from tapelab.core.tensor import Tensor
from tapelab.core.value_types import Value

REGISTRY: Final[dict[str, Op]] = {}
"""Every declared op by its name."""

SYMBOLIC: Final[set[type]] = set()
"""Types of tensors without values: an op on one of them goes to its `interpreter()`."""


class RunnableOp(Op):
    """An op that can be called."""

    @overload
    def __call__(self, x: Tensor, /, *inputs: Value, **settings: Any) -> Tensor: ...
    @overload
    def __call__(self, *inputs: Value, **settings: Any) -> Any: ...
    def __call__(self, *inputs: Value, **settings: Any) -> Any:
        """Run on tensors (recorded) or on raw arrays (not)."""
        for each in inputs:
            kind = type(each)
            if kind is Tensor:
                fast_path = self.fast_path
                return run(self, inputs, settings) if fast_path is None else fast_path(*inputs)
            if kind in SYMBOLIC:
                return each.interpreter().bind(self, inputs, settings)
        return self.kernel(*inputs, **settings)


@lru_cache(maxsize=1024)
def is_ours(op: Op) -> bool:
    """Whether an op and its VJP rules belong to this library: those of a user may do anything."""
    functions = [rule.function for rule in op.rules.values() if rule.function is not None]
    ours = all(function.__module__.startswith("tapelab.") for function in functions)
    return ours and REGISTRY.get(op.name) is op


def op(**declared: Any) -> Callable[[Callable[..., Any]], RunnableOp]:
    """Declare an op; see the top of this file."""

    def declare(kernel: Callable[..., Any]) -> RunnableOp:
        new_op = make_op(kernel, declared)
        if new_op.name in REGISTRY:
            raise ValueError(f"An op {new_op.name!r} is declared already.")
        REGISTRY[new_op.name] = new_op
        return new_op

    return declare


def make_op(kernel: Callable[..., Any], declared: dict[str, Any]) -> RunnableOp:
    """The op of a kernel, with the facts that `op` takes; it is not registered."""
    inputs, settings, variadic = _parameters(kernel)
    name = declared.pop("name", kernel.__name__.rstrip("_"))
    words = name.replace("_", " ")
    formula = declared.get("formula", "")
    new_op = RunnableOp(
        name=name,
        kernel=kernel if (kernel.__module__ or "").startswith("tapelab.") else _owned(kernel),
        inputs=inputs,
        settings=settings,
        defaults=inspect.unwrap(kernel).__kwdefaults__ or {},
        variadic=variadic,
        sentence=first_sentence(kernel),
        output=declared.pop("output", formula.partition("=")[0].strip() or "y"),
        **declared,
    )
    new_op.title = new_op.title or words.capitalize()
    new_op.glyph = new_op.glyph or words
    new_op.raw = new_op.raw or "".join(word.capitalize() for word in name.split("_"))
    if new_op.pattern not in PATTERNS:
        raise ValueError(f"{name}: pattern {new_op.pattern!r} is none of {', '.join(PATTERNS)}.")
    return new_op


def _owned(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A user's kernel whose results are copied: it may keep them, or parts, and change them."""

    @wraps(kernel)
    def copied(*arrays: Value, **settings: Any) -> Any:
        result = kernel(*arrays, **settings)
        if isinstance(result, tuple):
            return tuple(
                [np.array(array) if type(array) is np.ndarray else array for array in result]
            )
        return np.array(result) if type(result) is np.ndarray else result

    return copied


def _parameters(kernel: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """The arrays and the settings that a kernel takes, and whether it takes any number of arrays.

    They are read off its code: a signature takes ten times as long, and there are hundreds.
    """
    code = inspect.unwrap(kernel).__code__
    named = code.co_argcount
    last = named + code.co_kwonlyargcount
    variadic = bool(code.co_flags & inspect.CO_VARARGS)
    several = code.co_varnames[last : last + variadic]
    return code.co_varnames[:named] + several, code.co_varnames[named:last], variadic
