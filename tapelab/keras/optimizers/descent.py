"""Optimizers that go against the gradient, with or without momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapelab import math
from tapelab.array_ops.value_ops import clip_by_value
from tapelab.keras import initializers
from tapelab.keras.optimizers.gradients import dense, squared
from tapelab.keras.optimizers.optimizer import Optimizer


class SGD(Optimizer):
    """Go against the gradient; momentum keeps a part of the last step."""

    _settings = ("momentum", "nesterov")

    def __init__(
        self, learning_rate: Any = 0.01, momentum: float = 0.0, nesterov: bool = False,
        **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **settings)
        if not isinstance(momentum, (int, float)) or not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be a float between [0, 1].")
        self.momentum, self.nesterov = momentum, nesterov
        self.momentums: list[Any] = []

    def build(self, variables: Iterable[Any]) -> None:
        """Make what the optimizer remembers of each variable."""
        if self.built:
            return
        super().build(variables)
        if self.momentum:
            self.momentums = self.add_optimizer_variables(self._trainable_variables, "momentum")

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable."""
        gradient = dense(gradient)
        if not self.momentums:
            self.assign_sub(variable, gradient * learning_rate)
            return
        m = self.momentums[self.place(variable)]
        step = self.momentum * m - gradient * learning_rate
        self.assign(m, step)
        self.assign_add(
            variable, self.momentum * step - gradient * learning_rate if self.nesterov else step
        )


class Lion(Optimizer):
    """Go by the sign of a mean of gradients: each entry moves equally far."""

    _settings = ("beta_1", "beta_2")

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.99,
        **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **settings)
        self.beta_1, self.beta_2 = beta_1, beta_2

    def build(self, variables: Iterable[Any]) -> None:
        """Make what the optimizer remembers of each variable."""
        if self.built:
            return
        super().build(variables)
        self._momentums = self.add_optimizer_variables(self._trainable_variables, "momentum")

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable."""
        gradient, m = dense(gradient), self._momentums[self.place(variable)]
        direction = math.sign(m * self.beta_1 + gradient * (1.0 - self.beta_1))
        self.assign_sub(variable, learning_rate * direction)
        self.assign(m, m * self.beta_2 + gradient * (1.0 - self.beta_2))


class Ftrl(Optimizer):
    """Follow the leader of all steps so far, held back by regularization."""

    _settings = (
        "learning_rate_power", "initial_accumulator_value", "l1_regularization_strength",
        "l2_regularization_strength", "l2_shrinkage_regularization_strength", "beta",
    )  # fmt: skip

    def __init__(
        self, learning_rate: Any = 0.001, learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1, l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0, beta: float = 0.0, **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **settings)
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta

    def build(self, variables: Iterable[Any]) -> None:
        """Make what the optimizer remembers of each variable."""
        if self.built:
            return
        super().build(variables)
        start = initializers.Constant(self.initial_accumulator_value)
        self._accumulators, self._linears = [], []
        for each in self._trainable_variables:
            self._accumulators.append(self.add_variable_from_reference(each, "accumulator", start))
            self._linears.append(self.add_variable_from_reference(each, "linear"))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable."""
        g, place = dense(gradient), self.place(variable)
        accumulator, linear = self._accumulators[place], self._linears[place]
        shrunk = g + 2.0 * self.l2_shrinkage_regularization_strength * variable
        total = accumulator + squared(gradient)
        power = -self.learning_rate_power
        growth = math.pow(total, power) - math.pow(accumulator + 0.0, power)
        self.assign_add(linear, shrunk - growth / learning_rate * variable)
        l2 = self.l2_regularization_strength + self.beta / (2.0 * learning_rate)
        curve = math.pow(total, power) / learning_rate + 2.0 * l2
        l1 = self.l1_regularization_strength
        self.assign(variable, (clip_by_value(linear + 0.0, -l1, l1) - linear) / curve)
        self.assign(accumulator, total)
