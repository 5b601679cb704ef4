"""The fields of many events that are alike: each field a column, which takes little room.

Events of one kind with as many fields each are rows of a table. What stands below one another in
it is alike, or grows evenly, as what stands side by side is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

FIELDS: Final = "event.fields"
MANY: Final = 1_000
"""The fields of so many events are a table."""
WIDEST: Final = 16
"""Events with more fields than this are few."""
Columns = Mapping[str, NDArray[Any]]


def in_tables(columns: Columns) -> dict[str, NDArray[Any]]:
    """The same columns with those of tables beside `event.fields`, where what is left stays."""
    kinds, starts, fields = (columns[f"event.{name}"] for name in ("kind", "start", "fields"))
    if len(kinds) < MANY:
        return dict(columns)
    lengths = np.diff(starts)
    alike = np.where(lengths < WIDEST, kinds.astype(np.intp) * WIDEST + lengths, 0)
    tables = {}
    left = np.ones(len(kinds), np.bool_)
    for each in np.flatnonzero(np.bincount(alike) >= MANY).tolist():
        kind, length = divmod(each, WIDEST)
        rows = alike == each
        left &= ~rows
        begin = starts[:-1][rows]
        for at in range(length):
            tables[f"{FIELDS}.{kind}.{length}.{at}"] = fields[_field(begin, length, at)]
    rest = fields[np.repeat(left, lengths)] if left.any() else fields[:0]
    return {**columns, FIELDS: rest, **tables}


def without_tables(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The columns with all fields in `event.fields` again, where those of tables go."""
    tables = dict(_tables(columns))
    if not tables:
        return columns
    kinds, starts, rest = (columns[f"event.{name}"] for name in ("kind", "start", "fields"))
    size = len(rest) + sum(len(column) for table in tables.values() for column in table)
    if len(starts) != len(kinds) + 1 or starts[-1] != size:
        raise ValueError(f"its events have {size} fields, not as many as they say")
    lengths = np.diff(starts)
    left = np.ones(len(kinds), np.bool_)
    fields = np.empty(size, rest.dtype)
    for (kind, length), table in tables.items():
        rows = (kinds == kind) & (lengths == length)
        left &= ~rows
        begin = starts[:-1][rows]
        for at, column in enumerate(table):
            fields[_field(begin, length, at)] = column
    if left.any():
        fields[np.repeat(left, lengths)] = rest
    kept = {name: column for name, column in columns.items() if not name.startswith(f"{FIELDS}.")}
    return {**kept, FIELDS: fields}


def _tables(columns: Columns) -> Iterator[tuple[tuple[int, int], list[NDArray[Any]]]]:
    """The tables among some columns, by the kind of their events and how many fields these have."""
    for name in columns:
        if name.startswith(f"{FIELDS}.") and name.endswith(".0"):
            kind, length = map(int, name.split(".")[2:4])
            table = [columns[f"{FIELDS}.{kind}.{length}.{at}"] for at in range(length)]
            yield (kind, length), table


def _field(begin: NDArray[Any], length: int, at: int) -> slice | NDArray[Any]:
    """Where one field of all rows stands; quick where they follow one another."""
    if not len(begin):
        return begin
    first, last = int(begin[0]), int(begin[-1])
    if last - first == (len(begin) - 1) * length:
        return slice(first + at, last + at + 1, length)
    return begin + at
