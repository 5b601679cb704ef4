"""`tf.keras.utils`: data from arrays and folders, the progress bar, seeds, and configs."""

from __future__ import annotations

from typing import Final

from tapelab.keras.lazy_names import offered

NAMES: Final = {
    "archives": "get_file",
    "dataset_split": "split_dataset",
    "folder_datasets": (
        "audio_dataset_from_directory image_dataset_from_directory text_dataset_from_directory"
    ),
    "label_arrays": "normalize pad_sequences to_categorical",
    "pictures": "array_to_img img_to_array load_img save_img",
    "progress_bar": "Progbar",
    "session_seed": "set_random_seed",
    "time_series": "timeseries_dataset_from_array",
    "tapelab.keras.backend": "clear_session is_keras_tensor",
    "tapelab.keras.saving.registration": (
        "CustomObjectScope custom_object_scope get_custom_objects get_registered_name"
        " get_registered_object register_keras_serializable"
    ),
    "tapelab.keras.serialization": "deserialize_keras_object serialize_keras_object",
    "tapelab.keras.training.batches": "PyDataset Sequence",
}
"""The names by the modules they stand in."""

__getattr__, __dir__ = offered(__name__, NAMES)
