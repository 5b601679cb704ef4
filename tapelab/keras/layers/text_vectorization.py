"""Texts as sequences of numbers: standardized, split into tokens, looked up in a vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.array_ops import shape_ops
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.categories import EncodingLayer, as_data, batches_of
from tapelab.keras.layers.vocabulary_lookup import OUTPUT_MODES, StringLookup, output_mode_of
from tapelab.keras.serialization import serialized
from tapelab.ragged.ragged_tensor import RaggedTensor
from tapelab.strings.characters import lower
from tapelab.strings.regular_expressions import regex_replace
from tapelab.strings.splits import ngrams as string_ngrams
from tapelab.strings.splits import split as string_split
from tapelab.strings.unicode import unicode_split

_PUNCTUATION: Final = r"""[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']"""
STANDARDS: Final = ("lower_and_strip_punctuation", "lower", "strip_punctuation")
SPLITS: Final = ("whitespace", "character")


class TextVectorization(EncodingLayer):
    """Standardizes and splits texts, and returns the numbers of their tokens in a vocabulary."""

    max_tokens: int | None = setting(None)
    standardize: Any = setting("lower_and_strip_punctuation")
    split: Any = setting("whitespace")
    ngrams: Any = setting(None, convert=lambda n: tuple(n) if isinstance(n, list) else n)
    output_mode: str = setting("int", convert=output_mode_of)
    output_sequence_length: int | None = setting(None)
    pad_to_max_tokens: bool = setting(False)
    vocabulary: Any = setting(None)
    idf_weights: Any = setting(None)
    sparse: bool = setting(False)
    ragged: bool = setting(False)
    encoding: str = setting("utf-8")

    def _begin(self, arguments: dict[str, Any]) -> None:
        for unused in ("has_input_vocabulary", "vocabulary_size"):
            arguments.pop(unused, None)
        self.__dict__["_given"] = arguments.pop("vocabulary"), arguments.pop("idf_weights")
        super()._begin(arguments)

    def __post_init__(self) -> None:
        vocabulary, weights = self.__dict__.pop("_given")
        self._check_settings()
        self._lookup_layer = StringLookup(
            self.max_tokens, mask_token="", vocabulary=vocabulary, idf_weights=weights,
            output_mode=self.output_mode, pad_to_max_tokens=self.pad_to_max_tokens,
            sparse=self.sparse, encoding=self.encoding,
        )  # fmt: skip

    def _check_settings(self) -> None:
        _check_way(self, "standardize", self.standardize, STANDARDS)
        _check_way(self, "split", self.split, SPLITS)
        if self.output_mode not in OUTPUT_MODES:
            raise ValueError(
                "Unknown value for `output_mode` argument of layer TextVectorization. Allowed "
                f"values are: {OUTPUT_MODES}. Received: output_mode={self.output_mode}"
            )
        widths = self.ngrams if isinstance(self.ngrams, tuple) else (self.ngrams,)
        if self.ngrams is not None and not all(isinstance(width, int) for width in widths):
            raise ValueError(
                "`ngrams` must be None, an integer, or a tuple of integers. "
                f"Received: ngrams={self.ngrams}"
            )
        length = self.output_sequence_length
        if self.output_mode == "int" and not isinstance(length, (int, type(None))):
            raise ValueError(
                "`output_sequence_length` must be either None or an integer when `output_mode` is "
                f"'int'. Received: output_sequence_length={length}"
            )
        if self.output_mode != "int" and length is not None:
            raise ValueError(
                "`output_sequence_length` must not be set if `output_mode` is not 'int'. Received "
                f"output_sequence_length={length}."
            )
        if self.ragged and self.output_mode != "int":
            raise ValueError(
                "`ragged` must not be true if `output_mode` is `'int'`. Received: "
                f"ragged={self.ragged} and output_mode={self.output_mode}"
            )

    @property
    def compute_dtype(self) -> str:
        """The dtype of the texts."""
        return "string"

    @property
    def variable_dtype(self) -> str:
        """The dtype of the texts."""
        return "string"

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learn the vocabulary from texts, an array or the batches of a dataset."""
        self.reset_state()
        for batch in batches_of(data, steps):
            self.update_state(shape_ops.expand_dims(batch, -1) if np.ndim(batch) == 1 else batch)
        self.finalize_state()

    def update_state(self, data: Any) -> None:
        """Count the tokens of a batch of texts."""
        self._lookup_layer.update_state(self._tokens_of(data))

    def finalize_state(self) -> None:
        """Set the vocabulary from the tokens that were counted."""
        self._lookup_layer.finalize_state()

    def reset_state(self) -> None:
        """Forget the tokens that were counted."""
        self._lookup_layer.reset_state()

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """Return the tokens in the order of their numbers."""
        return self._lookup_layer.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """Return the number of tokens, with the special ones."""
        return self._lookup_layer.vocabulary_size()

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Set the tokens, and their weights where the output mode is "tf_idf"."""
        self._lookup_layer.set_vocabulary(vocabulary, idf_weights)

    def _tokens_of(self, inputs: Any) -> Any:
        """The texts standardized, split and joined into n-grams, as the settings say."""
        x: Any = as_data(inputs, "string")
        if self.standardize in STANDARDS[:2]:
            x = lower(x)
        if self.standardize in (STANDARDS[0], STANDARDS[2]):
            x = regex_replace(x, _PUNCTUATION, "")
        if callable(self.standardize):
            x = self.standardize(x)
        if self.split is not None:
            x = self._split(x)
        if self.ngrams is None:
            return x
        count = self.ngrams
        widths = count if isinstance(count, tuple) else tuple(range(1, count + 1))
        return string_ngrams(x, widths, separator=" ")

    def _split(self, x: Any) -> Any:
        if x.shape.rank is not None and x.shape.rank > 1:
            if x.shape[-1] != 1:
                raise ValueError(
                    "When using `TextVectorization` to tokenize strings, the input rank must be 1 "
                    f"or the last shape dimension must be 1. Received: inputs.shape={x.shape} with "
                    f"rank={x.shape.rank}"
                )
            x = shape_ops.squeeze(x, -1)
        if callable(self.split):
            return self.split(x)
        return unicode_split(x, "UTF-8") if self.split == "character" else string_split(x)

    def call(self, inputs: Any) -> Any:
        """Return the numbers of the tokens of each text, padded, ragged or encoded."""
        numbers: Any = self._lookup_layer.call(self._tokens_of(inputs))
        length = self.output_sequence_length
        if self.output_mode != "int":
            return numbers
        if isinstance(numbers, RaggedTensor) and not self.ragged:
            shape = numbers.shape.as_list()
            return numbers.to_tensor(default_value=0, shape=[*shape[:-1], length])
        if length is None:
            return numbers
        rows = numbers[..., :length]
        if self.ragged:
            return rows
        lengths: Any = shape_ops.shape(rows)
        missing = length - lengths[-1]
        margins = [[0, 0]] * (rows.shape.rank - 1) + [[0, missing]]
        return shape_ops.pad(rows, margins)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Return the shape of the sequences, or of their encoding."""
        if self.output_mode == "int":
            return (input_shape[0], self.output_sequence_length)
        shape = tuple(input_shape)
        if self.split is not None:
            shape = (*shape, None)
        elif len(shape) <= 1:
            shape = (*shape, 1)
        return self._lookup_layer.compute_output_shape(shape)

    def compute_output_spec(self, inputs: Any) -> Any:
        """Return the symbolic sequences."""
        dtype = "int64" if self.output_mode == "int" else backend.floatx()
        return KerasTensor(self.compute_output_shape(inputs.shape), dtype)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal layer."""
        vocabulary = self._lookup_layer.get_config()
        return {
            **super().get_config(),
            **{name: vocabulary[name] for name in ("vocabulary", "idf_weights")},
            **{name: serialized(getattr(self, name)) for name in ("standardize", "split")},
            "vocabulary_size": self.vocabulary_size(),
        }


Way = str | Callable[[Any], Any] | None


def _check_way(layer: TextVectorization, name: str, way: Way, allowed: tuple[str, ...]) -> None:
    if way is not None and way not in allowed and not callable(way):
        raise ValueError(
            f"Unknown value for `{name}` argument of layer {type(layer).__name__}. If restoring a "
            f"custom function, register it first. Allowed values are: None, a callable or "
            f"{allowed}. Received: {name}={way}"
        )
