"""Strings or integers as their numbers in a vocabulary, which is given or learned from data.

A vocabulary begins with special tokens: the mask token where one is set and the output mode is
"int", then `num_oov_indices` numbers that all unknown ("out of vocabulary") tokens share.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab import math
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.errors import FailedPreconditionError, invalid_argument
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.categories import (
    EncodingLayer,
    as_data,
    batches_of,
    check_choice,
    encode_categories,
    encoded_shape,
)
from tapelab.keras.layers.hash_layers import salt_of
from tapelab.lookup.hash_tables import StaticHashTable
from tapelab.lookup.table_initializers import KeyValueTensorInitializer
from tapelab.ragged.ragged_elementwise import map_flat_values
from tapelab.ragged.ragged_tensor import RaggedTensor
from tapelab.sparse.sparse_tensor import SparseTensor
from tapelab.strings.hash_buckets import to_hash_bucket_fast, to_hash_bucket_strong
from tapelab.strings.numbers import as_string

OUTPUT_MODES: Final = ("int", "one_hot", "multi_hot", "count", "tf_idf")
_SPELLINGS: Final = {"binary": "multi_hot", "tf-idf": "tf_idf"}
_PLACE: Final = (
    "unexpected location in `vocabulary`. Note that passed `vocabulary` does not need to include "
    "the OOV and mask tokens. Either remove all mask and OOV tokens, or include them only at the "
    "start of the vocabulary in precisely this order"
)


def output_mode_of(mode: Any) -> Any:
    """Return an output mode in its present spelling."""
    return _SPELLINGS.get(mode, mode)


class VocabularyLookup(EncodingLayer):
    """The base of the layers that look tokens up in a vocabulary."""

    vocabulary_dtype: str
    max_tokens: int | None
    num_oov_indices: int
    mask_token: Any
    oov_token: Any
    output_mode: str
    invert: bool
    sparse: bool
    pad_to_max_tokens: bool
    oov_method: str = "floormod"
    salt: Any
    _tokens: list[Any]
    _counts: Counter[Any]
    _document_counts: Counter[Any]
    _document_count: int

    def _begin(self, arguments: dict[str, Any]) -> None:
        vocabulary, weights = arguments.pop("vocabulary"), arguments.pop("idf_weights")
        self.__dict__["_given"] = vocabulary, weights
        for unused in ("has_input_vocabulary", "vocabulary_size", "trainable", "dtype"):
            arguments.pop(unused, None)
        super()._begin(arguments)

    def __post_init__(self) -> None:
        vocabulary, weights = self.__dict__.pop("_given")
        self._check_settings(weights)
        self.input_vocabulary = None if isinstance(vocabulary, str) else vocabulary
        self.input_idf_weights = weights
        self._is_static = vocabulary is not None
        self.idf_weights: Any = None
        self._set_tokens([])
        self.reset_state()
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, weights)

    def _check_settings(self, weights: Any) -> None:
        if self.max_tokens is not None and self.max_tokens <= 1:
            raise ValueError(
                "If set, `max_tokens` must be greater than 1. "
                f"Received: max_tokens={self.max_tokens}"
            )
        if self.pad_to_max_tokens and self.max_tokens is None:
            raise ValueError(
                "If pad_to_max_tokens is True, must set `max_tokens`. "
                f"Received: max_tokens={self.max_tokens}"
            )
        if self.num_oov_indices < 0:
            raise ValueError(
                "`num_oov_indices` must be greater than or equal to 0. "
                f"Received: num_oov_indices={self.num_oov_indices}"
            )
        check_choice(self, "oov_method", self.oov_method, ("floormod", "farmhash"))
        if self.salt is not None and self._has_integers and self.oov_method != "farmhash":
            raise ValueError(
                "`salt` can only be used when `oov_method='farmhash'`. "
                f"Received: oov_method={self.oov_method}"
            )
        check_choice(self, "output_mode", self.output_mode, OUTPUT_MODES)
        if self.invert and self.output_mode != "int":
            raise ValueError(
                "`output_mode` must be `'int'` when `invert` is true. "
                f"Received: output_mode={self.output_mode}"
            )
        if self.sparse and self.output_mode == "int":
            raise ValueError(
                "`sparse` may only be true if `output_mode` is `'one_hot'`, `'multi_hot'`, "
                f"`'count'` or `'tf_idf'`. Received: sparse={self.sparse} and "
                f"output_mode={self.output_mode}"
            )
        if weights is not None and self.output_mode != "tf_idf":
            raise ValueError(
                "`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: "
                f"idf_weights={weights} and output_mode={self.output_mode}"
            )

    @property
    def _has_integers(self) -> bool:
        return self.vocabulary_dtype != "string"

    @property
    def compute_dtype(self) -> str:
        """The dtype of the tokens."""
        return self.vocabulary_dtype

    @property
    def variable_dtype(self) -> str:
        """The dtype of the tokens."""
        return self.vocabulary_dtype

    @property
    def _oov_start(self) -> int:
        return int(self.mask_token is not None and self.output_mode == "int")

    @property
    def _token_start(self) -> int:
        return self._oov_start + self.num_oov_indices

    def vocabulary_size(self) -> int:
        """Return the number of tokens, with the special ones."""
        return len(self._tokens) + self._token_start

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """Return the tokens in the order of their numbers."""
        special = [self.oov_token] * self._token_start
        special[: self._oov_start] = [self.mask_token] * self._oov_start
        tokens = list(np.array(self._tokens))  # NumPy's strings and integers, as Keras returns
        return [*special, *tokens] if include_special_tokens else tokens

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Set the tokens, a list or a file with one in each line, and their weights.

        ValueError for repeated tokens, too many of them, or special tokens in the wrong place.
        """
        if self.output_mode == "tf_idf" and idf_weights is None:
            raise ValueError("`idf_weights` must be set if output_mode is 'tf_idf'.")
        if self.output_mode != "tf_idf" and idf_weights is not None:
            raise ValueError(
                "`idf_weights` should only be set if output_mode is `'tf_idf'`. Received: "
                f"output_mode={self.output_mode} and idf_weights={idf_weights}"
            )
        tokens = self._listed(vocabulary)
        if not tokens:
            raise ValueError(f"Cannot set an empty vocabulary. Received: vocabulary={vocabulary}")
        special = [self.mask_token] * self._oov_start + [self.oov_token] * self.num_oov_indices
        has_special = bool(special) and tokens[: len(special)] == special
        own = tokens[len(special) :] if has_special else tokens
        self._check_tokens(own, tokens, special)
        self._set_tokens(own)
        if idf_weights is not None:
            self._set_weights(np.asarray(as_data(idf_weights)._value), len(tokens), has_special)

    def _listed(self, vocabulary: Any) -> list[Any]:
        """The tokens as Python text or integers."""
        if isinstance(vocabulary, str):
            if not Path(vocabulary).exists():
                raise ValueError(f"Vocabulary file {vocabulary} does not exist.")
            lines = Path(vocabulary).read_text(encoding="utf-8").splitlines()
            return [int(line) for line in lines] if self._has_integers else lines
        values = np.asarray(vocabulary._value if isinstance(vocabulary, Tensor) else vocabulary)
        tokens = values.ravel().tolist()
        return [token.decode() if isinstance(token, bytes) else token for token in tokens]

    def _check_tokens(self, own: list[Any], tokens: list[Any], special: list[Any]) -> None:
        repeated = [token for token, count in Counter(own).items() if count > 1]
        if repeated:
            raise ValueError(
                "The passed vocabulary has at least one repeated term. Please uniquify your "
                f"dataset. The repeated terms are: {repeated}"
            )
        reserved = {"mask": self.mask_token, "OOV": self.oov_token if self.invert else None}
        for kind, token in reserved.items():
            if token is not None and token in own:
                raise ValueError(
                    f"Found reserved {kind} token at {_PLACE}: {special}. Received: "
                    f"{kind.lower()}_token={token} at vocabulary index {tokens.index(token)}"
                )
        size = self._token_start + len(own)
        if self.max_tokens is not None and size > self.max_tokens:
            raise ValueError(
                "Attempted to set a vocabulary larger than the maximum vocab size. Received "
                f"vocabulary size is {size}; `max_tokens` is {self.max_tokens}."
            )

    def _set_tokens(self, tokens: list[Any]) -> None:
        numbers = np.arange(len(tokens), dtype=np.int64) + self._token_start
        columns = to_tensor(tokens, self.vocabulary_dtype), to_tensor(numbers)
        default: Any = self._oov_start if self.num_oov_indices == 1 else -1
        if self.invert:
            columns, default = columns[::-1], self.oov_token
        self.__dict__["_tokens"] = tokens
        self.lookup_table = StaticHashTable(KeyValueTensorInitializer(*columns), default)

    def _set_weights(self, weights: Any, count: int, has_special: bool) -> None:
        if len(weights) != count:
            raise ValueError(
                "`idf_weights` must be the same length as vocabulary. len(idf_weights) is "
                f"{len(weights)}; len(vocabulary) is {count}"
            )
        if weights.ndim != 1:
            raise ValueError(
                f"TF-IDF data must be a 1-index array. Received: type(idf_weights)={type(weights)}"
            )
        front = 0 if has_special else self._token_start
        self._store_weights(np.pad(weights, (front, 0), constant_values=np.average(weights)))

    def _store_weights(self, weights: Any) -> None:
        missing = (self.max_tokens or 0) - len(weights) if self.pad_to_max_tokens else 0
        self.idf_weights = to_tensor(np.pad(weights, (0, missing)), backend.floatx())

    def adapt(self, data: Any, steps: int | None = None) -> None:
        """Learn the vocabulary from an array or the batches of a dataset, frequent tokens first."""
        self.reset_state()
        for batch in batches_of(data, steps):
            self.update_state(shape_ops.expand_dims(batch, -1) if np.ndim(batch) == 1 else batch)
        self.finalize_state()

    def update_state(self, data: Any) -> None:
        """Count the tokens of a batch, and the documents (rows) that each stands in."""
        if self._is_static:
            raise ValueError(
                f"Cannot adapt layer '{self.name}' after setting a static vocabulary via "
                "`vocabulary` argument or `set_vocabulary()` method."
            )
        documents = _documents(as_data(data, self.vocabulary_dtype))
        self._counts.update(token for document in documents for token in document)
        if self.output_mode == "tf_idf":
            self._document_counts.update(token for row in documents for token in set(row))
            self.__dict__["_document_count"] += len(documents)

    def finalize_state(self) -> None:
        """Set the vocabulary from the tokens that were counted."""
        if self._is_static or not self._counts:
            return
        special = {_raw(self.mask_token), _raw(self.oov_token)}
        counted = [(n, token) for token, n in self._counts.items() if token not in special]
        tokens = [token for _, token in sorted(counted, reverse=True)]
        if self.max_tokens:
            tokens = tokens[: self.max_tokens - self._token_start]
        self._set_tokens([t.decode() if isinstance(t, bytes) else t for t in tokens])
        if self.output_mode == "tf_idf":
            of_tokens: Any = np.array([self._document_counts[token] for token in tokens])
            weights = np.log(1 + self._document_count / (1 + of_tokens)).astype("float32")
            front = (self._token_start, 0)
            self._store_weights(np.pad(weights, front, constant_values=weights.mean()))
        self.reset_state()

    def reset_state(self) -> None:
        """Forget the tokens that were counted."""
        counts: Counter[Any] = Counter()
        documents: Counter[Any] = Counter()
        self.__dict__.update(_counts=counts, _document_counts=documents, _document_count=0)

    def call(self, inputs: Any) -> Any:
        """Return the numbers of tokens, encoded; with `invert` the tokens of numbers."""
        depth = 0 if self.output_mode == "int" else self._depth()
        x: Any = as_data(inputs, "int64" if self.invert else self.vocabulary_dtype)
        if isinstance(x, SparseTensor):
            numbers: Any = SparseTensor(x.indices, self._numbers(x.values), x.dense_shape)
        elif isinstance(x, RaggedTensor):
            numbers = map_flat_values(self._numbers, x)
        else:
            numbers = self._numbers(x)
        if self.output_mode == "int":
            return numbers
        mode = "count" if self.output_mode == "tf_idf" else self.output_mode
        encoded: Any = encode_categories(numbers, mode, depth, "int64", sparse=self.sparse)
        if self.output_mode != "tf_idf":
            return encoded
        weights: Any = self.idf_weights
        if isinstance(encoded, SparseTensor):
            of_values = weights._value[encoded.indices._value[:, -1]]
            return encoded.with_values(value_ops.cast(encoded.values, weights.dtype) * of_values)
        return value_ops.cast(encoded, weights.dtype) * weights

    def _depth(self) -> int:
        if self.pad_to_max_tokens:
            return int(self.max_tokens or 0)
        if not self._tokens:
            raise RuntimeError(
                f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, you "
                "must set the layer's vocabulary before calling it. Either pass a `vocabulary` "
                "argument to the layer, or call `adapt` with some sample data."
            )
        return self.vocabulary_size()

    def _numbers(self, tokens: Any) -> Any:
        """The numbers of a dense tensor of tokens, or the tokens of numbers."""
        if not self._tokens:
            raise FailedPreconditionError(
                None, "LookupTableFindV2", "Table not initialized. [Op:LookupTableFindV2]"
            )
        numbers: Any = self.lookup_table.lookup(tokens)
        if self.mask_token is not None:
            mask, value = (0, self.mask_token) if self.invert else (self.mask_token, self._masked)
            masks = creation.fill(shape_ops.shape(numbers), to_tensor(value, numbers.dtype))
            is_mask = math.equal(tokens, to_tensor(mask, tokens.dtype))
            numbers = value_ops.where(is_mask, masks, numbers)
        if self.invert:
            return numbers
        if self.num_oov_indices == 0:
            _require_known(tokens, numbers)
        if self.num_oov_indices > 1:
            buckets = self._buckets(tokens) + self._oov_start
            numbers = value_ops.where(math.equal(numbers, -1), buckets, numbers)
        return numbers

    @property
    def _masked(self) -> int:
        """The number of the mask token, beyond every encoding where it is not to appear in one."""
        return 0 if self.output_mode == "int" else int(np.iinfo(np.int64).max)

    def _buckets(self, tokens: Any) -> Any:
        if self._has_integers and self.oov_method != "farmhash":
            return math.floormod(tokens, to_tensor(self.num_oov_indices, "int64"))
        text = as_string(tokens) if self._has_integers else tokens
        if self.salt is None:
            return to_hash_bucket_fast(text, self.num_oov_indices)
        return to_hash_bucket_strong(text, self.num_oov_indices, self.salt)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Return the shape of the numbers, or of their encoding."""
        if self.output_mode == "int":
            return tuple(input_shape)
        return encoded_shape(input_shape, self.output_mode, self._depth())

    def compute_output_spec(self, inputs: Any) -> Any:
        """Return the symbolic numbers."""
        floats = self.vocabulary_dtype if self.invert else "int64"
        dtype = floats if self.output_mode == "int" else backend.floatx()
        return KerasTensor(self.compute_output_shape(inputs.shape), dtype)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal layer."""
        config = super().get_config()
        return {
            **config,
            "vocabulary": _listed_tensors(self.input_vocabulary),
            "idf_weights": _listed_tensors(self.input_idf_weights),
            "salt": self.salt,
        }


class StringLookup(VocabularyLookup):
    """Returns the number of each string in a vocabulary; `invert` turns numbers into strings."""

    max_tokens: int | None = setting(None)
    num_oov_indices: int = setting(1)
    mask_token: Any = setting(None)
    oov_token: Any = setting("[UNK]")
    vocabulary: Any = setting(None)
    idf_weights: Any = setting(None)
    invert: bool = setting(False)
    output_mode: str = setting("int", convert=output_mode_of)
    pad_to_max_tokens: bool = setting(False)
    sparse: bool = setting(False)
    encoding: str = setting("utf-8")
    salt: Any = setting(None, convert=lambda salt: salt_of(salt, "IndexLookup"))
    vocabulary_dtype = "string"


class IntegerLookup(VocabularyLookup):
    """Returns the number of each integer in a vocabulary; `invert` turns numbers back."""

    max_tokens: int | None = setting(None)
    num_oov_indices: int = setting(1)
    mask_token: Any = setting(None)
    oov_token: Any = setting(-1)
    vocabulary: Any = setting(None)
    vocabulary_dtype: str = setting("int64")
    idf_weights: Any = setting(None)
    invert: bool = setting(False)
    output_mode: str = setting("int", convert=output_mode_of)
    sparse: bool = setting(False)
    pad_to_max_tokens: bool = setting(False)
    oov_method: str = setting("floormod")
    salt: Any = setting(None, convert=lambda salt: salt_of(salt, "IndexLookup"))

    def _check_settings(self, weights: Any) -> None:
        if self.max_tokens is not None and self.max_tokens <= 1:
            raise ValueError(
                "If `max_tokens` is set for `IntegerLookup`, it must be greater than 1. "
                f"Received: max_tokens={self.max_tokens}"
            )
        if self.num_oov_indices < 0:
            raise ValueError(
                "The value of `num_oov_indices` argument for `IntegerLookup` must >= 0. "
                f"Received: num_oov_indices={self.num_oov_indices}"
            )
        if self.vocabulary_dtype != "int64":
            raise ValueError(
                "Only `vocabulary_dtype='int64'` is supported at this time. "
                f"Received: vocabulary_dtype={self.vocabulary_dtype}"
            )
        super()._check_settings(weights)


@public(effect="asserts")
def _require_known(tokens: Any, numbers: Any) -> None:
    unknown = np.asarray(tokens._value)[np.asarray(numbers._value) == -1]
    if unknown.size:
        raise invalid_argument(
            "Assert", "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV "
            f"values {unknown}, consider setting `num_oov_indices=1`.",
        )  # fmt: skip


def _documents(data: Any) -> list[list[Any]]:
    """The tokens of each row: one that is no list stands for a single row."""
    if isinstance(data, RaggedTensor):
        return [_flat(row) for row in data.to_list()]
    x = data.values if isinstance(data, SparseTensor) else data
    array = np.asarray(x._value)
    return [np.ravel(row).tolist() for row in (array if array.ndim > 1 else [array])]


def _flat(row: Any) -> list[Any]:
    return [token for part in row for token in _flat(part)] if isinstance(row, list) else [row]


def _raw(token: Any) -> Any:
    return token.encode() if isinstance(token, str) else token


def _listed_tensors(values: Any) -> Any:
    if isinstance(values, Tensor):
        values = values.numpy()
    return values.tolist() if isinstance(values, np.ndarray) else values
