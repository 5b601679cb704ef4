"""Layers that are constructed with other layers, which their configs contain."""

from __future__ import annotations

from typing import Any, ClassVar

from tapelab.keras.layers.layer import BuiltInLayer
from tapelab.keras.serialization import deserialize_keras_object


def layer_of(given: Any, custom_objects: Any = None) -> Any:
    """Return a layer, or a list of layers; those that configs describe are constructed."""
    if isinstance(given, (list, tuple)):
        return [layer_of(each, custom_objects) for each in given]
    if not isinstance(given, dict):
        return given
    return deserialize_keras_object(given, custom_objects)


class LayerAroundLayers(BuiltInLayer):
    """A layer whose arguments named by `inner` are layers."""

    inner: ClassVar[tuple[str, ...]] = ("layer",)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Construct the layer and those inside it; user classes must be given or registered."""
        inner = {
            name: layer_of(config[name], custom_objects) for name in cls.inner if name in config
        }
        return cls(**{**config, **inner})
