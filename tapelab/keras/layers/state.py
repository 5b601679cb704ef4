"""What a layer holds: weights, layers, seeds and metrics, in the order in which they came."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np

from tapelab.core.variable import read
from tapelab.keras import backend, constraints, initializers, regularizers
from tapelab.keras.containers import tracked
from tapelab.keras.keras_tensor import standard_shape
from tapelab.keras.name_scopes import name_scope
from tapelab.keras.random import SeedGenerator
from tapelab.keras.variables import Variable

_LOCKED = (
    "You cannot add new elements of state (variables or sub-layers) to a layer that is already "
    "built. All state must be created in the `__init__()` method or in the `build()` method."
)


class Stateful:
    """Notices weights and layers put into its attributes, and lists them."""

    name: str
    built: bool
    _layers: list[Any]
    _locked: bool
    _losses: list[Any]
    _metrics: list[Any]
    _seeds: list[SeedGenerator]
    _trainable: bool
    _weights: list[Variable]

    def _begin(self) -> None:
        """Start with nothing held; before this no attribute can be set."""
        self.__dict__.update({heading: [] for _, heading in _KINDS})
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
        object.__setattr__(self, name, self._notice(value))

    def __delattr__(self, name: str) -> None:
        thing = vars(self).get(name)
        object.__delattr__(self, name)
        for _, heading in _KINDS:
            held = vars(self)[heading]
            held[:] = [each for each in held if each is not thing]

    def _notice(self, thing: Any) -> Any:
        kind = next((heading for test, heading in _KINDS if test(thing)), None)
        if kind is None:
            return tracked(thing, self._notice)
        held = self.__dict__[kind]
        if not any(each is thing for each in held):
            if self._locked and kind != "_metrics":
                raise ValueError(_LOCKED)
            held.append(thing)
            if isinstance(thing, Variable):
                thing._cell.identity.tracked = True
        return thing

    def add_weight(
        self, *args: Any, shape: Any = None, initializer: Any = None, dtype: Any = None,
        trainable: bool = True, autocast: bool = True, regularizer: Any = None,
        constraint: Any = None, aggregation: str = "none", overwrite_with_gradient: bool = False,
        name: str | None = None,
    ) -> Variable:  # fmt: skip
        """Make a weight of this layer; by default it is trained and starts as glorot_uniform."""
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
            made = Variable(
                initializers.get(initializer or usual), shape=standard_shape(shape or ()),
                dtype=kind, trainable=trainable, autocast=autocast, aggregation=aggregation,
                name=name,
            )  # fmt: skip
        made.regularizer = regularizers.get(regularizer)
        made.constraint = constraints.get(constraint)
        self._notice(made)
        return made

    @property
    def variable_dtype(self) -> str:
        """The dtype of its weights."""
        return backend.floatx()

    @property
    def variables(self) -> list[Variable]:
        """All that it holds, seeds included: its own first, then that of each layer in it."""
        own = [*self._own_weights(), *(seed.state for seed in self._seeds)]
        return _once([*own, *(each for layer in self._layers for each in layer.variables)])

    @property
    def weights(self) -> list[Variable]:
        """The weights: its own first, trainable ones before others, then those of each layer."""
        inner = (each for layer in self._layers for each in layer.weights)
        return _once([*self._own_weights(), *inner])

    def _own_weights(self) -> list[Variable]:
        """A weight keeps the side on which it was made, also when the layer is frozen."""
        own = self._weights
        return sorted(own, key=lambda each: not each.value.trainable)

    @property
    def trainable_variables(self) -> list[Variable]:
        """What training changes; empty for a frozen layer."""
        return [each for each in self.variables if each.trainable] if self.trainable else []

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """What training leaves alone."""
        everything = self.variables
        return [each for each in everything if not each.trainable] if self.trainable else everything

    @property
    def trainable_weights(self) -> list[Variable]:
        """The weights that training changes; empty for a frozen layer."""
        return [each for each in self.weights if each.trainable] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The weights that training leaves alone."""
        everything = self.weights
        return [each for each in everything if not each.trainable] if self.trainable else everything

    @property
    def metrics_variables(self) -> list[Variable]:
        """What the metrics of this layer and those in it keep count in."""
        own = [each for metric in self._metrics for each in metric.variables]
        return _once([*own, *(v for layer in self._layers for v in layer.metrics_variables)])

    @property
    def metrics(self) -> list[Any]:
        """The metrics of this layer and of those in it."""
        return _once(each for layer in self._every_layer() for each in layer._metrics)

    @property
    def trainable(self) -> bool:
        """Whether training changes it; setting it holds for the layers inside, too."""
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
        """What is added to the loss: by `add_loss` in the last call, and by regularizers."""
        called = [loss for layer in self._every_layer() for loss in layer._losses]
        weighed = [each for each in self.trainable_weights if each.regularizer is not None]
        return called + [each.regularizer(read(each)) for each in weighed]

    def add_loss(self, loss: Any) -> None:
        """Add a number, or several, to the loss; called in `call`, for one call only."""
        for each in loss if isinstance(loss, (list, tuple)) else [loss]:
            if each is not None:
                self._losses.append(backend.convert_to_tensor(each))

    def _forget_losses(self) -> None:
        for layer in self._every_layer():
            layer._losses.clear()

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
        """The weights as NumPy arrays."""
        return [weight.numpy() for weight in self.weights]

    def set_weights(self, weights: list[Any]) -> None:
        """Give the weights new values, in the order of `weights`; ValueError where they differ."""
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

    def count_params(self) -> int:
        """How many numbers the weights hold; ValueError before it is built."""
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on layer '{self.name}', but the layer isn't "
                "built. You can build it manually via: `layer.build(input_shape)`."
            )
        return sum(weight.value._cell.state._array.size for weight in self.weights)


def _once(things: Iterable[Any]) -> list[Any]:
    """Each thing the first time it comes."""
    return list({id(each): each for each in things}.values())


def _is_metric(thing: Any) -> bool:
    return hasattr(type(thing), "update_state") and hasattr(type(thing), "result")


_KINDS: Final[tuple[tuple[Callable[[Any], bool], str], ...]] = (
    (lambda thing: isinstance(thing, Variable), "_weights"),
    (lambda thing: isinstance(thing, SeedGenerator), "_seeds"),
    (_is_metric, "_metrics"),
    (lambda thing: isinstance(thing, Stateful), "_layers"),
)
"""What a layer takes note of, and under which heading."""
