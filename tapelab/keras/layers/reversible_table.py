"""An embedding that also computes the scores of all integers from a vector."""

from __future__ import annotations

from typing import Any

from tapelab import math
from tapelab.array_ops.shape_ops import transpose
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.dense import Embedding
from tapelab.linalg import matmul


class ReversibleEmbedding(Embedding):
    """Looks up rows of a table by integers, or compares vectors with all rows of the table."""

    tie_weights: bool = setting(True, before="embeddings_initializer")
    mask_zero: bool = setting(False)
    reverse_dtype: Any = setting(None)
    logit_soft_cap: float | None = setting(None)

    def build(self, input_shape: Any = None) -> None:
        """Create the table (input_dim, output_dim), and with untied weights its counterpart."""
        super().build(input_shape)
        if not self.tie_weights:
            self.reverse_embeddings = self.add_weight(
                (self.output_dim, self.input_dim), self.embeddings_initializer,
                name="reverse_embeddings",
            )  # fmt: skip

    def call(self, inputs: Any, reverse: bool = False) -> Any:
        """Return the vectors of integers; with `reverse` the score of each integer for vectors."""
        if not reverse:
            return super().call(inputs)
        kernel = transpose(self.embeddings) if self.tie_weights else self.reverse_embeddings
        dtype = self.reverse_dtype or self.compute_dtype
        scores: Any = matmul(
            backend.convert_to_tensor(inputs, dtype), backend.convert_to_tensor(kernel, dtype)
        )
        cap = self.logit_soft_cap
        return scores if cap is None else math.tanh(scores / cap) * cap

    def compute_output_shape(self, input_shape: Any, reverse: bool = False) -> Any:
        """Return the shape with the vectors, or with the scores as the last axis."""
        if reverse:
            return (*input_shape[:-1], self.input_dim)
        return super().compute_output_shape(input_shape)

    def compute_output_spec(self, inputs: Any, reverse: bool = False) -> Any:
        """Return a symbolic tensor of the output."""
        return KerasTensor(self.compute_output_shape(inputs.shape, reverse), self.compute_dtype)
