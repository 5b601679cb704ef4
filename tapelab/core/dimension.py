"""The size of one axis as an object, as `TensorShape.dims` and `tf.compat.v1.Dimension` give it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, SupportsIndex, TypeAlias, Union

DimensionLike: TypeAlias = Union["Dimension", SupportsIndex, None]
"""The size of an axis; None where it is not known."""


def size_of(value: DimensionLike) -> int | None:
    """A size as an int, None where it is not known; ValueError for a negative one."""
    if value is None or isinstance(value, Dimension):
        return None if value is None else value._value
    try:
        size = operator.index(value)
    except TypeError:
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, got value "
            f"{str(value)!r} with type {str(type(value))!r}"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


def _arithmetic(compute: Callable[[int, int], int], *, swapped: bool = False) -> Any:
    """A method that computes a size from two, unknown where one of them or a divisor 0 is."""

    def method(self: Dimension, other: DimensionLike) -> Any:
        try:
            sizes = self._value, size_of(other)
        except (TypeError, ValueError):
            return NotImplemented
        left, right = reversed(sizes) if swapped else sizes
        return Dimension(None if left is None or right is None else compute(left, right))

    return method


def _comparison(compare: Callable[[int, int], bool]) -> Any:
    """A method that compares two sizes, None where one of them is not known."""

    def method(self: Dimension, other: DimensionLike) -> Any:
        theirs = size_of(other)
        return None if self._value is None or theirs is None else compare(self._value, theirs)

    return method


class Dimension:
    """The size of an axis, which may be unknown; what is computed of an unknown one is unknown."""

    __slots__ = ("_value",)

    def __init__(self, value: DimensionLike) -> None:
        self._value = size_of(value)

    @property
    def value(self) -> int | None:
        """The size, None where it is not known."""
        return self._value

    def is_compatible_with(self, other: DimensionLike) -> bool:
        """Whether both may be the size of one axis."""
        theirs = size_of(other)
        return self._value is None or theirs is None or self._value == theirs

    def assert_is_compatible_with(self, other: DimensionLike) -> None:
        """ValueError unless both may be the size of one axis."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: DimensionLike) -> Dimension:
        """What is known from either; ValueError if they disagree."""
        self.assert_is_compatible_with(other)
        return Dimension(other if self._value is None else self._value)

    __add__ = _arithmetic(operator.add)
    __radd__ = _arithmetic(operator.add)
    __sub__ = _arithmetic(operator.sub)
    __rsub__ = _arithmetic(operator.sub, swapped=True)
    __mul__ = _arithmetic(operator.mul)
    __rmul__ = _arithmetic(operator.mul)
    __floordiv__ = _arithmetic(operator.floordiv)
    __rfloordiv__ = _arithmetic(operator.floordiv, swapped=True)
    __mod__ = _arithmetic(operator.mod)
    __rmod__ = _arithmetic(operator.mod, swapped=True)
    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)

    def __truediv__(self, other: object) -> Dimension:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', "
            "please use // instead"
        )

    def __rtruediv__(self, other: object) -> Dimension:
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', "
            "please use // instead"
        )

    def __eq__(self, other: object) -> Any:
        try:
            theirs = size_of(other)  # type: ignore[arg-type]  # or it raises
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or theirs is None else self._value == theirs

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is None or same is NotImplemented else not same

    def __hash__(self) -> int:
        return hash(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> Any:
        return self._value

    def __index__(self) -> Any:  # for an unknown size Python raises the TypeError
        return self._value

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self._value,)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)
