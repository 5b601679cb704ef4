"""`tf.sets`: the rows of the last axis as sets of integers or strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.text_forms import brackets
from tapelab.errors import invalid_argument
from tapelab.namespace.missing_names import in_module
from tapelab.ops.public import tensor
from tapelab.sparse.sparse_indices import Shape, check_cells
from tapelab.sparse.sparse_tensor import SparseTensor, cells_of, made_of, shape_of
from tapelab.strings.string_op import texts

KINDS: Final = ("int8", "int16", "int32", "int64", "uint8", "uint16", "string")
Rows = dict[tuple[int, ...], set[Any]]


@public
def size(a: Any, validate_indices: bool = True) -> Tensor:
    """How many different entries each row of a sparse tensor has."""
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}. Try tf.sparse.from_dense(a).")
    shape = shape_of(a)
    if len(shape) < 2:
        raise invalid_argument("SetSize", f"Invalid rank {len(shape)}.")
    counts = np.zeros(shape[:-1], np.int32)
    for row, members in _rows(a, "SetSize", validate_indices).items():
        counts[row] = len(members)
    return constant_of(counts)


@public
def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in both rows at each place, sorted."""
    return _combined(set.intersection, a, b, validate_indices)


@public
def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in either of the rows at each place, sorted."""
    return _combined(set.union, a, b, validate_indices)


@public
def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """What is in a row of `a` and not in that of `b`, sorted; the other way round if so wanted."""
    pair = (a, b) if aminusb else (b, a)
    return _combined(set.difference, *pair, validate_indices)


def _combined(
    combine: Callable[[set[Any], set[Any]], set[Any]], a: Any, b: Any, validate: bool
) -> SparseTensor:
    one, other = _operand(a, "a"), _operand(b, "b")
    raw = _raw(one, other)
    if one.dtype is not other.dtype:
        raise TypeError(f"Types don't match, {one.dtype} vs {other.dtype}.")
    lead = _common(raw, _shape(one), _shape(other))
    first, second = _rows(one, raw, validate), _rows(other, raw, validate)
    combined = {
        row: combine(first.get(row, set()), second.get(row, set())) for row in np.ndindex(lead)
    }
    return _packed({row: sorted(members) for row, members in combined.items()}, lead, one.dtype)


def _packed(rows: dict[tuple[int, ...], list[Any]], lead: Shape, dtype: Any) -> SparseTensor:
    cells = [(*row, at) for row, members in rows.items() for at in range(len(members))]
    flat = [member for members in rows.values() for member in members]
    is_text = dtype.name == "string"
    values = texts(flat) if is_text else np.array(flat, dtype.as_numpy_dtype)
    width = max(map(len, rows.values()), default=0)
    places = np.array(cells, np.int64).reshape(len(cells), len(lead) + 1)
    return made_of(places, constant_of(values), (*lead, width))


def _operand(value: Any, name: str) -> Any:
    operand = value if isinstance(value, SparseTensor) else tensor(value)
    if operand.dtype.name not in KINDS:
        raise TypeError(
            f"'{name}' has invalid dtype `{operand.dtype}` not in supported dtypes: "
            f"`{', '.join(f'tf.{kind}' for kind in KINDS)}`."
        )
    return operand


def _raw(one: Any, other: Any) -> str:
    kinds = ("Sparse" if isinstance(each, SparseTensor) else "Dense" for each in (one, other))
    return "{}To{}SetOperation".format(*kinds)


def _shape(x: Any) -> Shape:
    return shape_of(x) if isinstance(x, SparseTensor) else x._array.shape


def _common(raw: str, one: Shape, other: Shape) -> Shape:
    """The axes before the last, which both must have in common."""
    for shape in (one, other):
        if len(shape) < 2:
            raise invalid_argument(raw, f"Shape {brackets(shape)} has rank {len(shape)} < 2")
    if one[:-1] != other[:-1]:
        both = f"{brackets(one[:-1])} vs {brackets(other[:-1])}"
        raise invalid_argument(raw, f"Mismatched shapes {both}")
    return one[:-1]


def _rows(x: Any, raw: str, validate: bool) -> Rows:
    """The different entries of each row, by the place of the row."""
    rows: Rows = {}
    for row, value in _entries(x, raw, validate):
        rows.setdefault(row, set()).add(value)
    return rows


def _entries(x: Any, raw: str, validate: bool) -> Iterable[tuple[tuple[int, ...], Any]]:
    if not isinstance(x, SparseTensor):
        return ((place[:-1], x._value[place]) for place in np.ndindex(x._array.shape))
    cells = cells_of(x)
    if validate:
        check_cells(raw, cells, shape_of(x))
    places = map(tuple, cells[:, :-1].tolist())
    return zip(places, x.values._value.tolist(), strict=True)


__getattr__, __dir__ = in_module(__name__)
