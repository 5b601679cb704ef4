"""Integers as rows of features: one-hot, multi-hot, counts. The base of the layers that do so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tapelab import math
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.convert import to_tensor
from tapelab.core.tensor import Tensor
from tapelab.data.dataset import Dataset
from tapelab.dtypes import as_dtype
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.layer import BuiltInLayer
from tapelab.sparse import sparse_features
from tapelab.sparse.sparse_conversion import from_dense
from tapelab.sparse.sparse_tensor import SparseTensor, made_of

ENCODINGS: Final = ("int", "one_hot", "multi_hot", "count")
Shape = tuple[int | None, ...]


class EncodingLayer(BuiltInLayer):
    """A layer whose input may be any data, also Python lists of text, and has no gradient."""

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs, for data that converts to tensors or for symbolic tensors."""
        return super().__call__(as_data(inputs), *args, **kwargs)


def as_data(inputs: Any, dtype: Any = None) -> Any:
    """Return data as a tensor, in a dtype; sparse, ragged and symbolic tensors keep their kind."""
    if isinstance(inputs, KerasTensor):
        return inputs
    kept = isinstance(inputs, (Tensor, CompositeTensor))
    x = inputs if kept else to_tensor(inputs)
    return x if dtype is None or x.dtype is as_dtype(dtype) else value_ops.cast(x, dtype)


def batches_of(data: Any, steps: int | None = None) -> Iterator[Any]:
    """Yield the batches of what `adapt` receives: an array is one batch, a dataset has many."""
    whole = isinstance(data, (list, tuple, np.ndarray, Tensor, CompositeTensor))
    if whole:
        yield data
        return
    for number, batch in enumerate(data.take(-1) if isinstance(data, Dataset) else data):
        if steps is not None and number >= steps:
            return
        yield batch


def check_choice(layer: Any, name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise ValueError for a setting that is none of the allowed words."""
    if value not in allowed:
        raise ValueError(
            f"Unknown value for `{name}` argument of layer {type(layer).__name__}. "
            f"Allowed values are: {allowed}. Received: {name}={value}"
        )


def encoded_shape(input_shape: Any, output_mode: str, depth: int | None) -> Shape:
    """Return the shape of encoded categories."""
    shape = tuple(input_shape)
    if output_mode == "int":
        return shape
    if output_mode == "one_hot" and (len(shape) < 2 or shape[-1] != 1):
        return (*shape, depth)
    return (*shape[:-1], depth)


def encode_categories(
    x: Any, output_mode: str, depth: int, dtype: Any, *, sparse: bool = False,
    count_weights: Any = None,
) -> Any:  # fmt: skip
    """Return categories as rows of `depth` features, sparse if that is asked for.

    "multi_hot" and "count" look at all categories of the last axis together.
    """
    if output_mode == "int":
        return value_ops.cast(x, dtype)
    x = shape_ops.expand_dims(x, -1) if x.shape.rank == 0 else x
    if output_mode == "one_hot":
        if x.shape.rank > 1 and x.shape[-1] == 1:
            x = shape_ops.squeeze(x, -1)
        if sparse and not isinstance(x, Tensor):
            raise ValueError(
                "`sparse=True` with `output_mode='one_hot'` takes a dense tensor. "
                f"Received: inputs={x}"
            )
        return _sparse_rows(x, depth, dtype) if sparse else creation.one_hot(x, depth, dtype=dtype)
    binary = output_mode == "multi_hot"
    if x.shape.rank > 2:
        rows: Any = creation.one_hot(x, depth, dtype=dtype)
        if count_weights is not None:
            rows = rows * shape_ops.expand_dims(count_weights, -1)
        features = math.reduce_max(rows, 1) if binary else math.reduce_sum(rows, 1)
        return from_dense(features) if sparse else features
    if sparse:
        counts = sparse_features.bincount(x, count_weights, -1, depth, depth, binary_output=binary)
        return value_ops.cast(counts, dtype)
    counted = math.bincount(x, count_weights, depth, depth, dtype, axis=-1, binary_output=binary)
    return value_ops.cast(counted, dtype)


def _sparse_rows(x: Tensor, depth: int, dtype: Any) -> SparseTensor:
    """The one-hot rows of categories, as a sparse tensor."""
    categories = np.asarray(x._value)
    places = np.stack([*np.indices(categories.shape), np.maximum(categories, 0)], -1)
    values: Any = (categories >= 0).ravel().astype(as_dtype(dtype).as_numpy_dtype)
    cells = places.reshape(-1, categories.ndim + 1)
    return made_of(cells, to_tensor(values), (*categories.shape, depth))


class CategoryEncoding(EncodingLayer):
    """Encodes integer categories as one-hot rows, multi-hot rows or counts."""

    num_tokens: int = setting(None)
    output_mode: str = setting("multi_hot")
    sparse: bool = setting(False, in_config=False)

    def __post_init__(self) -> None:
        if self.output_mode == "binary":
            self.output_mode = "multi_hot"
        if self.output_mode not in ENCODINGS[1:]:
            raise ValueError(f"Unknown arg for output_mode: {self.output_mode}")
        if self.num_tokens is None:
            raise ValueError(
                "num_tokens must be set to use this layer. If the number of tokens is not known "
                "beforehand, use the IntegerLookup layer instead."
            )
        if self.num_tokens < 1:
            raise ValueError(f"`num_tokens` must be >= 1. Received: num_tokens={self.num_tokens}.")

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        """Return the features, with `count_weights` the sums of the weights of each category."""
        if count_weights is not None:
            if self.output_mode != "count":
                raise ValueError(
                    "`count_weights` is not used when `output_mode` is not `'count'`. Received "
                    f"`count_weights={count_weights}`."
                )
            count_weights = backend.convert_to_tensor(count_weights, self.compute_dtype)
        return encode_categories(
            inputs, self.output_mode, self.num_tokens, self.dtype, sparse=self.sparse,
            count_weights=count_weights,
        )  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Shape:
        """Return the shape with the categories as the last axis."""
        if not input_shape:
            return (self.num_tokens,)
        return encoded_shape(input_shape, self.output_mode, self.num_tokens)

    def compute_output_spec(self, inputs: Any, count_weights: Any = None) -> Any:
        """Return the symbolic features."""
        return KerasTensor(self.compute_output_shape(inputs.shape), self.compute_dtype)
