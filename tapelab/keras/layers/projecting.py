"""A dense layer whose sums are written as an equation of letters."""

from __future__ import annotations

import re
from typing import Any, Final

from tapelab import linalg
from tapelab.array_ops import shape_ops
from tapelab.keras import activations
from tapelab.keras.layers.layer_call import in_float
from tapelab.keras.layers.weighing import Weighted

_EQUATION: Final = re.compile(r"(\w+),(\w+)->(\w+)")


class EinsumDense(Weighted):
    """Weighted sums along the axes that an equation names: "abc,cd->abd" is a Dense layer."""

    def __init__(
        self, equation: str, output_shape: Any, activation: Any = None,
        bias_axes: str | None = None, kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        bias_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        parts = _EQUATION.fullmatch(equation.replace(" ", ""))
        if parts is None:
            raise ValueError(
                f"Invalid einsum equation '{equation}'. Equations must be in the form "
                "[X],[Y]->[Z], without an ellipsis here."
            )
        self.equation, self.bias_axes = equation, bias_axes
        self.inputs_letters, self.kernel_letters, self.output_letters = parts.groups()
        whole = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        self.partial_output_shape = whole
        self.activation = activations.get(activation)
        self.plan("kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        self.plan("bias", bias_initializer, bias_regularizer, bias_constraint)

    def build(self, input_shape: Any) -> None:
        """Make the kernel and the bias in the lengths that the letters stand for."""
        lengths = self._lengths(input_shape)
        self.kernel = self.make("kernel", [lengths[each] for each in self.kernel_letters])
        self.bias = None
        if self.bias_axes:
            first = min(self.output_letters.index(each) for each in self.bias_axes)
            letters = self.output_letters[first:]
            shape = [lengths[each] if each in self.bias_axes else 1 for each in letters]
            self.bias = self.make("bias", shape)

    def _lengths(self, input_shape: Any) -> dict[str, Any]:
        """What each letter stands for: known from the input, else from the output asked for."""
        known = dict(zip(self.inputs_letters, input_shape, strict=True))
        asked = zip(self.output_letters[1:], self.partial_output_shape, strict=True)
        return {**{letter: length for letter, length in asked if length is not None}, **{
            letter: length for letter, length in known.items() if length is not None
        }}  # fmt: skip

    def call(self, inputs: Any, training: Any = None) -> Any:
        """The sums, plus the bias, bent."""
        x = in_float(inputs, self.compute_dtype)
        made: Any = linalg.einsum(self.equation, x, shape_ops.identity(self.kernel))
        return self.activation(made if self.bias is None else made + self.bias)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The batch, and the shape asked for."""
        return (input_shape[0], *self.partial_output_shape)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same layer again."""
        return {**super().get_config(), "output_shape": self.partial_output_shape}
