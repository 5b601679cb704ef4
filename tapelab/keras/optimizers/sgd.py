"""Gradient descent: SGD with momentum, and Lion, which follows the sign of an average."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapelab import math
from tapelab.keras.class_settings import Setting, SettingGroup, setting
from tapelab.keras.optimizers.gradient_preparation import dense
from tapelab.keras.optimizers.optimizer import Optimizer


class SGD(Optimizer):
    """Moves against the gradient; momentum adds a share of the last update."""

    rate = SettingGroup(learning_rate=Setting(0.01, in_config=False))
    momentum: float = setting(0.0)
    nesterov: bool = setting(False)

    def __post_init__(self) -> None:
        if not isinstance(self.momentum, (int, float)) or not 0 <= self.momentum <= 1:
            raise ValueError("`momentum` must be a float between [0, 1].")

    @property
    def momentums(self) -> list[Any]:
        """The last updates of the variables; empty without momentum."""
        return self._slots.get("momentum", [])

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        return [("momentum",)] if self.momentum else []

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        gradient = dense(gradient)
        if not self.momentums:
            self.assign_sub(variable, gradient * learning_rate)
            return
        m = self.slot("momentum", variable)
        step = self.momentum * m - gradient * learning_rate
        self.assign(m, step)
        self.assign_add(
            variable, self.momentum * step - gradient * learning_rate if self.nesterov else step
        )


class Lion(Optimizer):
    """Moves every element by the same amount, against the sign of an average (Chen et al. 2023)."""

    rate = SettingGroup(learning_rate=Setting(0.001, in_config=False))
    beta_1: float = setting(0.9)
    beta_2: float = setting(0.99)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.beta_1 <= 1:
            raise ValueError(
                "Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer "
                f"degenerates to SignSGD. Received: beta_1={self.beta_1}."
            )

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        return [("momentum",)]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        gradient, m = dense(gradient), self.slot("momentum", variable)
        direction = math.sign(m * self.beta_1 + gradient * (1.0 - self.beta_1))
        self.assign_sub(variable, learning_rate * direction)
        self.assign(m, m * self.beta_2 + gradient * (1.0 - self.beta_2))
