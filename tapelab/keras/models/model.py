"""`tf.keras.Model`: layers that are called, trained and saved together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tapelab.keras.keras_tensor import KerasTensor, symbolic_outputs
from tapelab.keras.layers.layer import Layer
from tapelab.keras.models.summary import summary_of
from tapelab.keras.training import Trainer

SUFFIXES = (".weights.h5", ".npz")


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
            self._run_on_zeros(KerasTensor(input_shape))

    def _run_on_zeros(self, symbol: KerasTensor) -> None:
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

    def save_weights(self, filepath: Any, overwrite: bool = True) -> None:
        """Write the weights to a file in order, in NumPy's npz format whatever its name."""
        path = _checked(filepath)
        if path.exists() and not overwrite:
            raise FileExistsError(f"{path} exists. Pass overwrite=True to replace it.")
        with path.open("wb") as file:
            np.savez(file, *self.get_weights())

    def load_weights(self, filepath: Any, skip_mismatch: bool = False, **unused: Any) -> None:
        """Read the weights that `save_weights` wrote for a model with the same layers."""
        del skip_mismatch, unused
        with np.load(_checked(filepath), allow_pickle=False) as arrays:
            self.set_weights([arrays[f"arr_{at}"] for at in range(len(arrays.files))])

    def save(self, filepath: Any, *unused: Any, **more: Any) -> None:
        """Raise NotImplementedError: only TensorFlow writes whole models."""
        raise NotImplementedError(
            "tapelab does not write whole models. Save the weights with "
            "model.save_weights('name.weights.h5'), and make the model again from your code."
        )

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Construct a model from the arguments of its class."""
        del custom_objects
        return cls(**config)


def _checked(filepath: Any) -> Path:
    if not str(filepath).endswith(SUFFIXES):
        raise ValueError(f"The filename must end in `.weights.h5`. Received: filepath={filepath}")
    return Path(filepath)
