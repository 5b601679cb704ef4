"""Elementwise functions and operators of ragged tensors, and how their operands broadcast.

Rows of length 1 along a uniform axis are repeated; rows of a ragged axis must be equally long in
all operands. Then the function runs once, on the flat values.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapelab import math
from tapelab.core.composite_tensor import CompositeTensor, composite_in
from tapelab.core.convert import operand
from tapelab.core.dispatch import public
from tapelab.core.execute import composite
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.variable import Variable
from tapelab.errors import InvalidArgumentError
from tapelab.ops import comparison
from tapelab.ops.indexed_rows import gather
from tapelab.ops.public import binary, strict_operand, unary
from tapelab.ops.public import tensor as as_tensor
from tapelab.ops.shapes import reshape
from tapelab.ragged.ragged_tensor import RaggedTensor
from tapelab.ragged.row_partition import Array, RowPartition, ranges


@dataclass(frozen=True)
class Operand:
    """One of several things to be aligned: its flat values and the partitions of its axes."""

    flat: Tensor
    rows: int
    partitions: tuple[RowPartition, ...]


@composite
def broadcast(*operands: Any) -> tuple[list[Any], list[RowPartition]]:
    """The flat values of several operands, repeated so that they fit, and their common rows."""
    alike = _already_aligned(operands)
    if alike is not None:
        return alike
    ragged = [each for each in operands if isinstance(each, RaggedTensor)]
    inner = min(each.flat_values._array.ndim for each in ragged) - 1
    outer = max(rank_of(each) for each in operands) - inner
    split = [
        each if rank_of(each) <= inner else _operand(each, inner, outer)
        for each in operands
    ]  # fmt: skip
    cut = [each for each in split if isinstance(each, Operand)]
    places, partitions = _walk(cut)
    flat = iter(_repeated(each, at) for each, at in zip(cut, places, strict=True))
    return [next(flat) if isinstance(each, Operand) else each for each in split], partitions


def _already_aligned(operands: Any) -> tuple[list[Any], list[RowPartition]] | None:
    """No repeating is needed for equal rows, nor for what meets only the axes inside them."""
    ragged = [each for each in operands if isinstance(each, RaggedTensor)]
    first = ragged[0]
    inner = first.flat_values._array.ndim - 1
    kinds = {each._partition.dtype for each in ragged}
    if len(kinds) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    for each in operands:
        if not isinstance(each, RaggedTensor):
            if rank_of(each) > inner:
                return None
        elif not same_rows(first._partitions, each._partitions) or each._rank != first._rank:
            return None
    flat = [each.flat_values if isinstance(each, RaggedTensor) else each for each in operands]
    levels = zip(*(each._partitions for each in ragged), strict=True)
    return flat, [_least_known(level) for level in levels]


def _least_known(level: tuple[RowPartition, ...]) -> RowPartition:
    """Of equal partitions one that is not known to be uniform, if there is one."""
    return next((each for each in level if not each.is_uniform()), level[0])


def same_rows(one: list[RowPartition], other: list[RowPartition]) -> bool:
    """Whether values are cut in the same way, along all axes."""
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(a._matches(b) for a, b in pairs)


def require_same_rows(one: list[RowPartition], other: list[RowPartition]) -> None:
    """InvalidArgumentError unless values are cut in the same way."""
    if not same_rows(one, other):
        splits = [[each._splits.tolist() for each in partitions] for partitions in (one, other)]
        raise InvalidArgumentError(
            None, None, "Inputs must have identical ragged splits\nCondition x == y did not hold.\n"
            f"Row splits x:\n{splits[0]}\nRow splits y:\n{splits[1]}",
        )  # fmt: skip


def rank_of(operand: Any) -> int:
    """How many axes a tensor has, ragged or not."""
    return operand._rank if isinstance(operand, RaggedTensor) else int(operand._array.ndim)


def _operand(given: Any, inner: int, outer: int) -> Operand:
    """An operand with as many partitioned axes as the result, those in front of length 1."""
    if isinstance(given, RaggedTensor):
        rows, partitions = given._partition.static_nrows, given._partitions
        flat = given.flat_values
    else:
        rows, partitions, flat = int(given._array.shape[0]), [], given
    shape = flat._array.shape
    deeper = shape[1 : len(shape) - inner]
    count = int(shape[0])
    for length in deeper:
        partitions = [*partitions, RowPartition._evenly(count, int(length))]
        count *= int(length)
    if deeper:
        flat = reshape(flat, shape=(count, *shape[len(shape) - inner :]))
    while len(partitions) + 1 < outer:
        partitions, rows = [RowPartition._evenly(1, rows), *partitions], 1
    return Operand(flat, rows, tuple(partitions))


def _walk(cut: list[Operand]) -> tuple[list[Array], list[RowPartition]]:
    """For each operand the row that each row of the result comes from, axis by axis."""
    count = max((each.rows for each in cut if each.rows != 1), default=1)
    if any(each.rows not in (1, count) for each in cut):
        raise _unequal(*[np.array([each.rows]) for each in cut[:2]])
    places = [np.zeros(count, np.int64) if each.rows == 1 else np.arange(count) for each in cut]
    partitions = []
    for axis in range(len(cut[0].partitions)):
        level = [each.partitions[axis] for each in cut]
        lengths = _lengths(level, places)
        uniform = [each.static_uniform_row_length for each in level]
        places = [
            ranges(each._splits[:-1][at], lengths, int(length != 1))
            for each, at, length in zip(level, places, uniform, strict=True)
        ]
        if None in uniform:
            partitions.append(RowPartition._of_lengths(lengths))
        else:
            longest = next((each for each in uniform if each != 1), 1)
            partitions.append(RowPartition._evenly(len(lengths), longest or 0))
    return places, partitions


def _lengths(level: list[RowPartition], places: list[Array]) -> Array:
    """The lengths of the rows of the result along one axis, on which all operands agree."""
    wanted = [
        each._lengths[at]
        for each, at in zip(level, places, strict=True)
        if each.static_uniform_row_length != 1
    ] or [level[0]._lengths[places[0]]]
    for other in wanted[1:]:
        if not np.array_equal(wanted[0], other):
            raise _unequal(wanted[0], other)
    return wanted[0]


def _repeated(operand: Operand, places: Array) -> Tensor:
    if np.array_equal(places, np.arange(len(operand.flat._value))):
        return operand.flat
    return gather(operand.flat, constant_of(places))


def _unequal(one: Array, other: Array) -> InvalidArgumentError:
    return InvalidArgumentError(
        None, None, "Unable to broadcast: dimension size mismatch. Condition x == y did not hold.\n"
        f"Row lengths x:\n{one}\nRow lengths y:\n{other}\nRagged tensors are combined where their "
        "rows are equally long, or where a uniform axis has length 1.",
    )  # fmt: skip


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
    "and": (math.logical_and, binary(comparison.bitwise_and)),
    "or": (math.logical_or, binary(comparison.bitwise_or)),
    "xor": (math.logical_xor, binary(comparison.bitwise_xor)),
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
    mapped = function(*flat, **given)
    return mapped if mapped is None else RaggedTensor._nested(mapped, partitions)


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
    ragged = [each for each in _leaves((args, kwargs)) if isinstance(each, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    sizes = {int(each.flat_values._array.shape[0]) for each in ragged}
    if len(sizes) > 1:
        raise ValueError(
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got "
            f"sizes: {sizes}"
        )
    for other in ragged[1:]:
        require_same_rows(ragged[0]._partitions, other._partitions)
    result = op(*_flat(args), **_flat(kwargs))
    return _rewrapped(result, ragged[0], sizes.pop())


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


def _leaves(nest: Any) -> list[Any]:
    if isinstance(nest, (list, tuple)):
        return [leaf for each in nest for leaf in _leaves(each)]
    return _leaves(list(nest.values())) if isinstance(nest, dict) else [nest]


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
    return (math.logical_not if self.dtype.is_bool else unary(comparison.invert))(self)


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
