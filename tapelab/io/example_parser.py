"""`tf.io.parse_example`: serialized `tf.train.Example` messages as tensors by name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from math import prod
from typing import Any, Final

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.text_forms import brackets
from tapelab.core.type_spec import TensorSpec
from tapelab.dtypes import DType, as_dtype, int64, string
from tapelab.errors import invalid_argument
from tapelab.io.example_messages import DecodeError, Example, Feature, Features, SequenceExample
from tapelab.io.feature_specs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    RowLengths,
    RowLimits,
    RowSplits,
    RowStarts,
    SparseFeature,
    UniformRowLength,
    ValueRowIds,
    VarLenFeature,
)
from tapelab.ragged.ragged_spec import RaggedTensorSpec
from tapelab.ragged.ragged_tensor import RaggedTensor
from tapelab.sparse.sparse_spec import SparseTensorSpec
from tapelab.sparse.sparse_tensor import made_of
from tapelab.strings.string_op import text, texts

Specs = dict[str, Any]
Values = list[Any] | None
"""The values of a feature in one message; None where it is missing."""
OP: Final = "ParseExample"
_KINDS: Final = (
    FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, SparseFeature, VarLenFeature,
)  # fmt: skip
LISTS: Final = {"string": "bytes_list", "float32": "float_list", "int64": "int64_list"}


def _spec(name: str, feature: Any, rows: list[int | None]) -> Any:
    """The specification of what a feature becomes; `rows` is the shape of the messages."""
    kind = as_dtype(feature.dtype)
    if isinstance(feature, FixedLenFeature):
        return TensorSpec([*rows, *_shape(feature.shape)], kind)
    if isinstance(feature, FixedLenSequenceFeature):
        return TensorSpec([*rows, None, *_shape(feature.shape)], kind)
    if isinstance(feature, RaggedFeature):
        inner = [
            part.length if isinstance(part, UniformRowLength) else None
            for part in feature.partitions
        ]
        shape = [*rows, None, *inner]
        if len(shape) == 1:
            return TensorSpec(shape, kind)
        return RaggedTensorSpec(shape, kind, len(shape) - 1, feature.row_splits_dtype)
    axes = len(feature.index_key) if _has_several_keys(feature) else 1
    return SparseTensorSpec([*rows, *[None] * axes], kind)


def _result_spec(serialized: Any, features: Specs, *_: Any, **__: Any) -> Any:
    rows = list(serialized.shape)
    return {name: _spec(name, feature, rows) for name, feature in sorted(features.items())}


@public(effect="host", result_spec=_result_spec)
def parse_example(
    serialized: Any, features: Specs, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Return the features of serialized `Example` messages, by name.

    InvalidArgumentError for other bytes, a missing feature without a default, or another dtype.
    """
    if not features:
        raise ValueError("Argument `features` cannot be None or falsy.")
    raw = text(serialized, OP)
    messages = [_features(each) for each in np.ravel(raw._value)]
    single = not raw._array.shape
    return {key: _parsed(messages, key, each, single) for key, each in sorted(features.items())}


@public(effect="host", result_spec=_result_spec)
def parse_single_example(
    serialized: Any, features: Specs, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """Return the features of one serialized `Example` message, by name."""
    raw = text(serialized, OP)
    if raw.ndim:
        raise ValueError(f"Input serialized must be a scalar. Got shape {raw.shape}")
    return parse_example(raw, features)


@public(effect="host")
def parse_single_sequence_example(
    serialized: Any, context_features: Specs | None = None,
    sequence_features: Specs | None = None, example_name: Any = None, name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """Return the context and the sequences of one serialized `SequenceExample`, by name."""
    if not (context_features or sequence_features):
        raise ValueError("Missing features.")
    raw = text(serialized, "ParseSingleSequenceExample")._value
    message = SequenceExample.FromString(raw if isinstance(raw, bytes) else raw[()])
    context = {
        key: _parsed([message.context], key, each, single=True)
        for key, each in sorted((context_features or {}).items())
    }
    lists = message.feature_lists.feature_list
    sequences = {
        key: _sequence(lists[key].feature if key in lists else [], key, each)
        for key, each in sorted((sequence_features or {}).items())
    }
    return context, sequences


def _features(raw: bytes) -> Features:
    try:
        features: Features = Example.FromString(raw).features
    except DecodeError:
        raise invalid_argument(
            f"{OP}V2", f"Could not parse example input, value: {raw.decode(errors='replace')!r}"
        ) from None
    return features


def _parsed(messages: list[Features], name: str, feature: Any, single: bool) -> Any:
    """What a feature of messages becomes: stacked, ragged or sparse."""
    if not isinstance(feature, _KINDS):
        raise ValueError(f"Unsupported {type(feature).__name__} for key '{name}': {feature}.")
    if isinstance(feature, SparseFeature):
        return _sparse_feature(messages, feature, single)
    if isinstance(feature, RaggedFeature):
        return _ragged(messages, name, feature, single)
    kind = as_dtype(feature.dtype)
    columns = [_values(message, name, kind) for message in messages]
    if isinstance(feature, VarLenFeature):
        return _sparse([values or [] for values in columns], kind, single)
    size = _shape(feature.shape)
    if isinstance(feature, FixedLenSequenceFeature):
        return _padded(columns, name, feature, single)
    rows = [_fixed(values, name, feature, kind) for values in columns]
    flat = [value for row in rows for value in row]
    return _tensor(flat, kind, (*([] if single else [len(rows)]), *size))


def _values(features: Features, name: str, kind: DType) -> Values:
    """The values of a feature; InvalidArgumentError for those of another dtype."""
    if name not in features.feature:
        return None
    feature: Feature = features.feature[name]
    stored = feature.WhichOneof("kind")
    if stored is None:
        return None
    wanted = LISTS.get(kind.name)
    if wanted is None:
        raise invalid_argument(
            f"{OP}V2", f"Value for attr 'Tdense' of {kind.name} is not in the list of allowed "
            "values: float, int64, string",
        )  # fmt: skip
    if stored != wanted:
        raise invalid_argument(
            f"{OP}V2", f"Key: {name}.  Data types don't match. Expected type: {kind.name}"
        )
    return list(getattr(feature, stored).value)


def _fixed(values: Values, name: str, feature: FixedLenFeature, kind: DType) -> list[Any]:
    """The values of a feature of known shape, or its default."""
    count = prod(_shape(feature.shape))
    if not values and (values is None or count):
        if feature.default_value is None:
            raise invalid_argument(
                f"{OP}V2",
                f"Feature: {name} (data type: {kind.name}) is required but could not be found.",
            )
        default = np.asarray(to_tensor(feature.default_value, kind)._value)
        return list(np.broadcast_to(default, _shape(feature.shape)).ravel().tolist())
    if len(values or []) != count:
        raise invalid_argument(
            f"{OP}V2", f"Key: {name}.  Number of {kind.name} values != expected.  Values size: "
            f"{len(values or [])} but output shape: {brackets(_shape(feature.shape))}",
        )  # fmt: skip
    return values or []


def _padded(columns: list[Values], name: str, feature: Any, single: bool) -> Tensor:
    """The values of a feature of any number of rows, padded to the longest message."""
    kind, shape = as_dtype(feature.dtype), _shape(feature.shape)
    size = prod(shape)
    if None in columns and not feature.allow_missing:
        raise invalid_argument(
            f"{OP}V2",
            f"Feature: {name} (data type: {kind.name}) is required but could not be found.",
        )
    lists = [values or [] for values in columns]
    for values in lists:
        if len(values) % size:
            raise invalid_argument(
                f"{OP}V2", f"Key: {name}.  Number of {kind.name} values is not a multiple of "
                f"stride length. Saw {len(values)} values but output shape is: "
                f"{brackets(shape)}",
            )  # fmt: skip
    longest = max((len(values) for values in lists), default=0)
    empty: Any = b"" if kind is string else 0
    given = feature.default_value
    filling = empty if given is None else np.ravel(to_tensor(given, kind)._value)[0]
    flat = [v for values in lists for v in [*values, *[filling] * (longest - len(values))]]
    return _tensor(flat, kind, (*([] if single else [len(lists)]), longest // size, *shape))


def _sparse(lists: list[list[Any]], kind: DType, single: bool) -> Any:
    """Lists of values as the rows of a sparse tensor."""
    cells = [(row, at) for row, values in enumerate(lists) for at in range(len(values))]
    places = np.array(cells, np.int64).reshape(-1, 2)
    longest = max((len(values) for values in lists), default=0)
    values = _tensor([value for values in lists for value in values], kind)
    if single:
        return made_of(places[:, 1:], values, (longest,))
    return made_of(places, values, (len(lists), longest))


def _sparse_feature(messages: list[Features], feature: SparseFeature, single: bool) -> Any:
    """A sparse tensor of the indices and the values of its two or more features."""
    several = _has_several_keys(feature)
    keys = list(feature.index_key) if several else [feature.index_key]
    sizes = list(feature.size) if several else [feature.size]
    kind = as_dtype(feature.dtype)
    cells: list[list[int]] = []
    flat: list[Any] = []
    for row, message in enumerate(messages):
        values = _values(message, feature.value_key, kind) or []
        columns = [_values(message, key, int64) or [] for key in keys]
        cells += [[row, *cell] for cell in zip(*columns, strict=True)]
        flat += values
    places = np.array(cells, np.int64).reshape(-1, len(keys) + 1)
    order = np.lexsort(places.T[::-1])
    values_in_order = _tensor([flat[at] for at in order], kind)
    shape = (len(messages), *sizes)
    return made_of(
        places[order][:, 1:] if single else places[order], values_in_order,
        shape[1:] if single else shape,
    )  # fmt: skip


def _ragged(messages: list[Features], name: str, feature: RaggedFeature, single: bool) -> Any:
    """The values of a feature as rows, one for each message, cut further by the partitions."""
    kind, splits = as_dtype(feature.dtype), as_dtype(feature.row_splits_dtype)
    key = name if feature.value_key is None else feature.value_key
    rows = [_row(message, key, kind, feature, splits) for message in messages]
    is_uniform = all(isinstance(part, UniformRowLength) for part in feature.partitions)
    if single and is_uniform:
        inner = [part.length for part in feature.partitions]
        return _tensor(_values(messages[0], key, kind) or [], kind, (-1, *inner))
    if single:
        return rows[0]
    lengths = _numbers([int(row.shape[0]) for row in rows], splits)
    if is_uniform:
        values = [row.flat_values if feature.partitions else row for row in rows]
        flat = _tensor([each for part in values for each in part._value.tolist()], kind)
        inner = _cut(flat, feature, splits)
        return RaggedTensor.from_row_lengths(inner, lengths, validate=False)
    from tapelab.ragged.ragged_shape_ops import stack  # loaded only for ragged partitions

    stacked: Any = stack(rows)
    return stacked.with_row_splits_dtype(splits)


def _cut(flat: Tensor, feature: Any, splits: DType) -> Any:
    """Values in the rows of partitions that are uniform, the innermost first."""
    rows: Any = flat
    for part in reversed(feature.partitions):
        rows = RaggedTensor.from_uniform_row_length(rows, _numbers(part.length, splits))
    return rows


def _row(message: Features, key: str, kind: DType, feature: Any, splits: DType) -> Any:
    """The values of one message, in the rows of its partitions."""
    row: Any = _tensor(_values(message, key, kind) or [], kind)
    for part in reversed(feature.partitions):
        if isinstance(part, UniformRowLength):
            row = RaggedTensor.from_uniform_row_length(row, _numbers(part.length, splits))
            continue
        numbers = _numbers(_values(message, part.key, int64) or [], splits)
        row = _CUTS[type(part)](row, numbers, validate=feature.validate)
    return row


_CUTS: Final[dict[type, Callable[..., Any]]] = {
    RowSplits: RaggedTensor.from_row_splits,
    RowLengths: RaggedTensor.from_row_lengths,
    RowStarts: RaggedTensor.from_row_starts,
    RowLimits: RaggedTensor.from_row_limits,
    ValueRowIds: RaggedTensor.from_value_rowids,
}


def _sequence(steps: list[Feature], name: str, feature: Any) -> Any:
    """The features of the steps of a sequence: a tensor, or a sparse or ragged one."""
    kind = as_dtype(feature.dtype)
    lists = [list(getattr(step, LISTS[kind.name]).value) for step in steps]
    if isinstance(feature, VarLenFeature):
        return _sparse(lists, kind, single=False)
    if isinstance(feature, RaggedFeature):
        splits = as_dtype(feature.row_splits_dtype)
        ends = _numbers([0, *accumulate(map(len, lists))], splits)
        flat = _tensor([value for values in lists for value in values], kind)
        return RaggedTensor.from_row_splits(flat, ends, validate=False)
    shape = _shape(feature.shape)
    for at, values in enumerate(lists):
        if len(values) != prod(shape):
            raise invalid_argument(
                "ParseSingleSequenceExample",
                f"Name: <unknown>, Key: {name}, Index: {at}.  Number of {kind.name} values != "
                f"expected.  values size: {len(values)} but output shape: {brackets(shape)}",
            )
    if not lists and not feature.allow_missing:
        raise invalid_argument(
            "ParseSingleSequenceExample", f"Name: <unknown>, Feature list '{name}' is required "
            "but could not be found.  Did you mean to include it in feature_list_dense_missing_"
            "assumed_empty or feature_list_dense_defaults?",
        )  # fmt: skip
    return _tensor([value for values in lists for value in values], kind, (len(lists), *shape))


def _has_several_keys(feature: Any) -> bool:
    return isinstance(getattr(feature, "index_key", None), (list, tuple))


def _shape(shape: Any) -> tuple[int, ...]:
    return tuple(size for size in TensorShape(shape).as_list() if size is not None)


def _numbers(values: Any, kind: DType) -> Tensor:
    return constant_of(np.array(values, kind.as_numpy_dtype)[()])


def _tensor(values: list[Any], kind: DType, shape: tuple[int, ...] | None = None) -> Tensor:
    """Values as a tensor of a dtype, in one row unless there is a shape."""
    sizes = (len(values),) if shape is None else shape
    if kind is string:
        return constant_of(texts(values, sizes)[()])
    array: Any = np.array(values, kind.as_numpy_dtype)
    return constant_of(array.reshape(sizes)[()])
