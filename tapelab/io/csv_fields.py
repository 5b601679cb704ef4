"""Lines of comma-separated values as tensors: `tf.io.decode_csv`."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.type_spec import TensorSpec
from tapelab.dtypes import DType, as_dtype, string
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.strings.string_op import text, texts

OP: Final = "DecodeCSV"
DTYPES: Final = ("float32", "float64", "int32", "int64", "string")


class Column(NamedTuple):
    """A column: its dtype, and the value of an empty field, None where one is required."""

    dtype: DType
    default: Any


class Dialect(NamedTuple):
    """How fields are separated and quoted, and which text stands for a missing value."""

    delimiter: str = ","
    quotes: bool = True
    missing: str = ""


def columns_of(record_defaults: Sequence[Any], *, with_dtypes: bool = True) -> list[Column]:
    """Return the columns of defaults: a value, an empty list or a dtype; the last two require."""
    columns = []
    for default in record_defaults:
        if with_dtypes and isinstance(default, (DType, type)):
            columns.append(Column(as_dtype(default), None))
            continue
        x = to_tensor(default)
        if x.dtype.name not in DTYPES:
            raise invalid_argument(
                OP, f"Value for attr 'OUT_TYPE' of {x.dtype.name} is not in the list of allowed "
                f"values: {', '.join(DTYPES)}",
            )  # fmt: skip
        values = np.ravel(x._value).tolist()
        if len(values) > 1 or x.ndim > 1:
            raise ValueError(f"Shape {x.shape} of a default must be a scalar or one value.")
        columns.append(Column(x.dtype, values[0] if values else None))
    return columns


def _result_spec(records: Any, record_defaults: Any, *_: Any, **settings: Any) -> Any:
    return [
        TensorSpec(records.shape, each.dtype)
        for each in columns_of(record_defaults, with_dtypes=False)
    ]


@public(effect="host", result_spec=_result_spec)
def decode_csv(
    records: Any, record_defaults: Sequence[Any], field_delim: str = ",",
    use_quote_delim: bool = True, na_value: str = "", select_cols: Any = None,
    name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """Return the columns of lines of comma-separated values, one tensor for each.

    InvalidArgumentError for a line with another number of fields, for a required field that is
    empty, and for one that writes no number.
    """
    columns = columns_of(record_defaults, with_dtypes=False)
    lines = text(records, OP)
    selected = None if select_cols is None else list(select_cols)
    if selected is not None and len(selected) != len(columns):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    dialect = Dialect(field_delim, use_quote_delim, na_value)
    rows = [
        parsed_row(fields_of(line.decode(), dialect), columns, dialect, at, selected)
        for at, line in enumerate(np.ravel(lines._value))
    ]
    shape = lines._array.shape
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    return [
        as_tensor(list(values), column.dtype, shape)
        for values, column in zip(cells, columns, strict=True)
    ]


def fields_of(line: str, dialect: Dialect) -> list[str]:
    """Return the fields of one line."""
    return next(csv.reader([line], **settings_of(dialect)), [""])


def settings_of(dialect: Dialect) -> dict[str, Any]:
    """Return a dialect as the arguments of `csv.reader`."""
    quoting = csv.QUOTE_MINIMAL if dialect.quotes else csv.QUOTE_NONE
    return {"delimiter": dialect.delimiter, "quoting": quoting, "strict": True}


def parsed_row(
    fields: list[str], columns: list[Column], dialect: Dialect, at: int,
    selected: list[int] | None = None,
) -> list[Any]:  # fmt: skip
    """Return the values of one line's fields; InvalidArgumentError where they are wrong."""
    if selected is not None:
        if max(selected, default=0) >= len(fields):
            raise _mistake(f"Expect {len(columns)} fields but have {len(fields)} in record", at)
        fields = [fields[number] for number in selected]
    if len(fields) != len(columns):
        raise _mistake(f"Expect {len(columns)} fields but have {len(fields)} in record {at}")
    return [
        _value(field, column, dialect, number, at)
        for number, (field, column) in enumerate(zip(fields, columns, strict=True))
    ]


def _value(field: str, column: Column, dialect: Dialect, number: int, at: int) -> Any:
    if field in ("", dialect.missing):
        if column.default is None:
            raise _mistake(f"Field {number} is required but missing in record {at}!")
        return column.default
    if column.dtype is string:
        return field.encode()
    value = number_in(field, column.dtype)
    if value is None:
        raise _mistake(f"Field {number} in record {at} is not a valid {column.dtype.name}: {field}")
    return value


def number_in(field: str, dtype: DType) -> int | float | None:
    """Return the number that a field writes, None for one that writes none of the dtype."""
    try:
        if not dtype.is_integer:
            return float(field)
        value = int(field)
    except ValueError:
        return None
    limits = np.iinfo(dtype.as_numpy_dtype)
    return value if limits.min <= value <= limits.max and "_" not in field else None


def as_tensor(values: list[Any], dtype: DType, shape: tuple[int, ...]) -> Tensor:
    """Return the values of a column as a tensor."""
    if dtype is string:
        return constant_of(texts(values, shape)[()])
    array: Any = np.array(values, dtype.as_numpy_dtype)
    return constant_of(array.reshape(shape)[()])


def _mistake(message: str, at: int | None = None) -> InvalidArgumentError:
    return invalid_argument(OP, message if at is None else f"{message} {at}")
