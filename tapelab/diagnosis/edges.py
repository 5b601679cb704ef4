"""The edges of the dataflow as columns, and searches over them.

Invariant: edges are ordered by their events, and a value is made from values that existed before.
So an edge into a tensor precedes every edge out of it, and one pass over the columns, forwards or
backwards, finds all that is reachable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Cut(Enum):
    """Why the gradient cannot follow a value back."""

    STOPPED = "stop_gradient"
    OUTSIDE = "Python code that runs as one op"
    FLAT = "an op without a derivative"
    WITHHELD = "a gradient function that returned None"
    INTEGER = "integers"
    LEFT = "NumPy or Python"
    STATE = "an assignment"
    HANDED_OUT = "a queue or a Dataset"
    BEFORE = "before the tape"
    AFTER = "after the tape"
    PAUSED = "recording was paused"
    THREAD = "another thread"
    LATE = "watched too late"
    COPIED = "a copy of the value"
    DERIVED = "a gradient that a tape gave"


CUTS: Final = (None, *Cut)
"""Cuts by their number in the column of cuts; 0 is none."""

NUMBER_OF: Final = {cut: number for number, cut in enumerate(CUTS)}


@dataclass(frozen=True, slots=True)
class Edge:
    """A value went from the tensor `origin` into the tensor `to`.

    `event` tells how; `position` is that of the input where an op did it. An edge without a cut is
    off the tape all the same (`taped` is False) where nothing behind it is watched.
    """

    origin: int
    to: int
    event: int
    position: int = 0
    cut: Cut | None = None
    taped: bool = False


class TensorSet:
    """Some tensors of a recording, as one flag for each."""

    def __init__(self, flags: bytearray) -> None:
        self._flags = flags

    def __contains__(self, tensor: int) -> bool:
        return bool(self._flags[tensor])

    def __iter__(self) -> Iterator[int]:
        return iter(np.flatnonzero(np.frombuffer(self._flags, np.uint8)).tolist())

    def isdisjoint(self, tensors: Iterable[int]) -> bool:
        """Whether none of some tensors is among them."""
        return not any(self._flags[tensor] for tensor in tensors)


class Edges:
    """All edges of a recording, in the order of their events.

    What is made is made of what was there before: an edge to a tensor comes before those from it.
    So a single pass tells what is reached.
    """

    def __init__(self, columns: NDArray[Any]) -> None:
        """Columns: origin, to, event, position, number of the cut, taped."""
        ordered = columns[:, np.argsort(columns[2], kind="stable")]
        self.columns = ordered
        rows = (ordered[at].tolist() for at in range(6))
        self.origin, self.to, self.event, self.position, self.cut, self.taped = rows
        self.into = Grouped(self, ordered[1])
        self.out_of = Grouped(self, ordered[0])

    def __len__(self) -> int:
        return len(self.origin)

    def has(self, cut: Cut) -> bool:
        """Whether any edge is cut in one way."""
        return bool((self.columns[4] == NUMBER_OF[cut]).any())

    def edge(self, at: int) -> Edge:
        """One edge by its number."""
        return Edge(
            self.origin[at],
            self.to[at],
            self.event[at],
            self.position[at],
            CUTS[self.cut[at]],
            bool(self.taped[at]),
        )

    def back(self, reached: bytearray, ends: bytes, follows: NDArray[Any] | None) -> bytearray:
        """What leads to what is reached, along some of the edges; not beyond the ends."""
        chosen = range(len(self)) if follows is None else np.flatnonzero(follows).tolist()
        origin, to = self.origin, self.to
        for at in reversed(chosen):
            if reached[to[at]] and not ends[to[at]]:
                reached[origin[at]] = 1
        return reached

    def ahead(self, reached: bytearray, follows: NDArray[Any] | None) -> bytearray:
        """What is reached from there, along some of the edges."""
        chosen = range(len(self)) if follows is None else np.flatnonzero(follows).tolist()
        origin, to = self.origin, self.to
        for at in chosen:
            if reached[origin[at]]:
                reached[to[at]] = 1
        return reached

    def cheapest(self, targets: tuple[int, ...], ends: bytes, prices: list[int]) -> list[int]:
        """The path from the targets back to an end with the lowest price, then fewest edges.

        Prices come in classes, 0 for an edge without a cut: one edge of a class is dearer than any
        number of edges of the classes below.
        """
        far = 2 * len(self) + 2
        of_class = [far**each for each in range(max(prices, default=0) + 1)]
        cost = dict.fromkeys(targets, 0)
        came: dict[int, int] = {}
        origin, to = self.origin, self.to
        for at in range(len(self) - 1, -1, -1):
            here = cost.get(to[at])
            if here is not None and not ends[to[at]]:
                new = here + of_class[prices[at]]
                before = cost.get(origin[at])
                if before is None or new <= before:
                    cost[origin[at]] = new
                    came[origin[at]] = at
        reached = [tensor for tensor in cost if ends[tensor]]
        if not reached:
            return []
        tensor, path = min(reached, key=lambda each: cost[each]), []
        while tensor in came:
            path.append(came[tensor])
            tensor = to[came[tensor]]
        return path[::-1]


class Grouped:
    """Edges by the tensor at one of their sides."""

    def __init__(self, edges: Edges, side: NDArray[Any]) -> None:
        self._edges = edges
        self._side = side
        self._lists: dict[int, list[Edge]] = {}

    @cached_property
    def _order(self) -> NDArray[Any]:
        order: NDArray[Any] = np.argsort(self._side, kind="stable")
        return order

    @cached_property
    def _sorted(self) -> NDArray[Any]:
        ordered: NDArray[Any] = self._side[self._order]
        return ordered

    def __contains__(self, tensor: int) -> bool:
        return bool(self[tensor])

    def __iter__(self) -> Iterator[int]:
        return iter(np.unique(self._side).tolist())

    def __getitem__(self, tensor: int) -> list[Edge]:
        edges = self._lists.get(tensor)
        if edges is None:
            first, last = np.searchsorted(self._sorted, (tensor, tensor + 1))
            numbers = self._order[first:last].tolist()
            edges = self._lists[tensor] = [self._edges.edge(at) for at in numbers]
        return edges

    def get(self, tensor: int, default: Any = None) -> list[Edge]:
        """The edges of a tensor; the default where there are none."""
        return self[tensor] or (default if default is not None else [])
