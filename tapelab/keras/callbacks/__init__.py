"""`tf.keras.callbacks`: what is told of each turn of training, and may step in."""

from __future__ import annotations

from typing import Final

from tapelab.keras.lazy_names import offered

NAMES: Final = {
    "callback": "Callback History LambdaCallback",
    "callback_list": "CallbackList",
    "progress": "ProgbarLogger",
    "watching": "EarlyStopping ReduceLROnPlateau ModelCheckpoint",
    "acting": "LearningRateScheduler TerminateOnNaN CSVLogger",
}
"""The callbacks by the files they stand in."""

__getattr__, __dir__ = offered(__name__, NAMES)
