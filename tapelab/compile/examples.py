"""Example tensors: the concrete tensors that stand for a symbolic one while a function is traced.

Each symbolic tensor has one example in each of two environments. The second differs from the first
in the sizes of open axes and in all values. So a shape that depends on either comes out differently
there, and is known to be unknown.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.compile.pytree import Leaf, mapped
from tapelab.core.dispatch import outside_trace
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape

ENVIRONMENTS: Final = (0, 1)
_OPEN: Final = (12, 24)
"""How long an unknown axis is in each environment; numbers that many others divide."""
_OPEN_OF_IMAGES: Final = (2, 4)
_FEW: Final = 65536
_KNOWN_RANK: Final = 2


def from_spec(shape: TensorShape, dtype: Any, lengths: tuple[int, int] = _OPEN) -> Any:
    """An example per environment for a tensor of which only shape and dtype are known."""
    kind = np.dtype(dtype)
    if shape.rank is None:
        first = invented((lengths[0],) * _KNOWN_RANK, kind, 0)
        return first, invented((lengths[1],), kind, 1)
    return tuple(
        invented([lengths[environment] if n is None else n for n in shape], kind, environment)
        for environment in ENVIRONMENTS
    )


def from_composite(spec: Leaf, lengths: tuple[int, int]) -> Any:
    """An example per environment for a ragged or sparse tensor of which only the spec is known."""
    kind = np.dtype(spec.dtype.as_numpy_dtype)
    with outside_trace():
        return tuple([
            spec._made(lengths[at], lambda shape, at=at: invented(shape, kind, at))
            for at in ENVIRONMENTS
        ])  # fmt: skip


def open_lengths(shapes: list[TensorShape]) -> tuple[int, int]:
    """How long unknown axes are taken to be: shorter where the tensors are large."""
    largest = max((_elements(shape) for shape in shapes), default=1)
    return _OPEN if largest <= _FEW else _OPEN_OF_IMAGES


def _elements(shape: TensorShape) -> int:
    if shape.rank is None:
        return 1
    return int(np.prod([_OPEN[1] if n is None else n for n in shape], dtype=np.int64))


def from_value(tensor: Tensor, shape: TensorShape) -> tuple[Tensor, Tensor]:
    """The tensor itself, and its like in the second environment: other values, other open sizes."""
    return tensor, opposite(tensor, shape)


def opposite(tensor: Tensor, shape: TensorShape) -> Tensor:
    """A tensor of the opposite numbers, twice as long along the axes that a shape leaves open."""
    value = np.asarray(tensor._array)
    if shape.rank is None:
        return constant_of(_filled((*value.shape, 2), value.dtype, _other_number(value)))
    known = zip(shape, value.shape, strict=True)
    there = [2 * length or 2 if n is None else length for n, length in known]
    return constant_of(_filled(there, value.dtype, _other_number(value)))


def relative(tensor: Tensor) -> Tensor:
    """What takes the place of a result that one environment could not compute: all axes open."""
    return opposite(tensor, TensorShape([None] * tensor._array.ndim))


def invented(shape: Any, dtype: np.dtype[Any], environment: int) -> Tensor:
    """An example without any number to go by: harmless ones, so that few functions refuse them."""
    if dtype.kind in "fc":
        array = _filled(shape, dtype, 0.25 if environment == 0 else -0.25)
        if len(array.shape) >= _KNOWN_RANK:  # square matrices can then be inverted and factored
            array = array + 2 * np.eye(*array.shape[-2:], dtype=dtype)
        return constant_of(array)
    first: Any = b"" if dtype.kind == "O" else 0
    other: Any = b"a" if dtype.kind == "O" else 1
    return constant_of(_filled(shape, dtype, first if environment == 0 else other))


def without_numbers(tensor: Tensor) -> Tensor:
    """A tensor of the same shape and dtype that takes no memory."""
    value = tensor._array
    if not value.ndim:
        return tensor
    return constant_of(np.broadcast_to(np.zeros((), value.dtype), value.shape))


def _filled(shape: Any, dtype: Any, number: Leaf) -> Any:
    array = np.full(tuple(shape), number, dtype=dtype)
    return array if array.ndim or dtype.kind == "O" else array[()]


def _other_number(value: Leaf) -> Any:
    """One number that most entries differ from in sign, truth and size."""
    if value.dtype.kind == "O":
        return b"a" if not any(value.ravel().tolist()) else b""
    mostly_positive = np.count_nonzero(np.real(value) > 0) * 2 > value.size
    if value.dtype.kind in "fc":
        return -0.75 if mostly_positive else 0.75
    return 0 if mostly_positive else 1


def spec_examples(spec: Leaf) -> list[Any]:
    """An element of such a spec in each environment."""

    def in_environment(number: int) -> Any:
        return mapped(spec, lambda each: from_spec(
            each.shape, each.dtype.as_numpy_dtype
        )[number])  # fmt: skip

    return [in_environment(number) for number in ENVIRONMENTS]
