"""Adam and its variants: moving averages of the gradients and of their size.

Kingma and Ba (2015). An update is the average gradient divided by the root of the average square.
Both averages start at 0, so they are divided by `1 - beta^t` at step t to remove that bias.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapelab import math
from tapelab.keras import backend
from tapelab.keras.class_settings import Setting, SettingGroup, setting
from tapelab.keras.optimizers.gradient_preparation import dense, squared
from tapelab.keras.optimizers.optimizer import Optimizer
from tapelab.keras.variables import Variable


def power(share: float, t: Any) -> Any:
    """Return a share to the power of the step; rounded to float32 as in Keras, also for doubles."""
    return math.pow(float(np.float32(share)), t)


class _MomentOptimizer(Optimizer):
    """Keeps moving averages of the gradients ("momentum") and of their size."""

    rate = SettingGroup(learning_rate=Setting(0.001, in_config=False))
    beta_1: float = setting(0.9)
    beta_2: float = setting(0.999)
    epsilon: float = setting(1e-7)
    size_slot = "velocity"

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        return [("momentum", self.size_slot)]

    def _moments(self, variable: Any) -> tuple[Variable, Variable]:
        return self.slot("momentum", variable), self.slot(self.size_slot, variable)

    def step_number(self, dtype: Any) -> Any:
        """Return the number of the current step, from 1."""
        done: Any = backend.convert_to_tensor(self.iterations, dtype)
        return done + 1.0


class Adam(_MomentOptimizer):
    """Divides the average gradient by its root mean square, element by element."""

    amsgrad: bool = setting(False)

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        return [*super()._slot_names(), *([("velocity_hat",)] if self.amsgrad else [])]

    def before_step(self) -> None:
        """Compute the factor that removes the bias of both averages."""
        has_doubles = any(slot.dtype == "float64" for slot in self._slots["momentum"])
        t = self.step_number("float64" if has_doubles else "float32")
        self._correction = math.sqrt(1.0 - power(self.beta_2, t)) / (1.0 - power(self.beta_1, t))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g = dense(gradient)
        m, v = self._moments(variable)
        mean = m + (g - m) * (1.0 - self.beta_1)
        size = v + (squared(gradient) - v) * (1.0 - self.beta_2)
        self.assign(m, mean)
        self.assign(v, size)
        if self.amsgrad:
            largest = self.slot("velocity_hat", variable)
            size = math.maximum(backend.convert_to_tensor(largest), size)
            self.assign(largest, size)
        rate = learning_rate * backend.convert_to_tensor(self._correction, g.dtype)
        self.assign_sub(variable, mean * rate / (math.sqrt(size) + self.epsilon))


class AdamW(Adam):
    """Adam with weight decay that is independent of the gradient (Loshchilov, Hutter 2019)."""

    weight_decay: float | None = setting(0.004, before="beta_1")

    def __post_init__(self) -> None:
        if self.weight_decay is None:
            raise ValueError("Argument `weight_decay` must be a float. Received: weight_decay=None")


class Adamax(_MomentOptimizer):
    """Adam with the decaying maximum of the gradients as their size."""

    size_slot = "norm"

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g = dense(gradient)
        t = self.step_number(g.dtype)
        m, u = self._moments(variable)
        self.assign(m, m + (g - m) * (1.0 - self.beta_1))
        self.assign(u, math.maximum(self.beta_2 * u, math.abs(g)))
        unbiased = learning_rate / (1.0 - power(self.beta_1, t))
        self.assign_sub(variable, unbiased * m / (u + self.epsilon))


class Nadam(_MomentOptimizer):
    """Adam with Nesterov momentum (Dozat 2016)."""

    def build(self, variables: Iterable[Any]) -> None:
        """Create the slots, and the product of all momentum factors."""
        if self.built:
            return
        super().build(variables)
        self._u_product = self._own_variable("variable", 1.0, backend.floatx())

    def before_step(self) -> None:
        """Multiply the product by the momentum factor of the step."""
        t = self.step_number(self._u_product.dtype)
        self._u_product.assign(self._u_product * self._momentum_at(t))

    def _momentum_at(self, t: Any) -> Any:
        return self.beta_1 * (1.0 - 0.5 * power(0.96, t))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g = dense(gradient)
        t = self.step_number(g.dtype)
        m, v = self._moments(variable)
        now, ahead = self._momentum_at(t), self._momentum_at(t + 1.0)
        product: Any = backend.convert_to_tensor(self._u_product, g.dtype)
        self.assign(m, m + (g - m) * (1.0 - self.beta_1))
        self.assign(v, v + (squared(gradient) - v) * (1.0 - self.beta_2))
        mean = ahead * m / (1.0 - product * ahead) + (1.0 - now) * g / (1.0 - product)
        size = v / (1.0 - power(self.beta_2, t))
        self.assign_sub(variable, mean * learning_rate / (math.sqrt(size) + self.epsilon))
