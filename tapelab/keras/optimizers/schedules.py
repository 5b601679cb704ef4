"""`tf.keras.optimizers.schedules`: learning rates that change from step to step."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab import math
from tapelab.array_ops.value_ops import where
from tapelab.keras import backend
from tapelab.keras.serialization import Configured, deserialized, serialized
from tapelab.namespace.missing_names import in_module


def _float(value: Any) -> Any:
    return backend.convert_to_tensor(value, "float32")


class LearningRateSchedule(Configured):
    """A learning rate that depends on the step. A subclass writes `__call__(self, step)`."""

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )


class ExponentialDecay(LearningRateSchedule):
    """Multiply by a rate for every so many steps, smoothly or in stairs."""

    _settings = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, decay_rate: Any,
        staircase: bool = False, name: str = "ExponentialDecay",
    ) -> None:  # fmt: skip
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase, self.name = decay_rate, staircase, name
        _require_steps(decay_steps)

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        rounds = _rounds(step, self.decay_steps, stairs=self.staircase)
        return _float(self.initial_learning_rate) * math.pow(_float(self.decay_rate), rounds)


class InverseTimeDecay(LearningRateSchedule):
    """Divide by one plus a rate times the steps, smoothly or in stairs."""

    _settings = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, decay_rate: Any,
        staircase: bool = False, name: str = "InverseTimeDecay",
    ) -> None:  # fmt: skip
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase, self.name = decay_rate, staircase, name
        _require_steps(decay_steps)

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        rounds = _rounds(step, self.decay_steps, stairs=self.staircase)
        return _float(self.initial_learning_rate) / (1.0 + _float(self.decay_rate) * rounds)


class PiecewiseConstantDecay(LearningRateSchedule):
    """One learning rate up to each boundary, and another after the last."""

    _settings = ("boundaries", "values", "name")

    def __init__(self, boundaries: Any, values: Any, name: str = "PiecewiseConstant") -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of "
                f"length {len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        at = _float(step)
        rate = _float(self.values[0])
        for boundary, value in zip(self.boundaries, self.values[1:], strict=True):
            rate = where(math.greater(at, _float(boundary)), _float(value), rate)
        return rate


class PolynomialDecay(LearningRateSchedule):
    """Sink to an end along a power of the steps that are left."""

    _settings = (
        "initial_learning_rate", "decay_steps", "end_learning_rate", "power", "cycle", "name",
    )  # fmt: skip

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, end_learning_rate: Any = 0.0001,
        power: Any = 1.0, cycle: bool = False, name: str = "PolynomialDecay",
    ) -> None:  # fmt: skip
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power = end_learning_rate, power
        self.cycle, self.name = cycle, name
        _require_steps(decay_steps)

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        at, length = _float(step), _float(self.decay_steps)
        if self.cycle:
            length = length * math.maximum(math.ceil(at / length), 1.0)
        else:
            at = math.minimum(at, length)
        start, end = _float(self.initial_learning_rate), _float(self.end_learning_rate)
        return (start - end) * math.pow(1.0 - at / length, _float(self.power)) + end


class CosineDecay(LearningRateSchedule):
    """Sink along half a wave of the cosine, after an optional rise at the beginning."""

    _settings = (
        "initial_learning_rate", "decay_steps", "alpha", "name", "warmup_target", "warmup_steps",
    )  # fmt: skip

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, alpha: Any = 0.0,
        name: str = "CosineDecay", warmup_target: Any = None, warmup_steps: Any = 0,
    ) -> None:  # fmt: skip
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.alpha, self.name = alpha, name
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps
        _require_steps(decay_steps)

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        at, start = _float(step), _float(self.initial_learning_rate)
        if self.warmup_target is None:
            return self._sunk(at, start)
        top, rise = _float(self.warmup_target), _float(self.warmup_steps)
        risen = start + (top - start) * math.divide_no_nan(at, rise)
        return where(math.less(at, rise), risen, self._sunk(at - rise, top))

    def _sunk(self, at: Any, start: Any) -> Any:
        share = math.minimum(at / _float(self.decay_steps), 1.0)
        wave = 0.5 * (1.0 + math.cos(np.float32(np.pi) * share))
        return start * ((1.0 - self.alpha) * wave + self.alpha)


class CosineDecayRestarts(LearningRateSchedule):
    """Sink along half a wave of the cosine, again and again, each time longer and lower."""

    _settings = ("initial_learning_rate", "first_decay_steps", "t_mul", "m_mul", "alpha", "name")

    def __init__(
        self, initial_learning_rate: Any, first_decay_steps: Any, t_mul: Any = 2.0,
        m_mul: Any = 1.0, alpha: Any = 0.0, name: str = "SGDRDecay",
    ) -> None:  # fmt: skip
        self.initial_learning_rate, self.first_decay_steps = (
            initial_learning_rate,
            first_decay_steps,
        )
        self.t_mul, self.m_mul, self.alpha, self.name = t_mul, m_mul, alpha, name
        _require_steps(first_decay_steps)

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        left, length, height = float(_float(step)), float(self.first_decay_steps), 1.0
        while left >= length:
            left, length, height = left - length, length * self.t_mul, height * self.m_mul
        wave = 0.5 * height * (1.0 + np.cos(np.pi * left / length))
        return _float(self.initial_learning_rate) * _float((1 - self.alpha) * wave + self.alpha)


def _rounds(step: Any, decay_steps: Any, *, stairs: bool) -> Any:
    share: Any = _float(step) / _float(decay_steps)
    return math.floor(share) if stairs else share


def _require_steps(steps: Any) -> None:
    if steps <= 0:
        raise ValueError(f"Argument `decay_steps` must be > 0. Received: decay_steps={steps}")


_CLASSES: Final = {
    each.__name__: each
    for each in (
        ExponentialDecay, InverseTimeDecay, PiecewiseConstantDecay, PolynomialDecay, CosineDecay,
        CosineDecayRestarts,
    )
}  # fmt: skip


def serialize(learning_rate_schedule: Any) -> Any:
    """A schedule as plain data."""
    return {
        **serialized(learning_rate_schedule),
        "module": "keras.optimizers.schedules",
    }


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The schedule that `serialize` wrote down."""
    return deserialized(config, {**_CLASSES, **(custom_objects or {})})


__getattr__, __dir__ = in_module(__name__)
