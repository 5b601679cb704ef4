"""Layers that are one product: every input with every output, or rows picked by number."""

from __future__ import annotations

from typing import Any

from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.value_ops import cast
from tapelab.keras import activations
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer_call import in_float, product
from tapelab.keras.layers.weighing import Weighted
from tapelab.math import not_equal


class Dense(Weighted):
    """Every output is a weighted sum of all inputs, bent: `activation(x @ kernel + bias)`."""

    def __init__(
        self, units: int, activation: Any = None, use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if not isinstance(units, int) or units <= 0:
            raise ValueError(
                "Received an invalid value for `units`, expected a positive integer. "
                f"Received: units={units}"
            )
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.plan("kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        self.plan("bias", bias_initializer, bias_regularizer, bias_constraint)
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Make the kernel (inputs, units) and the bias (units)."""
        size = input_shape[-1]
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None. "
                f"Full input shape received: {input_shape}"
            )
        self.kernel = self.make("kernel", (size, self.units))
        self.bias = self.make("bias", (self.units,)) if self.use_bias else None
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})

    def call(self, inputs: Any, training: Any = None) -> Any:
        """The weighted sums, bent."""
        x: Any = product(in_float(inputs, self.compute_dtype), self.kernel)
        if self.bias is not None:
            x = x + self.bias
        return self.activation(x)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The last axis holds the units."""
        return (*input_shape[:-1], self.units)


class Embedding(Weighted):
    """Rows of a table, picked by whole numbers: each number has a vector of its own to learn."""

    def __init__(
        self, input_dim: int, output_dim: int, embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None, embeddings_constraint: Any = None,
        mask_zero: bool = False, weights: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.input_dim, self.output_dim = input_dim, output_dim
        self.plan(
            "embeddings", embeddings_initializer, embeddings_regularizer, embeddings_constraint
        )
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.autocast = False
        self._first_weights = weights

    def build(self, input_shape: Any = None) -> None:
        """Make the table (input_dim, output_dim)."""
        self.embeddings = self.make("embeddings", (self.input_dim, self.output_dim))
        if self._first_weights is not None:
            self.embeddings.assign(self._first_weights[0])

    def call(self, inputs: Any) -> Any:
        """The rows with the given numbers."""
        return gather(self.embeddings, inputs if inputs.dtype.is_integer else cast(inputs, "int32"))

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """Where the number is not 0, if 0 stands for nothing."""
        return not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> Any:
        """One more axis, which holds the vectors."""
        return (*input_shape, self.output_dim)
