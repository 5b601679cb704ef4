"""Small layers: any function, a factor, steps that do not count, and the way into a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab import math
from tapelab.array_ops import value_ops
from tapelab.keras import backend
from tapelab.keras.keras_tensor import KerasTensor, standard_shape
from tapelab.keras.layers.activation import Elementwise
from tapelab.keras.layers.layer import Layer
from tapelab.keras.name_scopes import automatic_name
from tapelab.keras.operations import install


class Identity(Elementwise):
    """Hands on what it is given."""

    def call(self, inputs: Any) -> Any:
        """The inputs themselves."""
        return inputs


class Lambda(Layer):
    """Any function as a layer; variables that it uses are not trained."""

    def __init__(
        self, function: Callable[..., Any], output_shape: Any = None, mask: Any = None,
        arguments: dict[str, Any] | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.function = function
        self.arguments = arguments or {}

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        """What the function gives."""
        return self.function(inputs, **self.arguments)


class Rescaling(Elementwise):
    """Entries times a factor plus an offset, such as pixels from 0–255 to 0–1."""

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any) -> Any:
        """The entries in the other scale."""
        x: Any = value_ops.cast(inputs, self.compute_dtype)
        return x * self.scale + self.offset


class Masking(Elementwise):
    """Hides the steps of a sequence whose features all have one value."""

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def call(self, inputs: Any) -> Any:
        """The sequence with zeros in the hidden steps."""
        kept = math.reduce_any(math.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        return inputs * value_ops.cast(kept, inputs.dtype)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """Which steps count."""
        return math.reduce_any(math.not_equal(inputs, self.mask_value), axis=-1)


class InputLayer(Layer):
    """The way into a model: it holds the symbolic input."""

    def __init__(
        self, shape: Any = None, batch_size: int | None = None, dtype: Any = None,
        batch_shape: Any = None, name: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if shape is None and batch_shape is None:
            raise ValueError("You must pass a `shape` argument.")
        if shape is not None and batch_shape is not None:
            raise ValueError("You cannot pass both `shape` and `batch_shape` at the same time.")
        super().__init__(name=name, **kwargs)
        whole = batch_shape if shape is None else (batch_size, *standard_shape(shape))
        self.batch_shape = standard_shape(whole)
        kind = str(getattr(dtype, "name", dtype) or backend.floatx())
        self.tensor = KerasTensor(self.batch_shape, kind, name=self.name)
        self.built = True

    @property
    def dtype(self) -> str:
        """The dtype of the input."""
        return str(self.tensor.dtype)

    @property
    def output(self) -> KerasTensor:
        """The symbolic input itself."""
        found: KerasTensor = self.tensor
        return found

    def call(self) -> None:
        """Nothing: a model fills the input in."""


def Input(  # noqa: N802 - Keras's name
    shape: Any = None, batch_size: int | None = None, dtype: Any = None, batch_shape: Any = None,
    name: str | None = None, **unused: Any,
) -> KerasTensor:  # fmt: skip
    """A symbolic input, from which a functional model is made: `shape` is without the batch."""
    del unused
    wanted = automatic_name(KerasTensor) if name is None else name
    layer = InputLayer(shape, batch_size, dtype, batch_shape, name)
    found = layer.output
    found.name = wanted
    found.origin = layer
    return found


install()
