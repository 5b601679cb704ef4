"""A small `tf.keras`: layers and models whose training can be watched on the tape."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from tapelab.missing import missing

MODULES: Final = (
    *("activations", "backend", "constraints", "initializers", "layers", "models"),
    *("regularizers", "utils", "random"),
)
"""Parts of `tf.keras` that are modules."""
TRAINING: Final = ("callbacks", "losses", "metrics", "optimizers")
"""Parts of `tf.keras` that training brings along."""
NAMES: Final = {
    "tapelab.keras.backend": "clear_session",
    "tapelab.keras.initializers": "Initializer",
    "tapelab.keras.keras_tensor": "KerasTensor",
    "tapelab.keras.layers": "Input InputSpec Layer",
    "tapelab.keras.models": "Model Sequential",
    "tapelab.keras.naming": "name_scope",
    "tapelab.keras.regularizers": "Regularizer",
    "tapelab.keras.variables": "Variable",
    "tapelab.keras.losses": "Loss",
    "tapelab.keras.metrics": "Metric",
    "tapelab.keras.optimizers": "Optimizer",
}
"""Names of `tf.keras` by the module they stand in."""
_PLACES: Final = {name: module for module, names in NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if not name.startswith("_") and find_spec(f"{__name__}.{name}"):
        return import_module(f"{__name__}.{name}")
    if name not in _PLACES:
        raise missing(__name__, name)
    found = globals()[name] = getattr(import_module(_PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*MODULES, *TRAINING, *_PLACES})
