"""Recurrent cells: one step from an input and a state to an output and the next state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab.array_ops import creation, shape_ops
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.variable import read
from tapelab.keras import activations, initializers, random, seeded_arrays
from tapelab.keras.class_settings import setting
from tapelab.keras.layers.inner_layers import LayerAroundLayers
from tapelab.keras.layers.layer import WeightedLayer, weights
from tapelab.keras.layers.layer_call import in_float, product
from tapelab.keras.layers.noise import dropped
from tapelab.keras.name_scopes import named_group
from tapelab.keras.random import SeedGenerator


class _Cell(WeightedLayer):
    """The settings and weights of all cells: a kernel, a recurrent kernel and a bias.

    `gates` is the number of parts of size `units` that lie side by side in them.
    """

    gates = 1
    units: int = setting()
    activation: Callable[..., Any] = setting("tanh", convert=activations.get)
    use_bias: bool = setting(True)
    kernels_and_bias = weights(kernel="glorot_uniform", recurrent="orthogonal", bias="zeros")
    dropout: float = setting(0.0, convert=lambda rate: min(1.0, max(0.0, rate)))
    recurrent_dropout: float = setting(0.0, convert=lambda rate: min(1.0, max(0.0, rate)))
    seed: int | None = setting(None)

    draws_seed_first = False
    """Whether Keras draws the seed of the dropout before those of the initializers."""

    def _begin(self, arguments: dict[str, Any]) -> None:
        seed = arguments["seed"]
        if seed is None and self.draws_seed_first:
            seed = seeded_arrays.default_seed()
        super()._begin(arguments)
        self.__dict__["_first_seed"] = seed

    def __post_init__(self) -> None:
        units = self.units
        if not isinstance(units, int) or units <= 0:
            raise ValueError(
                "Received an invalid value for argument `units`, expected a positive integer, "
                f"got {units}."
            )
        self.seed_generator = SeedGenerator(self.__dict__.pop("_first_seed"))
        self.state_size: Any = units
        self.output_size = units

    def build(self, input_shape: Any) -> None:
        """Create the two kernels and the bias for all gates."""
        size = self.units * self.gates
        self.kernel = self.make("kernel", (input_shape[-1], size))
        self.recurrent_kernel = self.make("recurrent", (self.units, size), name="recurrent_kernel")
        self.bias = self._make_bias(size) if self.use_bias else None

    def _make_bias(self, size: int) -> Any:
        return self.make("bias", (size,))

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Return zeros of shape (batch, units) for each state."""
        sizes = self.state_size if isinstance(self.state_size, (list, tuple)) else [self.units]
        return [creation.zeros((batch_size, size), self.compute_dtype) for size in sizes]

    @property
    def _mask_count(self) -> int:
        """How many masks a call draws of inputs and of states: one, or one for each gate."""
        return self.gates if self.recurrent_dropout else 1

    def get_dropout_mask(self, step_input: Any) -> Any:
        """Return the masks of the inputs, the same for all steps until they are reset."""
        return self._mask("dropout_masks", step_input, self.dropout)

    def get_recurrent_dropout_mask(self, step_input: Any) -> Any:
        """Return the masks of the states, the same for all steps until they are reset."""
        return self._mask("recurrent_dropout_masks", step_input, self.recurrent_dropout)

    def reset_dropout_mask(self) -> None:
        """Let the next call draw new masks of the inputs."""
        vars(self).pop("dropout_masks", None)

    def reset_recurrent_dropout_mask(self) -> None:
        """Let the next call draw new masks of the states."""
        vars(self).pop("recurrent_dropout_masks", None)

    def _mask(self, name: str, x: Any, rate: float) -> Any:
        if not rate:
            return None
        if name not in vars(self):
            vars(self)[name] = [self._drawn(x, rate) for _ in range(self._mask_count)]
        return vars(self)[name]

    @public(if_shape_is_open=True)
    def _drawn(self, x: Any, rate: float) -> Any:
        ones: Any = creation.ones(x.shape, x.dtype)
        if rate == 1:
            return ones * 0.0
        draws = random.uniform(x.shape, dtype=x.dtype.name, seed=self.seed_generator)
        return dropped(ones, rate, draws)

    def _masks(self, x: Any, state: Any, training: Any) -> tuple[Any, Any]:
        """The masks of the input and of the state; None outside of training."""
        applied = training and self.dropout < 1
        recurrent = training and self.recurrent_dropout < 1
        return (
            self.get_dropout_mask(x) if applied else None,
            self.get_recurrent_dropout_mask(state) if recurrent else None,
        )

    def _scores(self, x: Any, state: Any, training: Any) -> Any:
        x = in_float(x, self.compute_dtype)
        masks = self._masks(x, state, training)
        sums = _masked_product(x, self.kernel, masks[0])
        sums = sums + _masked_product(state, self.recurrent_kernel, masks[1])
        return _plus(sums, self.bias)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the batch and the units."""
        return (input_shape[0], self.units)


class SimpleRNNCell(_Cell):
    """Computes the next state as `tanh(x W + h U + b)` (Elman 1990)."""

    draws_seed_first = True
    _mask_count = 1

    def _masks(self, x: Any, state: Any, training: Any) -> tuple[Any, Any]:
        """The masks, which this cell draws outside of training, too."""
        masks = self.get_dropout_mask(x), self.get_recurrent_dropout_mask(state)
        return masks if training else (None, None)

    def call(self, sequence: Any, states: Any, training: Any = False) -> Any:
        """Return the output and the next state, which are equal."""
        state = _first(states)
        output = self.activation(self._scores(sequence, state, training))
        return output, [output] if isinstance(states, (list, tuple)) else output


class _GatedCell(_Cell):
    recurrent_activation: Callable[..., Any] = setting(
        "sigmoid", before="use_bias", convert=activations.get
    )

    def _begin(self, arguments: dict[str, Any]) -> None:
        arguments.pop("implementation", None)  # the choice between equal computations in Keras 2
        super()._begin(arguments)


class LSTMCell(_GatedCell):
    """Long short-term memory (Hochreiter, Schmidhuber 1997): gates add to a carry and forget it."""

    gates = 4
    unit_forget_bias: bool = setting(True, before="kernel_regularizer")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.state_size = [self.units, self.units]

    def _make_bias(self, size: int) -> Any:
        bias = super()._make_bias(size)
        if self.unit_forget_bias:
            forget = initializers.get("ones")((self.units,), self.dtype)
            start = _split(read(bias), 4)
            bias._value.assign(shape_ops.concat([start[0], forget, *start[2:]], 0))
        return bias

    def call(self, sequence: Any, states: Any, training: Any = False) -> Any:
        """Return the output, and the output and the carry as states."""
        hidden, carry = states
        scores = self._scores(sequence, hidden, training)
        output, carry = _gated(scores, carry, self.activation, self.recurrent_activation)
        return output, [output, carry]


@named_group
def _gated(scores: Any, carry: Any, activation: Any, gate: Any) -> tuple[Any, Any]:
    input_gate, forget_gate, candidate, output_gate = _split(scores, 4, axis=1)
    carry = gate(forget_gate) * carry + gate(input_gate) * activation(candidate)
    return gate(output_gate) * activation(carry), carry


class GRUCell(_GatedCell):
    """Gated recurrent unit (Cho et al. 2014): the update gate mixes the state and a candidate."""

    gates = 3
    reset_after: bool = setting(True, before="seed")

    def _make_bias(self, size: int) -> Any:
        return self.make("bias", (2, size) if self.reset_after else (size,))

    def call(self, sequence: Any, states: Any, training: Any = False) -> Any:
        """Return the output and the next state, which are equal."""
        x, state = in_float(sequence, self.compute_dtype), _first(states)
        masks = self._masks(x, state, training)
        biases: Any = (None, None) if self.bias is None else (self.bias, None)
        if self.bias is not None and self.reset_after:
            biases = shape_ops.unstack(self.bias)
        step = _reset_after if self.reset_after else _reset_before
        output = step(self, x, state, masks, *biases)
        return output, [output] if isinstance(states, (list, tuple)) else output


@named_group
def _reset_after(cell: Any, x: Any, state: Any, masks: Any, bias: Any, recurrent_bias: Any) -> Any:
    """The next state, with the reset gate behind the recurrent product."""
    inputs = _plus(_masked_product(x, cell.kernel, masks[0]), bias)
    of_state = _masked_product(state, cell.recurrent_kernel, masks[1])
    recurrent = _plus(of_state, recurrent_bias)
    x_update, x_reset, x_candidate = _split(inputs, 3, axis=1)
    h_update, h_reset, h_candidate = _split(recurrent, 3, axis=1)
    update = cell.recurrent_activation(x_update + h_update)
    reset = cell.recurrent_activation(x_reset + h_reset)
    return update * state + (1.0 - update) * cell.activation(x_candidate + reset * h_candidate)


@named_group
def _reset_before(cell: Any, x: Any, state: Any, masks: Any, bias: Any, _: Any) -> Any:
    """The next state, with the reset gate before the recurrent product."""
    inputs = _plus(_masked_product(x, cell.kernel, masks[0]), bias)
    x_update, x_reset, x_candidate = _split(inputs, 3, axis=1)
    sizes = [2 * cell.units, cell.units]
    of_gates, of_candidate = _split(read(cell.recurrent_kernel), sizes, axis=1)
    *of_both, last = masks[1] or [None]
    h_update, h_reset = _split(_masked_product(state, of_gates, of_both), 2, axis=1)
    update = cell.recurrent_activation(x_update + h_update)
    reset = cell.recurrent_activation(x_reset + h_reset)
    shown = state if last is None else state * last
    candidate = cell.activation(x_candidate + product(reset * shown, of_candidate))
    return update * state + (1.0 - update) * candidate


class StackedRNNCells(LayerAroundLayers):
    """A stack of cells: the output of one is the input of the next."""

    cells: list[Any] = setting(convert=list)
    inner = ("cells",)

    @property
    def state_size(self) -> list[Any]:
        """The state sizes of all cells."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self) -> Any:
        """The output size of the last cell."""
        return self.cells[-1].output_size

    def build(self, input_shape: Any) -> None:
        """Build each cell for the output of the previous one."""
        for cell in self.cells:
            if not cell.built:
                cell.build(input_shape)
            input_shape = (input_shape[0], cell.output_size)

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Return the initial states of all cells."""
        return [cell.get_initial_state(batch_size) for cell in self.cells]

    def draw_masks(self, inputs: Any, states: Any) -> None:
        """Draw the dropout masks of all cells for the steps of a sequence."""
        for cell, state in zip(self.cells, states, strict=True):
            draw_masks(cell, inputs, state)
            inputs = creation.zeros((*inputs.shape[:1], cell.output_size), inputs.dtype)

    def reset_masks(self) -> None:
        """Let the next sequence have new dropout masks."""
        for cell in self.cells:
            reset_masks(cell)

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:
        """Return the output of the last cell, and the next states of all."""
        next_states = []
        for cell, state in zip(self.cells, states, strict=True):
            inputs, next_state = cell(inputs, state, training=training)
            next_states.append(next_state)
        return inputs, next_states


def draw_masks(cell: Any, step: Any, states: Any) -> None:
    """Draw the dropout masks of a cell for all steps of a sequence, in training or not."""
    if isinstance(cell, StackedRNNCells):
        cell.draw_masks(step, states)
    elif isinstance(cell, _Cell):
        cell.get_dropout_mask(in_float(step, cell.compute_dtype))
        cell.get_recurrent_dropout_mask(_first(states))


def reset_masks(cell: Any) -> None:
    """Let the next sequence have new dropout masks."""
    if isinstance(cell, StackedRNNCells):
        cell.reset_masks()
    elif isinstance(cell, _Cell):
        cell.reset_dropout_mask()
        cell.reset_recurrent_dropout_mask()


def _first(states: Any) -> Any:
    return states[0] if isinstance(states, (list, tuple)) else states


def _masked_product(x: Any, kernel: Any, masks: Any) -> Any:
    """The product of a step and a kernel; several masks are those of the gates side by side."""
    if not masks or len(masks) == 1:
        return product(x * masks[0] if masks else x, kernel)
    matrix = kernel if isinstance(kernel, Tensor) else read(kernel)
    parts = _split(matrix, len(masks), axis=1)
    products = [product(x * mask, part) for mask, part in zip(masks, parts, strict=True)]
    return shape_ops.concat(products, 1)


def _plus(x: Any, bias: Any) -> Any:
    return x if bias is None else x + bias


def _split(x: Any, parts: Any, axis: int = 0) -> Any:
    return shape_ops.split(x, parts, axis=axis)
