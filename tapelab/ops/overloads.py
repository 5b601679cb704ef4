"""The operators of tensors and variables, each an op from this folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab.engine.convert import operand
from tapelab.engine.op import Op
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable, read
from tapelab.ops import arithmetic


def _tensor(thing: Any) -> Tensor:
    return read(thing) if isinstance(thing, Variable) else thing


def _pair(op: Op) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The operator `x ∘ y` and its reflection `y ∘ x`."""

    def forward(self: Any, other: Any) -> Any:
        x = self if type(self) is Tensor else _tensor(self)
        y = other if type(other) is Tensor else operand(other, x._value.dtype)
        return op(x, y)

    def reflected(self: Any, other: Any) -> Any:
        x = self if type(self) is Tensor else _tensor(self)
        return op(operand(other, x._value.dtype), x)

    return forward, reflected


def _single(op: Op) -> Callable[..., Any]:
    def forward(self: Any) -> Any:
        return op(_tensor(self))

    return forward


PAIRS: dict[str, Op] = {
    "add": arithmetic.add,
    "sub": arithmetic.subtract,
    "mul": arithmetic.multiply,
    "truediv": arithmetic.divide,
}
SINGLES: dict[str, Op] = {"neg": arithmetic.negative}


def install() -> None:
    """Give tensors and variables their operators."""
    for kind in (Tensor, Variable):
        for name, op in PAIRS.items():
            forward, reflected = _pair(op)
            setattr(kind, f"__{name}__", forward)
            setattr(kind, f"__r{name}__", reflected)
        for name, op in SINGLES.items():
            setattr(kind, f"__{name}__", _single(op))
