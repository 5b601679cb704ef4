"""`tf.keras.optimizers.Optimizer`: the base of all optimizers.

A step prepares the gradients (drops None, limits them), decays the weights, lets `update_step` move
each variable, counts the step, and updates moving averages and constraints. A subclass names the
*slots* that it keeps for each variable, such as a momentum; `build` creates them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tapelab import math
from tapelab.array_ops.creation import zeros_like
from tapelab.array_ops.value_ops import where
from tapelab.control_flow import cond
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.tensor import Tensor
from tapelab.framework.restoration import restore_new
from tapelab.keras import backend, name_scopes
from tapelab.keras.class_settings import Configured, Setting, SettingGroup, setting
from tapelab.keras.optimizers import schedules
from tapelab.keras.optimizers.gradient_preparation import (
    Clipping,
    check_unused,
    dense,
    prepared,
    with_gradients,
)
from tapelab.keras.saving.pickles import Picklable
from tapelab.keras.variables import Variable, values_in


class Optimizer(Configured, Picklable):
    """Moves variables against their gradients. A subclass writes `update_step`."""

    rate = SettingGroup(learning_rate=Setting(in_config=False))
    weight_decay: float | None = setting(None)
    clipnorm: float | None = setting(None)
    clipvalue: float | None = setting(None)
    global_clipnorm: float | None = setting(None)
    use_ema: bool = setting(False)
    ema_momentum: float = setting(0.99)
    ema_overwrite_frequency: int | None = setting(None)
    loss_scale_factor: float | None = setting(None)
    gradient_accumulation_steps: int | None = setting(None)
    name: str = setting(None, in_config=False)
    _subclass_settings_before = "weight_decay"
    _takes_more = True

    def _begin(self, arguments: dict[str, Any]) -> None:
        known = {*self._settings, "learning_rate"}
        unknown = [name for name in arguments if name not in known]
        check_unused({name: arguments.pop(name) for name in unknown})
        steps = arguments["gradient_accumulation_steps"]
        if steps is not None and (not isinstance(steps, int) or steps < 2):
            raise ValueError(
                "`gradient_accumulation_steps` must be an integer >= 2. Received: "
                f"gradient_accumulation_steps={steps}"
            )
        limits = (arguments[name] for name in ("clipnorm", "clipvalue", "global_clipnorm"))
        self._clipping = Clipping(*limits)
        self.name = arguments.pop("name") or name_scopes.automatic_name(type(self))
        self.built = False
        self._variables: list[Variable] = []
        self._trainable_variables: list[Any] = []
        self._places: dict[int, int] = {}
        self._slots: dict[str, list[Variable]] = {}
        self._model_variables_moving_average: list[Variable] = []
        self._accumulated_gradients: list[Variable] = []
        self._undecayed: set[int] = set()
        self._iterations = self._own_variable("iteration", 0, "int64")
        self._learning_rate = self._checked_rate(arguments.pop("learning_rate"))

    def _own_variable(self, name: str, value: Any, dtype: str) -> Variable:
        with name_scopes.name_scope(self.name, self):
            variable = Variable(value, dtype=dtype, trainable=False, name=name)
        self._variables.append(variable)
        return variable

    def _checked_rate(self, rate: Any) -> Any:
        if isinstance(rate, schedules.LearningRateSchedule) or callable(rate):
            return rate
        if not isinstance(rate, (int, float, Tensor)) and not hasattr(rate, "dtype"):
            raise ValueError(
                "Argument `learning_rate` should be float, or an instance of "
                "LearningRateSchedule, or a callable (that takes in the current iteration value "
                "and returns the corresponding learning rate value). Received instead: "
                f"learning_rate={rate}"
            )
        return self._own_variable("learning_rate", rate, backend.floatx())

    @property
    def iterations(self) -> Any:
        """How many steps were taken: a variable, or a tensor where gradients are added up."""
        every = self.gradient_accumulation_steps
        return self._iterations // every if every else self._iterations

    @property
    def learning_rate(self) -> Any:
        """The learning rate: a variable, or the schedule's value for the current step."""
        rate = self._learning_rate
        if isinstance(rate, schedules.LearningRateSchedule):
            return rate(self.iterations)
        return rate() if callable(rate) else rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if isinstance(value, schedules.LearningRateSchedule) or callable(value):
            before = self._learning_rate
            self._variables = [each for each in self._variables if each is not before]
            self._learning_rate = value
            return
        if isinstance(self._learning_rate, schedules.LearningRateSchedule):
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its "
                "`learning_rate` constructor argument, hence its learning rate is not settable. "
                "If you need the learning rate to be settable, you should instantiate the "
                "optimizer with a float `learning_rate` argument."
            )
        self._learning_rate.assign(value)

    @property
    def variables(self) -> list[Variable]:
        """The state of the optimizer: the step, the learning rate, and the slots."""
        return list(self._variables)

    def build(self, variables: Iterable[Any]) -> None:
        """Create the slots of the variables."""
        if self.built:
            return
        self._trainable_variables = list(variables)
        self._places = {variable_key(v): place for place, v in enumerate(self._trainable_variables)}
        if self.use_ema:
            self._model_variables_moving_average = self.add_optimizer_variables(
                self._trainable_variables, "average"
            )
        if self.gradient_accumulation_steps:
            name = "gradient_accumulator"
            self._accumulated_gradients = self.add_optimizer_variables(
                self._trainable_variables, name
            )
        self.built = True
        for names in self._slot_names():
            for variable in self._trainable_variables:
                for name in names:
                    slots = self._slots.setdefault(name, [])
                    start = self._initial_value(name)
                    slots.append(self.add_variable_from_reference(variable, name, start))
        restore_new(self)

    def _checkpoint_children(self) -> dict[str, Any]:
        """The state of the optimizer, and the variables that it was built for."""
        rate = {"_learning_rate": self._learning_rate}
        return {"_variables": self._variables, "_trainable_variables": self._trainable_variables,
                "_iterations": self._iterations, **rate}  # fmt: skip

    def _slot_names(self) -> Iterable[tuple[str, ...]]:
        """The names of the slots, in groups that are created together for each variable."""
        return ()

    def _initial_value(self, slot: str) -> Any:
        """The initializer of a slot."""
        return "zeros"

    def slot(self, name: str, variable: Any) -> Variable:
        """Return the slot of a variable."""
        return self._slots[name][self.place(variable)]

    def add_variable(
        self, shape: Any, initializer: Any = "zeros", dtype: Any = None,
        aggregation: str = "none", layout: Any = None, name: str | None = None,
    ) -> Variable:  # fmt: skip
        """Create a variable of the optimizer."""
        del layout
        with name_scopes.name_scope(self.name, self):
            variable = Variable(
                initializer, shape=shape, dtype=dtype or backend.floatx(), trainable=False,
                aggregation=aggregation, name=name,
            )  # fmt: skip
        self._variables.append(variable)
        return variable

    def add_variable_from_reference(
        self, reference_variable: Any, name: str | None = None, initializer: Any = "zeros"
    ) -> Variable:
        """Create a variable with the shape and dtype of another one."""
        known = getattr(reference_variable, "path", None) or reference_variable.name
        prefix = known.replace("/", "_").replace(":", "_")
        with name_scopes.name_scope(self.name, self):
            variable = Variable(
                initializer, shape=reference_variable.shape.as_list(),
                dtype=_dtype(reference_variable), trainable=False, name=f"{prefix}_{name}",
            )  # fmt: skip
        self._variables.append(variable)
        return variable

    def add_optimizer_variables(
        self, trainable_variables: Iterable[Any], name: str, initializer: Any = "zeros"
    ) -> list[Variable]:
        """Create such a variable for each of several variables."""
        return [
            self.add_variable_from_reference(each, name, initializer)
            for each in trainable_variables
        ]

    def place(self, variable: Any) -> int:
        """Return the index of a variable, which is also that of its slots."""
        return self._places[variable_key(variable)]

    _get_variable_index = place

    def assign(self, variable: Any, value: Any) -> None:
        """Assign a value to a variable."""
        _inner(variable).assign(backend.convert_to_tensor(value, _dtype(variable)))

    def assign_add(self, variable: Any, value: Any) -> None:
        """Add to a variable."""
        _inner(variable).assign_add(backend.convert_to_tensor(value, _dtype(variable)))

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtract from a variable."""
        _inner(variable).assign_sub(backend.convert_to_tensor(value, _dtype(variable)))

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> Any:
        """Take a step with pairs of a gradient and its variable; return the step number."""
        grads, variables = zip(*grads_and_vars, strict=True)
        self.apply(grads, variables)
        return self.iterations

    def apply(self, grads: Any, trainable_variables: Any = None) -> None:
        """Take a step with gradients in the order of the variables."""
        grads = [each if each is None else self._unscaled(each) for each in grads]
        if not grads:
            return
        variables = self._known(grads, trainable_variables)
        pairs = self._overwritten(with_gradients(grads, variables))
        gradients = [prepared(g, v, _dtype(v)) for g, v in pairs]
        moved = [variable for _, variable in pairs]
        if moved and self.gradient_accumulation_steps:
            self._accumulate(gradients, moved, self.gradient_accumulation_steps)
        elif moved:
            self._step(gradients, moved)
        self._iterations.assign(self._iterations + 1)
        self._average(moved)
        for variable in moved:
            if getattr(variable, "constraint", None) is not None:
                variable.assign(variable.constraint(backend.convert_to_tensor(variable)))

    def _overwritten(self, pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """Assign the gradients of variables that they overwrite; return the other pairs.

        Where gradients are added up, such a variable takes the largest of them.
        """
        every = self.gradient_accumulation_steps
        others = []
        for gradient, variable in pairs:
            if not getattr(variable, "overwrite_with_gradient", False):
                others.append((gradient, variable))
            elif not every:
                self.assign(variable, dense(gradient, _dtype(variable)))
            else:
                total: Any = self._accumulated_gradients[self.place(variable)]
                largest = math.maximum(dense(gradient, _dtype(variable)), total)
                due = math.equal((self._iterations + 1) % every, 0)
                self.assign(variable, where(due, largest, backend.convert_to_tensor(variable)))
                total.assign(where(due, zeros_like(largest), largest))
        return others

    def _unscaled(self, gradient: Any) -> Any:
        """A gradient of the scaled loss as one of the loss itself."""
        scale = self.loss_scale_factor
        if scale is None:
            return gradient
        if isinstance(gradient, IndexedSlices):
            values: Any = gradient.values
            return IndexedSlices(values / scale, gradient.indices, gradient.dense_shape)
        return gradient / scale

    def _step(self, gradients: Iterable[Any], variables: list[Any]) -> None:
        """Limit the gradients, decay the weights, and update each variable."""
        steps = self._clip_gradients(gradients)
        rate = backend.convert_to_tensor(self.learning_rate)
        self._apply_weight_decay(variables)
        self.before_step()
        for gradient, variable in zip(steps, variables, strict=True):
            self.update_step(gradient, variable, backend.convert_to_tensor(rate, _dtype(variable)))

    def _clip_gradients(self, gradients: Iterable[Any]) -> list[Any]:
        return self._clipping(gradients)

    def _accumulate(self, gradients: list[Any], variables: list[Any], every: int) -> None:
        """Add the gradients up, and take a step with their mean every so many calls."""
        sums = [self._accumulated_gradients[self.place(variable)] for variable in variables]

        def take_step() -> None:
            means = [(dense(g) + total) / every for g, total in zip(gradients, sums, strict=True)]
            self._step(means, variables)
            for total in sums:
                total.assign(zeros_like(total))

        def add_up() -> None:
            for gradient, total in zip(gradients, sums, strict=True):
                total.assign(total + dense(gradient))

        due = math.equal((self._iterations + 1) % every, 0)
        cond(due, take_step, add_up)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update a variable."""
        raise NotImplementedError

    def before_step(self) -> None:
        """Compute what all updates of a step share."""

    def _known(self, grads: list[Any], given: Any) -> list[Any]:
        """The variables of a step; ValueError if the optimizer was built for others."""
        if given is None:
            return self._built_for(grads)
        variables = list(given)
        if not self.built:
            self.build(variables)
        for each in variables:
            if variable_key(each) not in self._places:
                raise ValueError(
                    f"Unknown variable: {each}. This optimizer can only be called for the "
                    "variables it was originally built with. When working with a new set of "
                    "variables, you should recreate a new optimizer instance."
                )
        return variables

    def _built_for(self, grads: list[Any]) -> list[Any]:
        if not self.built:
            raise ValueError(
                "When passing `grads` without `variables`, the optimizer must already be built on "
                "a list of variables. Call `optimizer.build(trainable_variables)` first. "
            )
        if len(grads) != len(self._trainable_variables):
            raise ValueError(
                "When passing `grads` as a list of gradient tensors, the gradients must match "
                f"`optimizer.variables` one-to-on. Received a list of {len(grads)} gradients, but "
                f"the optimizer is tracking {len(self._trainable_variables)} trainable variables."
            )
        return self._trainable_variables

    def exclude_from_weight_decay(
        self, var_list: Iterable[Any] | None = None, var_names: Any = None
    ) -> None:
        """Exclude variables from the weight decay."""
        if self.built:
            raise ValueError(
                "`exclude_from_weight_decay()` can only be configured before the optimizer is "
                "built."
            )
        self._undecayed |= {variable_key(each) for each in var_list or ()}
        self._undecayed_names = tuple(var_names or ())

    _undecayed_names: tuple[str, ...] = ()

    def _apply_weight_decay(self, variables: list[Any]) -> None:
        self._decay_weights(self.weight_decay, variables)

    def _decay_weights(self, share: float | None, variables: list[Any]) -> None:
        if share is None:
            return
        rate = backend.convert_to_tensor(self.learning_rate)
        for variable in variables:
            named = any(re.search(part, variable.name) for part in self._undecayed_names)
            if not named and variable_key(variable) not in self._undecayed:
                value: Any = backend.convert_to_tensor(variable)
                step = backend.convert_to_tensor(rate, _dtype(variable))
                variable.assign(value - value * share * step)

    def _average(self, variables: list[Any]) -> None:
        if not self.use_ema:
            return
        steps: Any = backend.convert_to_tensor(self.iterations)
        for variable in variables:
            average: Any = self._model_variables_moving_average[self.place(variable)]
            value: Any = backend.convert_to_tensor(variable)
            mixed = self.ema_momentum * average + (1 - self.ema_momentum) * value
            average.assign(where(math.greater(steps, 1), mixed, value))
            if self.ema_overwrite_frequency:
                due = math.equal(steps % self.ema_overwrite_frequency, 0)
                variable.assign(where(due, backend.convert_to_tensor(average), value))

    def stateless_apply(
        self, optimizer_variables: Any, grads: Any, trainable_variables: Any
    ) -> tuple[list[Any], list[Any]]:
        """Return the variables and the optimizer's state after a step, and change neither."""
        if not self.built:
            raise ValueError(
                "To call `stateless_apply`, Optimizer must be built (i.e. its variables must have "
                "been created). You can build it via `optimizer.build(trainable_variables)`."
            )
        own, moved = self.variables, self._trainable_variables
        if len(optimizer_variables) != len(own):
            raise ValueError(
                "Argument `optimizer_variables` must be a list of tensors corresponding 1:1 to "
                f"{type(self).__name__}().variables. Received list with length "
                f"{len(optimizer_variables)}, but expected {len(own)} variables."
            )
        if len(trainable_variables) != len(moved):
            raise ValueError(
                "Argument `optimizer_variables` must be a list of tensors corresponding 1:1 to the "
                "trainable variables list that the optimizer was built with. Received "
                f"len(trainable_variables) == {len(trainable_variables)} whereas the optimizer was "
                f"built with {len(moved)} variables."
            )
        with values_in([*moved, *own], [*trainable_variables, *optimizer_variables]):
            self.apply(grads, moved)
            results = [backend.convert_to_tensor(each) for each in (*moved, *own)]
        return results[: len(moved)], results[len(moved) :]

    def finalize_variable_values(self, var_list: Iterable[Any]) -> None:
        """Assign the moving averages to the variables, if there are any."""
        for variable in var_list if self.use_ema else ():
            variable.assign(
                backend.convert_to_tensor(
                    self._model_variables_moving_average[self.place(variable)]
                )
            )

    def scale_loss(self, loss: Any) -> Any:
        """Return the loss times the factor that protects small gradients from underflow."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def set_weights(self, weights: Iterable[Any]) -> None:
        """Assign values to the variables, in their order."""
        if not self.built:
            raise ValueError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. "
                "Please call `optimizer.build(trainable_variables)` to create the optimizer "
                "weights before calling `set_weights()`."
            )
        for variable, value in zip(self.variables, weights, strict=False):
            if tuple(variable.shape) != tuple(np.shape(value)):
                raise ValueError(
                    f"Optimizer variable {variable.name} has shape {tuple(variable.shape)} not "
                    f"compatible with provided weight shape {tuple(np.shape(value))}."
                )
            variable.assign(value)

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Put the variables into a dict, under "0", "1", …"""
        store.update({str(at): each.numpy() for at, each in enumerate(self.variables)})

    def load_own_variables(self, store: Mapping[str, Any]) -> None:
        """Assign what `save_own_variables` put into a dict; a warning if that is not all."""
        if len(store) != len(self.variables):
            warnings.warn(
                f"Skipping variable loading for optimizer '{self.name}', because it has "
                f"{len(self.variables)} variables whereas the saved optimizer has {len(store)} "
                "variables. ",
                stacklevel=2,
            )
            return
        for at, variable in enumerate(self.variables):
            variable.assign(store[str(at)])

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal optimizer."""
        rate = self._learning_rate
        if isinstance(rate, schedules.LearningRateSchedule):
            rate = schedules.serialize(rate)
        elif isinstance(rate, Variable):
            rate = float(rate)
        return {"name": self.name, "learning_rate": rate, **super().get_config()}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Construct an optimizer from its config."""
        rate = config.get("learning_rate")
        if isinstance(rate, dict):
            config = {**config, "learning_rate": schedules.deserialize(rate, custom_objects)}
        return cls(**config)


def variable_key(variable: Any) -> int:
    """Return a number that identifies a variable, whatever object refers to it."""
    return int(variable._cell.identity.id)


def _inner(variable: Any) -> Any:
    """The `tf.Variable` of a weight, which is assigned without checks."""
    return variable.value if isinstance(variable, Variable) else variable


def _dtype(variable: Any) -> Any:
    return variable._cell.dtype
