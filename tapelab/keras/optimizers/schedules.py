"""`tf.keras.optimizers.schedules`: learning rates that change from step to step."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab import math
from tapelab.array_ops.value_ops import where
from tapelab.keras import backend
from tapelab.keras.class_settings import END, Configured, setting
from tapelab.keras.serialization import deserialized, serialized
from tapelab.namespace.missing_names import in_module


def _float(value: Any) -> Any:
    return backend.convert_to_tensor(value, "float32")


class LearningRateSchedule(Configured):
    """A learning rate that depends on the step. A subclass writes `__call__(self, step)`."""

    def __call__(self, step: Any) -> Any:
        """Return the learning rate of a step, a float32 scalar."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )


class _Schedule(LearningRateSchedule):
    """Converts the step for `_rate` of a subclass."""

    name: str = setting("")
    _subclass_settings_before = "name"

    def __call__(self, step: Any) -> Any:
        """Return the learning rate of a step, a float32 scalar."""
        return self._rate(_float(step))

    def _rate(self, step: Any) -> Any:
        raise NotImplementedError


class _Decay(_Schedule):
    """A schedule that starts at a rate and decays over a number of steps."""

    initial_learning_rate: Any = setting()
    decay_steps: Any = setting()

    def __post_init__(self) -> None:
        _require_positive(self.decay_steps)


class _RateDecay(_Decay):
    """A decay by a rate per `decay_steps`, smoothly or in a staircase."""

    decay_rate: Any = setting(before="name")
    staircase: bool = setting(False)

    def _periods(self, step: Any) -> Any:
        """The number of decay periods up to a step."""
        share: Any = step / _float(self.decay_steps)
        return math.floor(share) if self.staircase else share


class ExponentialDecay(_RateDecay):
    """Multiplies by a rate per period: `initial · rate^(step / decay_steps)`."""

    name: str = setting("ExponentialDecay")

    def _rate(self, step: Any) -> Any:
        factor = math.pow(_float(self.decay_rate), self._periods(step))
        return _float(self.initial_learning_rate) * factor


class InverseTimeDecay(_RateDecay):
    """Divides by a linear function of the step: `initial / (1 + rate · step / decay_steps)`."""

    name: str = setting("InverseTimeDecay")

    def _rate(self, step: Any) -> Any:
        periods = self._periods(step)
        return _float(self.initial_learning_rate) / (1.0 + _float(self.decay_rate) * periods)


class PiecewiseConstantDecay(_Schedule):
    """Keeps one rate up to each boundary, and another one after the last."""

    boundaries: Any = setting()
    values: Any = setting()
    name: str = setting("PiecewiseConstant")

    def __post_init__(self) -> None:
        boundaries, values = self.boundaries, self.values
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of "
                f"length {len(values)}."
            )

    def _rate(self, step: Any) -> Any:
        rate = _float(self.values[0])
        for boundary, value in zip(self.boundaries, self.values[1:], strict=True):
            rate = where(math.greater(step, _float(boundary)), _float(value), rate)
        return rate


class PolynomialDecay(_Decay):
    """Falls to an end rate along a power of the remaining steps; `cycle` starts it again."""

    end_learning_rate: Any = setting(0.0001)
    power: Any = setting(1.0)
    cycle: bool = setting(False)
    name: str = setting("PolynomialDecay")

    def _rate(self, step: Any) -> Any:
        length = _float(self.decay_steps)
        if self.cycle:
            length = length * math.maximum(math.ceil(step / length), 1.0)
        else:
            step = math.minimum(step, length)
        start, end = _float(self.initial_learning_rate), _float(self.end_learning_rate)
        return (start - end) * math.pow(1.0 - step / length, _float(self.power)) + end


class CosineDecay(_Decay):
    """Falls along half a cosine wave, after an optional linear warm-up (Loshchilov, Hutter 2017).

    `alpha` is the final rate as a share of the first.
    """

    alpha: Any = setting(0.0)
    name: str = setting("CosineDecay")
    warmup_target: Any = setting(None, before=END)
    warmup_steps: Any = setting(0, before=END)

    def _rate(self, step: Any) -> Any:
        start = _float(self.initial_learning_rate)
        if self.warmup_target is None:
            return self._decayed(step, start)
        peak, warmup = _float(self.warmup_target), _float(self.warmup_steps)
        warming = start + (peak - start) * math.divide_no_nan(step, warmup)
        return where(math.less(step, warmup), warming, self._decayed(step - warmup, peak))

    def _decayed(self, step: Any, start: Any) -> Any:
        share = math.minimum(step / _float(self.decay_steps), 1.0)
        wave = 0.5 * (1.0 + math.cos(np.float32(np.pi) * share))
        return start * ((1.0 - self.alpha) * wave + self.alpha)


class CosineDecayRestarts(_Schedule):
    """Falls along half a cosine wave again and again (Loshchilov, Hutter 2017).

    Each period is `t_mul` times as long as the last, and starts `m_mul` times as high.
    """

    initial_learning_rate: Any = setting()
    first_decay_steps: Any = setting()
    t_mul: Any = setting(2.0)
    m_mul: Any = setting(1.0)
    alpha: Any = setting(0.0)
    name: str = setting("SGDRDecay")

    def __post_init__(self) -> None:
        _require_positive(self.first_decay_steps)

    def _rate(self, step: Any) -> Any:
        left, length, height = float(step), float(self.first_decay_steps), 1.0
        while left >= length:
            left, length, height = left - length, length * self.t_mul, height * self.m_mul
        wave = 0.5 * height * (1.0 + np.cos(np.pi * left / length))
        return _float(self.initial_learning_rate) * _float((1 - self.alpha) * wave + self.alpha)


def _require_positive(steps: Any) -> None:
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
