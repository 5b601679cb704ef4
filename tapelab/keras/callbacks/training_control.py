"""Callbacks that control training: by the epoch, by the loss, or by a metric that they monitor."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.core.tensor import Tensor
from tapelab.keras import metrics, ops
from tapelab.keras.callbacks.callback import Callback
from tapelab.keras.class_settings import setting
from tapelab.keras.metrics.metric import FunctionMetric

RISING: Final = (
    *(metrics.Accuracy, metrics.BinaryAccuracy, metrics.CategoricalAccuracy),
    *(metrics.SparseCategoricalAccuracy, metrics.TopKCategoricalAccuracy),
    *(metrics.SparseTopKCategoricalAccuracy, metrics.Precision, metrics.Recall, metrics.AUC),
    *(metrics.SensitivityAtSpecificity, metrics.SpecificityAtSensitivity),
    *(metrics.PrecisionAtRecall, metrics.RecallAtPrecision, metrics.PearsonCorrelation),
    *(metrics.ConcordanceCorrelation, metrics.FBetaScore, metrics.IoU, metrics.R2Score),
    metrics.CosineSimilarity,
)
"""The metrics that should increase."""
FALLING: Final = (FunctionMetric, metrics.RootMeanSquaredError)
"""The metrics that should decrease, if they are not among those that should increase."""


class MetricMonitor(Callback):
    """Watches a metric of the logs, and decides whether it has improved."""

    monitor: str = setting("val_loss")
    mode: str = setting("auto")
    min_delta: float = 0

    def __post_init__(self) -> None:
        if self.mode not in {"auto", "min", "max"}:
            warnings.warn(
                f"{type(self).__name__} mode '{self.mode}' is unknown, fallback to auto mode.",
                stacklevel=5,
            )
            self.mode = "auto"
        self.min_delta = abs(self.min_delta)
        self.monitor_op: Any = None
        """Whether a value is better than another: `keras.ops.less` or `greater`, once known."""

    def improved(self, value: Any, best: Any) -> bool:
        """Return whether a value is better than another by more than `min_delta`, or the first."""
        self._choose_direction()
        if best is None:
            return True
        if self.monitor_op is ops.greater:
            return bool(value - self.min_delta > best)
        return bool(value + self.min_delta < best)

    def _choose_direction(self) -> None:
        """Choose `monitor_op`, once the metrics of the model are known."""
        if self.monitor_op is None:
            self.monitor_op = ops.greater if self._is_rising() else ops.less

    def _is_rising(self) -> bool:
        """Whether the metric should increase; ValueError if no one says so."""
        name = self.monitor.removeprefix("val_")
        if self.mode != "auto" or name == "loss":
            return self.mode == "max"
        of_model = [each for m in self.model.metrics for each in getattr(m, "metrics", [m])]
        for metric in of_model:
            if metric.name == name and isinstance(metric, (*RISING, *FALLING)):
                return isinstance(metric, RISING)
        raise ValueError(
            f"{type(self).__name__} callback received monitor={self.monitor}, but Keras isn't able "
            "to automatically determine whether that metric should be maximized or minimized. Pass "
            "`mode='max'` in order to monitor based on the highest metric value, or pass "
            "`mode='min'` in order to use the lowest value."
        )

    def metric(self, logs: Any, action: str) -> Any:
        """Return the metric; None and a warning if the logs do not contain it."""
        value = (logs or {}).get(self.monitor)
        if value is None:
            warnings.warn(
                f"{action} conditioned on metric `{self.monitor}` which is not available. "
                f"Available metrics are: {','.join(logs or {})}",
                stacklevel=4,
            )
        return value


class EarlyStopping(MetricMonitor):
    """Ends training when a metric has not improved for `patience` epochs."""

    min_delta: float = setting(0, before="mode")
    patience: int = setting(0, before="mode")
    verbose: int = setting(0, before="mode")
    baseline: float | None = setting(None)
    restore_best_weights: bool = setting(False)
    start_from_epoch: int = setting(0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._reset()

    def _reset(self) -> None:
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best: Any = None
        self.best_weights: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Forget an earlier training."""
        self._reset()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Check whether the metric has improved."""
        self._choose_direction()
        value = self.metric(logs, "Early stopping")
        if value is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self.improved(value, self.best):
            self._store_best(epoch, value)
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def _store_best(self, epoch: int, value: Any) -> None:
        self.best, self.best_epoch = value, epoch
        if self.restore_best_weights:
            self.best_weights = self.model.get_weights()
        if self.baseline is None or self.improved(value, self.baseline):
            self.wait = 0

    def on_train_end(self, logs: Any = None) -> None:
        """Print the epoch that ended training, and restore the best weights if requested."""
        if self.stopped_epoch and self.verbose:
            sys.stdout.write(f"Epoch {self.stopped_epoch + 1}: early stopping\n")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose:
                sys.stdout.write(
                    "Restoring model weights from the end of the best epoch: "
                    f"{self.best_epoch + 1}.\n"
                )
            self.model.set_weights(self.best_weights)


class ReduceLROnPlateau(MetricMonitor):
    """Reduces the learning rate when a metric has not improved for `patience` epochs."""

    factor: float = setting(0.1, before="mode")
    patience: int = setting(10, before="mode")
    verbose: int = setting(0, before="mode")
    min_delta: float = setting(1e-4)
    cooldown: int = setting(0)
    min_lr: float = setting(0.0)
    _takes_more = True

    def _begin(self, arguments: dict[str, Any]) -> None:
        for name in arguments.keys() - self._settings.keys():  # such as `epsilon` of Keras 2
            del arguments[name]
        super()._begin(arguments)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.factor >= 1.0:
            raise ValueError(
                f"ReduceLROnPlateau does not support a factor >= 1.0. Received factor={self.factor}"
            )
        self._reset()

    def _reset(self) -> None:
        self.wait = self.cooldown_counter = 0
        self.best: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Forget an earlier training."""
        self._reset()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Check whether the metric has improved."""
        logs = {} if logs is None else logs
        rate = float(self.model.optimizer.learning_rate)
        logs["learning_rate"] = rate
        value = self.metric(logs, "Learning rate reduction is")
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.improved(value, self.best):
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience and rate > self.min_lr:
                self._reduce(epoch, rate)

    def _reduce(self, epoch: int, rate: float) -> None:
        new = max(rate * self.factor, self.min_lr)
        self.model.optimizer.learning_rate = new
        self.cooldown_counter, self.wait = self.cooldown, 0
        if self.verbose:
            sys.stdout.write(
                f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {new}.\n"
            )


class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch to a function of its number (and of the rate)."""

    schedule: Callable[..., Any] = setting()
    verbose: int = setting(0)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Set the learning rate."""
        optimizer = self.model.optimizer
        try:
            rate = self.schedule(epoch, float(optimizer.learning_rate))
        except TypeError:  # a function of the epoch alone
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.floating, Tensor)):
            raise ValueError(
                f"The output of the `schedule` function should be a float. Got: {rate}"
            )
        optimizer.learning_rate = rate
        if self.verbose:
            sys.stdout.write(
                f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to "
                f"{float(rate)}.\n"
            )

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Add the learning rate to the logs."""
        if logs is not None:
            logs["learning_rate"] = float(self.model.optimizer.learning_rate)


class TerminateOnNaN(Callback):
    """Ends training when the loss is NaN or infinite, or raises an error."""

    raise_error: bool = setting(False)

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Check the loss."""
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            if self.raise_error:
                raise RuntimeError(
                    f"NaN or Inf loss encountered at batch {batch}. Loss value: {loss}. "
                    "Terminating training immediately."
                )
            sys.stdout.write(f"Batch {batch}: Invalid loss, terminating training\n")
            self.model.stop_training = True


class SwapEMAWeights(Callback):
    """Evaluates, and saves with `swap_on_epoch`, the moving averages of the weights.

    The optimizer computes them (`use_ema=True`).
    """

    swap_on_epoch: bool = setting(False)

    def __post_init__(self) -> None:
        self._is_swapped = False

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Go on with the weights of training."""
        if self.swap_on_epoch:
            self._set_swapped(False)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Show the averages to the callbacks that follow."""
        if not self.swap_on_epoch or self._is_swapped:
            return
        self._set_swapped(True)
        if epoch == self.params["epochs"] - 1:  # `fit` assigns the averages to the weights
            for weight, average in self._pairs():
                average.assign(weight)

    def on_test_begin(self, logs: Any = None) -> None:
        """Evaluate the averages."""
        self._set_swapped(True)

    def on_test_end(self, logs: Any = None) -> None:
        """Go on with the weights of training."""
        self._set_swapped(False)

    def on_predict_begin(self, logs: Any = None) -> None:
        """Predict with the averages."""
        self._set_swapped(True)

    def on_predict_end(self, logs: Any = None) -> None:
        """Go on with the weights of training."""
        self._set_swapped(False)

    def _set_swapped(self, wanted: bool) -> None:
        if wanted is self._is_swapped:
            return
        for weight, average in self._pairs():
            value = weight.numpy()
            weight.assign(average)
            average.assign(value)
        self._is_swapped = wanted

    def _pairs(self) -> list[tuple[Any, Any]]:
        """The weights with their averages; ValueError if the optimizer computes none."""
        optimizer = self.model.optimizer
        optimizer = getattr(optimizer, "inner_optimizer", optimizer)
        averaging = [each for each in getattr(optimizer, "optimizers", [optimizer]) if each.use_ema]
        if not averaging:
            raise ValueError(
                "SwapEMAWeights must be used when `use_ema=True` is set on the optimizer. "
                f"Received: use_ema={optimizer.use_ema}"
                if not hasattr(optimizer, "optimizers")
                else "SwapEMAWeights must be used when at least one inner optimizer has "
                "`use_ema=True` set. Received a MultiOptimizer with all inner optimizers having "
                "`use_ema=False`."
            )
        return [
            pair
            for each in averaging
            for pair in zip(
                each._trainable_variables, each._model_variables_moving_average, strict=True
            )
        ]
