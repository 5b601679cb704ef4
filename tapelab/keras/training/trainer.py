"""`fit`, `evaluate` and `predict`: loops over batches that call steps and callbacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import nest
from tapelab.core.exits import record_exit
from tapelab.keras.backend import convert_to_tensor
from tapelab.keras.callbacks.callback_list import CallbackList
from tapelab.keras.training.batches import (
    EpochIterator,
    arrays_of,
    batches_of,
    packed,
    split_off,
    unpacked,
)
from tapelab.keras.training.train_steps import TrainSteps
from tapelab.recorder.training_log import TrainingLog, training_log


class Trainer(TrainSteps):
    """The training half of a model.

    A subclass may override `train_step`, `test_step` and `predict_step`, each for a batch.
    """

    def fit(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, epochs: int = 1,
        verbose: Any = "auto", callbacks: Any = None, validation_split: float = 0.0,
        validation_data: Any = None, shuffle: bool = True,
        class_weight: dict[int, float] | None = None, sample_weight: Any = None,
        initial_epoch: int = 0, steps_per_epoch: int | None = None,
        validation_steps: int | None = None, validation_batch_size: int | None = None,
        validation_freq: int = 1,
    ) -> Any:  # fmt: skip
        """Train on data for some epochs; return a History with the logs of each epoch."""
        self._require_compiled()
        self.stop_training = False
        if validation_split and validation_data is None:
            parts = packed(x, y, sample_weight)
            if y is not None:
                arrays_of(x, y, sample_weight)
            (x, y, sample_weight), validation_data = map(
                unpacked, split_off(parts, validation_split)
            )
        batches = EpochIterator(
            batches_of(x, y, sample_weight, batch_size=batch_size, shuffle=bool(shuffle),
                       class_weight=class_weight), steps_per_epoch,
        )  # fmt: skip
        events = CallbackList.of(
            callbacks, self, verbose, history=True, epochs=epochs, steps=batches.steps
        )
        self._compiled.history = events.history
        validation = _validation_batches(validation_data, validation_batch_size or batch_size)
        self._compiled.first_epoch = None
        events.on_train_begin()
        logs: dict[str, Any] = {}
        with training_log() as gradients:
            if events.history is not None:
                events.history.gradients = gradients
            for epoch in range(self._compiled.first_epoch or initial_epoch, epochs):
                logs = self._train_epoch(epoch, batches, events, gradients)
                if validation is not None and (epoch + 1) % validation_freq == 0:
                    result = self._test_epoch(EpochIterator(validation, validation_steps), events)
                    logs.update({f"val_{name}": value for name, value in result.items()})
                events.on_epoch_end(epoch, logs)
                if self.stop_training:
                    break
        self.optimizer.finalize_variable_values(self.trainable_variables)  # type: ignore[attr-defined]  # a layer's
        events.on_train_end(logs)
        return events.history

    def _train_epoch(
        self, epoch: int, batches: EpochIterator, callbacks: CallbackList, gradients: TrainingLog
    ) -> dict[str, Any]:
        """Train for an epoch; return the metrics."""
        self.reset_metrics()
        gradients.begin_epoch()
        callbacks.on_epoch_begin(epoch)
        logs: Any = {}
        for step, data in batches:
            callbacks.on_train_batch_begin(step)
            gradients.begin_step()
            logs = self.train_step(data)
            callbacks.on_train_batch_end(step, _python_numbers(logs))
            if self.stop_training:
                break
        return self._epoch_logs(logs)

    def _test_epoch(self, batches: EpochIterator, callbacks: CallbackList) -> dict[str, Any]:
        """Evaluate all batches; return the metrics."""
        self.reset_metrics()
        callbacks.on_test_begin()
        logs: Any = {}
        for step, data in batches:
            callbacks.on_test_batch_begin(step)
            logs = self.test_step(data)
            callbacks.on_test_batch_end(step, _python_numbers(logs))
        results = self._epoch_logs(logs)
        callbacks.on_test_end(results)
        return results

    def _epoch_logs(self, logs: Any) -> dict[str, Any]:
        """The logs of the last step; the results of the metrics if the step returned these."""
        results = self.get_metrics_result()
        same = isinstance(logs, dict) and set(logs) == set(results)
        return _python_numbers(results if same else logs)

    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, verbose: Any = "auto",
        sample_weight: Any = None, steps: int | None = None, callbacks: Any = None,
        return_dict: bool = False, **unused: Any,
    ) -> Any:  # fmt: skip
        """Return the loss and the metrics on data, without training."""
        self._require_compiled()
        batches = EpochIterator(batches_of(x, y, sample_weight, batch_size=batch_size), steps)
        results = self._test_epoch(
            batches, CallbackList.of(callbacks, self, verbose, epochs=1, steps=batches.steps)
        )
        return results if return_dict else self._in_order(results)

    def _in_order(self, logs: dict[str, Any]) -> Any:
        """The values in the order of the metrics; a single value by itself."""
        values = [logs[name] for name in self.get_metrics_result() if name in logs]
        values += [value for name, value in logs.items() if name not in self.get_metrics_result()]
        return values[0] if len(values) == 1 else values

    def predict(
        self, x: Any, batch_size: int | None = None, verbose: Any = "auto",
        steps: int | None = None, callbacks: Any = None,
    ) -> Any:  # fmt: skip
        """Return the predictions as NumPy arrays, through which no gradient passes."""
        batches = EpochIterator(batches_of(x, batch_size=batch_size), steps)
        events = CallbackList.of(callbacks, self, verbose, epochs=1, steps=batches.steps)
        events.on_predict_begin()
        outputs = []
        for step, data in batches:
            events.on_predict_batch_begin(step)
            outputs.append(self.predict_step(data))
            events.on_predict_batch_end(step, {"outputs": outputs[-1]})
        events.on_predict_end()
        return nest.map_structure(_concatenated, outputs[0], *outputs[1:])

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None,
        class_weight: dict[int, float] | None = None, return_dict: bool = False,
    ) -> Any:  # fmt: skip
        """Train on a batch; return its loss and metrics."""
        self._require_compiled()
        self.reset_metrics()
        data = self._one_batch(x, y, sample_weight, class_weight)
        logs = _python_numbers(self.train_step(data))
        return logs if return_dict else self._in_order(logs)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """Return the loss and the metrics of a batch."""
        self._require_compiled()
        self.reset_metrics()
        logs = _python_numbers(self.test_step(self._one_batch(x, y, sample_weight)))
        return logs if return_dict else self._in_order(logs)

    def predict_on_batch(self, x: Any) -> Any:
        """Return the predictions for a batch as NumPy arrays."""
        return nest.map_structure(_concatenated, self.predict_step(self._one_batch(x)))

    def _one_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None
    ) -> Any:
        count = len(nest.flatten(arrays_of(x, y, sample_weight))[0])
        return next(
            batches_of(x, y, sample_weight, batch_size=count, class_weight=class_weight).start()
        )

    def _require_compiled(self) -> None:
        if not self.compiled:
            raise ValueError(
                "You must call `compile()` before using the model. "
                "Try model.compile(optimizer='sgd', loss='mse')."
            )


def _validation_batches(validation_data: Any, batch_size: int | None) -> Any:
    """The batches of the validation data."""
    if validation_data is None:
        return None
    if isinstance(validation_data, (tuple, list)):
        return batches_of(*unpacked(validation_data), batch_size=batch_size)
    return batches_of(validation_data)


def _python_numbers(logs: Any) -> dict[str, Any]:
    """The logs of a step as Python numbers, sorted by name."""
    numbers: dict[str, Any] = {}
    for name, value in sorted(dict(logs or {}).items()):
        if isinstance(value, dict):
            numbers.update(_python_numbers(value))
        else:
            array = np.asarray(convert_to_tensor(value)._value)
            numbers[name] = float(array) if array.ndim == 0 else array
    return numbers


def _concatenated(*batches: Any) -> Any:
    """The predictions of several batches as one array, which is off the tape."""
    tensors = [convert_to_tensor(each) for each in batches]
    array = np.concatenate([np.asarray(each._value) for each in tensors])
    for each in tensors:
        record_exit(each._id, "model.predict", array)
    return array
