"""What a table begins with: tensors of keys and values, or the lines of a text file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.tensor import Tensor
from tapelab.dtypes import DType, as_dtype, int64, string
from tapelab.errors import NotFoundError, invalid_argument
from tapelab.strings.string_op import texts

Columns = tuple[Any, Any]
"""The keys and the values of a table, as two arrays."""


class TableInitializer:
    """Keys and values of two dtypes, which a table reads when it is constructed."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def _columns(self) -> Columns:
        raise NotImplementedError


class KeyValueTensorInitializer(TableInitializer):
    """Keys and values from two tensors of one length."""

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        self._keys: Tensor = to_tensor(keys, key_dtype)
        self._values: Tensor = to_tensor(values, value_dtype)
        if self._keys._array.shape != self._values._array.shape:
            raise invalid_argument(
                "LookupTableImportV2",
                f"Expected shape {self._keys.shape} for value, got {self._values.shape}",
            )
        super().__init__(self._keys.dtype, self._values.dtype)

    def _columns(self) -> Columns:
        return np.ravel(self._keys._value), np.ravel(self._values._value)


class TextFileIndex:
    """What a column of a table is: the whole line or its number."""

    WHOLE_LINE: Final = -2
    LINE_NUMBER: Final = -1


class TextFileInitializer(TableInitializer):
    """Keys and values from the lines of a text file, or from columns of the lines."""

    def __init__(
        self, filename: Any, key_dtype: Any, key_index: int, value_dtype: Any, value_index: int,
        vocab_size: int | None = None, delimiter: str = "\t", name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(key_dtype, value_dtype)
        path = filename.numpy() if isinstance(filename, Tensor) else filename
        self._path = Path(path.decode() if isinstance(path, bytes) else path)
        self._indices = key_index, value_index
        for index, dtype in zip(self._indices, (self.key_dtype, self.value_dtype), strict=True):
            _check_column(index, dtype)
        self._size, self._delimiter, self._offset = vocab_size, delimiter, value_index_offset

    def _columns(self) -> Columns:
        try:
            lines = self._path.read_bytes().split(b"\n")
        except FileNotFoundError:
            raise NotFoundError(
                None, "InitializeTableFromTextFileV2",
                f"{self._path}; No such file or directory [Op:InitializeTableFromTextFileV2]",
            ) from None  # fmt: skip
        lines = [line.removesuffix(b"\r") for line in (lines if lines[-1] else lines[:-1])]
        if self._size is not None and self._size > len(lines):
            raise invalid_argument(
                "InitializeTableFromTextFileV2", f"Invalid vocab_size in {self._path}: "
                f"expected {self._size} but got {len(lines)}",
            )  # fmt: skip
        lines = lines[: self._size]
        keys = self._column(lines, self._indices[0], self.key_dtype, 0)
        return keys, self._column(lines, self._indices[1], self.value_dtype, self._offset)

    def _column(self, lines: list[bytes], index: int, dtype: DType, offset: int) -> Any:
        if index == TextFileIndex.LINE_NUMBER:
            return np.arange(len(lines), dtype=dtype.as_numpy_dtype) + offset
        if index == TextFileIndex.WHOLE_LINE:
            cells = lines
        else:
            cells = [_cell(line, self._delimiter.encode(), index) for line in lines]
        if dtype is string:
            return texts(cells)
        return np.array([float(cell) for cell in cells]).astype(dtype.as_numpy_dtype)


def _check_column(index: int, dtype: DType) -> None:
    if index == TextFileIndex.LINE_NUMBER and dtype is not int64:
        raise ValueError(
            "`key_dtype` and `value_dtype` must be int64 where the index is "
            f"TextFileIndex.LINE_NUMBER. Received: {dtype}"
        )
    if index == TextFileIndex.WHOLE_LINE and not (dtype.is_integer or dtype is string):
        raise ValueError(
            "The dtype must be integer or string where the index is TextFileIndex.WHOLE_LINE. "
            f"Received: {dtype}"
        )
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"Invalid index {index} of a column.")


def _cell(line: bytes, delimiter: bytes, index: int) -> bytes:
    cells = line.split(delimiter)
    if index >= len(cells):
        raise invalid_argument(
            "InitializeTableFromTextFileV2",
            f"Invalid number of columns in the line {line.decode()!r}: expected more than {index} "
            f"got {len(cells)}",
        )
    return cells[index]
