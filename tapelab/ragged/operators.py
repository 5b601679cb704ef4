"""Operators of ragged tensors, and functions of single entries mapped over their flat values."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from tapelab import math
from tapelab.core.composite_tensor import CompositeTensor, composite_in
from tapelab.core.convert import operand
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable
from tapelab.errors import InvalidArgumentError
from tapelab.ops import bits
from tapelab.ops.public import binary, strict_operand, unary
from tapelab.ops.public import tensor as as_tensor
from tapelab.ragged.broadcasting import broadcast, require_same_rows
from tapelab.ragged.tensor import RaggedTensor

Public = Callable[..., Any]

PAIRS: Final[dict[str, Public]] = {
    "add": math.add,
    "sub": math.subtract,
    "mul": math.multiply,
    "truediv": math.truediv,
    "floordiv": math.floordiv,
    "mod": math.floormod,
    "pow": math.pow,
}
ORDERS: Final[dict[str, Public]] = {
    "lt": math.less,
    "le": math.less_equal,
    "gt": math.greater,
    "ge": math.greater_equal,
}
LOGIC: Final[dict[str, tuple[Public, Public]]] = {
    "and": (math.logical_and, binary(bits.bitwise_and)),
    "or": (math.logical_or, binary(bits.bitwise_or)),
    "xor": (math.logical_xor, binary(bits.bitwise_xor)),
}
_SECOND: Final = {"y", "x", "imag"}
"""What the second parameter of a function of two numbers is called."""


def map_elements(self: RaggedTensor, function: Public, args: Any, kwargs: Any) -> Any:
    """A function of single entries, applied to the flat values of its ragged arguments."""
    names = list(inspect.signature(function).parameters)
    if len(names) == 1 or names[1] not in _SECOND:
        return _mapped(function, args, kwargs)
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    pair = given.pop(names[0]), given.pop(names[1])
    flat, partitions = broadcast(*map(_operand_of(pair), pair))
    made = function(*flat, **given)
    return made if made is None else RaggedTensor._nested(made, partitions)


def _operand_of(args: Any) -> Callable[[Any], Any]:
    """How to make operands of the arguments: a Python number takes the dtype of the ragged one."""
    ragged = next(each for each in args if isinstance(each, RaggedTensor))
    like = ragged.flat_values

    def convert(each: Any) -> Any:
        if isinstance(each, CompositeTensor):
            return each
        if isinstance(each, (Tensor, Variable)):
            return as_tensor(each)
        return operand(each, like._array.dtype)

    return convert


@public(group=True)
def map_flat_values(op: Public, *args: Any, **kwargs: Any) -> Any:
    """The function applied to the flat values of all ragged arguments; rows stay as they are."""
    return _mapped(op, args, kwargs)


def _mapped(op: Public, args: Any, kwargs: Any) -> Any:
    found = [each for each in _walk((args, kwargs)) if isinstance(each, RaggedTensor)]
    if not found:
        return op(*args, **kwargs)
    sizes = {int(each.flat_values._array.shape[0]) for each in found}
    if len(sizes) > 1:
        raise ValueError(
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got "
            f"sizes: {sizes}"
        )
    for other in found[1:]:
        require_same_rows(found[0]._partitions, other._partitions)
    result = op(*_flat(args), **_flat(kwargs))
    return _rewrapped(result, found[0], sizes.pop())


def _rewrapped(result: Any, like: RaggedTensor, size: int) -> Any:
    if result is None:  # an assertion that holds
        return None
    values = as_tensor(result)
    if values._array.shape[:1] != (size,):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same "
            "outer-dimension size as flat_values of any ragged inputs. (output shape: "
            f"{values.shape}; expected outer dimension size: {size})"
        )
    return like._with_flat(values)


def _walk(nest: Any) -> list[Any]:
    if isinstance(nest, (list, tuple)):
        return [leaf for each in nest for leaf in _walk(each)]
    return _walk(list(nest.values())) if isinstance(nest, dict) else [nest]


def _flat(nest: Any) -> Any:
    """The same arguments with flat values in place of ragged tensors."""
    if isinstance(nest, RaggedTensor):
        return nest.flat_values
    if isinstance(nest, dict):
        return {key: _flat(each) for key, each in nest.items()}
    return type(nest)(map(_flat, nest)) if type(nest) in (list, tuple) else nest


def _pair(function: Public, *, adds: bool) -> tuple[Public, Public]:
    def ready(self: RaggedTensor, other: Any) -> Any:
        if isinstance(other, (Tensor, Variable)) or composite_in(other) is not None:
            return other
        like = self.flat_values
        return operand(other, like._array.dtype) if adds else strict_operand(other, like.dtype)

    def forward(self: RaggedTensor, other: Any) -> Any:
        return function(self, ready(self, other))

    def reflected(self: RaggedTensor, other: Any) -> Any:
        return function(ready(self, other), self)

    return forward, reflected


def _logic(on_bools: Public, on_integers: Public) -> tuple[Public, Public]:
    def forward(self: RaggedTensor, other: Any) -> Any:
        return (on_bools if self.dtype.is_bool else on_integers)(self, other)

    def reflected(self: RaggedTensor, other: Any) -> Any:
        return (on_bools if self.dtype.is_bool else on_integers)(other, self)

    return forward, reflected


def _equality(function: Public, *, if_unlike: bool) -> Public:
    """`==` or `!=`, entry by entry; one answer where the rows do not fit together."""

    def compare(self: RaggedTensor, other: Any) -> Any:
        try:
            return function(self, other)
        except (InvalidArgumentError, ValueError, TypeError):
            return if_unlike

    return compare


def _negative(self: RaggedTensor) -> Any:
    return math.negative(self)


def _absolute(self: RaggedTensor) -> Any:
    return math.abs(self)


def _invert(self: RaggedTensor) -> Any:
    return (math.logical_not if self.dtype.is_bool else unary(bits.invert))(self)


def install() -> None:
    """Give ragged tensors their operators."""
    for name, function in PAIRS.items():
        forward, reflected = _pair(function, adds=name == "add")
        _attach(f"__{name}__", forward)
        _attach(f"__r{name}__", reflected)
    for name, function in ORDERS.items():
        _attach(f"__{name}__", _pair(function, adds=False)[0])
    for name, pair in LOGIC.items():
        forward, reflected = _logic(*pair)
        _attach(f"__{name}__", forward)
        _attach(f"__r{name}__", reflected)
    _attach("__eq__", _equality(math.equal, if_unlike=False))
    _attach("__ne__", _equality(math.not_equal, if_unlike=True))
    for name, method in {"neg": _negative, "abs": _absolute, "invert": _invert}.items():
        _attach(f"__{name}__", method)
    _attach("_map_elements", map_elements)


def _attach(name: str, method: Public) -> None:
    method.__name__ = name
    method.__qualname__ = f"RaggedTensor.{name}"
    setattr(RaggedTensor, name, method)
