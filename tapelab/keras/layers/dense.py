"""Dense layers and embeddings: a product with a learned kernel, or a lookup in a table."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from tapelab import linalg
from tapelab.array_ops import shape_ops
from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.value_ops import cast
from tapelab.keras import activations
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import WeightedLayer, weights
from tapelab.keras.layers.layer_call import in_float, product
from tapelab.math import not_equal


class Dense(WeightedLayer):
    """Computes `activation(x @ kernel + bias)` along the last axis."""

    units: int = setting()
    activation: Callable[..., Any] = setting(None, convert=activations.get)
    use_bias: bool = setting(True)
    kernel_and_bias = weights(kernel="glorot_uniform", bias="zeros", activity=True)
    input_spec = InputSpec(min_ndim=2)
    supports_masking = True

    def __post_init__(self) -> None:
        if not isinstance(self.units, int) or self.units <= 0:
            raise ValueError(
                "Received an invalid value for `units`, expected a positive integer. "
                f"Received: units={self.units}"
            )

    def build(self, input_shape: Any) -> None:
        """Create the kernel (inputs, units) and the bias (units)."""
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
        """Return the activations, shape (..., units)."""
        x: Any = product(in_float(inputs, self.compute_dtype), self.kernel)
        if self.bias is not None:
            x = x + self.bias
        return self.activation(x)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with the units as the last axis."""
        return (*input_shape[:-1], self.units)


_EQUATION: Final = re.compile(r"(\w+),(\w+)->(\w+)")


class EinsumDense(WeightedLayer):
    """Multiplies by a kernel as an equation says: "abc,cd->abd" is a Dense layer."""

    equation: str = setting()
    output_shape: Any = setting(convert=lambda n: (n,) if isinstance(n, int) else tuple(n))
    activation: Callable[..., Any] = setting(None, convert=activations.get)
    bias_axes: str | None = setting(None)
    kernel_and_bias = weights(kernel="glorot_uniform", bias="zeros")

    def __post_init__(self) -> None:
        parts = _EQUATION.fullmatch(self.equation.replace(" ", ""))
        if parts is None:
            raise ValueError(
                f"Invalid einsum equation '{self.equation}'. Equations must be in the form "
                "[X],[Y]->[Z], without an ellipsis here."
            )
        self.inputs_letters, self.kernel_letters, self.output_letters = parts.groups()

    def build(self, input_shape: Any) -> None:
        """Create the kernel and the bias with the sizes that the letters stand for."""
        sizes = self._sizes(input_shape)
        self.kernel = self.make("kernel", [sizes[letter] for letter in self.kernel_letters])
        self.bias = None
        if self.bias_axes:
            first = min(self.output_letters.index(letter) for letter in self.bias_axes)
            letters = self.output_letters[first:]
            shape = [sizes[letter] if letter in self.bias_axes else 1 for letter in letters]
            self.bias = self.make("bias", shape)

    def _sizes(self, input_shape: Any) -> dict[str, Any]:
        """The size of each letter, known from the input or else from the wanted output."""
        of_input = zip(self.inputs_letters, input_shape, strict=True)
        of_output = zip(self.output_letters[1:], self.output_shape, strict=True)
        return {letter: size for letter, size in (*of_output, *of_input) if size is not None}

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Return the activations."""
        x = in_float(inputs, self.compute_dtype)
        sums: Any = linalg.einsum(self.equation, x, shape_ops.identity(self.kernel))
        return self.activation(sums if self.bias is None else sums + self.bias)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the batch and the wanted shape."""
        return (input_shape[0], *self.output_shape)


class Embedding(WeightedLayer):
    """Looks up rows of a table by integers: each integer has a learned vector."""

    input_dim: int = setting()
    output_dim: int = setting()
    table = weights(embeddings="uniform")
    mask_zero: bool = setting(False)
    weights: Any = setting(None)

    def _begin(self, arguments: dict[str, Any]) -> None:
        self.__dict__["_initial_weights"] = arguments.pop("weights")
        super()._begin(arguments)

    def __post_init__(self) -> None:
        self.supports_masking = self.mask_zero
        self.autocast = False

    def build(self, input_shape: Any = None) -> None:
        """Create the table (input_dim, output_dim)."""
        self.embeddings = self.make("embeddings", (self.input_dim, self.output_dim))
        if self._initial_weights is not None:
            self.embeddings.assign(self._initial_weights[0])

    def call(self, inputs: Any) -> Any:
        """Return the vectors of the integers, shape (..., output_dim)."""
        return gather(self.embeddings, inputs if inputs.dtype.is_integer else cast(inputs, "int32"))

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """Return False for 0, if `mask_zero` is set."""
        return not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with the vectors as one more axis."""
        return (*input_shape, self.output_dim)
