"""Adaptive learning rates: the update is divided by the size of earlier gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapelab import math
from tapelab.array_ops.value_ops import clip_by_value
from tapelab.keras import initializers
from tapelab.keras.class_settings import Setting, SettingGroup, setting
from tapelab.keras.optimizers.gradient_preparation import dense, squared
from tapelab.keras.optimizers.optimizer import Optimizer


class _AdaptiveOptimizer(Optimizer):
    rate = SettingGroup(learning_rate=Setting(0.001, in_config=False))


class RMSprop(_AdaptiveOptimizer):
    """Divides the gradient by the root of the moving average of its square (Hinton 2012)."""

    rho: float = setting(0.9)
    momentum: float = setting(0.0)
    epsilon: float = setting(1e-7)
    centered: bool = setting(False)

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        yield ("velocity",)
        if self.momentum > 0:
            yield ("momentum",)
        if self.centered:
            yield ("average_gradient",)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g, rho = dense(gradient), self.rho
        velocity = self.slot("velocity", variable)
        self.assign(velocity, rho * velocity + (1 - rho) * squared(gradient))
        variance = velocity + self.epsilon
        if self.centered:
            mean = self.slot("average_gradient", variable)
            self.assign(mean, rho * mean + (1 - rho) * g)
            variance = variance - math.square(mean + 0.0)
        step = learning_rate * g * math.rsqrt(variance)
        if self.momentum > 0:
            m = self.slot("momentum", variable)
            step = self.momentum * m + step
            self.assign(m, step)
        self.assign_sub(variable, step)


class Adagrad(_AdaptiveOptimizer):
    """Divides the gradient by the root of the sum of all its squares (Duchi et al. 2011)."""

    initial_accumulator_value: float = setting(0.1)
    epsilon: float = setting(1e-7)

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        return [("accumulator",)]

    def _initial_value(self, slot: str) -> Any:
        return initializers.Constant(self.initial_accumulator_value)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g = dense(gradient)
        total = self.slot("accumulator", variable)
        self.assign(total, total + squared(gradient))
        self.assign_sub(variable, learning_rate * g / math.sqrt(total + self.epsilon))


class Adadelta(_AdaptiveOptimizer):
    """Divides by the size of the gradients and multiplies by that of the updates (Zeiler 2012)."""

    rho: float = setting(0.95)
    epsilon: float = setting(1e-7)

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        return [("accumulated_grad", "accumulated_delta_var")]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g, rho = dense(gradient), self.rho
        gradients = self.slot("accumulated_grad", variable)
        updates = self.slot("accumulated_delta_var", variable)
        self.assign(gradients, rho * gradients + (1 - rho) * squared(gradient))
        ratio = math.sqrt(updates + self.epsilon) / math.sqrt(gradients + self.epsilon)
        size = math.square(ratio) * squared(gradient)
        self.assign(updates, rho * updates + (1 - rho) * size)
        self.assign_sub(variable, learning_rate * ratio * g)


class Ftrl(_AdaptiveOptimizer):
    """Follows the regularized leader: the best weights for all gradients (McMahan et al. 2013)."""

    learning_rate_power: float = setting(-0.5)
    initial_accumulator_value: float = setting(0.1)
    l1_regularization_strength: float = setting(0.0)
    l2_regularization_strength: float = setting(0.0)
    l2_shrinkage_regularization_strength: float = setting(0.0)
    beta: float = setting(0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in (
            "initial_accumulator_value", "l1_regularization_strength", "l2_regularization_strength",
            "l2_shrinkage_regularization_strength",
        ):  # fmt: skip
            value = getattr(self, name)
            if value < 0.0:
                raise ValueError(
                    f"`{name}` needs to be positive or zero. Received: {name}={value}."
                )
        if self.learning_rate_power > 0.0:
            raise ValueError(
                "`learning_rate_power` needs to be negative or zero. Received: "
                f"learning_rate_power={self.learning_rate_power}."
            )

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        return [("accumulator", "linear")]

    def _initial_value(self, slot: str) -> Any:
        start = self.initial_accumulator_value if slot == "accumulator" else 0.0
        return initializers.Constant(start)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g = dense(gradient)
        accumulator, linear = self.slot("accumulator", variable), self.slot("linear", variable)
        shrunk = g + 2.0 * self.l2_shrinkage_regularization_strength * variable
        total = accumulator + squared(gradient)
        power = -self.learning_rate_power
        growth = math.pow(total, power) - math.pow(accumulator + 0.0, power)
        self.assign_add(linear, shrunk - growth / learning_rate * variable)
        l2 = self.l2_regularization_strength + self.beta / (2.0 * learning_rate)
        curvature = math.pow(total, power) / learning_rate + 2.0 * l2
        l1 = self.l1_regularization_strength
        self.assign(variable, (clip_by_value(linear + 0.0, -l1, l1) - linear) / curvature)
        self.assign(accumulator, total)
