"""The static shape of a tensor, as far as it is known."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any, SupportsIndex, TypeAlias, Union

Dimension: TypeAlias = SupportsIndex | None
"""The size of an axis; None where it is not known."""
ShapeLike: TypeAlias = Union["TensorShape", Iterable[Dimension], Dimension]
"""What `TensorShape` takes: a shape, its sizes, one size, or None for an unknown rank."""


def _dimension(value: Dimension) -> int | None:
    if value is None:
        return None
    size = operator.index(getattr(value, "value", value))
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


class TensorShape:
    """How long a tensor is along each axis; None where that is not known."""

    __slots__ = ("_dims",)

    def __init__(self, dims: ShapeLike) -> None:
        self._dims: tuple[int | None, ...] | None
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif isinstance(dims, Iterable):
            self._dims = tuple(_dimension(d) for d in dims)
        else:
            self._dims = (_dimension(dims),)

    @classmethod
    def of_array(cls, lengths: tuple[int | None, ...]) -> TensorShape:
        """The shape with the lengths of an array, or of another shape: nothing is to be checked."""
        shape = object.__new__(cls)
        shape._dims = lengths
        return shape

    @property
    def rank(self) -> int | None:
        """The number of axes, None if unknown."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The number of axes, None if unknown."""
        return self.rank

    @property
    def dims(self) -> list[int | None] | None:
        """The lengths as a list, None if the rank is unknown."""
        return None if self._dims is None else list(self._dims)

    def as_list(self) -> list[int | None]:
        """The lengths as a list; ValueError for an unknown rank."""
        return list(self._known())

    def num_elements(self) -> int | None:
        """The product of the lengths, None if any is unknown."""
        if not self.is_fully_defined():
            return None
        product = 1
        for size in self._known():
            product *= size or 0
        return product

    def is_fully_defined(self) -> bool:
        """Whether every length is known."""
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """Whether some tensor could have both shapes."""
        theirs = TensorShape(other)._dims
        if self._dims is None or theirs is None:
            return True
        return len(self._dims) == len(theirs) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, theirs, strict=True)
        )

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        """ValueError unless some tensor could have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def merge_with(self, other: ShapeLike) -> TensorShape:
        """What is known from either shape; ValueError if they disagree."""
        theirs = TensorShape(other)
        self.assert_is_compatible_with(theirs)
        if self._dims is None or theirs._dims is None:
            return theirs if self._dims is None else self
        pairs = zip(self._dims, theirs._dims, strict=True)
        return TensorShape([b if a is None else a for a, b in pairs])

    def concatenate(self, other: ShapeLike) -> TensorShape:
        """This shape followed by another."""
        theirs = TensorShape(other)
        if self._dims is None or theirs._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + theirs._dims)

    def _known(self) -> tuple[int | None, ...]:
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return self._dims

    def __iter__(self) -> Iterator[int | None]:
        return iter(self._known())

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __getitem__(self, key: int | slice) -> Any:
        if isinstance(key, slice):
            return TensorShape.of_array(self._known()[key])
        return self._known()[key]

    def __add__(self, other: ShapeLike) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: ShapeLike) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is TensorShape:
            return self._dims == other._dims
        try:
            return self._dims == TensorShape(other)._dims  # type: ignore[arg-type]  # or it raises
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._dims,)

    def __repr__(self) -> str:
        return f"TensorShape({self.dims})" if self._dims is not None else "TensorShape(None)"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        inside = ", ".join(map(str, self._dims))
        return f"({inside},)" if len(self._dims) == 1 else f"({inside})"
