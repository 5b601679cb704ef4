"""The operators of tensors and variables, each an op from this folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapelab.core.composite_tensor import NotDense
from tapelab.core.convert import operand
from tapelab.core.dispatch import FastPath, public
from tapelab.core.numpy_behavior import METHODS, behavior, method
from tapelab.core.op_declaration import Op
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.variable import Variable, read
from tapelab.dtypes import bool_
from tapelab.ops import arithmetic, comparison, powers, products, slices, step_functions
from tapelab.ops.casts import cast
from tapelab.ops.public import pairs, strict_operand

Method = Callable[..., Any]

PAIRS: dict[str, Op] = {
    "add": arithmetic.add,
    "sub": arithmetic.subtract,
    "mul": arithmetic.multiply,
    "truediv": arithmetic.divide,
    "floordiv": step_functions.floordiv,
    "mod": step_functions.floormod,
    "pow": powers.pow_,
    "matmul": products.matmul,
}
ORDERS: dict[str, Op] = {
    "lt": comparison.less,
    "le": comparison.less_equal,
    "gt": comparison.greater,
    "ge": comparison.greater_equal,
}
LOGIC: dict[str, tuple[Op, Op]] = {
    "and": (comparison.logical_and, comparison.bitwise_and),
    "or": (comparison.logical_or, comparison.bitwise_or),
    "xor": (comparison.logical_xor, comparison.bitwise_xor),
}
SINGLES: dict[str, Op] = {"neg": arithmetic.negative, "abs": step_functions.abs_}


def install() -> None:
    """Give tensors and variables their operators."""
    for kind in (Tensor, Variable):
        for name, op in PAIRS.items():
            forward, reflected = _product() if op is arithmetic.multiply else _pair(op)
            _attach(kind, f"__{name}__", forward, pairs(op), name)
            _attach(kind, f"__r{name}__", reflected, pairs(op, mirrored=True), name)
        for name, op in ORDERS.items():  # Python mirrors a comparison by itself
            _attach(kind, f"__{name}__", _pair(op)[0])
        for name, ops in LOGIC.items():
            forward, reflected = _logic(*ops)
            _attach(kind, f"__{name}__", forward, graph_name=name)
            _attach(kind, f"__r{name}__", reflected, graph_name=name)
        for name, op in SINGLES.items():
            _attach(kind, f"__{name}__", _single(op))
        _attach(kind, "__invert__", _invert)
        _attach(kind, "__eq__", _equality(comparison.equal, if_unlike=False))
        _attach(kind, "__ne__", _equality(comparison.not_equal, if_unlike=True))
    for name in METHODS:
        setattr(Tensor, name, method(name))
    slices.install()


def _attach(
    kind: type, name: str, function: Method, fast_path: FastPath | None = None, graph_name: str = ""
) -> None:
    function.__name__ = name
    method = public(fast_path=fast_path, graph_name=graph_name)(function)
    method.__name__ = name
    method.__qualname__ = f"{kind.__name__}.{name}"
    setattr(kind, name, method)


def _tensor(value: Any) -> Any:
    return read(value) if isinstance(value, Variable) else value


def _pair(op: Op) -> tuple[Method, Method]:
    """The operator `x ∘ y` and its reflection `y ∘ x`.

    As in TensorFlow, `+` and `@` convert what does not fit on its own terms, and then refuse the
    dtype.
    """
    own_terms = op is arithmetic.add or op is products.matmul

    def forward(self: Any, other: Any) -> Any:
        x = self if type(self) is Tensor else _tensor(self)
        if behavior.enabled:
            x, other = behavior.promoted(x, other)
        if type(other) is Tensor:
            return op(x, other)
        try:
            y = operand(other, x._array.dtype) if own_terms else strict_operand(other, x.dtype)
        except NotDense:
            return NotImplemented
        return op(x, y)

    def reflected(self: Any, other: Any) -> Any:
        x = self if type(self) is Tensor else _tensor(self)
        if behavior.enabled:
            x, other = behavior.promoted(x, other)
        return op(strict_operand(other, x.dtype), x)

    return forward, reflected


def _product() -> tuple[Method, Method]:
    """The operator `x * y`; as in TensorFlow a logical AND where one of both is bool."""
    forward, reflected = _pair(arithmetic.multiply)

    def multiply(self: Any, other: Any) -> Any:
        x = _tensor(self)
        if behavior.enabled:
            return forward(x, other)
        if x.dtype.is_bool:
            try:
                y = operand(other, x._array.dtype)
            except NotDense:
                return NotImplemented
        elif isinstance(other, (Tensor, Variable)) and other.dtype.is_bool:
            y = _tensor(other)
        else:
            return forward(x, other)
        return comparison.logical_and(cast(x, dtype=bool_), cast(y, dtype=bool_))

    return multiply, reflected


def _logic(on_bools: Op, on_integers: Op) -> tuple[Method, Method]:
    """An operator that means logic for true and false, and bits for integers."""

    def forward(self: Any, other: Any) -> Any:
        x = _tensor(self)
        op = on_bools if x.dtype.is_bool else on_integers
        try:
            y = strict_operand(other, x.dtype)
        except NotDense:
            return NotImplemented
        return op(x, y)

    def reflected(self: Any, other: Any) -> Any:
        x = _tensor(self)
        op = on_bools if x.dtype.is_bool else on_integers
        return op(strict_operand(other, x.dtype), x)

    return forward, reflected


def _single(op: Op) -> Method:
    def forward(self: Any) -> Any:
        return op(_tensor(self))

    return forward


def _invert(self: Any) -> Any:
    x = _tensor(self)
    return (comparison.logical_not if x.dtype.is_bool else comparison.invert)(x)


def _equality(op: Op, *, if_unlike: bool) -> Method:
    """`==` or `!=`, element by element; one answer where the shapes do not fit together."""

    def compare(self: Any, other: Any) -> Any:
        if other is None and type(self) is Tensor:
            return if_unlike
        x = _tensor(self)
        if behavior.enabled:
            x, other = behavior.promoted(x, other)
        try:
            y = strict_operand(other, x.dtype)
        except NotDense:
            return NotImplemented
        if x._array.dtype == y._array.dtype and not _fit(x._array.shape, y._array.shape):
            return constant_of(np.bool_(if_unlike))
        return op(x, y)

    return compare


def _fit(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two shapes broadcast."""
    ends = zip(reversed(one), reversed(other), strict=False)
    return all(a == b or 1 in {a, b} for a, b in ends)
