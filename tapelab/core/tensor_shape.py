"""The static shape of a tensor, as far as it is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias, Union

from tapelab.core.dimension import Dimension, DimensionLike, size_of

ShapeLike: TypeAlias = Union["TensorShape", Iterable[DimensionLike], DimensionLike]
"""What `TensorShape` takes: a shape, its sizes, one size, or None for an unknown rank."""


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
            self._dims = tuple(map(size_of, dims))
        else:
            self._dims = (size_of(dims),)

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
    def dims(self) -> list[Dimension] | None:
        """The sizes as objects, None if the rank is unknown."""
        return None if self._dims is None else list(map(Dimension, self._dims))

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

    def most_specific_compatible_shape(self, other: ShapeLike) -> TensorShape:
        """The sizes that both shapes have, None where they differ; unknown for other ranks."""
        theirs = TensorShape(other)._dims
        if self._dims is None or theirs is None or len(self._dims) != len(theirs):
            return TensorShape(None)
        pairs = zip(self._dims, theirs, strict=True)
        return TensorShape([a if a == b else None for a, b in pairs])

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorShape | None:
        """The narrowest shape that allows this one and all others; None if one is no shape."""
        common = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            common = common.most_specific_compatible_shape(other)
        return common

    def is_subtype_of(self, other: object) -> bool:
        """Whether every tensor of this shape has the other one too."""
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None or self._dims == other._dims:
            return True
        return (
            self._dims is not None
            and len(self._dims) == len(other._dims)
            and all(b is None or a == b for a, b in zip(self._dims, other._dims, strict=True))
        )

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, which must have a rank; ValueError for another one."""
        if self._dims is None:
            return TensorShape([None] * rank)
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError if it has fewer axes."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError if it has more axes."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """ValueError unless the shape may have a rank."""
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: ShapeLike) -> None:
        """ValueError unless both shapes may have the same rank."""
        theirs = TensorShape(other)
        if self.rank is not None and theirs.rank is not None and self.rank != theirs.rank:
            raise ValueError(f"Shapes {self} and {theirs} must have the same rank")

    def assert_is_fully_defined(self) -> None:
        """ValueError unless every size is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

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
        if self._dims is None:
            return _part_of_unknown(key)
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
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        inside = ", ".join(map(str, self._dims))
        return f"({inside},)" if len(self._dims) == 1 else f"({inside})"


def _part_of_unknown(key: int | slice) -> TensorShape | None:
    """A part of a shape of unknown rank: only how many axes a slice takes may be known."""
    if not isinstance(key, slice):
        return None
    start, stop = key.start or 0, key.stop
    return TensorShape(None if stop is None or min(start, stop) < 0 else [None] * (stop - start))
