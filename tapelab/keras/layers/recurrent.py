"""Layers that go through a sequence step by step, with a state that they hand on."""

from __future__ import annotations

from functools import cache
from inspect import signature
from typing import Any, Final

from tapelab import nest
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.core.dispatch import public
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import Layer
from tapelab.keras.layers.recurrent_cells import GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells
from tapelab.keras.name_scopes import snake_case


class RNN(Layer):
    """Runs a cell through a sequence (batch, steps, features)."""

    def __init__(
        self, cell: Any, return_sequences: bool = False, return_state: bool = False,
        go_backwards: bool = False, stateful: bool = False, unroll: bool = False,
        zero_output_for_mask: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        for needed in ("call", "state_size"):
            if not hasattr(cell, needed):
                raise ValueError(
                    f"Argument `cell` should have a `{needed}` "
                    f"{'method' if needed == 'call' else 'attribute'}. Received: cell={cell}"
                )
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful, self.unroll = go_backwards, stateful, unroll
        self.zero_output_for_mask = zero_output_for_mask
        self.supports_masking = True
        self.input_spec = InputSpec(ndim=3)
        self.states: Any = None

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Build the cell for one step of the sequence."""
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build((sequences_shape[0], *sequences_shape[2:]))

    def call(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = False
    ) -> Any:
        """The last output, or all of them; the last states too, if asked for."""
        states = self._first_states(sequences, initial_state)
        outputs: list[Any] = []
        steps = shape_ops.unstack(sequences, axis=1)
        kept = [None] * len(steps) if mask is None else shape_ops.unstack(mask, axis=1)
        pairs = list(zip(steps, kept, strict=True))
        for step, keep in reversed(pairs) if self.go_backwards else pairs:
            output, following = self._step(step, states, training)
            if keep is not None:
                before = outputs[-1] if outputs else output * 0.0
                output = _where(keep, output, output * 0.0 if self.zero_output_for_mask else before)
                following = _chosen(keep, following, states)
            outputs.append(output)
            states = following
        if self.stateful:
            self.__dict__["states"] = states
        result = shape_ops.stack(outputs, axis=1) if self.return_sequences else outputs[-1]
        return (result, *_listed(states)) if self.return_state else result

    def _step(self, step: Any, states: Any, training: Any) -> tuple[Any, Any]:
        several = isinstance(getattr(self.cell, "state_size", None), (list, tuple))
        given = states if several or isinstance(self.cell, Layer) else list(states)
        told = {"training": training} if _takes_training(self.cell) else {}
        output, following = self.cell(step, given, **told)
        return output, following if isinstance(following, (list, tuple)) else [following]

    @public(if_shape_is_open=True)
    def _first_states(self, sequences: Any, initial_state: Any) -> Any:
        if initial_state is not None:
            return list(initial_state) if nest.is_nested(initial_state) else [initial_state]
        if self.stateful and self.states is not None:
            return self.states
        return self.get_initial_state(int(sequences.shape[0]))

    def get_initial_state(self, batch_size: int) -> Any:
        """Zeros in the shape of the cell's states."""
        if hasattr(self.cell, "get_initial_state"):
            found = self.cell.get_initial_state(batch_size=batch_size)
            return found if isinstance(found, (list, tuple)) else [found]
        from_sizes = _listed(self.cell.state_size)
        return [creation.zeros((batch_size, size), self.compute_dtype) for size in from_sizes]

    def reset_states(self) -> None:
        """Forget the states of a stateful layer."""
        self.__dict__["states"] = None

    reset_state = reset_states

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """The mask of the steps, where all outputs are given."""
        return previous_mask if self.return_sequences else None

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        """The last output's shape, or one more axis for the steps; then those of the states."""
        batch, steps = sequences_shape[0], sequences_shape[1]
        size = getattr(self.cell, "output_size", None) or _listed(self.cell.state_size)[0]
        shape = (batch, steps, size) if self.return_sequences else (batch, size)
        if not self.return_state:
            return shape
        return [shape, *((batch, each) for each in nest.flatten(self.cell.state_size))]

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Symbolic tensors like the outputs."""
        shape = self.compute_output_shape(tuple(args[0].shape))
        many = shape if isinstance(shape, list) else [shape]
        made = [KerasTensor(each, self.compute_dtype) for each in many]
        return tuple(made) if self.return_state else made[0]


class _Ready(RNN):
    """A recurrent layer with a cell of its own."""

    cell_kind: Any = SimpleRNNCell

    def __init__(
        self, units: int, *given: Any, return_sequences: bool = False, return_state: bool = False,
        go_backwards: bool = False, stateful: bool = False, unroll: bool = False,
        zero_output_for_mask: bool = False, activity_regularizer: Any = None,
        use_cudnn: Any = "auto", trainable: bool = True, name: str | None = None,
        dtype: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        kind = type(self).cell_kind
        named = {"name": snake_case(kind.__name__), "dtype": dtype, "trainable": trainable}
        known = _settings(kind) | {"implementation"}
        of_cell = {key: kwargs.pop(key) for key in [*kwargs] if key in known}
        super().__init__(
            kind(units, *given, **named, **of_cell), return_sequences, return_state, go_backwards,
            stateful, unroll, zero_output_for_mask, activity_regularizer=activity_regularizer,
            trainable=trainable, name=name, dtype=dtype, **kwargs,
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        """The settings of the cell are those of the layer."""
        if name in _settings(type(self).cell_kind):
            return getattr(self.cell, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same layer again, those of its cell included."""
        base = super().get_config()
        own = {key: value for key, value in base.items() if key not in _NOT_KEPT}
        cell = {key: each for key, each in self.cell.get_config().items() if key not in own}
        return {**own, **cell}


_NOT_KEPT: Final = frozenset({"cell", "given", "use_cudnn", "input_shape", "implementation"})


@cache
def _settings(cell: Any) -> frozenset[str]:
    """The names of the arguments that a kind of cell is made with."""
    return frozenset(signature(cell).parameters) - {"kwargs"}


class SimpleRNN(_Ready):
    """Each output is the state: `tanh(x W + h U + b)`."""


class LSTM(_Ready):
    """A recurrent layer with a carry that is kept long."""

    cell_kind = LSTMCell


class GRU(_Ready):
    """A recurrent layer with a state that gates keep."""

    cell_kind = GRUCell


def _takes_training(cell: Any) -> bool:
    return isinstance(cell, Layer)


def _where(keep: Any, new: Any, old: Any) -> Any:
    return value_ops.where(shape_ops.expand_dims(keep, -1), new, old)


def _chosen(keep: Any, new: Any, old: Any) -> Any:
    """The next states, where a step counts; nested as the cells are stacked."""
    if isinstance(new, (list, tuple)):
        return [_chosen(keep, one, other) for one, other in zip(new, old, strict=True)]
    return _where(keep, new, old)


def _listed(states: Any) -> list[Any]:
    return list(states) if isinstance(states, (list, tuple)) else [states]
