"""Dense layers and embeddings: a product with a learned kernel, or a lookup in a table."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from string import ascii_letters
from typing import Any, Final

from tapelab import linalg
from tapelab.array_ops import shape_ops
from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.value_ops import cast
from tapelab.keras import activations
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import WeightedLayer, weights
from tapelab.keras.layers.layer_call import in_dtype, in_float, product
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


_EQUATION: Final = re.compile(
    r"(?:(?P<first>\.{3})?(\w+),(\w+)->(?(first)\.{3})(\w*)"  # both dots in front, or none
    r"|(\w+)\.{3},(\w+)->(\w+)\.{3})"
)


class EinsumDense(WeightedLayer):
    """Multiplies by a kernel as an equation says: "abc,cd->abd" is a Dense layer.

    An ellipsis stands for axes that stay as they are, in front of the others or behind them.
    """

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
                "[X],[Y]->[Z], ...[X],[Y]->...[Z], or [X]...,[Y]->[Z]...."
            )
        self._leading = parts["first"] is not None
        self._trailing = parts[5] is not None
        self._letters = parts.groups()[4:] if self._trailing else parts.groups()[1:4]

    def build(self, input_shape: Any) -> None:
        """Create the kernel and the bias with the sizes that the letters stand for."""
        inputs, kernel, output = self._letters
        sizes = self._sizes(input_shape)
        fan_in = math.prod(sizes[letter] for letter in kernel if letter not in output)
        fan_out = math.prod(sizes[letter] for letter in kernel if letter in output)
        shape = [sizes[letter] for letter in kernel]
        self.kernel = self.make("kernel", shape, fans=(fan_in, fan_out))
        self.bias = None
        if self.bias_axes:
            first = min(output.index(letter) for letter in self.bias_axes)
            shape = [sizes[c] if c in self.bias_axes else 1 for c in output[first:]]
            behind = len(input_shape) - len(inputs) if self._trailing else 0
            self.bias = self.make("bias", shape + [1] * behind)

    def _sizes(self, input_shape: Any) -> dict[str, Any]:
        """The size of each letter, known from the input or else from the wanted output."""
        inputs, _, output = self._letters
        given = input_shape[-len(inputs) :] if self._leading else input_shape[: len(inputs)]
        of_output = zip(output[0 if self._leading else 1 :], self.output_shape, strict=False)
        of_input = zip(inputs, given, strict=True)
        return {letter: size for letter, size in (*of_output, *of_input) if size is not None}

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Return the activations."""
        x = in_float(inputs, self.compute_dtype)
        equation = self._whole_equation(inputs.ndim)
        sums: Any = linalg.einsum(equation, x, shape_ops.identity(self.kernel))
        return self.activation(sums if self.bias is None else sums + self.bias)

    def _whole_equation(self, rank: int) -> str:
        """The equation with a letter of its own for each axis of the ellipsis."""
        inputs, kernel, output = self._letters
        free = [letter for letter in ascii_letters if letter not in inputs + kernel + output]
        rest = "".join(free[: rank - len(inputs)])
        before, behind = (rest, "") if self._leading else ("", rest)
        return f"{before}{inputs}{behind},{kernel}->{before}{output}{behind}"

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the axes of the ellipsis, or the batch, and the wanted shape."""
        size = len(self._letters[0])
        if self._leading:
            return (*input_shape[: len(input_shape) - size], *self.output_shape)
        behind = input_shape[size:] if self._trailing else ()
        return (input_shape[0], *self.output_shape, *behind)


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
        for name in ("input_dim", "output_dim"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
                raise ValueError(
                    f"`{name}` must be a positive integer. Received: {name}={value} "
                    f"(of type {type(value).__name__})."
                )
        self.supports_masking = self.mask_zero
        self.autocast = False

    def build(self, input_shape: Any = None) -> None:
        """Create the table (input_dim, output_dim)."""
        self.embeddings = self.make("embeddings", (self.input_dim, self.output_dim))
        if self._initial_weights is not None:
            self.embeddings.assign(self._initial_weights[0])

    def call(self, inputs: Any) -> Any:
        """Return the vectors of the integers, shape (..., output_dim)."""
        numbers = inputs if inputs.dtype.is_integer else cast(inputs, "int32")
        return in_dtype(gather(self.embeddings, numbers), self.compute_dtype)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return False for 0, if `mask_zero` is set."""
        return not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with the vectors as one more axis."""
        return (*input_shape, self.output_dim)
