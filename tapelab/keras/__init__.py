"""A small `tf.keras`: layers and models whose training can be watched on the tape."""

from __future__ import annotations

from typing import Final

from tapelab.keras.lazy_names import offered

MODULES: Final = (
    *("activations", "backend", "callbacks", "config", "constraints", "dtype_policies"),
    *("initializers", "layers", "losses", "metrics", "mixed_precision", "models", "ops"),
    *("optimizers", "preprocessing", "random", "regularizers", "saving", "tree", "utils"),
)
"""Parts of `tf.keras` that are modules."""
NAMES: Final = {
    "dtype_policies": "DTypePolicy FloatDTypePolicy",
    "initializers": "Initializer",
    "keras_tensor": "KerasTensor",
    "layers": "Input InputSpec Layer",
    "losses": "Loss",
    "metrics": "Metric",
    "models": "Model Sequential",
    "name_scopes": "name_scope",
    "optimizers": "Optimizer",
    "regularizers": "Regularizer",
    "variables": "Variable",
}
"""Names of `tf.keras` by the module they stand in."""

__getattr__, _names = offered(__name__, NAMES)


def __dir__() -> list[str]:
    return sorted({*MODULES, *_names()})
