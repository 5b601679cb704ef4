"""Recurrent layers, which apply a cell to the steps of a sequence and carry its state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tapelab import nest
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.core.dispatch import public
from tapelab.keras.class_settings import END, setting
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.inner_layers import LayerAroundLayers
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import Layer, WeightedLayer
from tapelab.keras.layers.recurrent_cells import (
    GRUCell,
    LSTMCell,
    SimpleRNNCell,
    StackedRNNCells,
    draw_masks,
    reset_masks,
)
from tapelab.keras.name_scopes import snake_case


def _checked_cell(cell: Any) -> Any:
    """The cell of a layer, a stack of several; ValueError for what is no cell."""
    if isinstance(cell, (list, tuple)):
        cell = StackedRNNCells(cell)
    for name, what in (("call", "method"), ("state_size", "attribute")):
        if not hasattr(cell, name):
            raise ValueError(
                f"Argument `cell` should have a `{name}` {what}. Received: cell={cell}"
            )
    return cell


class RNN(LayerAroundLayers):
    """Applies a cell to each step of a sequence, shape (batch, steps, features)."""

    cell: Any = setting(convert=_checked_cell)
    return_sequences: bool = setting(False)
    return_state: bool = setting(False)
    go_backwards: bool = setting(False)
    stateful: bool = setting(False)
    unroll: bool = setting(False)
    zero_output_for_mask: bool = setting(False)
    supports_masking = True
    input_spec = InputSpec(ndim=3)
    inner = ("cell",)

    def __post_init__(self) -> None:
        self.states: Any = None

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Build the cell for a step of the sequence."""
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build((sequences_shape[0], *sequences_shape[2:]))

    def call(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = False
    ) -> Any:
        """Return the last output or all outputs, and with `return_state` the last states."""
        states = self._first_states(sequences, initial_state)
        outputs: list[Any] = []
        steps = shape_ops.unstack(sequences, axis=1)
        masks = [None] * len(steps) if mask is None else shape_ops.unstack(mask, axis=1)
        pairs = list(zip(steps, masks, strict=True))
        draw_masks(self.cell, steps[0], states)
        for step, keep in reversed(pairs) if self.go_backwards else pairs:
            output, next_states = self._step(step, states, training)
            if keep is not None:
                before = outputs[-1] if outputs else output * 0.0
                output = _where(keep, output, output * 0.0 if self.zero_output_for_mask else before)
                next_states = _select_states(keep, next_states, states)
            outputs.append(output)
            states = next_states
        reset_masks(self.cell)
        if self.stateful:
            self.__dict__["states"] = states
        result = shape_ops.stack(outputs, axis=1) if self.return_sequences else outputs[-1]
        return (result, *_listed(states)) if self.return_state else result

    def _step(self, step: Any, states: Any, training: Any) -> tuple[Any, Any]:
        several = isinstance(getattr(self.cell, "state_size", None), (list, tuple))
        is_layer = isinstance(self.cell, Layer)
        flags = {"training": training} if is_layer else {}
        output, next_states = self.cell(step, states if several or is_layer else [*states], **flags)
        return output, next_states if isinstance(next_states, (list, tuple)) else [next_states]

    @public(if_shape_is_open=True)
    def _first_states(self, sequences: Any, initial_state: Any) -> Any:
        if initial_state is not None:
            return list(initial_state) if nest.is_nested(initial_state) else [initial_state]
        if self.stateful and self.states is not None:
            return self.states
        return self.get_initial_state(int(sequences.shape[0]))

    def get_initial_state(self, batch_size: int) -> Any:
        """Return the initial states of the cell, zeros by default."""
        if hasattr(self.cell, "get_initial_state"):
            return _listed(self.cell.get_initial_state(batch_size=batch_size))
        sizes = _listed(self.cell.state_size)
        return [creation.zeros((batch_size, size), self.compute_dtype) for size in sizes]

    def reset_states(self) -> None:
        """Reset the states of a stateful layer to the initial ones."""
        self.__dict__["states"] = None

    reset_state = reset_states

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """Return the mask of the steps if all outputs are returned, else None; none for states."""
        of_output = previous_mask if self.return_sequences else None
        if not self.return_state:
            return of_output
        return [of_output, *[None] * len(_listed(self.cell.state_size))]

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        """Return the shape of the output, and with `return_state` those of the states."""
        batch, steps = sequences_shape[0], sequences_shape[1]
        size = getattr(self.cell, "output_size", None) or _listed(self.cell.state_size)[0]
        shape = (batch, steps, size) if self.return_sequences else (batch, size)
        if not self.return_state:
            return shape
        return [shape, *((batch, each) for each in nest.flatten(self.cell.state_size))]

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Return symbolic tensors with the shapes of the outputs."""
        shape = self.compute_output_shape(tuple(args[0].shape))
        many = shape if isinstance(shape, list) else [shape]
        symbols = [KerasTensor(each, self.compute_dtype) for each in many]
        return tuple(symbols) if self.return_state else symbols[0]


class _BuiltInRNN(RNN):
    """A recurrent layer whose cell the class statement names; its settings are the layer's, too."""

    cell: Any = None
    use_cudnn: Any = setting("auto", before=END)
    _cell_class: type[WeightedLayer]

    def __init_subclass__(cls, cell: type[WeightedLayer]) -> None:
        for name, each in cell._settings.items():
            setattr(cls, name, replace(each, convert=None, before="return_sequences"))
        cls.activity_regularizer = setting(None, before="kernel_constraint")
        cls._cell_class = cell
        super().__init_subclass__()

    def _begin(self, arguments: dict[str, Any]) -> None:
        cell = type(self)._cell_class
        del arguments["use_cudnn"]
        arguments.pop("implementation", None)
        of_cell = {name: arguments.pop(name) for name in cell._settings}
        super()._begin(arguments)
        name = snake_case(cell.__name__)
        self.cell = cell(**of_cell, name=name, dtype=self.dtype_policy, trainable=self.trainable)

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._cell_class._settings:
            return getattr(self.cell, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal layer, those of its cell included."""
        config = super().get_config()
        unused = ("use_cudnn", "input_shape", "implementation")
        return {name: value for name, value in config.items() if name not in unused}


class SimpleRNN(_BuiltInRNN, cell=SimpleRNNCell):
    """A recurrent layer whose state is its output, `tanh(x W + h U + b)`."""


class LSTM(_BuiltInRNN, cell=LSTMCell):
    """A long short-term memory layer."""


class GRU(_BuiltInRNN, cell=GRUCell):
    """A layer of gated recurrent units."""


def _where(keep: Any, new: Any, old: Any) -> Any:
    return value_ops.where(shape_ops.expand_dims(keep, -1), new, old)


def _select_states(keep: Any, new: Any, old: Any) -> Any:
    """The next states where the mask is true, else the old ones; nested like stacked cells."""
    if isinstance(new, (list, tuple)):
        return [_select_states(keep, one, other) for one, other in zip(new, old, strict=True)]
    return _where(keep, new, old)


def _listed(states: Any) -> list[Any]:
    return list(states) if isinstance(states, (list, tuple)) else [states]
