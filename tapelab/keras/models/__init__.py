"""`tf.keras.models`: layers put together."""

from __future__ import annotations

from typing import Final

from tapelab.keras.lazy_names import offered

NAMES: Final = {
    "clone": "clone_model",
    "functional": "Functional Model",
    "model": "model_from_json",
    "sequential": "Sequential",
    "tapelab.keras.saving.model_file": "load_model save_model",
}
"""The models by the files they stand in."""

__getattr__, __dir__ = offered(__name__, NAMES)
