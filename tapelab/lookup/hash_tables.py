"""Tables from keys to values: those that never change, with buckets for unknown keys, and mutable.

A table holds plain Python keys and NumPy values; a lookup is one dictionary access for each key.
The values of a lookup are constants: no gradient passes through a table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.core.convert import new_constant, to_tensor
from tapelab.core.dispatch import public
from tapelab.core.host_values import compute_on_host
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.type_spec import TensorSpec
from tapelab.dtypes import DType, as_dtype, int64, string
from tapelab.errors import FailedPreconditionError, invalid_argument
from tapelab.lookup.table_initializers import TableInitializer
from tapelab.ops.public import tensor
from tapelab.sparse.sparse_tensor import SparseTensor
from tapelab.strings.hash_buckets import farmhash64
from tapelab.strings.string_op import texts

Entries = dict[Any, Any]


@public(elementwise=True)
def lookup_keys(keys: Any, table: LookupTable) -> Tensor:
    """The value of each key in a table that never changes."""
    return new_constant(compute_on_host(table._values_of, tensor(keys)), None, "tf.lookup")


class LookupTable:
    """A table from keys of one dtype to values of one dtype."""

    _entries: Entries

    def __init__(self, key_dtype: Any, value_dtype: Any, name: str | None) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._name = name or "hash_table"

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def resource_handle(self) -> LookupTable:
        """The table itself."""
        return self

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the value of each key; sparse and ragged tensors keep their places.

        TypeError for keys of another dtype.
        """
        self._check_keys(keys.dtype)
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, lookup_keys(keys.values, self), keys.dense_shape)
        return lookup_keys(keys, self)

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def _check_keys(self, dtype: DType) -> None:
        if dtype is not self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {dtype}"
            )

    def _values_of(self, keys: Any) -> Any:
        raise NotImplementedError


class StaticHashTable(LookupTable):
    """A table that never changes; unknown keys have the default value."""

    def __init__(
        self, initializer: TableInitializer, default_value: Any, name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(initializer.key_dtype, initializer.value_dtype, name)
        self._initializer = initializer
        self._default = to_tensor(default_value, self._value_dtype)
        if self._default.ndim:
            raise ValueError(f"Shape {self._default.shape} must have rank 0")
        keys, values = initializer._columns()
        self._entries = {}
        for key, value in zip(keys.tolist(), values.tolist(), strict=True):
            if self._entries.setdefault(key, value) != value:
                raise FailedPreconditionError(
                    None, "InitializeTable", "HashTable has different value for same key. Key "
                    f"{_shown(key)} has {self._entries[key]} and trying to add value {value} "
                    "[Op:LookupTableImportV2]",
                )  # fmt: skip

    @property
    def default_value(self) -> Tensor:
        """The value of unknown keys."""
        return self._default

    @public
    def size(self, name: str | None = None) -> Tensor:
        """Return the number of entries."""
        return constant_of(np.int64(len(self._entries)))

    @public
    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Return all keys and all values."""
        keys = _array(list(self._entries), self._key_dtype)
        return constant_of(keys), constant_of(
            _array(list(self._entries.values()), self._value_dtype)
        )

    def _values_of(self, keys: Any) -> Any:
        array = np.asarray(keys)
        default, get = self._default._value, self._entries.get
        if isinstance(default, np.ndarray):
            default = default[()]
        values = [get(key, default) for key in array.ravel().tolist()]
        return _array(values, self._value_dtype).reshape(array.shape)[()]


class StaticVocabularyTable(LookupTable):
    """A table of numbered strings or integers; unknown ones share buckets behind them by hash."""

    def __init__(
        self, initializer: TableInitializer | None, num_oov_buckets: int,
        lookup_key_dtype: Any = None, name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        if num_oov_buckets <= 0:
            raise ValueError(
                f"`num_oov_buckets` must be > 0; use StaticHashTable. Received: {num_oov_buckets}"
            )
        if initializer is None:
            super().__init__(lookup_key_dtype or string, int64, name)
            self._table = None
        else:
            wanted = as_dtype(lookup_key_dtype or initializer.key_dtype)
            _check_vocabulary(initializer, wanted)
            super().__init__(wanted, int64, name)
            self._table = StaticHashTable(initializer, -1)
        self._buckets = num_oov_buckets

    @public
    def size(self, name: str | None = None) -> Tensor:
        """Return the number of entries and buckets together."""
        return constant_of(np.int64(self._known + self._buckets))

    @property
    def _known(self) -> int:
        return 0 if self._table is None else len(self._table._entries)

    def _values_of(self, keys: Any) -> Any:
        array = np.asarray(keys)
        entries = {} if self._table is None else self._table._entries

        def number(key: Any) -> int:
            known = entries.get(key)
            if known is not None:
                return int(known)
            raw = key if isinstance(key, bytes) else str(key).encode()
            return farmhash64(raw) % self._buckets + self._known

        return np.array([number(key) for key in array.ravel().tolist()], np.int64).reshape(
            array.shape
        )[()]


def _check_vocabulary(initializer: TableInitializer, key_dtype: DType) -> None:
    if initializer.value_dtype is not int64:
        raise TypeError(
            f"Invalid `value_dtype`, expected {int64} but got {initializer.value_dtype}."
        )
    if key_dtype.is_integer != initializer.key_dtype.is_integer:
        raise TypeError("Invalid `key_dtype`, expected integer or string like the table's keys.")


def _lookup_spec(table: MutableHashTable, keys: Any, *_: Any, **__: Any) -> Any:
    lead = keys.shape.as_list() if keys.shape.rank is not None else None
    shape = None if lead is None else [*lead, *table._value_shape]
    return TensorSpec(shape, table.value_dtype)


def _size_spec(table: MutableHashTable, name: str | None = None) -> Any:
    return TensorSpec((), int64)


def _export_spec(table: MutableHashTable, name: str | None = None) -> Any:
    return (
        TensorSpec((None,), table.key_dtype),
        TensorSpec((None, *table._value_shape), table.value_dtype),
    )


class MutableHashTable(LookupTable):
    """A table whose entries are inserted and removed; a value may be a vector."""

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any,
        name: str = "MutableHashTable", checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(key_dtype, value_dtype, name)
        self._default = np.asarray(to_tensor(default_value, self._value_dtype)._value)
        self._entries = {}

    @property
    def _value_shape(self) -> tuple[int, ...]:
        return self._default.shape

    @public(effect="host", result_spec=_lookup_spec)
    def lookup(  # type: ignore[override]  # TensorFlow's signature
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Tensor:
        """Return the value of each key; unknown keys have the default value.

        `dynamic_default_values` has a default for each key.
        """
        array = self._keys(keys)
        flat = array.ravel().tolist()
        if dynamic_default_values is None:
            defaults = [self._default] * len(flat)
        else:
            given = np.asarray(to_tensor(dynamic_default_values, self._value_dtype)._value)
            defaults = list(given.reshape(-1, *self._value_shape))
        values = [self._entries.get(key, rest) for key, rest in zip(flat, defaults, strict=True)]
        return self._stacked(values, array.shape)

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    @public(effect="host")
    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Store a value for each key, in place of those that the keys had."""
        array = self._keys(keys)
        rows = np.asarray(to_tensor(values, self._value_dtype)._value)
        if rows.shape != array.shape + self._value_shape:
            raise invalid_argument(
                "LookupTableInsertV2",
                f"Expected shape {list(array.shape + self._value_shape)} for value, "
                f"got {list(rows.shape)}",
            )
        parts = rows.reshape(-1, *self._value_shape)
        self._entries.update(zip(array.ravel().tolist(), parts.copy(), strict=True))

    @public(effect="host")
    def remove(self, keys: Any, name: str | None = None) -> None:
        """Remove the entries of the keys; unknown keys are ignored."""
        self._check_keys(keys.dtype)
        for key in self._keys(keys).ravel().tolist():
            self._entries.pop(key, None)

    @public(effect="host", result_spec=_size_spec)
    def size(self, name: str | None = None) -> Tensor:
        """Return the number of entries."""
        return constant_of(np.int64(len(self._entries)))

    @public(effect="host", result_spec=_export_spec)
    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Return all keys and all values."""
        keys = _array(list(self._entries), self._key_dtype)
        return constant_of(keys), self._stacked(list(self._entries.values()), keys.shape)

    def _keys(self, keys: Any) -> Any:
        return np.asarray(to_tensor(keys, self._key_dtype)._value)

    def _stacked(self, values: list[Any], lead: tuple[int, ...]) -> Tensor:
        shape = (*lead, *self._value_shape)
        if self._value_dtype is string:
            flat = [text for value in values for text in np.ravel(value).tolist()]
            return constant_of(texts(flat, shape)[()])
        stacked: Any = np.array(values, self._value_dtype.as_numpy_dtype)
        return constant_of(stacked.reshape(shape)[()])


class DenseHashTable(MutableHashTable):
    """A mutable table in which two keys are reserved: for empty places and for deleted ones."""

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any, empty_key: Any,
        deleted_key: Any, initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable", checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(key_dtype, value_dtype, default_value, name)
        reserved = [to_tensor(key, self._key_dtype) for key in (empty_key, deleted_key)]
        self._reserved = [np.asarray(key._value).tolist() for key in reserved]
        if self._reserved[0] == self._reserved[1]:
            raise invalid_argument(
                "MutableDenseHashTableV2", "Empty and deleted keys cannot be equal"
            )

    def _keys(self, keys: Any) -> Any:
        array = super()._keys(keys)
        for kind, key in zip(("empty_key", "deleted_key"), self._reserved, strict=True):
            if key in array.ravel().tolist():
                raise invalid_argument(
                    "MutableDenseHashTableV2", f"Using the {kind} as a table key is not allowed"
                )
        return array

    erase: Final[Callable[..., None]] = MutableHashTable.remove


def _array(values: list[Any], dtype: DType) -> Any:
    if dtype is string:
        return texts(values)
    return np.array(values, dtype.as_numpy_dtype)


def _shown(key: Any) -> Any:
    return key.decode(errors="replace") if isinstance(key, bytes) else key
