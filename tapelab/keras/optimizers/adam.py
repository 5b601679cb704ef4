"""Adam and its kin: a running mean of the gradients, divided by a running size of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapelab import math
from tapelab.keras import backend
from tapelab.keras.optimizers.gradients import dense, squared
from tapelab.keras.optimizers.optimizer import Optimizer


class _WithMoments(Optimizer):
    """Remembers a running mean of the gradients and of their size."""

    size_name = "velocity"

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.999,
        epsilon: float = 1e-7, **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **settings)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def build(self, variables: Iterable[Any]) -> None:
        """Make what the optimizer remembers of each variable."""
        if self.built:
            return
        super().build(variables)
        self._momentums, self._sizes = [], []
        for each in self._trainable_variables:
            self._momentums.append(self.add_variable_from_reference(each, "momentum"))
            self._sizes.append(self.add_variable_from_reference(each, self.size_name))

    def step_number(self, dtype: Any) -> Any:
        """The number of the present step, from 1."""
        done: Any = backend.convert_to_tensor(self.iterations, dtype)
        return done + 1.0


def power(share: float, t: Any) -> Any:
    """A share to a power of the step; as in Keras it is rounded to float32, also for doubles."""
    return math.pow(float(np.float32(share)), t)


class Adam(_WithMoments):
    """Go by the mean of the gradients, each entry divided by its usual size."""

    _settings = ("beta_1", "beta_2", "epsilon", "amsgrad")

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.999,
        epsilon: float = 1e-7, amsgrad: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **settings)
        self.amsgrad = amsgrad

    def build(self, variables: Iterable[Any]) -> None:
        """Make what the optimizer remembers of each variable."""
        if self.built:
            return
        super().build(variables)
        largest = self._trainable_variables if self.amsgrad else ()
        self._largest = self.add_optimizer_variables(largest, "velocity_hat")

    def before_step(self) -> None:
        """Find out how much the means lack, since they began at 0; once for all variables."""
        doubles = any(each.dtype == "float64" for each in self._momentums)
        t = self.step_number("float64" if doubles else "float32")
        lacking = math.sqrt(1.0 - power(self.beta_2, t)), 1.0 - power(self.beta_1, t)
        self._unbiased = lacking[0] / lacking[1]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable."""
        g, place = dense(gradient), self.place(variable)
        m, v = self._momentums[place], self._sizes[place]
        mean = m + (g - m) * (1.0 - self.beta_1)
        size = v + (squared(gradient) - v) * (1.0 - self.beta_2)
        self.assign(m, mean)
        self.assign(v, size)
        if self.amsgrad:
            largest = self._largest[place]
            size = math.maximum(backend.convert_to_tensor(largest), size)
            self.assign(largest, size)
        rate = learning_rate * backend.convert_to_tensor(self._unbiased, g.dtype)
        self.assign_sub(variable, mean * rate / (math.sqrt(size) + self.epsilon))


class AdamW(Adam):
    """Adam whose weights shrink a little in each step, apart from the gradient."""

    def __init__(
        self, learning_rate: Any = 0.001, weight_decay: float | None = 0.004,
        beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7, amsgrad: bool = False,
        **settings: Any,
    ) -> None:  # fmt: skip
        if weight_decay is None:
            raise ValueError("Argument `weight_decay` must be a float. Received: weight_decay=None")
        super().__init__(
            learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay=weight_decay, **settings
        )


class Adamax(_WithMoments):
    """Adam that divides by the largest size of late instead of the mean one."""

    _settings = ("beta_1", "beta_2", "epsilon")
    size_name = "norm"

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable."""
        g = dense(gradient)
        place, t = self.place(variable), self.step_number(g.dtype)
        m, u = self._momentums[place], self._sizes[place]
        self.assign(m, m + (g - m) * (1.0 - self.beta_1))
        self.assign(u, math.maximum(self.beta_2 * u, math.abs(g)))
        unbiased = learning_rate / (1.0 - power(self.beta_1, t))
        self.assign_sub(variable, unbiased * m / (u + self.epsilon))


class Nadam(_WithMoments):
    """Adam that looks one step of momentum ahead."""

    _settings = ("beta_1", "beta_2", "epsilon")

    def build(self, variables: Iterable[Any]) -> None:
        """Make what the optimizer remembers of each variable."""
        if self.built:
            return
        super().build(variables)
        self._product = self._own_variable("variable", 1.0, backend.floatx())

    def before_step(self) -> None:
        """Take the momentum of this step into the product of all."""
        self._product.assign(
            self._product * self._momentum_at(self.step_number(self._product.dtype))
        )

    def _momentum_at(self, t: Any) -> Any:
        return self.beta_1 * (1.0 - 0.5 * power(0.96, t))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable."""
        g = dense(gradient)
        place, t = self.place(variable), self.step_number(g.dtype)
        m, v = self._momentums[place], self._sizes[place]
        now, ahead = self._momentum_at(t), self._momentum_at(t + 1.0)
        product: Any = backend.convert_to_tensor(self._product, g.dtype)
        self.assign(m, m + (g - m) * (1.0 - self.beta_1))
        self.assign(v, v + (squared(gradient) - v) * (1.0 - self.beta_2))
        mean = ahead * m / (1.0 - product * ahead) + (1.0 - now) * g / (1.0 - product)
        size = v / (1.0 - power(self.beta_2, t))
        self.assign_sub(variable, mean * learning_rate / (math.sqrt(size) + self.epsilon))
