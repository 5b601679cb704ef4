"""Optimizers whose step for a whole variable depends on its size: Lamb, Adafactor and Muon."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tapelab import linalg, math
from tapelab.array_ops.shape_ops import expand_dims
from tapelab.array_ops.value_ops import where
from tapelab.keras import backend
from tapelab.keras.class_settings import END, Setting, SettingGroup, setting
from tapelab.keras.optimizers.gradient_preparation import dense
from tapelab.keras.optimizers.optimizer import Optimizer


def _step_number(optimizer: Optimizer, dtype: Any) -> Any:
    done: Any = backend.convert_to_tensor(optimizer.iterations, dtype)
    return done + 1.0


class Lamb(Optimizer):
    """Adam with a step in proportion to the norm of each variable (You et al. 2020)."""

    rate = SettingGroup(learning_rate=Setting(0.001, in_config=False))
    beta_1: float = setting(0.9)
    beta_2: float = setting(0.999)
    epsilon: float = setting(1e-7)

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        return [("momentum",), ("velocity",)]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g = dense(gradient)
        t = _step_number(self, g.dtype)
        m, v = self.slot("momentum", variable), self.slot("velocity", variable)
        self.assign(m, m + (g - m) * (1.0 - self.beta_1))
        self.assign(v, v + (math.square(g) - v) * (1.0 - self.beta_2))
        mean = m / (1.0 - math.pow(self.beta_1, t))
        update = mean / (math.sqrt(v / (1.0 - math.pow(self.beta_2, t))) + self.epsilon)
        size, step = (
            math.sqrt(math.reduce_sum(math.square(x)))
            for x in (backend.convert_to_tensor(variable), update)
        )
        is_known = math.logical_and(size > 0.0, step > 0.0)
        ratio = where(is_known, math.divide_no_nan(size, step), 1.0)
        self.assign_sub(variable, ratio * learning_rate * update)


class Adafactor(Optimizer):
    """Adam that stores the sizes of a matrix by row and by column (Shazeer, Stern 2018)."""

    rate = SettingGroup(learning_rate=Setting(0.001, in_config=False))
    beta_2_decay: float = setting(-0.8)
    epsilon_1: float = setting(1e-30)
    epsilon_2: float = setting(1e-3)
    clip_threshold: float = setting(1.0)
    relative_step: bool = setting(True)

    def build(self, variables: Iterable[Any]) -> None:
        """Create the averages of rows, of columns and of elements."""
        if self.built:
            return
        super().build(variables)
        self._rows: list[Any] = []
        self._columns: list[Any] = []
        for variable in self._trainable_variables:
            shape = variable.shape.as_list()
            is_matrix = len(shape) > 1
            sizes = (shape[:-1], [*shape[:-2], shape[-1]]) if is_matrix else ((), ())
            for slots, size in zip((self._rows, self._columns), sizes, strict=True):
                kind, name = variable._cell.dtype.name, variable.name
                slots.append(self.add_variable(size, dtype=kind, name=name))
            velocity = self.add_variable_from_reference(variable, "velocity")
            self._slots.setdefault("velocity", []).append(velocity)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g = dense(gradient)
        t = _step_number(self, g.dtype)
        least = math.minimum(learning_rate, 1.0 / math.sqrt(t))
        size = _root_mean_square(backend.convert_to_tensor(variable))
        step = math.maximum(self.epsilon_2, size) * least
        squares = math.square(g) + self.epsilon_1
        share = 1.0 - math.pow(t, self.beta_2_decay)
        v, at = self.slot("velocity", variable), self.place(variable)
        row, column = self._rows[at], self._columns[at]
        if g.ndim < 2:
            self.assign(v, share * v + (1.0 - share) * squares)
        else:
            for slot, axis in ((row, -1), (column, -2)):
                mean = math.reduce_mean(squares, axis=axis)
                self.assign(slot, share * slot + (1.0 - share) * mean)
            weight: Any = row / math.reduce_mean(row, axis=-1, keepdims=True)
            self.assign(v, math.multiply(expand_dims(weight, -1), expand_dims(column, -2)))
        update = g / math.sqrt(v)
        limit = math.maximum(1.0, _root_mean_square(update) / self.clip_threshold)
        self.assign_sub(variable, step * update / limit)


def _root_mean_square(x: Any) -> Any:
    return math.sqrt(math.reduce_mean(math.square(x)))


class Muon(Optimizer):
    """Moves matrices by an orthogonal matrix near their momentum, other weights as AdamW does.

    Jordan et al. (2024). Embeddings, and layers whose path matches `exclude_layers`, are moved as
    AdamW does, too.
    """

    rate = SettingGroup(learning_rate=Setting(0.001, in_config=False))
    adam_beta_1: float = setting(0.9)
    adam_beta_2: float = setting(0.999)
    adam_weight_decay: float | None = setting(0.004)
    epsilon: float = setting(1e-7)
    weight_decay: float | None = setting(0.004)
    exclude_layers: Any = setting(None, before=END)
    exclude_embeddings: bool = setting(True, before=END)
    muon_a: float = setting(3.4445, before=END)
    muon_b: float = setting(-4.7750, before=END)
    muon_c: float = setting(2.0315, before=END)
    adam_lr_ratio: float = setting(1, before=END)
    momentum: float = setting(0.95, before=END)
    ns_steps: int = setting(5, before=END)
    nesterov: bool = setting(True, before=END)
    rms_rate: float | None = setting(0.2, before=END)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.exclude_layers = self.exclude_layers or []

    def _should_use_adamw(self, variable: Any) -> bool:
        path = getattr(variable, "path", variable.name)
        is_embedding = self.exclude_embeddings and "embedding" in path.lower()
        is_excluded = any(re.search(part, path) for part in self.exclude_layers)
        return len(variable.shape) != 2 or is_embedding or is_excluded

    def build(self, variables: Iterable[Any]) -> None:
        """Create the momentum of each variable, and the velocity of those moved as by Adam."""
        if self.built:
            return
        super().build(variables)
        self.momentums: list[Any] = []
        self.adam_velocities: list[Any] = []
        for variable in self._trainable_variables:
            self.momentums.append(self.add_variable_from_reference(variable, "momentum"))
            adam = self._should_use_adamw(variable)
            velocity = self.add_variable_from_reference(variable, "velocity") if adam else None
            self.adam_velocities.append(velocity)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        g, at = dense(gradient), self.place(variable)
        m, v = self.momentums[at], self.adam_velocities[at]
        if v is None:
            self.assign(m, m + (g + m * (self.momentum - 1.0)))
            ahead = g + self.momentum * m if self.nesterov else backend.convert_to_tensor(m)
            update = self.zeropower_via_newtonschulz5(ahead, self.ns_steps)
            self.assign_sub(variable, self.lr_adjust(learning_rate * update))
            return
        t = _step_number(self, g.dtype)
        unbiased = math.sqrt(1.0 - math.pow(self.adam_beta_2, t))
        rate = learning_rate * self.adam_lr_ratio * unbiased
        rate = rate / (1.0 - math.pow(self.adam_beta_1, t))
        self.assign(m, m + (g - m) * (1.0 - self.adam_beta_1))
        self.assign(v, v + (math.square(g) - v) * (1.0 - self.adam_beta_2))
        self.assign_sub(variable, m * rate / (math.sqrt(v) + self.epsilon))

    def transpose_last_axis(self, X: Any) -> Any:
        """Return matrices transposed."""
        return linalg.matrix_transpose(X)

    def lr_adjust(self, x: Any) -> Any:
        """Return an update scaled by the root of the longer side."""
        if self.rms_rate is None:
            return x
        longer = float(max(x.shape[0], x.shape[1]))
        return x * (longer**0.5 * self.rms_rate)

    def zeropower_via_newtonschulz5(self, x: Any, steps: int) -> Any:
        """Return an orthogonal matrix near x, by a fixed number of Newton-Schulz steps."""
        if len(x.shape) < 2:
            raise ValueError(
                "Expected gradient or momentum to have at least 2 dimensions. "
                f"Received: shape={x.shape}"
            )
        is_tall = x.shape[-2] > x.shape[-1]
        given = self.transpose_last_axis(x) if is_tall else x
        size = math.sqrt(math.reduce_sum(math.square(given), axis=[-2, -1], keepdims=True))
        near = given / (size + 1e-7)
        for _ in range(steps):
            square: Any = linalg.matmul(near, near, transpose_b=True)
            change: Any = self.muon_b * square + linalg.matmul(self.muon_c * square, square)
            near = self.muon_a * near + linalg.matmul(change, near)
        return self.transpose_last_axis(near) if is_tall else near

    def _apply_weight_decay(self, variables: list[Any]) -> None:
        adam = [each for each in variables if self._should_use_adamw(each)]
        super()._apply_weight_decay([v for v in variables if not self._should_use_adamw(v)])
        self._decay_weights(self.adam_weight_decay, adam)
