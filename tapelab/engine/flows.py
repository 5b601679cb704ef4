"""The steps of a way back as a picture shows them, told when somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tapelab.engine.indexed_slices import IndexedSlices
from tapelab.engine.log import small
from tapelab.engine.tensor import Tensor


class Flow(NamedTuple):
    """One step back, with its numbers where they are small; an op's serial of -1 is the start."""

    op: int
    position: int
    tensor: int
    upstream: Any
    contribution: Any
    sum: Any


class Flows:
    """The steps of the ways back that an answer took.

    Nobody may ever ask for them, so a way that can be walked once more is told only on demand.
    """

    def __init__(self) -> None:
        self._told: list[Flow] = []
        self._later: list[Callable[[], list[Flow]]] = []

    def told(self) -> list[Flow]:
        """All steps so far, in order."""
        later, self._later = self._later, []
        for walk in later:
            self._told.extend(walk())
        return self._told

    def tell_later(self, walk: Callable[[], list[Flow]]) -> None:
        """Have a way walked again when somebody wants to see it."""
        self._later.append(walk)


def flow_of(
    op: int, position: int, tensor: int, upstream: Any, contribution: Any, adjoints: dict[int, Any]
) -> Flow:
    """A step back, with what the adjoint of the tensor has come to."""
    total = adjoints.get(tensor)
    return Flow(op, position, tensor, plain(upstream), plain(contribution), plain(total))


def plain(value: Any) -> Any:
    """What a picture shows of a gradient: the numbers of a small one; None stays None."""
    if type(value) is Tensor:
        return small(value._value)
    if type(value) is tuple:
        return plain(value[0])
    if isinstance(value, IndexedSlices):
        return value.preview()
    return None if value is None else small(value)
