"""Layers around a layer: for each step of a sequence, or for both directions."""

from __future__ import annotations

from typing import Any

from tapelab import math
from tapelab.array_ops import shape_ops
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import Layer
from tapelab.keras.layers.recurrent import RNN
from tapelab.keras.serialization import serialized

_MERGES = ("sum", "mul", "ave", "concat", None)


class Wrapper(Layer):
    """Holds a layer and passes on what it is asked."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Layer {layer} supplied to Wrapper isn't a supported layer type. Please ensure "
                "wrapped layer is a valid Keras layer."
            )
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any) -> None:
        """Build the layer inside."""
        if not self.layer.built:
            self.layer.build(input_shape)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Make a wrapper and its layer from a config."""
        from_data = dict(config)
        from_data["layer"] = from_data["layer"].copy()
        return cls(**from_data)


class TimeDistributed(Wrapper):
    """Applies a layer to each step of a sequence by itself."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Build the layer inside for one step."""
        super().build((input_shape[0], *input_shape[2:]))

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs for all steps, side by side."""
        told = {} if training is None else {"training": training}
        steps = [self.layer(step, **told) for step in shape_ops.unstack(inputs, axis=1)]
        return shape_ops.stack(steps, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The output of one step, with the steps between."""
        one = self.layer.compute_output_shape((input_shape[0], *input_shape[2:]))
        return (one[0], input_shape[1], *one[1:])


class Bidirectional(Layer):
    """Runs a recurrent layer forwards, and a copy of it backwards, and joins what they give."""

    def __init__(
        self, layer: RNN, merge_mode: str | None = "concat", weights: Any = None,
        backward_layer: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if not isinstance(layer, RNN):
            raise ValueError(
                "Please initialize `Bidirectional` layer with a `keras.layers.Layer` instance. "
                f"Received: {layer}"
            )
        if merge_mode not in _MERGES:
            raise ValueError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                '{"sum", "mul", "ave", "concat", None}'
            )
        super().__init__(**kwargs)
        self.merge_mode = merge_mode
        self.forward_layer: Any = _turned(layer, "forward", backwards=layer.go_backwards)
        self.backward_layer: Any = backward_layer or _turned(
            layer, "backward", backwards=not layer.go_backwards
        )
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state
        self.supports_masking = True
        self.input_spec = InputSpec(ndim=3)
        self._layer_config = serialized(layer)

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Build both layers."""
        for layer in (self.forward_layer, self.backward_layer):
            if not layer.built:
                layer.build(sequences_shape)

    def call(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None
    ) -> Any:
        """What both give, joined; with `return_state` the states of both after it."""
        half = 0 if initial_state is None else len(initial_state) // 2
        first = None if initial_state is None else initial_state[:half]
        second = None if initial_state is None else initial_state[half:]
        told = {"mask": mask, **({} if training is None else {"training": training})}
        ahead = self.forward_layer(sequences, initial_state=first, **told)
        back = self.backward_layer(sequences, initial_state=second, **told)
        if not self.return_state:
            return self._joined(ahead, back)
        joined = self._joined(ahead[0], back[0])
        return (joined, *ahead[1:], *back[1:])

    def _joined(self, ahead: Any, back: Any) -> Any:
        if self.return_sequences:
            back = shape_ops.reverse(back, [1])
        if self.merge_mode == "concat":
            return shape_ops.concat([ahead, back], -1)
        if self.merge_mode is None:
            return (ahead, back)
        if self.merge_mode == "mul":
            return ahead * back
        total: Any = math.add(ahead, back)
        return total / 2 if self.merge_mode == "ave" else total

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same layer again."""
        config = super().get_config()
        return {**config, "layer": self._layer_config}

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """The mask of the steps, where all outputs are given."""
        return previous_mask if self.return_sequences else None


def _turned(layer: RNN, way: str, *, backwards: bool) -> Any:
    """A new layer like the given one, in one direction."""
    config = {**layer.get_config(), "go_backwards": backwards, "name": f"{way}_{layer.name}"}
    return type(layer).from_config(config)
