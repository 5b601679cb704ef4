"""Core layers: the input of a model, identity, any function, rescaling and masking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab import math
from tapelab.array_ops import value_ops
from tapelab.keras import backend
from tapelab.keras.class_settings import setting
from tapelab.keras.keras_tensor import KerasTensor, standard_shape
from tapelab.keras.layers.layer import BuiltInLayer, ElementwiseLayer, Layer
from tapelab.keras.name_scopes import automatic_name


class Identity(ElementwiseLayer):
    """Returns its input."""

    stateless = True

    def call(self, inputs: Any) -> Any:
        """Return the inputs."""
        return inputs


class Lambda(BuiltInLayer):
    """Applies a function; variables that it uses are not trained."""

    function: Callable[..., Any] = setting()
    output_shape: Any = setting(None)
    mask: Any = setting(None)
    arguments: dict[str, Any] | None = setting(None, convert=lambda arguments: arguments or {})

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        """Return the function's result for the inputs and the `arguments`."""
        return self.function(inputs, **(self.arguments or {}))


class Rescaling(ElementwiseLayer):
    """Returns `inputs · scale + offset`, such as pixels from 0-255 to 0-1."""

    scale: Any = setting()
    offset: Any = setting(0.0)

    def call(self, inputs: Any) -> Any:
        """Return the rescaled values."""
        x: Any = value_ops.cast(inputs, self.compute_dtype)
        return x * self.scale + self.offset


class Masking(ElementwiseLayer):
    """Masks the steps of a sequence whose features all equal `mask_value`."""

    stateless = True

    mask_value: float = setting(0.0)

    def call(self, inputs: Any) -> Any:
        """Return the sequence with zeros in the masked steps."""
        kept = math.reduce_any(math.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        return inputs * value_ops.cast(kept, inputs.dtype)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return False for the masked steps."""
        return math.reduce_any(math.not_equal(inputs, self.mask_value), axis=-1)


class InputLayer(Layer):
    """The entry of a model: it holds the symbolic input."""

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
        """The symbolic input."""
        return self.tensor

    def call(self) -> None:
        """Compute nothing: a model provides the input."""

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal entry."""
        kinds = {"sparse": False, "ragged": False}
        shape = {"batch_shape": self.batch_shape, "dtype": self.dtype}
        return {**shape, **kinds, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Construct an entry, with its symbolic input."""
        known = ("batch_shape", "dtype", "name", "shape", "batch_size")
        symbol = Input(**{key: config[key] for key in known if key in config})
        return symbol.origin


def Input(  # noqa: N802 - Keras's name
    shape: Any = None, batch_size: int | None = None, dtype: Any = None, batch_shape: Any = None,
    name: str | None = None, **unused: Any,
) -> KerasTensor:  # fmt: skip
    """Return a symbolic input of a functional model; `shape` does not include the batch."""
    del unused
    layer = InputLayer(shape, batch_size, dtype, batch_shape, name)
    symbol = layer.output
    symbol.name = automatic_name(KerasTensor) if name is None else name
    symbol.origin = layer
    return symbol
