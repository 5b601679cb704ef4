"""Long columns in little room: numbers as narrow as they are, or how they go on from one another.

On a tape a loop comes by again and again. A number is then as much more than the one a turn before
as that was more than the one before it: with few exceptions, which are kept by themselves.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

TYPES: Final[dict[str, np.dtype[Any]]] = {
    "u8": np.dtype("u1"),
    "i32": np.dtype("<i4"),
    "f64": np.dtype("<f8"),
}
_TYPE_NAMES: Final = {dtype: name for name, dtype in TYPES.items()}
_NARROWER: Final[dict[str, dict[str, np.dtype[Any]]]] = {
    "u8": {},
    "i32": {"i8": np.dtype("i1"), "u8": np.dtype("u1"), "i16": np.dtype("<i2")},
    "f64": {"f32": np.dtype("<f4")},
}
"""How the numbers of a long column may be kept where they all fit: `i32:i8` says that they are."""
NARROWED_FROM: Final = 1_000
"""Columns of so many numbers are kept as narrow as they can be."""
LONGEST: Final = 64
"""So many numbers, at most, are in a turn."""
LOOKED_AT: Final = 192
"""So many numbers of a column tell how long its turns are, at each of two places."""
REGULAR: Final = 32
"""At most one in so many numbers may be an exception."""
STEP: Final = "+"
_STEPS: Final = np.dtype("i1")


class Kept(NamedTuple):
    """A column as it is kept: the name of its type, its bytes, and what follows in the header.

    These are, for a column of steps, the length of a turn, the number of exceptions, and the step
    where it is always the same one.
    """

    kind: str
    data: bytes
    more: tuple[int, ...] = ()


def kept(column: NDArray[Any]) -> Kept:
    """A column in as little room as takes no time to find."""
    name = _TYPE_NAMES[column.dtype]
    if len(column) < NARROWED_FROM:
        return Kept(name, column.tobytes())
    stepped = None if name == "f64" else _in_steps(name, column)
    return stepped or _narrowed(name, column)


def _narrowed(name: str, column: NDArray[Any]) -> Kept:
    for narrower, dtype in _NARROWER[name].items():
        if _fits(column, dtype):
            return Kept(f"{name}:{narrower}", column.astype(dtype).tobytes())
    return Kept(name, column.tobytes())


def _fits(column: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Whether all numbers of a column are the same in another type, to the last bit."""
    if dtype.kind != "f":
        room = np.iinfo(dtype)
        return bool(room.min <= column.min() and column.max() <= room.max)
    with np.errstate(all="ignore"):
        back = column.astype(dtype).astype(column.dtype)
    return bool(np.array_equal(back.view(np.int64), column.view(np.int64)))


def _in_steps(name: str, column: NDArray[Any]) -> Kept | None:
    """A column by its steps, where they are all the same or small; None where they are neither."""
    turn = _turn(column)
    if not turn:
        return None
    steps = column.copy()
    steps[turn:] -= column[:-turn]
    step = steps[len(steps) // 2]
    places = np.flatnonzero(steps != step)
    if len(places) * REGULAR <= len(column):
        return Kept(f"{name}:{STEP}", _exceptions(places, steps), (turn, len(places), int(step)))
    small = steps.astype(_STEPS)
    places = np.flatnonzero(small != steps)
    if column.itemsize == 1 or len(places) * REGULAR > len(column):
        return None
    steps_bytes = small.tobytes() + bytes(-len(small) % 4)
    return Kept(f"{name}:{STEP}i8", steps_bytes + _exceptions(places, steps), (turn, len(places)))


def _exceptions(places: NDArray[Any], steps: NDArray[Any]) -> bytes:
    return b"".join(each.astype("<i4").tobytes() for each in (places, steps[places]))


def _turn(column: NDArray[Any]) -> int:
    """After how many numbers a column goes on most regularly; 0 if after none it does."""
    size = LONGEST + LOOKED_AT
    if len(column) < 4 * size:
        return 0
    regular, small = np.zeros(LONGEST), np.zeros(LONGEST)
    for start in (len(column) // 4, 3 * len(column) // 4):
        part = column[start : start + size].astype(np.int64)
        before = sliding_window_view(part[:-1], LOOKED_AT)[::-1]
        steps = part[LONGEST:] - before
        regular += (steps == steps[:, LOOKED_AT // 2, None]).mean(axis=1)
        small += (np.abs(steps) < -np.iinfo(_STEPS).min).mean(axis=1)
    best = int(np.argmax(regular))
    if regular[best] > 1.8:
        return best + 1
    best = int(np.argmax(small))
    return best + 1 if small[best] > 1.8 else 0


def itemsize(kind: str) -> int:
    """The bytes of a number in a column of this kind, once it was read."""
    return TYPES[kind.partition(":")[0]].itemsize


def column_in(
    data: bytes, at: int, kind: str, count: int, turn: int = 0, exceptions: int = 0, step: int = 0
) -> NDArray[Any]:
    """A column of so many numbers as it was `kept`; ValueError where the bytes end before it."""
    name, _, how = kind.partition(":")
    dtype = TYPES[name]
    if how[:1] != STEP:
        column = _numbers(data, at, _NARROWER[name][how] if how else dtype, count)
        return column.astype(dtype) if how else column
    if not 0 < turn <= LONGEST:
        raise ValueError(f"a turn has {turn} numbers")
    if how == STEP:
        steps = np.full(count, step, dtype)
    else:
        steps = _numbers(data, at, _STEPS, count).astype(dtype)
        at += count + -count % 4
    places, values = _numbers(data, at, TYPES["i32"], 2 * exceptions).reshape(2, -1)
    steps[places] = values
    for first in range(turn):
        np.cumsum(steps[first::turn], dtype=dtype, out=steps[first::turn])
    return steps


def _numbers(data: bytes, at: int, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
    end = at + count * dtype.itemsize
    if at < 0 or count < 0 or end > len(data):
        raise ValueError(f"it is cut short: {end} bytes are needed, there are {len(data)}")
    numbers: NDArray[Any] = np.frombuffer(data, dtype, count, at)
    return numbers
