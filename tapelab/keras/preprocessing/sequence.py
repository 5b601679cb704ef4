"""`tf.keras.preprocessing.sequence`: sequences of one length."""

from __future__ import annotations

from typing import Final

from tapelab.keras.lazy_names import offered

NAMES: Final = {"tapelab.keras.utils.label_arrays": "pad_sequences"}
"""The names by the modules they stand in."""

__getattr__, __dir__ = offered(__name__, NAMES)
