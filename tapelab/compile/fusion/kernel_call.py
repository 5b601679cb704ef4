"""The call of a fused group: a Python function from raw values to raw values.

The compiled driver reads what it needs (layouts, sizes, reductions) from a header of 64-bit numbers
(see `driver.ll`). Large groups are split into slices of rows, which may run on several threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapelab.compile.fusion.fusion_group import Group, Operand, Reduction
from tapelab.compile.fusion.simd import KINDS, SIZES
from tapelab.kernels.memory import empty
from tapelab.kernels.threads import SLICE, THREADED_FROM, shared

Shape = tuple[int, ...]
RELEASED_FROM: Final = 2**15
"""From so many elements on the GIL is released; below, releasing it costs more than it saves."""
DTYPES: Final = {kind: np.dtype(name) for name, kind in KINDS.items()}
_HOWS: Final = {"sum": 0, "max": 1, "min": 2}
_RESULT: Final = -1  # in the place of the type of an array


@dataclass(frozen=True)
class Frame:
    """The shapes of what a group returns: of stored values, then of its reductions."""

    stored: tuple[Shape, ...]
    reduced: tuple[Shape, ...]


def header(group: Group, block: int, program: int = 0) -> Any:
    """What the driver needs to know of a group, its block function and the program of that."""
    entries = group.entries
    sliced = len(_slices(group)) > 1
    by_column, gathered = _parted(group.reductions)
    arrays = [_lies(group, each.layout, each.kind, _type(each)) for each in group.operands]
    arrays += [_lies(group, "full", group.kind(value), _RESULT) for value in group.stored]
    arrays += [_lies(group, "row", group.kind(each.value), _RESULT) for each in by_column]
    facts = [
        _fact(each, wide=group.kind(each.value) == "double",
              partial=sliced and each.along == "all")
        for each in gathered
    ]  # fmt: skip
    releases = int(entries >= RELEASED_FROM and not program)
    numbers = [block, releases, group.columns, entries, len(arrays), len(facts), program,
               id(np.ndarray)]  # fmt: skip
    return np.array([*numbers, *sum(arrays, ()), *sum(facts, ())], np.int64)


def _parted(reductions: tuple[Reduction, ...]) -> tuple[list[Reduction], list[Reduction]]:
    return ([each for each in reductions if each.along == "column"],
            [each for each in reductions if each.along != "column"])  # fmt: skip


def _type(operand: Operand) -> int:
    return id(DTYPES[operand.kind].type if operand.scalar else np.ndarray)


def _lies(group: Group, layout: str, kind: str, type_: int) -> tuple[int, int, int]:
    """Bytes from row to row and from entry to entry, and the type."""
    size = SIZES[kind]
    return {
        "full": (group.columns * size, size, type_),
        "row": (0, size, type_),
        "column": (size, 0, type_),
        "one": (0, 0, type_),
    }[layout]


def _fact(reduction: Reduction, *, wide: bool, partial: bool) -> tuple[int, int, int, int]:
    """How it is gathered and written; sums of slices stay undivided in float64."""
    count = np.float64(1.0 if partial else reduction.count)
    width = 1 if wide else 2 if partial else 0
    return _HOWS[reduction.how], int(reduction.along == "row"), width, int(count.view(np.int64))


def kernel(
    call: Callable[..., Any], group: Group, frame: Frame, headers: list[Any]
) -> Callable[..., Any]:
    """A function from the values of the operands to what is stored and reduced.

    The header that is first in the list is read at each call.
    """
    slices = _slices(group)
    if len(slices) > 1:
        return _in_slices(call, group, frame, headers, slices)
    return _at_once(call, group, frame, headers)


def _at_once(
    call: Callable[..., Any], group: Group, frame: Frame, headers: list[Any]
) -> Callable[..., Any]:
    """Written out for the group, as its call costs as much as some thousand entries."""
    names: dict[str, Any] = {"call": call, "headers": headers, "rows": group.rows,
                             "fitting": lambda *given: fitting(group, given),
                             "unfit": unfit}  # fmt: skip
    given = ", ".join(f"v{k}" for k in range(len(group.operands)))
    lines: list[str] = []
    arrays: list[str] = []
    last: list[str] = []
    results: list[str] = []
    shapes = (*frame.stored, *frame.reduced)
    for k, (value, shape) in enumerate(zip(_results(group), shapes, strict=True)):
        summed = k >= len(group.stored) and group.reductions[k - len(group.stored)]
        names[f"shape{k}"], names[f"dtype{k}"] = shape or (1,), DTYPES[group.kind(value)]
        if summed and summed.along == "column":
            names[f"new{k}"] = np.zeros
        else:
            names[f"new{k}"] = empty if np.prod(shape) > RELEASED_FROM else np.empty
        lines.append(f"    r{k} = new{k}(shape{k}, dtype{k})")
        (last if summed and summed.along != "column" else arrays).append(f"r{k}")
        results.append(f"r{k}" if shape else f"r{k}[0]")
    objects = ", ".join([given, *arrays, *last])
    text = "\n".join([
        f"def fused({given}):", *lines,
        f"    if call(headers[0], 0, rows, 0, {objects}):",
        f"        {given}, = fitting({given})",
        f"        if call(headers[0], 0, rows, 0, {objects}):",
        "            raise unfit()",
        f"    return {', '.join(results)}",
    ])  # fmt: skip
    exec(compile(text, "<fused>", "exec"), names)  # noqa: S102 - written right here
    made_function: Callable[..., Any] = names["fused"]
    return made_function


def fitting(group: Group, given: tuple[Any, ...]) -> list[Any]:
    """Operands as the driver takes them: NumPy scalars, and arrays in rows."""
    return [
        DTYPES[operand.kind].type(value)
        if operand.scalar
        else np.require(value, DTYPES[operand.kind], ("C", "A", "E"))
        for operand, value in zip(group.operands, given, strict=True)
    ]


def unfit() -> TypeError:
    """What is raised if they cannot be made to fit; then something is wrong here."""
    return TypeError("A fused function was given values of other kinds than it was made for.")


def _results(group: Group) -> list[int]:
    return [*group.stored, *(each.value for each in group.reductions)]


def _slices(group: Group) -> list[tuple[int, int]]:
    """Rows from where to where; sums over columns are taken at once."""
    if any(each.along == "column" for each in group.reductions):
        return [(0, group.rows)]
    step = max(1, SLICE // group.columns)
    return [(row, min(row + step, group.rows)) for row in range(0, group.rows, step)]


def _in_slices(
    call: Callable[..., Any],
    group: Group,
    frame: Frame,
    headers: list[Any],
    slices: list[tuple[int, int]],
) -> Callable[..., Any]:
    """Slice by slice, on several threads where it is large; sums of slices are added in order."""
    dtypes = [DTYPES[group.kind(value)] for value in _results(group)]
    kept = len(group.stored)

    def fused(*given: Any) -> Any:
        stored = [empty(*each) for each in zip(frame.stored, dtypes, strict=False)]
        parts = [
            np.empty(len(slices)) if each.along == "all" else np.empty(shape, dtype)
            for each, shape, dtype in zip(group.reductions, frame.reduced, dtypes[kept:],
                                          strict=True)
        ]  # fmt: skip
        now = headers[0]
        if call(now, 0, 0, 0, *given, *stored, *parts):
            given = tuple(fitting(group, given))
            if call(now, 0, 0, 0, *given, *stored, *parts):
                raise unfit()
        work = [(lambda at=at, rows=rows: call(now, *rows, at, *given, *stored, *parts))
                for at, rows in enumerate(slices)]  # fmt: skip
        shared(work, threaded=group.entries >= THREADED_FROM and not now[6])
        reduced = [
            _whole(each, part, dtype) if each.along == "all" else part
            for each, part, dtype in zip(group.reductions, parts, dtypes[kept:], strict=True)
        ]
        results = (*stored, *reduced)
        return results if len(results) > 1 else results[0]

    return fused


def _whole(reduction: Reduction, parts: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> Any:
    """One number from those of all slices."""
    with np.errstate(all="ignore"):
        if reduction.how == "sum":
            return (parts.sum() / reduction.count).astype(dtype)
        return (parts.max() if reduction.how == "max" else parts.min()).astype(dtype)
