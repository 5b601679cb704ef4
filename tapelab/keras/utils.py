"""`tf.keras.utils`: small helpers around training."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tapelab.keras import seeded_arrays
from tapelab.keras.backend import clear_session
from tapelab.keras.keras_tensor import KerasTensor
from tapelab.keras.saving.registration import (
    CustomObjectScope,
    custom_object_scope,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
    register_keras_serializable,
)
from tapelab.keras.serialization import deserialize_keras_object, serialize_keras_object
from tapelab.keras.training.batches import PyDataset
from tapelab.namespace.missing_names import in_module
from tapelab.random import set_seed
from tapelab.random.seeds import draw_by_python

__all__ = [
    "CustomObjectScope", "PyDataset", "clear_session", "custom_object_scope",
    "deserialize_keras_object", "get_custom_objects", "get_registered_name",
    "get_registered_object", "register_keras_serializable", "serialize_keras_object",
]  # fmt: skip

Sequence = PyDataset


def set_random_seed(seed: int) -> None:
    """Seed the random generators of Python, NumPy, TensorFlow and Keras."""
    if not isinstance(seed, int):
        raise ValueError(f"Expected `seed` argument to be an integer. Received: seed={seed}")
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - learners draw from NumPy's global generator
    set_seed(seed)
    draw_by_python()
    seeded_arrays.reset_shared_seed()


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Return integers as one-hot rows, an array."""
    numbers = np.asarray(x, dtype=np.int64)
    if numbers.shape and numbers.shape[-1] == 1 and numbers.ndim > 1:
        numbers = numbers[..., 0]
    count = int(numbers.max()) + 1 if num_classes is None else num_classes
    return np.eye(count)[numbers]


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Return an array divided by its norm along an axis."""
    array = np.asarray(x)
    lengths = np.atleast_1d(np.linalg.norm(array, order, axis))
    lengths[lengths == 0] = 1
    return array / np.expand_dims(lengths, axis)


def is_keras_tensor(x: Any) -> bool:
    """Return whether it is a symbolic tensor of a functional model."""
    return isinstance(x, KerasTensor)


__getattr__, __dir__ = in_module(__name__)
