"""Several optimizers for one model, each for some of its variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

from tapelab.keras.optimizers.loss_scale import LossScaleOptimizer
from tapelab.keras.optimizers.optimizer import Optimizer, variable_key
from tapelab.keras.serialization import deserialize_keras_object, serialize_keras_object
from tapelab.keras.variables import Variable


class OptimizerMap(MutableMapping[str, Optimizer]):
    """The optimizer of a variable, by a regular expression for its path; else a default one."""

    def __init__(self, default_optimizer: Any, optimizer_map: Any = None) -> None:
        if not isinstance(default_optimizer, Optimizer):
            raise TypeError(
                "default_optimizer must be a Keras Optimizer instance. "
                f"Received: {default_optimizer}"
            )
        if optimizer_map is not None and not isinstance(optimizer_map, dict):
            raise TypeError(f"optimizer_map must be a dictionary. Received: {optimizer_map}")
        self.default_optimizer = default_optimizer
        self._by_pattern: dict[str, Optimizer] = optimizer_map or {}

    def __getitem__(self, key: str) -> Optimizer:
        if key in self._by_pattern:
            return self._by_pattern[key]
        matching = [each for each in self._by_pattern if re.fullmatch(each, key)]
        if len(matching) > 1:
            raise ValueError(f"Multiple optimizers assigned to variable {key}.")
        return self._by_pattern[matching[0]] if matching else self.default_optimizer

    def __setitem__(self, key: str, optimizer: Any) -> None:
        if key in self._by_pattern:
            raise ValueError(
                f"'{key}' already exists in the OptimizerMap with value {self._by_pattern[key]}. "
                "Please make sure to not use duplicated keys."
            )
        if not isinstance(key, str):
            raise ValueError(f"key must be a string. Received: {key}")
        if not isinstance(optimizer, Optimizer):
            raise ValueError(f"optimizer must be a Keras Optimizer instance. Received: {optimizer}")
        for kind in (LossScaleOptimizer, MultiOptimizer):
            if isinstance(optimizer, kind):
                raise ValueError(f"optimizer cannot be {kind.__name__}.")
        self._by_pattern[key] = optimizer

    def __delitem__(self, key: str) -> None:
        del self._by_pattern[key]

    def __len__(self) -> int:
        return len(self._by_pattern)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_pattern)

    def __call__(self, variable: Any) -> Optimizer:
        """Return the optimizer of a variable."""
        return self[variable.path]

    def get_config(self) -> dict[str, Any]:
        """Return the configs of the optimizers."""
        return {
            "default_optimizer": serialize_keras_object(self.default_optimizer),
            "optimizer_map": serialize_keras_object(self._by_pattern),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> OptimizerMap:
        """Construct a map from its config."""
        names = ("default_optimizer", "optimizer_map")
        return cls(*(deserialize_keras_object(config[name], custom_objects) for name in names))


class MultiOptimizer(Optimizer):
    """Moves each variable by the optimizer that a map, or a function, returns for it."""

    def __init__(
        self, optimizer_map: Any, loss_scale_factor: float | None = None, name: str | None = None
    ) -> None:
        self.optimizers: list[Optimizer] = []
        super().__init__(learning_rate=0.0, loss_scale_factor=loss_scale_factor, name=name)
        self._optimizer_map = optimizer_map
        mapped = optimizer_map.values() if hasattr(optimizer_map, "values") else ()
        default = getattr(optimizer_map, "default_optimizer", None)
        for each in (*mapped, *([] if default is None else [default])):
            self._add(each)

    def _add(self, optimizer: Optimizer) -> None:
        if not any(optimizer is each for each in self.optimizers):
            optimizer.loss_scale_factor = self.loss_scale_factor
            self.optimizers.append(optimizer)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "loss_scale_factor":
            for each in self.optimizers:
                each.loss_scale_factor = value

    def build(self, variables: Iterable[Any]) -> None:
        """Build each optimizer for its variables."""
        if self.built:
            return
        variables = list(variables)
        self._of_variable: dict[int, Optimizer] = {}
        for variable in variables:
            optimizer = self._optimizer_map(variable)
            if not isinstance(optimizer, Optimizer):
                raise ValueError(f"Optimizer for variable {variable} is not an Optimizer instance.")
            for kind in (LossScaleOptimizer, MultiOptimizer):
                if isinstance(optimizer, kind):
                    raise ValueError(f"{kind.__name__} cannot be used inside an MultiOptimizer.")
            self._add(optimizer)
            self._of_variable[variable_key(variable)] = optimizer
        for optimizer, own in self._shares(variables, variables):
            optimizer.build([variable for _, variable in own])
        super().build(variables)

    def _shares(
        self, values: Iterable[Any], variables: Iterable[Any]
    ) -> list[tuple[Optimizer, list[tuple[Any, Any]]]]:
        """The optimizers that have variables, each with pairs of a value and a variable."""
        pairs = list(zip(values, variables, strict=True))
        shares = [
            (each, [pair for pair in pairs if self._of_variable[variable_key(pair[1])] is each])
            for each in self.optimizers
        ]
        return [(optimizer, own) for optimizer, own in shares if own]

    @property
    def variables(self) -> list[Variable]:
        """Its own state, and that of all optimizers."""
        return [*self._variables, *(v for each in self.optimizers for v in each.variables)]

    @property
    def learning_rate(self) -> Any:
        """There is none: each optimizer has its own."""
        raise AttributeError(
            "Learning rate cannot be accessed on a MultiOptimizer. Access the learning rate on the "
            "individual sub-optimizers instead."
        )

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        raise AttributeError(
            "Learning rate cannot be set on a MultiOptimizer. Set the learning rate on the "
            "individual sub-optimizers instead."
        )

    @property
    def iterations(self) -> Any:
        """How many steps were taken."""
        return self._iterations

    def apply(self, grads: Any, trainable_variables: Any = None) -> None:
        """Take a step with each optimizer for its variables."""
        gradients = list(grads)
        if not gradients:
            return
        variables = self._known(gradients, trainable_variables)
        if len(gradients) != len(self._trainable_variables):
            raise ValueError(
                "Gradients must match trainable variables one-to-one. Received "
                f"{len(gradients)} gradients and {len(self._trainable_variables)} variables."
            )
        for optimizer, own in self._shares(gradients, variables):
            optimizer.apply([g for g, _ in own], [v for _, v in own])
        self._iterations.assign(self._iterations + 1)

    def finalize_variable_values(self, var_list: Iterable[Any]) -> None:
        """Assign the moving averages of each optimizer to its variables."""
        variables = list(var_list)
        for optimizer, own in self._shares(variables, variables):
            optimizer.finalize_variable_values([variable for _, variable in own])

    def get_config(self) -> dict[str, Any]:
        """Return the config of the map."""
        return {
            "optimizer_map": serialize_keras_object(self._optimizer_map),
            "loss_scale_factor": self.loss_scale_factor,
            "name": self.name,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> MultiOptimizer:
        """Construct the optimizers from their configs."""
        optimizers = deserialize_keras_object(config["optimizer_map"], custom_objects)
        return cls(**{**config, "optimizer_map": optimizers})
