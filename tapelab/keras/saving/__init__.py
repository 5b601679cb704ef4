"""`tf.keras.saving`: models in files, objects as configs, and the classes that configs may name."""

from __future__ import annotations

from typing import Final

from tapelab.keras.lazy_names import offered

NAMES: Final = {
    "model_file": "load_model load_weights save_model save_weights",
    "registration": (
        "CustomObjectScope custom_object_scope get_custom_objects get_registered_name"
        " get_registered_object register_keras_serializable"
    ),
    "tapelab.keras.serialization": "deserialize_keras_object serialize_keras_object",
}
"""The names by the modules they stand in."""

__getattr__, __dir__ = offered(__name__, NAMES)
