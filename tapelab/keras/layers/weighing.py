"""Weights with their settings: how a kernel begins, what it costs and what it is held to."""

from __future__ import annotations

from typing import Any

from tapelab.keras import constraints, initializers, regularizers
from tapelab.keras.layers.layer import Layer
from tapelab.keras.variables import Variable


class Weighted(Layer):
    """A layer with named weights: `plan` in `__init__`, `make` in `build`."""

    def plan(
        self, part: str, initializer: Any, regularizer: Any = None, constraint: Any = None
    ) -> None:
        """Keep the settings of a weight that `build` will make."""
        setattr(self, f"{part}_initializer", initializers.get(initializer))
        setattr(self, f"{part}_regularizer", regularizers.get(regularizer))
        setattr(self, f"{part}_constraint", constraints.get(constraint))

    def make(self, part: str, shape: Any, *, name: str = "", trainable: bool = True) -> Variable:
        """Make a planned weight."""
        return self.add_weight(
            shape, getattr(self, f"{part}_initializer"), name=name or part, trainable=trainable,
            regularizer=getattr(self, f"{part}_regularizer", None),
            constraint=getattr(self, f"{part}_constraint", None),
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        found = getattr(type(self), name, None)
        if isinstance(found, property):  # it raised, and what it said is lost: ask it again
            return found.__get__(self)
        if f"{name.lstrip('_')}_initializer" in self.__dict__:
            raise AttributeError(f"You must build the layer before accessing `{name}`.")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
