"""The events of a recording: a closed union, one frozen dataclass each.

Tensors, variables, spans and strings are given by their index in the recording; -1 means none.
The order of `KINDS` and of the fields is the file format, see docs/reference/recording.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from tapelab.recording.facts import How as How  # noqa: PLC0414 - they are words of events
from tapelab.recording.facts import Method as Method  # noqa: PLC0414 - as above


class Cause(IntEnum):
    """Why an op that ran is on the tape, or is not."""

    TAPED = 0
    UNWATCHED = 1
    PAUSED = 2
    BEFORE = 3
    AFTER = 4
    INTEGER = 5
    OTHER_THREAD = 6
    REPLACED = 7


@dataclass(frozen=True, slots=True)
class Opened:
    """The `with` block of the tape was entered."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The `with` block of the tape was left."""


@dataclass(frozen=True, slots=True)
class Watched:
    """The tape began to watch a tensor; `how` is 0 for `watch()`, 1 for a variable's first read."""

    tensor: int
    variable: int
    how: int


@dataclass(frozen=True, slots=True)
class Ran:
    """An op ran, on the tape or off it."""

    op: int
    group: int
    cause: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """A variable was read."""

    variable: int
    tensor: int


@dataclass(frozen=True, slots=True)
class Assigned:
    """A variable was given a new value; its history ends here."""

    variable: int
    how: int
    source: int
    state: int


@dataclass(frozen=True, slots=True)
class Left:
    """A value left for NumPy or Python; `how` is a string such as `np.mean`."""

    tensor: int
    how: int
    result: int


@dataclass(frozen=True, slots=True)
class Returned:
    """A value that had left came back as a constant, without its history."""

    value: int
    tensor: int


@dataclass(frozen=True, slots=True)
class Made:
    """A constant or a variable was made; `how` is a string such as `tf.constant`.

    `source` is the tensor whose value was copied into it, if it was one.
    """

    tensor: int
    how: int
    source: int = -1


@dataclass(frozen=True, slots=True)
class Paused:
    """`stop_recording` began."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """`stop_recording` ended."""


@dataclass(frozen=True, slots=True)
class Reset:
    """The tape forgot what it had."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody asked for gradients; `results` holds -1 where the answer was None."""

    call: int
    method: int
    unconnected: int
    targets: tuple[int, ...]
    sources: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Flowed:
    """One step back: upstream × local = contribution, added into the gradient of a tensor."""

    call: int
    event: int
    position: int
    tensor: int
    upstream: int
    local: int
    contribution: int
    sum: int


@dataclass(frozen=True, slots=True)
class Accumulated:
    """What a leaf keeps as its gradient changed: a call added to it, or it was cleared (call -1).

    `before` and `after` are tensors with the gradient kept; -1 where there was none.
    """

    call: int
    tensor: int
    before: int
    after: int


Event = (
    Opened | Closed | Watched | Ran | Read | Assigned | Left
    | Returned | Made | Paused | Resumed | Reset | Asked | Flowed | Accumulated
)  # fmt: skip
KINDS: Final[tuple[type[Event], ...]] = (
    *(Opened, Closed, Watched, Ran, Read, Assigned, Left),
    *(Returned, Made, Paused, Resumed, Reset, Asked, Flowed, Accumulated),
)
KIND_OF: Final = {kind: number for number, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Located:
    """An event with its place: its index, its span in the code, and its thread."""

    index: int
    event: Event
    span: int
    thread: int


def pack(event: Event) -> list[int]:
    """The fields of an event as integers."""
    match event:
        case Ran(op, group, cause, inputs, outputs):
            return [op, group, cause, len(inputs), *inputs, *outputs]
        case Asked(call, method, unconnected, targets, sources, results):
            counts = [len(targets), len(sources)]
            return [call, method, unconnected, *counts, *targets, *sources, *results]
        case _:
            return [getattr(event, name) for name in event.__slots__]


def unpack(kind: int, fields: Sequence[int]) -> Event:
    """The event of a kind from its fields; the opposite of `pack`."""
    event: Any = KINDS[kind]
    numbers = list(fields)
    if event is Ran:
        op, group, cause, count, *tensors = numbers
        return Ran(op, group, cause, tuple(tensors[:count]), tuple(tensors[count:]))
    if event is Asked:
        call, method, unconnected, targets, sources, *rest = numbers
        cut = targets + sources
        ends = (tuple(rest[:targets]), tuple(rest[targets:cut]), tuple(rest[cut:]))
        return Asked(call, method, unconnected, *ends)
    unpacked: Event = event(*numbers)
    return unpacked
