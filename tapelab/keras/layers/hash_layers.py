"""Categories as hashes: no vocabulary has to be known, but two categories may share a bin."""

from __future__ import annotations

from typing import Any

from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.dtypes import string
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.categories import (
    ENCODINGS,
    EncodingLayer,
    as_data,
    check_choice,
    encode_categories,
    encoded_shape,
)
from tapelab.keras.layers.layer import Layer
from tapelab.math import equal
from tapelab.nest import is_composite
from tapelab.ragged.ragged_shape_ops import cross_hashed
from tapelab.sparse.sparse_tensor import SparseTensor
from tapelab.strings.hash_buckets import to_hash_bucket_fast, to_hash_bucket_strong
from tapelab.strings.numbers import as_string


def salt_of(salt: Any, kind: str) -> list[int] | None:
    """Return the two integers of a salt; ValueError for what is none."""
    if salt is None:
        return None
    if isinstance(salt, (tuple, list)) and len(salt) == 2:
        return list(salt)
    if isinstance(salt, int):
        return [salt, salt]
    raise ValueError(
        f"The `salt` argument for `{kind}` can only be a tuple of size 2 integers, or a single "
        f"integer. Received: salt={salt}."
    )


class Hashing(EncodingLayer):
    """Hashes strings or integers into `num_bins` bins: FarmHash, with a salt SipHash."""

    num_bins: int = setting()
    mask_value: Any = setting(None)
    salt: Any = setting(None, convert=lambda salt: salt_of(salt, "Hashing"))
    output_mode: str = setting("int")
    sparse: bool = setting(False)

    def _begin(self, arguments: dict[str, Any]) -> None:
        usual = "int64" if arguments["output_mode"] == "int" else backend.floatx()
        arguments["dtype"] = arguments.get("dtype") or usual
        super()._begin(arguments)

    def __post_init__(self) -> None:
        if self.num_bins is None or self.num_bins <= 0:
            raise ValueError(
                "The `num_bins` for `Hashing` cannot be `None` or non-positive values. Received: "
                f"num_bins={self.num_bins}."
            )
        if self.output_mode == "int" and self.dtype not in ("int32", "int64"):
            raise ValueError(
                "When `output_mode=\"int\"`, `dtype` should be an integer type, 'int32' or "
                f"'int64'. Received: dtype={self.dtype}"
            )
        if self.output_mode not in ENCODINGS:
            raise ValueError(
                "Invalid value for argument `output_mode`. Expected one of "
                f"{ENCODINGS}. Received: output_mode={self.output_mode}"
            )
        if self.sparse and self.output_mode == "int":
            raise ValueError(
                '`sparse` may only be true if `output_mode` is `"one_hot"`, `"multi_hot"`, or '
                f'`"count"`. Received: sparse={self.sparse} and output_mode={self.output_mode}'
            )

    def call(self, inputs: Any) -> Any:
        """Return the bin of each category, encoded."""
        x: Any = as_data(inputs)
        if self.output_mode == "one_hot" and x.shape.rank and x.shape[-1] == 1:
            x = shape_ops.squeeze(x, -1)
        bins: Any
        if isinstance(x, SparseTensor):
            bins = SparseTensor(x.indices, self._bins(x.values), x.dense_shape)
        else:
            bins = self._bins(x)
        return encode_categories(
            bins, self.output_mode, self.num_bins, self.dtype, sparse=self.sparse
        )

    def _bins(self, values: Any) -> Any:
        masked = self.mask_value is not None and self.num_bins > 1
        count = self.num_bins - masked
        x = value_ops.cast(values, "int64") if values.dtype.is_floating else values
        x = x if x.dtype is string else as_string(x)
        if self.salt is None:
            bins: Any = to_hash_bucket_fast(x, count)
        else:
            bins = to_hash_bucket_strong(x, count, self.salt)
        if not masked:
            return bins
        return value_ops.where(equal(values, self.mask_value), creation.zeros_like(bins), bins + 1)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Return the shape of the bins, or of their encoding."""
        if self.output_mode == "int":
            return tuple(input_shape)
        return (*tuple(input_shape)[:-1], self.num_bins)

    def compute_output_spec(self, inputs: Any) -> Any:
        """Return the symbolic bins."""
        return KerasTensor(self.compute_output_shape(inputs.shape), self.dtype)


class HashedCrossing(EncodingLayer):
    """Hashes each combination of two or more categories into one of `num_bins` bins."""

    num_bins: int = setting()
    output_mode: str = setting("int")
    sparse: bool = setting(False)

    def _begin(self, arguments: dict[str, Any]) -> None:
        if arguments["output_mode"] == "int" and arguments.get("dtype") is None:
            arguments["dtype"] = "int64"
        super()._begin(arguments)

    def __post_init__(self) -> None:
        check_choice(self, "output_mode", self.output_mode, ("int", "one_hot"))

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the bins of the combinations of a list of tensors."""
        if not isinstance(inputs, (list, tuple)):
            raise ValueError(
                "`HashedCrossing` should be called on a list or tuple of inputs. "
                f"Received: inputs={inputs}"
            )
        return Layer.__call__(self, [as_data(each) for each in inputs], *args, **kwargs)

    def call(self, inputs: Any) -> Any:
        """Return the bin of each combination, encoded."""
        _check_crossed(inputs)
        shape = tuple(inputs[0].shape)
        columns = [shape_ops.reshape(each, (-1, 1)) for each in inputs]
        crossed = cross_hashed(columns, self.num_bins).flat_values
        bins: Any = shape_ops.reshape(crossed, shape)
        return encode_categories(
            bins, self.output_mode, self.num_bins, self.compute_dtype, sparse=self.sparse
        )

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Return the shape of the bins, or of their encoding."""
        if self.output_mode == "int":
            return tuple(input_shape[0])
        return encoded_shape(input_shape[0], "one_hot", self.num_bins)

    def compute_output_spec(self, inputs: Any) -> Any:
        """Return the symbolic bins."""
        shape = self.compute_output_shape([each.shape for each in inputs])
        return KerasTensor(shape, self.compute_dtype)


def _check_crossed(inputs: list[Any]) -> None:
    first = tuple(inputs[0].shape)
    if len(inputs) < 2:
        problem = "`HashedCrossing` should be called on at least two inputs."
    elif len(first) > 2 or (len(first) == 2 and first[-1] != 1):
        problem = (
            "All `HashedCrossing` inputs should have shape `()`, `(batch_size)` or "
            "`(batch_size, 1)`."
        )
    elif any(tuple(each.shape) != first for each in inputs):
        problem = "All `HashedCrossing` inputs should have equal shape."
    elif any(is_composite(each) for each in inputs):
        problem = "All `HashedCrossing` inputs should be dense tensors."
    elif not all(each.dtype.is_integer or each.dtype is string for each in inputs):
        problem = "All `HashedCrossing` inputs should have an integer or string dtype."
    else:
        return
    raise ValueError(f"{problem} Received: inputs={inputs}")
