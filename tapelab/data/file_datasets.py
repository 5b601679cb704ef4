"""Datasets of the records and rows of files: TFRecord, records of fixed length, CSV."""

from __future__ import annotations

import csv
import glob
import io
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapelab.data.dataset import Dataset
from tapelab.data.dataset_elements import Element, raw_of, spec
from tapelab.data.stage import UNKNOWN, whole
from tapelab.dtypes import DType, float32, float64, int32, int64, string
from tapelab.errors import invalid_argument
from tapelab.io.csv_fields import (
    Column,
    Dialect,
    columns_of,
    number_in,
    parsed_row,
    settings_of,
)
from tapelab.io.record_files import compression_name, opened, records_of
from tapelab.ops.public import strict_operand

INFERRED: Final = (int32, int64, float32, float64)
"""The dtypes that a column of numbers is tried with, in order; others are text."""


class TFRecordDataset(Dataset):
    """The records of TFRecord files, as byte strings."""

    def __new__(
        cls, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
        num_parallel_reads: Any = None, name: str | None = None,
    ) -> Any:  # fmt: skip
        """Return a Dataset like any other; NotFoundError when it reaches a missing file."""
        compression = compression_name(compression_type)

        def start() -> Iterator[Element]:
            for path in paths_of(filenames):
                for record in records_of(path, compression):
                    yield np.array(record, object)

        return Dataset("TFRecordDatasetV2", start, lambda: spec((), string), UNKNOWN)


class FixedLengthRecordDataset(Dataset):
    """Pieces of files of one length, as byte strings, without the headers and footers."""

    def __new__(
        cls, filenames: Any, record_bytes: Any, header_bytes: Any = None, footer_bytes: Any = None,
        buffer_size: Any = None, compression_type: Any = None, num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        """Return a Dataset like any other; InvalidArgumentError for a file with a piece over."""
        compression = compression_name(compression_type)
        size = whole(record_bytes)
        head, foot = (0 if n is None else whole(n) for n in (header_bytes, footer_bytes))

        def start() -> Iterator[Element]:
            for path in paths_of(filenames):
                with opened(path, compression) as file:
                    content = file.read()
                body = content[head : len(content) - foot]
                if len(body) % size:
                    raise invalid_argument(
                        "IteratorGetNext", f"Excess bytes in file {path}: its {len(body)} bytes "
                        f"of records are no multiple of {size}.",
                    )  # fmt: skip
                for at in range(0, len(body), size):
                    yield np.array(body[at : at + size], object)

        return Dataset("FixedLengthRecordDatasetV2", start, lambda: spec((), string), UNKNOWN)


class CsvDataset(Dataset):
    """The rows of CSV files, as tuples with a scalar for each column."""

    def __new__(
        cls, filenames: Any, record_defaults: Sequence[Any], compression_type: Any = None,
        buffer_size: Any = None, header: bool = False, field_delim: str = ",",
        use_quote_delim: bool = True, na_value: str = "", select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> Any:  # fmt: skip
        """Return a Dataset like any other; its errors come when it reaches the row."""
        if select_cols is not None and exclude_cols is not None:
            raise invalid_argument(
                "CSVDatasetV2", "Either select_cols or exclude_cols should be empty"
            )
        columns = columns_of(record_defaults)
        dialect = Dialect(field_delim, use_quote_delim, na_value)
        compression = compression_name(compression_type)

        def start() -> Iterator[Element]:
            for path in paths_of(filenames):
                rows = rows_of(path, dialect, compression, header=header)
                for at, fields in enumerate(rows):
                    selected = list(select_cols) if select_cols is not None else None
                    if exclude_cols is not None:
                        selected = [n for n in range(len(fields)) if n not in exclude_cols]
                    values = parsed_row(fields, columns, dialect, at, selected)
                    yield tuple(map(_cell, values, columns))

        specs = tuple(spec((), each.dtype) for each in columns)
        return Dataset("CsvDatasetV2", start, lambda: specs, UNKNOWN)


def rows_of(
    path: str, dialect: Dialect, compression: str, *, header: bool, encoding: str = "utf-8"
) -> Iterator[list[str]]:
    """Yield the fields of each row of a CSV file; quoted fields may contain line ends."""
    with opened(path, compression) as file:
        lines = io.TextIOWrapper(file, encoding=encoding, newline="")
        rows = csv.reader(lines, **settings_of(dialect))
        if header:
            next(rows, None)
        try:
            yield from (row for row in rows if row)
        except csv.Error as error:
            raise invalid_argument("IteratorGetNext", f"{error} in file {path}") from error


def make_csv_dataset(
    file_pattern: Any, batch_size: int, column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None, label_name: str | None = None,
    select_columns: Sequence[Any] | None = None, field_delim: str = ",",
    use_quote_delim: bool = True, na_value: str = "", header: bool = True,
    num_epochs: int | None = None, shuffle: bool = True, shuffle_buffer_size: int = 10_000,
    shuffle_seed: int | None = None, prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None, sloppy: bool = False,
    num_rows_for_inference: int | None = 100, compression_type: Any = None,
    ignore_errors: bool = False, encoding: str = "utf-8",
) -> Dataset:  # fmt: skip
    """Return batches of the rows of CSV files: dicts of columns, with the labels beside them."""
    patterns = [file_pattern] if isinstance(file_pattern, (str, bytes)) else list(file_pattern)
    names = [p.decode() if isinstance(p, bytes) else str(p) for p in patterns]
    paths = sorted(path for pattern in names for path in glob.glob(pattern))  # noqa: PTH207 - names stay as written
    if not paths:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    dialect = Dialect(field_delim, use_quote_delim, na_value)
    compression = compression_name(compression_type)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header=True` arguments.")
        column_names = _header(paths, dialect, compression, encoding)
    if len(column_names) != len(set(column_names)):
        raise ValueError("Cannot have duplicate column names.")
    selected = _selected(select_columns, column_names)
    if column_defaults is None:
        rows = (rows_of(p, dialect, compression, header=header, encoding=encoding) for p in paths)
        columns = _inferred(rows, selected, num_rows_for_inference, na_value)
    else:
        columns = columns_of(column_defaults)
        if len(selected) < len(columns):
            columns = [columns[number] for number in selected]
    chosen = [column_names[number] for number in selected]
    if label_name is not None and label_name not in chosen:
        raise ValueError("`label_name` provided must be one of the columns.")

    def start() -> Iterator[Element]:
        for path in paths:
            file_rows = rows_of(path, dialect, compression, header=header, encoding=encoding)
            for at, fields in enumerate(file_rows):
                values = parsed_row(fields, columns, dialect, at, selected)
                yield _labelled(OrderedDict(zip(chosen, map(_cell, values, columns), strict=True)))

    def _labelled(features: dict[str, Any]) -> Any:
        return features if label_name is None else (features, features.pop(label_name))

    specs = OrderedDict(zip(chosen, (spec((), each.dtype) for each in columns), strict=True))
    whole_spec = _labelled(specs)
    dataset = Dataset("_PrefetchDataset", start, lambda: whole_spec, UNKNOWN)
    if ignore_errors:
        dataset = dataset.ignore_errors()
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs) if num_epochs != 1 else dataset
    return dataset.batch(batch_size, drop_remainder=num_epochs is None).prefetch(1)


def paths_of(filenames: Any) -> Iterator[str]:
    """Yield the names of files: of a text, a list, a tensor or a Dataset of them."""
    if isinstance(filenames, Dataset):
        for name in filenames.start():
            yield bytes(np.asarray(name)[()]).decode()
        return
    names = [str(n) if hasattr(n, "__fspath__") else n for n in _listed(filenames)]
    converted = strict_operand(names, string) if names else None
    if converted is not None:
        yield from (name.decode() for name in np.ravel(raw_of(converted)))


def _listed(filenames: Any) -> list[Any]:
    if isinstance(filenames, (list, tuple)):
        return list(filenames)
    if hasattr(filenames, "__fspath__") or isinstance(filenames, (str, bytes)):
        return [filenames]
    return list(np.ravel(raw_of(filenames)))


def _cell(value: Any, column: Column) -> Any:
    kind: Any = column.dtype.as_numpy_dtype
    return np.array(value, kind)


def _header(paths: list[str], dialect: Dialect, compression: str, encoding: str) -> list[str]:
    """The names of the columns; ValueError where files name them differently."""
    headers = [
        next(rows_of(path, dialect, compression, header=False, encoding=encoding), [])
        for path in paths
    ]
    if any(names != headers[0] for names in headers):
        raise ValueError("All input CSV files should have the same column names in the header row.")
    return headers[0]


def _selected(select_columns: Sequence[Any] | None, names: Sequence[str]) -> list[int]:
    """The numbers of the columns that are read, in order."""
    if select_columns is None:
        return list(range(len(names)))
    given = list(select_columns)
    if any(isinstance(column, str) and column not in names for column in given):
        missing = next(c for c in given if isinstance(c, str) and c not in names)
        raise ValueError(f"Value '{missing}' is not in the column names {list(names)}.")
    numbers = sorted(names.index(c) if isinstance(c, str) else int(c) for c in given)
    if len(set(numbers)) != len(numbers):
        raise ValueError("`select_columns` contains duplicates.")
    return numbers


def _inferred(
    files: Iterator[Iterator[list[str]]], selected: list[int], limit: int | None, missing: str
) -> list[Column]:
    """The columns of the narrowest dtypes that the first rows fit, with a default each."""
    kinds: list[DType | None] = [None] * len(selected)
    count = 0
    for rows in files:
        for fields in rows:
            if limit is not None and count >= limit:
                break
            count += 1
            for place, number in enumerate(selected):
                kinds[place] = _wider(kinds[place], fields[number], missing)
    return [Column(kind or string, b"" if kind in {None, string} else 0) for kind in kinds]


def _wider(kind: DType | None, field: str, missing: str) -> DType | None:
    """The narrowest dtype, from one on, that a field fits too."""
    if field in ("", missing) or kind is string:
        return kind
    first = 0 if kind is None else INFERRED.index(kind)
    for candidate in INFERRED[first:]:
        value = number_in(field, candidate)
        if value is not None and not (candidate is float32 and _overflows(value)):
            return candidate
    return string


def _overflows(value: float) -> bool:
    return bool(np.isfinite(value)) and abs(value) > float(np.finfo(np.float32).max)
