"""How ragged tensors look: as arrays, as lists, in `repr`, and in `tf.print`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tapelab.ragged.row_partition import Array


def nested_array(flat: Any, splits: list[Array]) -> Any:
    """Flat values in rows: one array where all rows are equally long, else an array of arrays."""
    if not splits:
        return flat
    values = nested_array(flat, splits[1:])
    if len(splits[0]) == 1:
        return np.zeros((0, 0, *values.shape[1:]), values.dtype)
    rows = np.split(values, splits[0][1:-1])
    if len({len(row) for row in rows}) == 1:
        return np.array(rows)
    table = np.empty(len(rows), object)
    table[:] = rows
    return table


def nested_list(flat: list[Any], splits: list[Array]) -> list[Any]:
    """Flat values in nested lists."""
    for each in reversed(splits):
        ends = each.tolist()
        flat = [flat[start:stop] for start, stop in pairwise(ends)]
    return flat


def rows_text(flat: Any, splits: list[Array]) -> str:
    """The rows in square brackets, set by NumPy."""
    with np.printoptions(formatter={"all": _entry}):
        return _entry(nested_array(flat, splits))


def _entry(entry: Any) -> str:
    if not isinstance(entry, np.ndarray):
        return str(entry)
    return np.array2string(entry, separator=", ") if entry.size else str(entry.tolist())


def list_text(rows: Any, ends: int) -> str:
    """The rows as `tf.print` writes them, long ones cut short in the middle."""
    if not isinstance(rows, list):
        return _entry_text(rows)
    if ends < 0 or len(rows) <= 2 * ends:
        return "[" + ", ".join(list_text(each, ends) for each in rows) + "]"
    first = [list_text(each, ends) for each in rows[:ends]]
    last = [list_text(each, ends) for each in rows[len(rows) - ends :]]
    return "[" + ", ".join([*first, "...", *last]) + "]"


def _entry_text(entry: Any) -> str:
    if isinstance(entry, bytes):
        text = entry.decode().replace("\\", "\\\\").replace("'", "\\'")
        return f"'{text}'"
    if isinstance(entry, bool):
        return str(entry).lower()
    if isinstance(entry, complex):
        return f"({entry.real:f},{entry.imag:f})"
    return f"{entry:f}" if isinstance(entry, float) else str(entry)
