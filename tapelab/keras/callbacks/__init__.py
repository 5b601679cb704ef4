"""`tf.keras.callbacks`: objects that training calls at each event."""

from __future__ import annotations

from typing import Final

from tapelab.keras.lazy_names import offered

NAMES: Final = {
    "callback": "Callback History LambdaCallback",
    "callback_list": "CallbackList",
    "loggers": "CSVLogger ProgbarLogger",
    "checkpoints": "BackupAndRestore ModelCheckpoint",
    "remote_monitor": "RemoteMonitor",
    "training_control": (
        "EarlyStopping LearningRateScheduler ReduceLROnPlateau SwapEMAWeights TerminateOnNaN"
    ),
}
"""The callbacks by the files they stand in."""

__getattr__, __dir__ = offered(__name__, NAMES)
