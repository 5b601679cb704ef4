"""The steps of a way back as a picture shows them, told when somebody looks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from numpy import ndarray

from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.log import thread
from tapelab.core.records import Dropped, Record, as_op_run, dropped, truncated
from tapelab.core.tensor import Tensor
from tapelab.recording.facts import KEPT_ELEMENTS


class Flow(NamedTuple):
    """One step back, with its numbers where they are small; an op's serial of -1 is the start."""

    op: int
    position: int
    tensor: int
    upstream: Any
    contribution: Any
    sum: Any


LARGE_ONE: Final = object()
"""Stands for the numbers of a large array in a step that is told roughly, on a fast way back."""
Told = list[Flow] | None
"""Where steps are told at once; None where that can wait until somebody looks."""


class Flows:
    """The steps of the ways back that an answer took.

    Nobody may ever ask for them, so a way that can be walked once more is told only on demand.
    """

    def __init__(self) -> None:
        self._told: list[Flow] = []
        self._later: list[Callable[[], list[Flow]]] = []
        self._folded: list[tuple[int, Callable[[], list[Flow]]]] = []

    def copied(self) -> Flows:
        """The same steps, to be told apart from these."""
        made = Flows()
        made._told, made._later = list(self._told), list(self._later)
        made._folded = list(self._folded)
        return made

    def told(self) -> list[Flow]:
        """All steps so far, in order."""
        folded, self._folded = self._folded, []
        for at, walk in reversed(folded):
            self._told[at:at] = walk()
        later, self._later = self._later, []
        for walk in later:
            self._told.extend(walk())
        return self._told

    def fold(self, walk: Callable[[], list[Flow]]) -> None:
        """Let steps be told when somebody wants to see them, in this place among the others."""
        self._folded.append((len(self._told), walk))

    def tell_later(self, walk: Callable[[], list[Flow]]) -> None:
        """Have a way walked again when somebody wants to see it."""
        self._later.append(walk)


class RowsTold:
    """The steps of a way back that many rows took together, told row by row."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._parts: list[tuple[Any, list[tuple[Any, ...]]]] = []

    def begin(self, seeds: Any) -> None:
        """Hear of the seeds of the next rows."""
        self._parts.append((_cut(seeds), []))

    def hear(
        self, op: int, position: int, tensor: int, upstream: Any, contribution: Any, total: Any
    ) -> None:
        """Hear of one step: the rows of the upstream gradients, the contributions, the sums."""
        more = _cut(contribution)
        whole = more if total is contribution else _cut(total)
        self._parts[-1][1].append((op, position, tensor, _cut(upstream), more, whole))

    def flows(self) -> list[Flow]:
        """The steps of the first row, then those of the second, and so on."""
        found = []
        for seeds, steps in self._parts:
            shown: dict[int, Any] = {}
            for row in range(len(seeds)):
                seed = _row(seeds, row, shown)
                found.append(Flow(-1, 0, self._target, seed, seed, seed))
                found += [
                    Flow(*step[:3], *(_row(each, row, shown) for each in step[3:]))
                    for step in steps
                ]
        return found


def _cut(rows: Any) -> Any:
    """Rows as they may be kept: of large ones only that they lay in one buffer."""
    from tapelab.core.buffers import Buffer, root_of  # not before there are rows

    raw = rows[0] if type(rows) is tuple else rows
    raw = raw._array if type(raw) is Tensor else raw
    if raw is None or raw.size <= KEPT_ELEMENTS * len(raw):
        return raw
    buffer = Buffer(min(raw.nbytes, root_of(raw).nbytes))  # less where one row is spread out
    return (Dropped(raw.shape[1:], raw.dtype, buffer=buffer),) * len(raw)


def _row(rows: Any, at: int, shown: dict[int, Any]) -> Any:
    """One of the rows; that of the same rows is always the same object."""
    if rows is None:
        return None
    if id(rows) not in shown:
        shown[id(rows)] = list(rows)
    return shown[id(rows)][at]


def flow_of(
    op: int, position: int, tensor: int, upstream: Any, contribution: Any, adjoints: dict[int, Any]
) -> Flow:
    """A step back, with what the adjoint of the tensor has come to."""
    total, more = adjoints.get(tensor), plain(contribution)
    whole = more if total is contribution else plain(total)
    return tuple.__new__(Flow, (op, position, tensor, plain(upstream), more, whole))


def in_full(told: list[Flow], records: Iterable[Record]) -> list[Flow]:
    """Steps that were told roughly, as they are shown: with the forms of large values.

    The upstream gradient has the form of the result of its op, and what flows to a tensor has that
    of the tensor: `records` tell of both.
    """
    forms: dict[int, Any] = {}
    for run in map(as_op_run, records):
        forms.update(zip(run.input_ids, run.inputs, strict=True))
        forms.update(run.result_pairs)

    def shown(value: Any, owner: int) -> Any:
        return truncated(forms[owner]) if value is LARGE_ONE else value

    return [
        Flow(op, position, tensor, shown(dy, op), shown(more, tensor), shown(total, tensor))
        for op, position, tensor, dy, more, total in told
    ]


def plain(value: Any) -> Any:
    """What a picture shows of a gradient: the numbers of a small one; None stays None."""
    if type(value) is Tensor:
        value = value._array
    if type(value) is ndarray:
        size = value.size
        return value if size <= KEPT_ELEMENTS else _dropped(value)
    if type(value) is tuple:
        return plain(value[0])
    if isinstance(value, IndexedSlices):
        return value.preview()
    return value


def _dropped(value: ndarray[Any, Any]) -> Dropped:
    """What is left of a large value on the way back."""
    room = thread.looking
    return room.arrays.once(value, _noted) if room else dropped(value.shape, value.dtype)


def _noted(value: ndarray[Any, Any]) -> Dropped:
    from tapelab.core.buffers import Buffer, root_of  # not before somebody looks
    from tapelab.recording.measures import measured

    preview = thread.looking.preview(value, image=False)
    buffer = thread.looking.buffers.once(root_of(value), lambda root: Buffer(root.nbytes))
    return Dropped(value.shape, value.dtype, measured(value), preview, buffer)
