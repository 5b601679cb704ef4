"""Activation layers: functions that are applied to each element, some with parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab import nn
from tapelab.array_ops import value_ops
from tapelab.keras import activations
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.layer import ElementwiseLayer, WeightedLayer, weights


class Activation(ElementwiseLayer):
    """Applies an activation function, given by name or as a function."""

    stateless = True

    activation: Callable[..., Any] = setting(convert=activations.get)

    def call(self, inputs: Any) -> Any:
        """Return the activations."""
        return self.activation(inputs)


class ReLU(ElementwiseLayer):
    """Keeps values above a threshold, up to a maximum; smaller ones are 0 or scaled."""

    stateless = True

    max_value: float | None = setting(None)
    negative_slope: float = setting(0.0)
    threshold: float = setting(0.0)

    def __post_init__(self) -> None:
        if self.max_value is not None and self.max_value < 0:
            raise ValueError(
                "max_value of a ReLU layer cannot be a negative value. Received: "
                f"max_value={self.max_value}"
            )
        for name in ("negative_slope", "threshold"):
            value = getattr(self, name)
            if value is None or value < 0:
                raise ValueError(
                    f"{name} of a ReLU layer cannot be None or a negative value. Received: "
                    f"{name}={value}"
                )

    def call(self, inputs: Any) -> Any:
        """Return the activations."""
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class LeakyReLU(ElementwiseLayer):
    """Keeps positive values and multiplies negative ones by `negative_slope`."""

    stateless = True

    negative_slope: float = setting(0.3)

    def _begin(self, arguments: dict[str, Any]) -> None:
        if "alpha" in arguments:  # its name in Keras 2
            arguments["negative_slope"] = arguments.pop("alpha")
        super()._begin(arguments)

    def __post_init__(self) -> None:
        if self.negative_slope is None or self.negative_slope < 0:
            raise ValueError(
                "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. "
                f"Expected a float. Received: negative_slope={self.negative_slope}"
            )

    def call(self, inputs: Any) -> Any:
        """Return the activations."""
        return activations.leaky_relu(inputs, self.negative_slope)


class ELU(ElementwiseLayer):
    """Keeps positive values; negative ones become `alpha · (eˣ − 1)`."""

    stateless = True

    alpha: float = setting(1.0)

    def call(self, inputs: Any) -> Any:
        """Return the activations."""
        return activations.elu(inputs, self.alpha)


class Softmax(ElementwiseLayer):
    """Converts scores to probabilities along an axis, or along several together."""

    stateless = True

    axis: Any = setting(-1)

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Return the probabilities; those of masked scores are 0."""
        if mask is None:
            return activations.softmax(inputs, self.axis)
        _check_mask(inputs, mask)
        shown: Any = mask if mask.dtype.is_bool else mask > 0.5
        low = -3e4 if inputs.dtype.name == "float16" else -1e9
        shares = activations.softmax(value_ops.where(shown, inputs, low), self.axis)
        return value_ops.where(shown, shares, 0.0)


def _check_mask(inputs: Any, mask: Any) -> None:
    """Raise ValueError unless a mask can be broadcast to the inputs."""
    if mask.ndim > inputs.ndim:
        raise ValueError(
            "The mask of a Softmax layer must not have more dimensions than the inputs. Received: "
            f"mask.shape={mask.shape}, inputs.shape={inputs.shape}"
        )
    pairs = zip(reversed(tuple(mask.shape)), reversed(tuple(inputs.shape)), strict=False)
    if any(size != other and 1 not in {size, other} for size, other in pairs if size and other):
        raise ValueError(
            "The mask of a Softmax layer must be broadcastable to the shape of the inputs. "
            f"Received: mask.shape={mask.shape}, inputs.shape={inputs.shape}"
        )


class PReLU(ElementwiseLayer, WeightedLayer):
    """Keeps positive values and multiplies negative ones by learned factors (He et al. 2015)."""

    parameter = weights(alpha="zeros")
    shared_axes: Any = setting(None)

    def __post_init__(self) -> None:
        if isinstance(self.shared_axes, int):
            self.shared_axes = [self.shared_axes]

    def build(self, input_shape: Any) -> None:
        """Create a factor per element, or one for all along the shared axes."""
        shape = list(input_shape[1:])
        for axis in self.shared_axes or []:
            shape[axis - 1] = 1
        self.alpha = self.make("alpha", shape)

    def call(self, inputs: Any) -> Any:
        """Return the activations."""
        return nn.relu(inputs) - self.alpha * nn.relu(-inputs)
