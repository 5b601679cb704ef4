"""`tf.keras.callbacks.Callback`: methods that training calls at each event, and the plain ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapelab.keras.class_settings import Configured

if TYPE_CHECKING:
    from tapelab.recorder.training_log import TrainingLog


class Callback(Configured):
    """Has a method for each event of training. A subclass overrides those that it needs."""

    def __init__(self) -> None:
        self.params: dict[str, Any] = {}
        self._model: Any = None
        self.validation_data = None

    def _begin(self, arguments: dict[str, Any]) -> None:
        Callback.__init__(self)

    @property
    def model(self) -> Any:
        """The model that is trained."""
        return self._model

    def set_params(self, params: dict[str, Any]) -> None:
        """Store the number of epochs and steps."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Store the model that is trained."""
        self._model = model

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """An older name of `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """An older name of `on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """An epoch begins."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """An epoch ends; the logs contain the loss and the metrics."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A training batch begins."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """A training batch ends."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of `evaluate` or of validation begins."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of `evaluate` or of validation ends."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of `predict` begins."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of `predict` ends."""

    def on_train_begin(self, logs: Any = None) -> None:
        """Training begins."""

    def on_train_end(self, logs: Any = None) -> None:
        """Training ends."""

    def on_test_begin(self, logs: Any = None) -> None:
        """`evaluate` or validation begins."""

    def on_test_end(self, logs: Any = None) -> None:
        """`evaluate` or validation ends."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """`predict` begins."""

    def on_predict_end(self, logs: Any = None) -> None:
        """`predict` ends."""


class History(Callback):
    """Collects the logs of each epoch: `history["loss"]` is a list."""

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []
        self.gradients: TrainingLog | None = None
        """The losses and gradient norms of the steps, for `tf.show(history)` and `tf.why()`."""

    def on_train_begin(self, logs: Any = None) -> None:
        """Forget the epochs of an earlier training."""
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Append the logs of the epoch."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """A callback of functions: `LambdaCallback(on_epoch_end=lambda epoch, logs: …)`."""

    def __init__(self, **functions: Callable[..., Any]) -> None:
        super().__init__()
        for name, function in functions.items():
            if function is not None:
                setattr(self, name, function)
