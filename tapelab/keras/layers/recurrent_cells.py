"""One step of a recurrent layer: from an input and a state to an output and the next state."""

from __future__ import annotations

from typing import Any

from tapelab.array_ops import creation, shape_ops
from tapelab.core.dispatch import public
from tapelab.core.variable import read
from tapelab.keras import activations, initializers, random
from tapelab.keras.layers.layer_call import in_float, product
from tapelab.keras.layers.noise import dropped
from tapelab.keras.layers.weighing import Weighted
from tapelab.keras.name_scopes import named_group
from tapelab.keras.random import SeedGenerator


class _Cell(Weighted):
    """What the cells share: a kernel for the input, one for the state, and a bias."""

    gates = 1

    def __init__(
        self, units: int, activation: Any = "tanh", use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None,
        kernel_constraint: Any = None, recurrent_constraint: Any = None,
        bias_constraint: Any = None, dropout: float = 0.0, recurrent_dropout: float = 0.0,
        seed: int | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if not isinstance(units, int) or units <= 0:
            raise ValueError(
                "Received an invalid value for argument `units`, expected a positive integer, "
                f"got {units}."
            )
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.activation = activations.get(activation)
        self.plan("kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        self.plan("recurrent", recurrent_initializer, recurrent_regularizer, recurrent_constraint)
        self.plan("bias", bias_initializer, bias_regularizer, bias_constraint)
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        self.seed = seed
        self.seed_generator = SeedGenerator(seed)
        self.state_size: Any = units
        self.output_size = units

    def build(self, input_shape: Any) -> None:
        """Make the two kernels and the bias, side by side for all gates."""
        size = self.units * self.gates
        self.kernel = self.make("kernel", (input_shape[-1], size))
        self.recurrent_kernel = self.make("recurrent", (self.units, size), name="recurrent_kernel")
        self.bias = self._make_bias(size) if self.use_bias else None

    def _make_bias(self, size: int) -> Any:
        return self.make("bias", (size,))

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Zeros, one row for each example."""
        sizes = self.state_size if isinstance(self.state_size, (list, tuple)) else [self.units]
        return [creation.zeros((batch_size, size), self.compute_dtype) for size in sizes]

    def _thinned(self, x: Any, state: Any, training: Any) -> tuple[Any, Any]:
        """The input and the state after their dropouts, in training."""
        x = in_float(x, self.compute_dtype)
        if training and self.dropout:
            x = self._dropped(x, self.dropout)
        if training and self.recurrent_dropout:
            state = self._dropped(state, self.recurrent_dropout)
        return x, state

    @public(if_shape_is_open=True)
    def _dropped(self, x: Any, rate: float) -> Any:
        chance = random.uniform(x.shape, dtype=x.dtype.name, seed=self.seed_generator)
        return dropped(x, rate, chance)

    def _scores(self, x: Any, state: Any) -> Any:
        found = product(x, self.kernel) + product(state, self.recurrent_kernel)
        return found if self.bias is None else found + self.bias

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The batch and the units."""
        return (input_shape[0], self.units)


class SimpleRNNCell(_Cell):
    """The next state is a bent sum of the input and the state: `tanh(x W + h U + b)`."""

    def call(self, sequence: Any, states: Any, training: Any = False) -> Any:
        """The output, which is the next state, too."""
        state = _first(states)
        output = self.activation(self._scores(*self._thinned(sequence, state, training)))
        return output, [output] if isinstance(states, (list, tuple)) else output


class LSTMCell(_Cell):
    """A carry that gates let in, forget and let out: what is kept long is added, not bent."""

    gates = 4

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid",
        use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True, kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None,
        kernel_constraint: Any = None, recurrent_constraint: Any = None,
        bias_constraint: Any = None, dropout: float = 0.0, recurrent_dropout: float = 0.0,
        seed: int | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            units, activation, use_bias, kernel_initializer, recurrent_initializer,
            bias_initializer, kernel_regularizer, recurrent_regularizer, bias_regularizer,
            kernel_constraint, recurrent_constraint, bias_constraint, dropout, recurrent_dropout,
            seed, **_without_old(kwargs),
        )  # fmt: skip
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias
        self.state_size = [units, units]

    def _make_bias(self, size: int) -> Any:
        bias = super()._make_bias(size)
        if self.unit_forget_bias:
            forget = initializers.get("ones")((self.units,), self.dtype)
            start = _split(read(bias), 4)
            bias._value.assign(shape_ops.concat([start[0], forget, *start[2:]], 0))
        return bias

    def call(self, sequence: Any, states: Any, training: Any = False) -> Any:
        """The output, and the next output and carry as states."""
        hidden, carry = states
        scores = self._scores(*self._thinned(sequence, hidden, training))
        output, carry = _gated(scores, carry, self.activation, self.recurrent_activation)
        return output, [output, carry]


def _without_old(kwargs: dict[str, Any]) -> dict[str, Any]:
    """What older programs chose among ways to compute the same is left out."""
    return {key: value for key, value in kwargs.items() if key != "implementation"}


@named_group
def _gated(scores: Any, carry: Any, bend: Any, gate: Any) -> tuple[Any, Any]:
    let_in, forget, news, let_out = _split(scores, 4, axis=1)
    carry = gate(forget) * carry + gate(let_in) * bend(news)
    return gate(let_out) * bend(carry), carry


class GRUCell(_Cell):
    """A state that one gate keeps and another one shows to what is new."""

    gates = 3

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid",
        use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
        bias_regularizer: Any = None, kernel_constraint: Any = None,
        recurrent_constraint: Any = None, bias_constraint: Any = None, dropout: float = 0.0,
        recurrent_dropout: float = 0.0, reset_after: bool = True, seed: int | None = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            units, activation, use_bias, kernel_initializer, recurrent_initializer,
            bias_initializer, kernel_regularizer, recurrent_regularizer, bias_regularizer,
            kernel_constraint, recurrent_constraint, bias_constraint, dropout, recurrent_dropout,
            seed, **_without_old(kwargs),
        )  # fmt: skip
        self.recurrent_activation = activations.get(recurrent_activation)
        self.reset_after = reset_after

    def _make_bias(self, size: int) -> Any:
        return self.make("bias", (2, size) if self.reset_after else (size,))

    def call(self, sequence: Any, states: Any, training: Any = False) -> Any:
        """The output, which is the next state, too."""
        x, state = self._thinned(sequence, _first(states), training)
        biases: Any = (None, None) if self.bias is None else (self.bias, None)
        if self.bias is not None and self.reset_after:
            biases = shape_ops.unstack(self.bias)
        step = _reset_after if self.reset_after else _reset_before
        output = step(self, x, state, *biases)
        return output, [output] if isinstance(states, (list, tuple)) else output


@named_group
def _reset_after(cell: Any, x: Any, state: Any, bias: Any, recurrent_bias: Any) -> Any:
    """The reset gate works on what the state gives: one product for all three gates."""
    inputs = _plus(product(x, cell.kernel), bias)
    inner = _plus(product(state, cell.recurrent_kernel), recurrent_bias)
    x_keep, x_reset, x_new = _split(inputs, 3, axis=1)
    h_keep, h_reset, h_new = _split(inner, 3, axis=1)
    keep = cell.recurrent_activation(x_keep + h_keep)
    reset = cell.recurrent_activation(x_reset + h_reset)
    return keep * state + (1.0 - keep) * cell.activation(x_new + reset * h_new)


@named_group
def _reset_before(cell: Any, x: Any, state: Any, bias: Any, _: Any) -> Any:
    """The reset gate works on the state, before its product."""
    x_keep, x_reset, x_new = _split(_plus(product(x, cell.kernel), bias), 3, axis=1)
    to_gates, to_new = _split(read(cell.recurrent_kernel), [2 * cell.units, cell.units], axis=1)
    h_keep, h_reset = _split(product(state, to_gates), 2, axis=1)
    keep = cell.recurrent_activation(x_keep + h_keep)
    reset = cell.recurrent_activation(x_reset + h_reset)
    new = cell.activation(x_new + product(reset * state, to_new))
    return keep * state + (1.0 - keep) * new


class StackedRNNCells(Weighted):
    """Cells one above the other: the output of one is the input of the next."""

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cells = list(cells)

    @property
    def state_size(self) -> list[Any]:
        """The sizes of the states of all cells."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self) -> Any:
        """The size of the last cell's output."""
        return self.cells[-1].output_size

    def build(self, input_shape: Any) -> None:
        """Build the cells, each for the output of the one below."""
        for cell in self.cells:
            if not cell.built:
                cell.build(input_shape)
            input_shape = (input_shape[0], cell.output_size)

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """The first states of all cells."""
        return [cell.get_initial_state(batch_size) for cell in self.cells]

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:
        """The output of the last cell, and the next states of all."""
        following = []
        for cell, state in zip(self.cells, states, strict=True):
            inputs, after = cell(inputs, state, training=training)
            following.append(after)
        return inputs, following


def _first(states: Any) -> Any:
    return states[0] if isinstance(states, (list, tuple)) else states


def _plus(x: Any, bias: Any) -> Any:
    return x if bias is None else x + bias


def _split(x: Any, parts: Any, axis: int = 0) -> Any:
    return shape_ops.split(x, parts, axis=axis)
