"""What a way back reaches: the ops on a tape, and the states and tensors that it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.core.indexed_slices import accumulated
from tapelab.core.log import Log
from tapelab.core.records import BACK, HEARD, OPS, Dropped, Record, whole
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape


_STEPS: Final = frozenset({*OPS, HEARD})
"""The kinds of records that a way back meets."""


@dataclass(frozen=True, eq=False, repr=False)
class Seeds:
    """The upstream gradients of a Jacobian: a 1 at each place of a value in turn, else zeros.

    With a batch they are the same for each of its rows, and the value is that of one of them.
    """

    value: Any
    batch: tuple[int, ...] = ()

    def __len__(self) -> int:
        return int(self.value.size)

    def rows(self, start: int, stop: int) -> Any:
        """Some of them, laid along a new axis in front."""
        value = self.value
        ones = np.eye(min(stop, len(self)) - start, len(self), start, value.dtype)
        if not self.batch:
            return ones.reshape(-1, *value.shape)
        each = ones.reshape(-1, *(1,) * len(self.batch), *value.shape)
        return np.broadcast_to(each, (len(ones), *self.batch, *value.shape))


def closed(tape: GradientTape) -> list[tuple[Log, int, int]]:
    """The stretches of the log that a tape has recorded up to now."""
    return [
        (log, start, len(log.records) if stop is None else stop)
        for log, start, stop in tape._windows
    ]


def taped(windows: list[tuple[Log, int, int]], serial: int) -> Iterator[Record]:
    """The ops on the tape with a serial, last first."""
    return op_by_op(steps(windows, serial), windows, serial)


def op_by_op(
    records: Iterator[Record], windows: list[tuple[Log, int, int]], serial: int
) -> Iterator[Record]:
    """Steps, last first, with each call by a program as the ops inside that the tape took."""
    return _spread_out(records, serial) if holds_calls(windows) else records


def holds_calls(windows: Sequence[Sequence[Any]]) -> bool:
    """Whether calls by programs are kept in a log of which these are stretches."""
    return True in [log.holds_calls for log, _, _ in windows]


def _spread_out(records: Iterable[Record], serial: int) -> Iterator[Record]:
    for record in records:
        if record[0] == HEARD:
            yield from (each for each in reversed(record[8].told(record)) if serial in each[-1])
        else:
            yield record


def steps(windows: list[tuple[Log, int, int]], serial: int) -> Iterator[Record]:
    """The ops on the tape with a serial, last first, and calls by programs as one step each."""
    if len(windows) == 1:
        return iter(_steps(*windows[0], serial))
    return chain.from_iterable([_steps(*each, serial) for each in reversed(windows)])


def _steps(log: Log, start: int, stop: int, serial: int) -> list[Record]:
    records = log.records[start:stop]
    records.reverse()
    return [record for record in records if record[0] in _STEPS and serial in record[-1]]


def used_up(windows: list[tuple[Log, int, int]], serial: int) -> Iterator[Record]:
    """The steps for the last time: the large values of each are let go of when it is done."""
    for log, start, stop in reversed(windows):
        records, heavy = log.records, log.heavy
        for at in range(stop - 1, start - 1, -1):
            record = records[at]
            if record[0] in _STEPS and serial in record[-1]:
                yield record
            if at in heavy:
                records[at] = log.light(at)


def needed_once(tape: GradientTape) -> bool:
    """Whether a tape keeps large values that no other tape needs, for one way back."""
    if tape._persistent or not holds_much(tape._windows):
        return False
    holders = [each() for log, _, _ in tape._windows for each in log.holders]
    return all(each is None or each is tape for each in holders)


def holds_much(windows: Sequence[Sequence[Any]]) -> bool:
    """Whether large values are kept in a log of which these are stretches."""
    return True in [bool(log.heavy) for log, _, _ in windows]


def forgotten(tape: GradientTape) -> bool:
    """Whether the tape has let go of a large value that the way back would take."""
    records = taped(closed(tape), tape._serial)
    return tape._consumed and any(_lightened(whole(record)) for record in records)


def _lightened(record: Record) -> bool:
    results = record[7] if type(record[7]) is tuple else (record[7],)
    gone = any(type(value) is Dropped for value in (*record[5], *results))
    return gone or record[8].get(BACK, True) is None


def wanted_by(tape: GradientTape, sources: Sequence[Any]) -> set[int]:
    """The ids of tensors and states whose adjoints are to be kept."""
    wanted = {source._id for source in sources if isinstance(source, Tensor)}
    if not tape._states:
        return wanted
    cells = {source._cell.identity.id for source in sources if isinstance(source, Variable)}
    return wanted | {state for state, owner in tape._states.items() if owner.id in cells}


def collected(
    tape: GradientTape, sources: Sequence[Any], begun: dict[int, Any], adjoints: dict[int, Any]
) -> list[Any]:
    """The gradients of the sources; one behind a wall has what the way back began with only."""
    states: dict[int, list[int]] = {}
    for state, owner in tape._states.items():
        states.setdefault(owner.id, []).append(state)
    if not tape._walled:
        return [_collected(source, adjoints, states) for source in sources]
    return [
        _collected(source, begun if _walled(tape, source) else adjoints, states)
        for source in sources
    ]


def _walled(tape: GradientTape, source: Any) -> bool:
    return isinstance(source, Tensor) and source._id in tape._walled


def _collected(source: Any, adjoints: dict[int, Any], states: dict[int, list[int]]) -> Any:
    """The gradient of a tensor, or the sum over all the states in which a variable was read."""
    if isinstance(source, Tensor):
        return adjoints.get(source._id)
    cell, total = source._cell, None
    read, now = states.get(cell.identity.id, []), cell.state._id
    for state in read if now in read else (*read, now):
        found = adjoints.get(state)
        if found is not None:
            total = found if total is None else accumulated(total, found)
    return total
