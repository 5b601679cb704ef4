"""`tf.keras.Model`: layers that are called, trained and saved together."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Final

from tapelab.keras.keras_tensor import KerasTensor, symbolic_outputs
from tapelab.keras.layers.layer import Layer
from tapelab.keras.models.graph_config import connected
from tapelab.keras.models.summary import summary_of
from tapelab.keras.saving.registration import custom_object_scope
from tapelab.keras.serialization import deserialize_keras_object, serialize_keras_object
from tapelab.keras.training import Trainer


class Model(Trainer, Layer):
    """A model: from symbolic inputs and outputs, or a subclass with its own `call`."""

    functional: ClassVar[Callable[[type], type]]
    """Returns a functional model's class for a class of models; set in `functional`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) == 2 or "outputs" in kwargs:
            kind = Model.functional(type(self))
            object.__setattr__(self, "__class__", kind)
            kind.__init__(self, *args, **kwargs)  # type: ignore[misc]  # initialized as that class
            return
        Layer.__init__(self, *args, **kwargs)
        Trainer.__init__(self)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs from the inputs."""
        raise NotImplementedError(
            f"Model {type(self).__name__} does not have a `call()` method implemented."
        )

    @property
    def layers(self) -> list[Any]:
        """The layers directly in the model, in order of creation."""
        return list(self._layers)

    @layers.setter
    def layers(self, _: Any) -> None:
        raise AttributeError(
            "`Model.layers` attribute is reserved and should not be used. Please use another name."
        )

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Return the layer with a name or an index; ValueError if there is none."""
        if index is not None and name is not None:
            raise ValueError(
                f"Provide only a layer name or a layer index. Received: index={index}, name={name}."
            )
        if index is not None:
            if index >= len(self.layers):
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has "
                    f"{len(self.layers)} layers."
                )
            return self.layers[index]
        if name is None:
            raise ValueError("Provide either a layer name or layer index at `get_layer`.")
        for layer in self.layers:
            if layer.name == name:
                return layer
        names = [layer.name for layer in self.layers]
        raise ValueError(f"No such layer: {name}. Existing layers are: {names}.")

    def build(self, input_shape: Any) -> None:
        """Build the layers for inputs of a shape, by running `call` on zeros."""
        if type(self).call is not Model.call:
            self._run_on_zeros(_symbols_of(input_shape))

    def _run_on_zeros(self, symbol: Any) -> None:
        """Run `call` on zeros, which builds the layers that it calls."""
        symbolic_outputs(self.call, (symbol,), {})

    def _is_built_by_call(self) -> bool:
        return type(self).build in {Layer.build, Model.build}

    def _lock(self) -> None:
        """Do nothing: a model accepts new layers at any time."""

    def summary(
        self, line_length: int | None = None, positions: Any = None, print_fn: Any = None,
        expand_nested: bool = False, show_trainable: bool = False, layer_range: Any = None,
    ) -> None:  # fmt: skip
        """Print the layers, their output shapes, and their numbers of parameters."""
        del line_length, positions, expand_nested, show_trainable, layer_range
        text = summary_of(self)
        print(text) if print_fn is None else print_fn(text)

    def _checkpoint_children(self) -> dict[str, Any]:
        return {**super()._checkpoint_children(), "optimizer": self.optimizer}

    def save(
        self, filepath: Any, overwrite: bool = True, zipped: bool | None = None, **kwargs: Any
    ) -> None:
        """Write the model to a `.keras` file: config, weights, and the state of the optimizer."""
        _files().save_model(self, filepath, overwrite, zipped, **kwargs)

    def save_weights(self, filepath: Any, overwrite: bool = True, **kwargs: Any) -> None:
        """Write the weights to a `.weights.h5` file."""
        _files().save_weights(self, filepath, overwrite, **kwargs)

    def load_weights(self, filepath: Any, skip_mismatch: bool = False, **kwargs: Any) -> None:
        """Read the weights from a `.weights.h5` or `.keras` file of a model with such layers."""
        _files().load_weights(self, filepath, skip_mismatch, **kwargs)

    def to_json(self, **kwargs: Any) -> str:
        """Return the config of the model as JSON; `kwargs` are those of `json.dumps`."""
        return json.dumps(serialize_keras_object(self), **kwargs)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Construct a model from its graph, or from the arguments of its class."""
        with custom_object_scope(custom_objects or {}):
            if "input_layers" not in config or not cls._constructed_from_graph():
                return cls(**config)
            inputs, outputs = connected(config)
            own = {key: value for key, value in config.items() if key not in _OF_GRAPH}
            return cls(inputs=inputs, outputs=outputs, **own)

    @classmethod
    def _constructed_from_graph(cls) -> bool:
        """Whether the constructor takes the inputs and outputs of a functional model."""
        parameters = inspect.signature(cls.__init__).parameters
        kinds = {each.kind for each in parameters.values()}
        takes_all = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} <= kinds
        return takes_all or {"inputs", "outputs"} <= parameters.keys()


def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    """Return the model of a text from `to_json`, with new weights."""
    return deserialize_keras_object(json.loads(json_string), custom_objects)


def _symbols_of(shape: Any) -> Any:
    """A symbolic tensor of a shape, or a nest of them for a nest of shapes."""
    if isinstance(shape, dict):
        return {key: _symbols_of(each) for key, each in shape.items()}
    if isinstance(shape, (list, tuple)) and any(isinstance(size, (list, tuple)) for size in shape):
        return [_symbols_of(each) for each in shape]
    return KerasTensor(shape)


_OF_GRAPH: Final = ("layers", "input_layers", "output_layers")
_files: Final = partial(import_module, "tapelab.keras.saving.model_file")
"""Loads the module of files, which needs models, when one is written or read."""
