"""Bounds of a recording that a worker sent: the type and size of each field, before it is used.

Views and diagnoses trust a recording, for it is our own. One that a student may have forged is
checked first: tables hold what their classes declare, and no number in it makes a reader go through
more than the recording is long.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from math import prod
from typing import Any, Final

import numpy as np

from tapelab.grading.replay_verifier import ReplayMismatch
from tapelab.recording import Recording
from tapelab.recording.facts import KEPT_ELEMENTS
from tapelab.recording.foreign_facts import COLUMNS as FOREIGN_COLUMNS
from tapelab.recording.schema import GroupKind

LARGEST_COLUMNS: Final = 64 << 20
"""Bytes of all columns together."""
MOST_TEXT: Final = 1 << 19
"""Characters of all texts together, of which the diagnosis reads some as Python."""
MOST_LINES: Final = 1_000_000
MOST_SPANNED: Final = 10_000
"""Lines of one stretch of code."""
MOST_AXES: Final = 32
LARGEST_SIZE: Final = 2**31
MOST_VALUES: Final = 1 << 23
"""Elements of all tensors together whose values are kept."""
LONGEST_SETTING: Final = 64
"""Bits of an integer that an op was given, such as a seed."""
KINDS: Final = frozenset(map(str, GroupKind))
MOST_NESTED: Final = 1000
"""Groups around one another: Python ends calls that are deeper."""
_TABLES: Final = ("strings", "shapes", "dtypes", "ops", "groups", "sources", "variables", "nested")
_ELEMENTS: Final = {"strings": str, "shapes": tuple, "dtypes": str}
_LEAVES: Final = {"str": str, "int": int, "bool": bool}
_INTEGERS: Final = ("event.", "tensor.", "span.", "setting.", *FOREIGN_COLUMNS)


def check_bounds(recording: Recording) -> None:
    """ReplayMismatch where a field has another type than it should have, or is too large."""
    text = sum(_check(each, str) for each in (recording.maker, recording.framework))
    text += _check(recording.tape, type(recording.tape))
    for name in _TABLES:
        rows = getattr(recording, name)
        text += sum(_check(row, _ELEMENTS.get(name, type(row))) for row in rows)
    text += sum(map(_check_setting, recording.settings))
    if text > MOST_TEXT:
        raise ReplayMismatch("it has too much text")
    if any(not 0 <= source.first_line <= MOST_LINES for source in recording.sources):
        raise ReplayMismatch("a line number in it is out of range")
    if any(len(shape) > MOST_AXES or any(size < 0 for size in shape) for shape in recording.shapes):
        raise ReplayMismatch("a shape in it is out of range")
    for name, column in recording.columns.items():
        if name.startswith(_INTEGERS) and column.dtype.kind not in "iu":
            raise ReplayMismatch("a column of integers has other numbers")
    _check_spans(recording)
    _check_groups(recording)
    _check_values(recording)


def _check(value: Any, kind: type) -> int:
    """The length of the texts in a value; ReplayMismatch if it is not of this type."""
    if type(value) is not kind:
        raise ReplayMismatch("a field in it has another type")
    if isinstance(value, str):
        return len(value)
    if isinstance(value, int) and not -LARGEST_SIZE <= value < LARGEST_SIZE:
        raise ReplayMismatch("a number in it is out of range")
    if is_dataclass(kind):
        return sum(
            _check(part, _LEAVES.get(str(field.type), tuple))
            for field in fields(kind)
            for part in [getattr(value, field.name)]
        )
    return _length_of_texts(value) if isinstance(value, tuple) else 0


def _length_of_texts(values: Iterable[Any]) -> int:
    """The same for a tuple, whose elements are texts, integers, rows or tuples of these."""
    length = 0
    for each in values:
        if not (isinstance(each, str | int | tuple) or is_dataclass(each)):
            raise ReplayMismatch("a field in it has another type")
        length += _check(each, type(each))
    return length


def _check_setting(row: Any) -> int:
    """The length of the texts in what an op was given; ReplayMismatch if it is not plain JSON."""
    if type(row) is not dict:
        raise ReplayMismatch("a field in it has another type")
    length = 0
    parts: list[Any] = [row]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            length += sum(map(len, part))
            parts.extend(part.values())
        elif isinstance(part, list):
            parts.extend(part)
        elif isinstance(part, str):
            length += len(part)
        elif type(part) is int and part.bit_length() > LONGEST_SETTING:
            raise ReplayMismatch("a number in it is out of range")
    return length


def _check_groups(recording: Recording) -> None:
    """Each group is of a known kind and within an earlier one: no way outwards is endless."""
    depths: list[int] = []
    for group in recording.groups:
        if group.kind not in KINDS:
            raise ReplayMismatch("a group in it has an unknown kind")
        if not -1 <= group.parent < len(depths):
            raise ReplayMismatch("a group in it is out of range")
        depths.append(1 + depths[group.parent] if group.parent >= 0 else 0)
        if depths[-1] > MOST_NESTED:
            raise ReplayMismatch("its groups are too deep")


def _check_spans(recording: Recording) -> None:
    columns = recording.columns
    spans = [columns[f"span.{name}"] for name in ("line", "column", "end_line", "end_column")]
    if len({len(each) for each in (*spans, columns["span.source"])}) > 1:
        raise ReplayMismatch("its places are incomplete")
    if not len(spans[0]):
        return
    line, end_line = spans[0].astype(np.int64), spans[2].astype(np.int64)
    lowest, highest = (getattr(np, name)(spans) for name in ("min", "max"))
    if lowest < -1 or highest > MOST_LINES or np.max(end_line - line) > MOST_SPANNED:
        raise ReplayMismatch("a place in it is out of range")


def _check_values(recording: Recording) -> None:
    """Values lie in the column of values, and none is kept of a tensor that is too large."""
    columns = recording.columns
    twice = np.array([1 + dtype.startswith("complex") for dtype in recording.dtypes], np.int64)
    sizes = np.array([min(prod(shape), LARGEST_SIZE) for shape in recording.shapes], np.int64)
    at, shape, dtype = (columns[f"tensor.{name}"] for name in ("value", "shape", "dtype"))
    kept = at >= 0
    size = sizes[shape[kept]]
    end = at[kept].astype(np.int64) + size * twice[dtype[kept]]
    if size.sum() > MOST_VALUES or np.any(size > KEPT_ELEMENTS):
        raise ReplayMismatch("it keeps values of tensors that are too large")
    if np.any(end > len(columns["values"])):
        raise ReplayMismatch("its values are incomplete")
