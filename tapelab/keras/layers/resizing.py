"""A layer that gives all pictures one size."""

from __future__ import annotations

from typing import Any

from tapelab import image
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import Layer


class Resizing(Layer):
    """Pictures of another height and width."""

    def __init__(
        self, height: int, width: int, interpolation: str = "bilinear", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.height, self.width, self.interpolation = height, width, interpolation
        self.input_spec = InputSpec(min_ndim=3, max_ndim=4)

    def call(self, inputs: Any) -> Any:
        """The pictures in the new size."""
        return image.resize(inputs, (self.height, self.width), self.interpolation)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The new height and width."""
        return (*input_shape[:-3], self.height, self.width, input_shape[-1])
