"""AdamW without a schedule: it evaluates gradients between the fast point and its average."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapelab import math
from tapelab.keras import backend
from tapelab.keras.class_settings import Setting, SettingGroup, setting
from tapelab.keras.optimizers.gradient_preparation import dense
from tapelab.keras.optimizers.optimizer import Optimizer


class ScheduleFreeAdamW(Optimizer):
    """AdamW whose averaged weights need no schedule of the learning rate (Defazio et al. 2024)."""

    rate = SettingGroup(learning_rate=Setting(0.0025, in_config=False))
    beta_1: float = setting(0.9)
    beta_2: float = setting(0.999)
    epsilon: float = setting(1e-8)
    warmup_steps: int = setting(0)

    def build(self, variables: Iterable[Any]) -> None:
        """Create the slots; the fast point begins at each variable."""
        if self.built:
            return
        super().build(variables)
        for variable in self._trainable_variables:
            self.assign(self.slot("momentum", variable), backend.convert_to_tensor(variable))

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        return [("momentum", "velocity")]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g: Any = dense(gradient)
        done: Any = backend.convert_to_tensor(self.iterations, g.dtype)
        t = done + 1.0
        rate = learning_rate
        if self.warmup_steps > 0:
            rate = rate * math.minimum(t / float(self.warmup_steps), 1.0)
        fast, v = self.slot("momentum", variable), self.slot("velocity", variable)
        self.assign(v, v + (math.square(g) - v) * (1.0 - self.beta_2))
        size = math.sqrt(v / (1.0 - math.pow(self.beta_2, t))) + self.epsilon
        self.assign(fast, fast - rate * g / size)
        here: Any = backend.convert_to_tensor(variable)
        average = (here - (1.0 - self.beta_1) * fast) / self.beta_1  # as Keras: the new fast point
        average = (1.0 - 1.0 / t) * average + fast / t
        self.assign(variable, (1.0 - self.beta_1) * fast + self.beta_1 * average)
