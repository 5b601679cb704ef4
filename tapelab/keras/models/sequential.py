"""`tf.keras.Sequential`: layers one after the other."""

from __future__ import annotations

from typing import Any

from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.core import Input, InputLayer
from tapelab.keras.layers.layer import Layer
from tapelab.keras.models.functional import as_input
from tapelab.keras.models.model import Model
from tapelab.keras.serialization import deserialize_keras_object, serialize_keras_object


class Sequential(Model):
    """A model in which each layer takes the output of the previous one.

    Its weights are created at the first call, or at once if it starts with `tf.keras.Input`.
    """

    def __init__(self, layers: Any = None, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(trainable=trainable, name=name)
        self._entry: KerasTensor | None = None
        self._exit: KerasTensor | None = None
        for layer in layers if isinstance(layers, (list, tuple)) else [layers] if layers else []:
            self.add(layer, rebuild=False)
        self._build_if_known()

    def add(self, layer: Any, rebuild: bool = True) -> None:
        """Append a layer."""
        if isinstance(layer, KerasTensor):
            layer = layer.origin
        if isinstance(layer, InputLayer):
            self._set_input(layer)
            return
        if not isinstance(layer, Layer):
            raise ValueError(
                "Only instances of `keras.Layer` can be added to a Sequential model. Received: "
                f"{layer} (of type {type(layer)})"
            )
        if any(each.name == layer.name for each in self._layers):
            raise ValueError(
                "All layers added to a Sequential model should have unique names. Name "
                f"'{layer.name}' is already the name of a layer in this model. Update the `name` "
                "argument to pass a unique name."
            )
        if not self._layers and self._entry is None:
            self._entry = _entry_of(layer)
        self._track(layer)
        if rebuild:
            self._build_if_known()

    def _set_input(self, layer: InputLayer) -> None:
        if self._entry is not None or self._layers:
            shape = None if self._entry is None else self._entry.shape
            raise ValueError(
                f"Sequential model '{self.name}' has already been configured to use input shape "
                f"{shape}. You cannot add a different Input layer to it."
            )
        self._entry = layer.output

    def pop(self, rebuild: bool = True) -> Any:
        """Remove and return the last layer."""
        layer = self._layers.pop()
        if rebuild:
            self._build_if_known()
        return layer

    def _build_if_known(self) -> None:
        self._exit = None
        if self._entry is not None and self._layers:
            self._build_for(self._entry)

    def _build_for(self, entry: KerasTensor) -> None:
        """Build the layers for a symbolic input, in the model's name scope."""
        self._entry = entry
        Model.build(self, entry.shape)

    def _run_on_zeros(self, symbol: KerasTensor) -> None:
        x: Any = self._entry
        for layer in self._layers:
            x = layer(x)
        self._exit = x

    def build(self, input_shape: Any = None) -> None:
        """Build the layers, each for the output of the previous one."""
        if not self._layers:
            raise ValueError(
                f"Sequential model {self.name} cannot be built because it has no layers. Call "
                "`model.add(layer)`."
            )
        if self._entry is None and isinstance(input_shape, (tuple, list)):
            self._entry = KerasTensor(tuple(input_shape))
        if self._entry is not None:
            self._run_on_zeros(self._entry)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Return the output of the last layer; a list of one input is that input."""
        x = inputs
        if self._entry is not None and isinstance(inputs, (list, tuple)) and len(inputs) == 1:
            x = inputs[0]
        if self._entry is not None and hasattr(x, "shape"):
            x = as_input(self._entry, x)
        for layer in self._layers:
            x = layer(x)
        return x

    @property
    def inputs(self) -> list[Any]:
        """The symbolic input, once it is known."""
        return [self._known(self._entry, "input")]

    @property
    def outputs(self) -> list[Any]:
        """The symbolic output, once it is known."""
        return [self._known(self._exit, "output")]

    @property
    def input(self) -> Any:
        """The symbolic input, once it is known."""
        return self._known(self._entry, "input")

    @property
    def output(self) -> Any:
        """The symbolic output, once it is known."""
        return self._known(self._exit, "output")

    @property
    def input_shape(self) -> Any:
        """The shape of the input, once it is known."""
        return self._known(self._entry, "input").shape

    @property
    def output_shape(self) -> Any:
        """The shape of the output, once it is known."""
        return self._known(self._exit, "output").shape

    def _known(self, symbol: KerasTensor | None, what: str) -> Any:
        if symbol is None or self._exit is None:
            raise AttributeError(f"Sequential model '{self.name}' has no defined {what} shape yet.")
        return symbol

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the output shape of the last layer."""
        shape = input_shape
        for layer in self._layers:
            shape = layer.compute_output_shape(shape)
        return shape

    def _checkpoint_children(self) -> dict[str, Any]:
        graph = {"_operations": [None, *self._layers]}  # the first is the entry
        return {**super()._checkpoint_children(), "_functional": graph}

    def get_config(self) -> dict[str, Any]:
        """Return the configs of the layers, and the shape of the input if it is known."""
        entry = None if self._entry is None else self._entry.origin
        inner = [*([] if entry is None else [entry]), *self._layers]
        config = {"name": self.name, "trainable": self.trainable,
                  "dtype": serialize_keras_object(self.dtype_policy),
                  "layers": [serialize_keras_object(layer) for layer in inner]}  # fmt: skip
        return config if self._exit is None else {**config, "build_input_shape": self.input_shape}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Construct the layers from their configs; user classes must be given or registered."""
        if not {"name", "layers"} <= config.keys():
            raise ValueError(
                "A Sequential model configuration must be a dictionary containing the 'name' and "
                f"'layers' keys. Received: {config}"
            )
        for each in config["layers"]:
            if "config" not in each:
                raise ValueError(f"Expected a dictionary containing a 'config' key. Got: {each}")
        settings = {key: config[key] for key in ("name", "trainable") if key in config}
        model, shape = cls(**settings), config.get("build_input_shape")
        for each in config["layers"]:
            model.add(deserialize_keras_object(each, custom_objects), rebuild=False)
        model._build_if_known()
        if shape and model._entry is None and isinstance(shape, (list, tuple)):
            model.build(tuple(shape))
        return model


def _entry_of(layer: Any) -> KerasTensor | None:
    """The symbolic input that a first layer has: by `input_shape`, or as a model."""
    shape = getattr(layer, "_input_shape_given", None)
    if shape is not None:
        return Input(shape)
    if getattr(layer, "_symbols", None):
        return Input(batch_shape=layer.input_shape)
    entry: KerasTensor | None = getattr(layer, "_entry", None)
    return entry
