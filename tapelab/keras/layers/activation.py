"""Layers that bend each entry by itself."""

from __future__ import annotations

from typing import Any

from tapelab import nn
from tapelab.array_ops import value_ops
from tapelab.keras import activations
from tapelab.keras.layers.layer import Layer
from tapelab.keras.layers.weighing import Weighted


class Elementwise(Layer):
    """A layer whose output has the shape of its input."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape


class Activation(Elementwise):
    """An activation as a layer of its own."""

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        """The entries, bent."""
        return self.activation(inputs)


class ReLU(Elementwise):
    """Entries above a threshold, at most a limit; below, they are 0 or made small."""

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0.0, threshold: float = 0.0,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        for name, value in {"max_value": max_value, "negative_slope": negative_slope}.items():
            if value is not None and value < 0:
                raise ValueError(
                    f"{name} of a ReLU layer cannot be a negative value. Received: {name}={value}"
                )
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs: Any) -> Any:
        """The entries, bent."""
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class LeakyReLU(Elementwise):
    """Positive entries as they are, the others made small."""

    def __init__(self, negative_slope: float = 0.3, **kwargs: Any) -> None:
        negative_slope = kwargs.pop("alpha", negative_slope)
        super().__init__(**kwargs)
        if negative_slope is None or negative_slope < 0:
            raise ValueError(
                "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. "
                f"Expected a float. Received: negative_slope={negative_slope}"
            )
        self.negative_slope = negative_slope

    def call(self, inputs: Any) -> Any:
        """The entries, bent."""
        return activations.leaky_relu(inputs, self.negative_slope)


class ELU(Elementwise):
    """Positive entries as they are, negative ones as `alpha · (eˣ − 1)`."""

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any) -> Any:
        """The entries, bent."""
        return activations.elu(inputs, self.alpha)


class Softmax(Elementwise):
    """Scores as probabilities along an axis."""

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The probabilities; what a mask hides has none."""
        if mask is not None:
            shown: Any = value_ops.cast(mask, inputs.dtype)
            inputs = inputs + (1.0 - shown) * -1e9
        return activations.softmax(inputs, self.axis)


class PReLU(Weighted):
    """Positive entries as they are, negative ones times a slope that is learned."""

    def __init__(
        self, alpha_initializer: Any = "zeros", alpha_regularizer: Any = None,
        alpha_constraint: Any = None, shared_axes: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.plan("alpha", alpha_initializer, alpha_regularizer, alpha_constraint)
        self.shared_axes = [shared_axes] if isinstance(shared_axes, int) else shared_axes
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Make one slope for each place, or for each that does not share."""
        shape = list(input_shape[1:])
        for axis in self.shared_axes or []:
            shape[axis - 1] = 1
        self.alpha = self.make("alpha", shape)

    def call(self, inputs: Any) -> Any:
        """The entries, bent."""
        return nn.relu(inputs) - self.alpha * nn.relu(-inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape
