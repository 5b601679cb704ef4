"""Pickles of layers, models, optimizers and metrics: a config and arrays, as in Keras's files."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from importlib import import_module
from typing import Any, Final, Self

from tapelab.keras.serialization import constructed, serialize_keras_object


class Picklable:
    """Is pickled as its config and the arrays of its variables; a copy in memory copies it all."""

    def __reduce__(self) -> Any:
        state = {path: arrays for path, (_, arrays) in _states().saved_state(self).items()}
        return unpickled, (type(self), serialize_keras_object(self), state)

    def __copy__(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copied = memo[id(self)] = object.__new__(type(self))
        copied.__dict__.update(deepcopy(self.__dict__, memo))
        return copied


def unpickled(kind: type, config: Mapping[str, Any], state: Mapping[str, Any]) -> Any:
    """Return an object of a class from its config, with the values of its variables."""
    obj = constructed(kind, config)
    _states().restore_state(obj, state)
    return obj


_states: Final = partial(import_module, "tapelab.keras.saving.saved_state")
"""Loads the module of saved states, which needs layers, when something is pickled."""
