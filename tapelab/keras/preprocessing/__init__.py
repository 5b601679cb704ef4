"""`tf.keras.preprocessing`: data from folders and arrays, under their names of Keras 2."""

from __future__ import annotations

from typing import Final

from tapelab.keras.lazy_names import offered

NAMES: Final = {
    "tapelab.keras.utils.folder_datasets": (
        "image_dataset_from_directory text_dataset_from_directory"
    ),
    "tapelab.keras.utils.time_series": "timeseries_dataset_from_array",
}
"""The names by the modules they stand in."""

__getattr__, __dir__ = offered(__name__, NAMES)
