"""`tf.keras.callbacks.Callback`: what is told of each turn of training, and may step in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Callback:
    """Is told when rounds and batches begin and end. A subclass writes the methods it wants."""

    def __init__(self) -> None:
        self.params: dict[str, Any] = {}
        self._model: Any = None
        self.validation_data = None

    @property
    def model(self) -> Any:
        """The model that is trained."""
        return self._model

    def set_params(self, params: dict[str, Any]) -> None:
        """Learn the number of epochs and steps."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Learn which model is trained."""
        self._model = model

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """An older name of `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """An older name of `on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """A round of training begins."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """A round of training is over; the logs hold the loss and the metrics."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of training begins."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of training is over."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of `evaluate` or of validation begins."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of `evaluate` or of validation is over."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of `predict` begins."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of `predict` is over."""

    def on_train_begin(self, logs: Any = None) -> None:
        """Training begins."""

    def on_train_end(self, logs: Any = None) -> None:
        """Training is over."""

    def on_test_begin(self, logs: Any = None) -> None:
        """`evaluate` or validation begins."""

    def on_test_end(self, logs: Any = None) -> None:
        """`evaluate` or validation is over."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """`predict` begins."""

    def on_predict_end(self, logs: Any = None) -> None:
        """`predict` is over."""


class History(Callback):
    """Remembers what the logs of each round say: `history["loss"]` is a list."""

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin with no round."""
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Write a round down."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """A callback made of functions: `LambdaCallback(on_epoch_end=lambda epoch, logs: …)`."""

    def __init__(self, **functions: Callable[..., Any]) -> None:
        super().__init__()
        for name, function in functions.items():
            if function is not None:
                setattr(self, name, function)
