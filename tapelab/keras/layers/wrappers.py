"""Wrapper layers: a layer for each step of a sequence, or in both directions."""

from __future__ import annotations

from typing import Any

from tapelab import math
from tapelab.array_ops import shape_ops
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.inner_layers import LayerAroundLayers
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import Layer
from tapelab.keras.layers.layer_call import in_dtype
from tapelab.keras.layers.recurrent import RNN
from tapelab.keras.serialization import serialized
from tapelab.keras.variables import current_autocast

_MERGES = ("sum", "mul", "ave", "concat", None)


class Wrapper(LayerAroundLayers):
    """A layer around another layer, which it builds."""

    layer: Any = setting()

    def __post_init__(self) -> None:
        if not isinstance(self.layer, Layer):
            raise ValueError(
                f"Layer {self.layer} supplied to Wrapper isn't a supported layer type. Please "
                "ensure wrapped layer is a valid Keras layer."
            )

    def build(self, input_shape: Any) -> None:
        """Build the layer."""
        if not self.layer.built:
            self.layer.build(input_shape)


class TimeDistributed(Wrapper):
    """Applies a layer to each step of a sequence."""

    supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Build the layer for a step."""
        super().build((input_shape[0], *input_shape[2:]))

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Return the outputs of all steps."""
        self._check_mask(inputs, mask)
        flags = {} if training is None else {"training": training}
        steps = [self.layer(step, **flags) for step in shape_ops.unstack(inputs, axis=1)]
        outputs: Any = shape_ops.stack(steps, axis=1)
        return in_dtype(outputs, current_autocast() or outputs.dtype)

    @staticmethod
    def _check_mask(inputs: Any, mask: Any) -> None:
        """Raise ValueError unless a mask has the batch and the steps of the inputs."""
        if mask is None:
            return
        if mask.ndim < 2:
            raise ValueError(
                "The `mask` passed to the `TimeDistributed` layer must be at least 2D (e.g., "
                f"`(batch_size, timesteps)`), but it has {mask.ndim} dimension(s) with shape "
                f"{mask.shape}."
            )
        pairs = zip(tuple(inputs.shape[:2]), tuple(mask.shape[:2]), strict=True)
        if any(size != other and None not in {size, other} for size, other in pairs):
            raise ValueError(
                f"The `mask` passed to the `TimeDistributed` layer has a shape {mask.shape} that "
                f"is incompatible with the input shape {inputs.shape}. The first two dimensions of "
                "the mask (batch size and timesteps) must match the input's first two dimensions. "
                f"Expected mask shape prefix: ({inputs.shape[0]}, {inputs.shape[1]})."
            )

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the output shape of a step, with the axis of the steps."""
        one = self.layer.compute_output_shape((input_shape[0], *input_shape[2:]))
        return (one[0], input_shape[1], *one[1:])


class Bidirectional(LayerAroundLayers):
    """Runs a recurrent layer forward, and a copy of it backward, and merges their outputs."""

    layer: RNN = setting()
    merge_mode: str | None = setting("concat")
    weights: Any = setting(None)
    backward_layer: Any = setting(None)
    supports_masking = True
    input_spec = InputSpec(ndim=3)
    inner = ("layer", "backward_layer")

    def _begin(self, arguments: dict[str, Any]) -> None:
        layer, merge_mode = arguments.pop("layer"), arguments["merge_mode"]
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
        del arguments["weights"]
        super()._begin(arguments)
        self.forward_layer: Any = _directed(layer, "forward", backward=layer.go_backwards)
        if arguments["backward_layer"] is None:
            arguments["backward_layer"] = _directed(layer, "backward", backward=True)
        for each in (self.forward_layer, arguments["backward_layer"]):
            each.zero_output_for_mask = each.return_sequences
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Build both layers."""
        for layer in (self.forward_layer, self.backward_layer):
            if not layer.built:
                layer.build(sequences_shape)

    def call(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None
    ) -> Any:
        """Return the merged outputs, and with `return_state` the states of both layers."""
        half = 0 if initial_state is None else len(initial_state) // 2
        first = None if initial_state is None else initial_state[:half]
        second = None if initial_state is None else initial_state[half:]
        settings = {"mask": mask, **({} if training is None else {"training": training})}
        forward = self.forward_layer(sequences, initial_state=first, **settings)
        backward = self.backward_layer(sequences, initial_state=second, **settings)
        if not self.return_state:
            return self._merged(forward, backward)
        merged = self._merged(forward[0], backward[0])
        outputs = merged if self.merge_mode is None else (merged,)
        return (*outputs, *forward[1:], *backward[1:])

    def _merged(self, forward: Any, backward: Any) -> Any:
        forward, backward = (in_dtype(each, self.compute_dtype) for each in (forward, backward))
        if self.return_sequences:
            backward = shape_ops.reverse(backward, [1])
        if self.merge_mode == "concat":
            return shape_ops.concat([forward, backward], -1)
        if self.merge_mode is None:
            return (forward, backward)
        if self.merge_mode == "mul":
            return forward * backward
        total: Any = math.add(forward, backward)
        return total / 2 if self.merge_mode == "ave" else total

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal layer."""
        inner = {"layer": self.forward_layer, "backward_layer": self.backward_layer}
        return {**super().get_config(), **{name: serialized(each) for name, each in inner.items()}}

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """Return the mask of the steps for outputs that have steps, else None."""
        of_output = previous_mask if self.return_sequences else None
        return of_output if self.merge_mode else (of_output, of_output)

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        """Return the shape of the merged output, or those of both, and those of the states."""
        shape = self.forward_layer.compute_output_shape(sequences_shape)
        output, *states = shape if self.return_state else [shape]
        if self.merge_mode == "concat":
            output = (*output[:-1], 2 * output[-1])
        outputs = [output] if self.merge_mode else [output, output]
        whole = [*outputs, *states, *states]
        return whole if len(whole) > 1 else output


def _directed(layer: RNN, direction: str, *, backward: bool) -> Any:
    """A copy of the layer that runs in one direction."""
    name = f"{direction}_{layer.name.removeprefix(f'{direction}_')}"
    config = {**layer.get_config(), "go_backwards": backward, "name": name}
    return type(layer).from_config(config)
