"""Loss scaling: small gradients of half precision do not underflow to zero.

The loss is multiplied by a scale before the backward pass, the gradients are divided by it before
the step. A step whose gradients are not finite is skipped, and halves the scale; many finite steps
in a row double it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapelab import math
from tapelab.array_ops.shape_ops import stack
from tapelab.control_flow import cond
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.keras import backend, name_scopes
from tapelab.keras.optimizers.optimizer import Optimizer
from tapelab.keras.serialization import deserialize_keras_object, serialize_keras_object
from tapelab.keras.variables import Variable


class LossScaleOptimizer(Optimizer):
    """Scales the loss for another optimizer, by a scale that follows the gradients."""

    step_counter: Variable
    dynamic_scale: Variable

    def __init__(
        self, inner_optimizer: Optimizer, initial_scale: float = 2.0**15,
        dynamic_growth_steps: int = 2000, name: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        _check_arguments(kwargs)
        super().__init__(learning_rate=0.0, name=name)
        self.inner_optimizer = inner_optimizer
        self.initial_scale = initial_scale
        self.dynamic_growth_steps = dynamic_growth_steps
        inner_optimizer.loss_scale_factor = None  # else gradients would be divided twice

    def build(self, variables: Iterable[Any]) -> None:
        """Create the scale, the counter of finite steps, and the slots of the other optimizer."""
        if self.built:
            return
        variables = list(variables)
        self.step_counter = self.add_variable((), dtype="int64", name="step_counter")
        self.dynamic_scale = self.add_variable((), dtype="float32", name="dynamic_scale")
        self.dynamic_scale.assign(self.initial_scale)
        with name_scopes.name_scope(self.name, self):
            self.inner_optimizer.build(variables)
        super().build(variables)

    @property
    def variables(self) -> list[Variable]:
        """Its own state, and that of the other optimizer."""
        return [*self._variables, *self.inner_optimizer.variables]

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the other optimizer."""
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self.inner_optimizer.learning_rate = value

    @property
    def iterations(self) -> Any:
        """How many steps the other optimizer took."""
        return self.inner_optimizer.iterations

    def apply(self, grads: Any, trainable_variables: Any = None) -> None:
        """Take a step with scaled gradients, or skip it if some are not finite."""
        gradients = list(grads)
        if not self.built:
            self.build(trainable_variables)

        def take_step() -> None:
            scale = backend.convert_to_tensor(self.dynamic_scale)
            unscaled = [_divided(each, scale) for each in gradients]
            self.inner_optimizer.apply(unscaled, trainable_variables)
            due = math.equal(self.step_counter, self.dynamic_growth_steps - 1)
            cond(due, lambda: self._rescale(2.0), self._count)

        cond(self.check_finite(gradients), take_step, lambda: self._rescale(0.5))

    def _count(self) -> None:
        self.step_counter.assign(self.step_counter + 1)

    def _rescale(self, factor: float) -> None:
        self.step_counter.assign(0)
        self.dynamic_scale.assign(self.dynamic_scale * factor)

    def check_finite(self, grads: Iterable[Any]) -> Any:
        """Return whether all elements of the gradients are finite."""
        values = [each.values if isinstance(each, IndexedSlices) else each
                  for each in grads if each is not None]  # fmt: skip
        finite = [math.reduce_all(math.is_finite(each)) for each in values]
        return math.reduce_all(stack(finite))

    def scale_loss(self, loss: Any) -> Any:
        """Return the loss times the scale."""
        scale = backend.convert_to_tensor(self.dynamic_scale if self.built else self.initial_scale)
        return loss * backend.convert_to_tensor(scale, loss.dtype)

    def finalize_variable_values(self, var_list: Iterable[Any]) -> None:
        """Assign the moving averages of the other optimizer to the variables."""
        self.inner_optimizer.finalize_variable_values(var_list)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal optimizer."""
        return {
            "name": self.name,
            "inner_optimizer": serialize_keras_object(self.inner_optimizer),
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Construct an optimizer from its config."""
        rest = {**config}
        return cls(deserialize_keras_object(rest.pop("inner_optimizer"), custom_objects), **rest)


def _divided(gradient: Any, scale: Any) -> Any:
    """A gradient divided by the scale; None stays None."""
    if isinstance(gradient, IndexedSlices):
        values = _divided(gradient.values, scale)
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return None if gradient is None else gradient / backend.convert_to_tensor(scale, gradient.dtype)


def _check_arguments(kwargs: dict[str, Any]) -> None:
    """Raise ValueError for arguments of other optimizers, which belong to the inner one."""
    if not kwargs.pop("dynamic", True):
        raise ValueError(
            "LossScaleOptimizer no longer supports `dynamic=False`. Instead, simply set "
            "`loss_scale_factor` directly on the `inner_optimizer`."
        )
    settings = Optimizer._settings
    for name in [each for each in kwargs if each in settings and each != "learning_rate"]:
        if kwargs.pop(name) != settings[name].default:
            raise ValueError(
                f"LossScaleOptimizer does not support `{name}`. Instead, set `{name}` on the "
                "`inner_optimizer`."
            )
    if kwargs:
        raise ValueError(f"LossScaleOptimizer does not support arguments: `{'`, `'.join(kwargs)}`.")
