"""Optimizers that divide each step by the size of the gradients so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapelab import math
from tapelab.keras import initializers
from tapelab.keras.optimizers.gradients import dense, squared
from tapelab.keras.optimizers.optimizer import Optimizer


class RMSprop(Optimizer):
    """Divide the gradient by the root of a running mean of its square."""

    _settings = ("rho", "momentum", "epsilon", "centered")

    def __init__(
        self, learning_rate: Any = 0.001, rho: float = 0.9, momentum: float = 0.0,
        epsilon: float = 1e-7, centered: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **settings)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def build(self, variables: Iterable[Any]) -> None:
        """Make what the optimizer remembers of each variable."""
        if self.built:
            return
        super().build(variables)
        there = self._trainable_variables
        self._velocities = self.add_optimizer_variables(there, "velocity")
        moving = there if self.momentum > 0 else ()
        self._momentums = self.add_optimizer_variables(moving, "momentum")
        centred = there if self.centered else ()
        self._averages_of = self.add_optimizer_variables(centred, "average_gradient")

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable."""
        g = dense(gradient)
        place, rho = self.place(variable), self.rho
        velocity = self._velocities[place]
        self.assign(velocity, rho * velocity + (1 - rho) * squared(gradient))
        spread = velocity + self.epsilon
        if self.centered:
            mean = self._averages_of[place]
            self.assign(mean, rho * mean + (1 - rho) * g)
            spread = spread - math.square(mean + 0.0)
        step = learning_rate * g * math.rsqrt(spread)
        if self.momentum > 0:
            m = self._momentums[place]
            step = self.momentum * m + step
            self.assign(m, step)
        self.assign_sub(variable, step)


class Adagrad(Optimizer):
    """Divide the gradient by the root of the sum of all its squares."""

    _settings = ("initial_accumulator_value", "epsilon")

    def __init__(
        self, learning_rate: Any = 0.001, initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7, **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **settings)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def build(self, variables: Iterable[Any]) -> None:
        """Make what the optimizer remembers of each variable."""
        if self.built:
            return
        super().build(variables)
        start = initializers.Constant(self.initial_accumulator_value)
        self._accumulators = self.add_optimizer_variables(
            self._trainable_variables, "accumulator", start
        )

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable."""
        g = dense(gradient)
        total = self._accumulators[self.place(variable)]
        self.assign(total, total + squared(gradient))
        self.assign_sub(variable, learning_rate * g / math.sqrt(total + self.epsilon))


class Adadelta(Optimizer):
    """Divide the gradient by its running size, and multiply it by that of the steps."""

    _settings = ("rho", "epsilon")

    def __init__(
        self, learning_rate: Any = 0.001, rho: float = 0.95, epsilon: float = 1e-7,
        **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **settings)
        self.rho, self.epsilon = rho, epsilon

    def build(self, variables: Iterable[Any]) -> None:
        """Make what the optimizer remembers of each variable."""
        if self.built:
            return
        super().build(variables)
        there = self._trainable_variables
        self._gradients = self.add_optimizer_variables(there, "accumulated_grad")
        self._steps = self.add_optimizer_variables(there, "accumulated_delta_var")

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable."""
        g = dense(gradient)
        place, rho = self.place(variable), self.rho
        slopes, steps = self._gradients[place], self._steps[place]
        self.assign(slopes, rho * slopes + (1 - rho) * squared(gradient))
        ratio = math.sqrt(steps + self.epsilon) / math.sqrt(slopes + self.epsilon)
        length = math.square(ratio) * squared(gradient)
        self.assign(steps, rho * steps + (1 - rho) * length)
        self.assign_sub(variable, learning_rate * ratio * g)
