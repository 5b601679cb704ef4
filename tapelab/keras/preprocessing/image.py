"""`tf.keras.preprocessing.image`: pictures from arrays and files, and back."""

from __future__ import annotations

from typing import Final

from tapelab.keras.lazy_names import offered

NAMES: Final = {
    "tapelab.keras.utils.pictures": "array_to_img img_to_array load_img save_img smart_resize"
}
"""The names by the modules they stand in."""

__getattr__, __dir__ = offered(__name__, NAMES)
