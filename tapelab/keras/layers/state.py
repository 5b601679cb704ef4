"""The state of a layer: its weights, layers, seed generators and metrics, in order of creation.

Assigning a variable, a layer, a seed generator or a metric to an attribute, or putting one into a
list or dict of an attribute, adds it to the list of its kind. A built layer refuses new weights
and layers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from tapelab.core.variable import read
from tapelab.framework.restoration import restore_new
from tapelab.keras import backend, constraints, initializers, regularizers
from tapelab.keras.containers import tracked
from tapelab.keras.keras_tensor import standard_shape
from tapelab.keras.name_scopes import name_scope
from tapelab.keras.random import SeedGenerator
from tapelab.keras.variables import Variable, values_in

_LOCKED = (
    "You cannot add new elements of state (variables or sub-layers) to a layer that is already "
    "built. All state must be created in the `__init__()` method or in the `build()` method."
)


class Stateful:
    """Lists the weights and layers that are assigned to its attributes."""

    name: str
    built: bool
    _layers: list[Any]
    _locked: bool
    _losses: list[Any]
    _metrics: list[Any]
    _seeds: list[SeedGenerator]
    _trainable: bool
    _weights: list[Variable]

    def _create_lists(self) -> None:
        """Create the lists of weights and layers; before this no attribute can be set."""
        self.__dict__.update({kind: [] for _, kind in _KINDS})
        self.__dict__.update(_locked=False, _trainable=True, _losses=[])

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
            return
        if "_layers" not in self.__dict__:
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute 'name'. In the __init__ of a "
                f"layer or model call `super().__init__()` before you set {name!r}."
            )
        object.__setattr__(self, name, self._track(value))
        restore_new(self)

    def __delattr__(self, name: str) -> None:
        value = vars(self).get(name)
        object.__delattr__(self, name)
        for _, kind in _KINDS:
            members = vars(self)[kind]
            members[:] = [member for member in members if member is not value]

    def _track(self, value: Any) -> Any:
        kind = next((name for is_kind, name in _KINDS if is_kind(value)), None)
        if kind is None:
            return tracked(value, self._track)
        members = self.__dict__[kind]
        if not any(member is value for member in members):
            if self._locked and kind != "_metrics":
                raise ValueError(_LOCKED)
            members.append(value)
            if isinstance(value, Variable):
                value._cell.identity.tracked = True
        return value

    def add_weight(
        self, *args: Any, shape: Any = None, initializer: Any = None, dtype: Any = None,
        trainable: bool = True, autocast: bool = True, regularizer: Any = None,
        constraint: Any = None, aggregation: str = "none", overwrite_with_gradient: bool = False,
        name: str | None = None,
    ) -> Variable:  # fmt: skip
        """Create a weight of this layer; by default trainable, with glorot_uniform values."""
        if args and isinstance(args[0], str):
            raise ValueError(
                "`name` must be passed as a keyword argument. Received: "
                f"add_weight({args[0]!r}, ...). Use: add_weight(shape=..., name={args[0]!r})."
            )
        given = (*args, *(shape, initializer, dtype)[len(args) :])
        shape, initializer, dtype = given
        del overwrite_with_gradient
        kind = str(getattr(dtype, "name", dtype) or self.variable_dtype)
        usual = "glorot_uniform" if "float" in kind else "zeros"
        with name_scope(self.name, caller=self):
            weight = Variable(
                initializers.get(initializer or usual), shape=standard_shape(shape or ()),
                dtype=kind, trainable=trainable, autocast=autocast, aggregation=aggregation,
                name=name,
            )  # fmt: skip
        weight.regularizer = regularizers.get(regularizer)
        weight.constraint = constraints.get(constraint)
        self._track(weight)
        return weight

    def add_variable(
        self, shape: Any, initializer: Any, dtype: Any = None, trainable: bool = True,
        autocast: bool = True, regularizer: Any = None, constraint: Any = None,
        name: str | None = None,
    ) -> Variable:  # fmt: skip
        """Add a weight, as `add_weight` does."""
        return self.add_weight(
            shape=shape, initializer=initializer, dtype=dtype, trainable=trainable,
            autocast=autocast, regularizer=regularizer, constraint=constraint, name=name,
        )  # fmt: skip

    def stateless_call(
        self, trainable_variables: Any, non_trainable_variables: Any, *args: Any,
        return_losses: bool = False, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Return the outputs for other values of the variables, and the state after the call.

        The variables keep their own values. `return_losses` adds the list of losses.
        """
        kind = type(self).__name__
        if not self.built:
            raise ValueError(
                f"To call stateless_call, {kind} must be built (i.e. its variables must have been "
                "already created). You can build it by calling it on some data."
            )
        given = {
            "trainable_variables": (self.trainable_variables, trainable_variables),
            "non_trainable_variables": (self.non_trainable_variables, non_trainable_variables),
        }
        for name, (own, values) in given.items():
            if len(own) != len(values):
                raise ValueError(
                    f"Argument `{name}` must be a list of tensors corresponding 1:1 to "
                    f"{kind}().{name}. Received list with length {len(values)}, but expected "
                    f"{len(own)} variables."
                )
        variables = [*self.trainable_variables, *self.non_trainable_variables]
        with values_in(variables, [*trainable_variables, *non_trainable_variables]):
            outputs = self(*args, **kwargs)  # type: ignore[operator]  # a layer
            state = [read(each) for each in self.non_trainable_variables]
            return (outputs, state, self.losses) if return_losses else (outputs, state)

    @property
    def variable_dtype(self) -> str:
        """The dtype of its weights."""
        return backend.floatx()

    @property
    def variables(self) -> list[Variable]:
        """All variables, seeds included: its own first, then those of each layer in it."""
        own = [*self._own_weights(), *(seed.state for seed in self._seeds)]
        return _unique([*own, *(each for layer in self._layers for each in layer.variables)])

    @property
    def weights(self) -> list[Variable]:
        """The weights: its own first, trainable ones before others, then those of each layer."""
        inner = (each for layer in self._layers for each in layer.weights)
        return _unique([*self._own_weights(), *inner])

    def _own_weights(self) -> list[Variable]:
        """Its own weights; those created as trainable first, also while the layer is frozen."""
        own = self._weights
        return sorted(own, key=lambda each: not each.value.trainable)

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that training changes; none of a frozen layer."""
        return [each for each in self.variables if each.trainable] if self.trainable else []

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The variables that training does not change."""
        everything = self.variables
        return [each for each in everything if not each.trainable] if self.trainable else everything

    @property
    def trainable_weights(self) -> list[Variable]:
        """The weights that training changes; none of a frozen layer."""
        return [each for each in self.weights if each.trainable] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The weights that training does not change."""
        everything = self.weights
        return [each for each in everything if not each.trainable] if self.trainable else everything

    @property
    def metrics_variables(self) -> list[Variable]:
        """The variables of the metrics of this layer and those in it."""
        own = [each for metric in self._metrics for each in metric.variables]
        return _unique([*own, *(v for layer in self._layers for v in layer.metrics_variables)])

    @property
    def metrics(self) -> list[Any]:
        """The metrics of this layer and of those in it."""
        return _unique(each for layer in self._every_layer() for each in layer._metrics)

    @property
    def trainable(self) -> bool:
        """Whether training changes the weights; setting it also sets the layers inside."""
        return bool(self._trainable)

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self.__dict__["_trainable"] = bool(value)
        for weight in self._weights:
            if weight.value.trainable:
                weight.trainable = bool(value)
        for layer in self._layers:
            layer.trainable = value

    @property
    def losses(self) -> list[Any]:
        """The terms added to the loss: by `add_loss` in the last call, and by regularizers."""
        called = [loss for layer in self._every_layer() for loss in layer._losses]
        regularized = [each for each in self.trainable_weights if each.regularizer is not None]
        return called + [each.regularizer(read(each)) for each in regularized]

    def add_loss(self, loss: Any) -> None:
        """Add one or several terms to the loss of the current call."""
        for each in loss if isinstance(loss, (list, tuple)) else [loss]:
            if each is not None:
                self._losses.append(backend.convert_to_tensor(each))

    def _clear_losses(self) -> None:
        for layer in self._every_layer():
            layer._losses.clear()

    def _checkpoint_children(self) -> dict[str, Any]:
        """The variables, layers and containers in its attributes, under the names of Keras.

        Keras puts an underscore before the kernel of a layer, though not of a recurrent cell, so
        that is its first name.
        """
        attributes = {name: each for name, each in vars(self).items() if name not in _LISTS}
        renamed = () if "recurrent_kernel" in attributes else _PRIVATE_IN_KERAS
        first = {f"_{name}": attributes[name] for name in renamed if name in attributes}
        return {**first, **attributes}

    def _every_layer(self) -> Iterator[Any]:
        """This layer, and all in it, each once."""
        seen: set[int] = set()
        pending: list[Any] = [self]
        while pending:
            layer = pending.pop(0)
            if id(layer) not in seen:
                seen.add(id(layer))
                yield layer
                pending = [*layer._layers, *pending]

    def get_weights(self) -> list[Any]:
        """Return the weights as NumPy arrays."""
        return [weight.numpy() for weight in self.weights]

    def set_weights(self, weights: list[Any]) -> None:
        """Assign values to the weights, in the order of `weights`; ValueError for wrong shapes."""
        own = self.weights
        if len(own) != len(weights):
            raise ValueError(
                f"You called `set_weights(weights)` on layer '{self.name}' with a weight list of "
                f"length {len(weights)}, but the layer was expecting {len(own)} weights."
            )
        for weight, value in zip(own, weights, strict=True):
            if tuple(weight.shape) != np.shape(value):
                raise ValueError(
                    f"Layer {self.name} weight shape {weight.shape} is not compatible with "
                    f"provided weight shape {np.shape(value)}."
                )
            weight.assign(value)

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Put its own weights into a dict, under "0", "1", …; override it to save others."""
        store.update({str(at): weight.numpy() for at, weight in enumerate(self._own_weights())})

    def load_own_variables(self, store: Mapping[str, Any]) -> None:
        """Assign what `save_own_variables` put into a dict."""
        own = self._own_weights()
        if len(store) != len(own):
            names = [weight.name for weight in own]
            hint = (
                "" if own or self.built else " It is not built: its parent's `build()`, or its "
                "`build_from_config(config)`, must create its variables."
            )  # fmt: skip
            raise ValueError(
                f"Layer '{self.name}' expected {len(own)} variables, but received {len(store)} "
                f"variables during loading. Expected: {names}.{hint}"
            )
        for at, weight in enumerate(own):
            weight.assign(store[str(at)])

    def count_params(self) -> int:
        """Return the number of elements of the weights; ValueError before it is built."""
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on layer '{self.name}', but the layer isn't "
                "built. You can build it manually via: `layer.build(input_shape)`."
            )
        return sum(weight.value._cell.state._array.size for weight in self.weights)


def _unique(things: Iterable[Any]) -> list[Any]:
    """Each object once, in order."""
    return list({id(each): each for each in things}.values())


def _is_metric(value: Any) -> bool:
    return hasattr(type(value), "update_state") and hasattr(type(value), "result")


_LISTS: Final = frozenset({
    "_all_build_shapes", "_arguments", "_build_shapes", "_layers", "_losses", "_metrics", "_nodes",
    "_seeds", "_weights",
})  # fmt: skip
"""Attributes that list what others hold, or hold no state."""
_PRIVATE_IN_KERAS: Final = ("embeddings", "kernel")
_KINDS: Final[tuple[tuple[Callable[[Any], bool], str], ...]] = (
    (lambda value: isinstance(value, Variable), "_weights"),
    (lambda value: isinstance(value, SeedGenerator), "_seeds"),
    (_is_metric, "_metrics"),
    (lambda value: isinstance(value, Stateful), "_layers"),
)
"""The tests of the kinds of state, each with the name of its list."""
