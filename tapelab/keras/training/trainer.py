"""`fit`, `evaluate` and `predict`: going over batches, telling callbacks, and summing up."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab import nest
from tapelab.core.exits import record_exit
from tapelab.keras.backend import convert_to_tensor
from tapelab.keras.callbacks.callback_list import CallbackList
from tapelab.keras.training.batches import (
    Rounds,
    arrays_of,
    batches_of,
    packed,
    split_off,
    unpacked,
)
from tapelab.keras.training.train_steps import Steps


class Trainer(Steps):
    """The training half of a model.

    A subclass may write `train_step`, `test_step` and `predict_step`, each for one batch.
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
        """Learn from data, round by round; the History that is returned tells of each round."""
        self._require_compiled()
        self.stop_training = False
        if validation_split and validation_data is None:
            parts = packed(x, y, sample_weight)
            if y is not None:
                arrays_of(x, y, sample_weight)
            (x, y, sample_weight), validation_data = map(
                unpacked, split_off(parts, validation_split)
            )
        rounds = Rounds(
            batches_of(x, y, sample_weight, batch_size=batch_size, shuffle=bool(shuffle),
                       class_weight=class_weight), steps_per_epoch,
        )  # fmt: skip
        checked = CallbackList.of(
            callbacks, self, verbose, history=True, epochs=epochs, steps=rounds.steps
        )
        self._plan.history = checked.history
        check = _check(validation_data, validation_batch_size or batch_size)
        checked.on_train_begin()
        told: dict[str, Any] = {}
        for epoch in range(initial_epoch, epochs):
            told = self._learn(epoch, rounds, checked)
            if check is not None and (epoch + 1) % validation_freq == 0:
                result = self._measure(Rounds(check, validation_steps), checked)
                told.update({f"val_{name}": value for name, value in result.items()})
            checked.on_epoch_end(epoch, told)
            if self.stop_training:
                break
        self.optimizer.finalize_variable_values(self.trainable_variables)  # type: ignore[attr-defined]  # a layer's
        checked.on_train_end(told)
        return checked.history

    def _learn(self, epoch: int, rounds: Rounds, callbacks: CallbackList) -> dict[str, Any]:
        """One round of training; returns what the metrics say after it."""
        self.reset_metrics()
        callbacks.on_epoch_begin(epoch)
        logs: Any = {}
        for step, data in rounds:
            callbacks.on_train_batch_begin(step)
            logs = self.train_step(data)
            callbacks.on_train_batch_end(step, _plain(logs))
            if self.stop_training:
                break
        return self._after(logs)

    def _measure(self, rounds: Rounds, callbacks: CallbackList) -> dict[str, Any]:
        """One round of `test_step`; returns what the metrics say after it."""
        self.reset_metrics()
        callbacks.on_test_begin()
        logs: Any = {}
        for step, data in rounds:
            callbacks.on_test_batch_begin(step)
            logs = self.test_step(data)
            callbacks.on_test_batch_end(step, _plain(logs))
        told = self._after(logs)
        callbacks.on_test_end(told)
        return told

    def _after(self, logs: Any) -> dict[str, Any]:
        """What a step returned, or the results of the metrics where those are what it returned."""
        results = self.get_metrics_result()
        same = isinstance(logs, dict) and set(logs) == set(results)
        return _plain(results if same else logs)

    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, verbose: Any = "auto",
        sample_weight: Any = None, steps: int | None = None, callbacks: Any = None,
        return_dict: bool = False, **unused: Any,
    ) -> Any:  # fmt: skip
        """The loss and the metrics on data that the model does not learn from."""
        self._require_compiled()
        rounds = Rounds(batches_of(x, y, sample_weight, batch_size=batch_size), steps)
        told = self._measure(
            rounds, CallbackList.of(callbacks, self, verbose, epochs=1, steps=rounds.steps)
        )
        return told if return_dict else self._in_order(told)

    def _in_order(self, told: dict[str, Any]) -> Any:
        """The numbers in the order of the metrics; a single one by itself."""
        values = [told[name] for name in self.get_metrics_result() if name in told]
        values += [value for name, value in told.items() if name not in self.get_metrics_result()]
        return values[0] if len(values) == 1 else values

    def predict(
        self, x: Any, batch_size: int | None = None, verbose: Any = "auto",
        steps: int | None = None, callbacks: Any = None,
    ) -> Any:  # fmt: skip
        """The predictions for all samples, as NumPy arrays; no gradient leads back from them."""
        rounds = Rounds(batches_of(x, batch_size=batch_size), steps)
        told = CallbackList.of(callbacks, self, verbose, epochs=1, steps=rounds.steps)
        told.on_predict_begin()
        outputs = []
        for step, data in rounds:
            told.on_predict_batch_begin(step)
            outputs.append(self.predict_step(data))
            told.on_predict_batch_end(step, {"outputs": outputs[-1]})
        told.on_predict_end()
        return nest.map_structure(_joined, outputs[0], *outputs[1:])

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None,
        class_weight: dict[int, float] | None = None, return_dict: bool = False,
    ) -> Any:  # fmt: skip
        """Learn from one batch; returns its loss and metrics."""
        self._require_compiled()
        self.reset_metrics()
        data = self._one_batch(x, y, sample_weight, class_weight)
        logs = _plain(self.train_step(data))
        return logs if return_dict else self._in_order(logs)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """Measure loss and metrics on one batch."""
        self._require_compiled()
        self.reset_metrics()
        logs = _plain(self.test_step(self._one_batch(x, y, sample_weight)))
        return logs if return_dict else self._in_order(logs)

    def predict_on_batch(self, x: Any) -> Any:
        """The predictions for one batch, as NumPy arrays."""
        return nest.map_structure(_joined, self.predict_step(self._one_batch(x)))

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


def _check(validation_data: Any, batch_size: int | None) -> Any:
    """The batches of the data that `fit` checks itself on."""
    if validation_data is None:
        return None
    if isinstance(validation_data, (tuple, list)):
        return batches_of(*unpacked(validation_data), batch_size=batch_size)
    return batches_of(validation_data)


def _plain(logs: Any) -> dict[str, Any]:
    """What a step returned as Python numbers, in the order of the sorted names."""
    told: dict[str, Any] = {}
    for name, value in sorted(dict(logs or {}).items()):
        if isinstance(value, dict):
            told.update(_plain(value))
        else:
            array = np.asarray(convert_to_tensor(value)._value)
            told[name] = float(array) if array.ndim == 0 else array
    return told


def _joined(*batches: Any) -> Any:
    """The predictions of several batches as one array, which has left the tape."""
    tensors = [convert_to_tensor(each) for each in batches]
    array = np.concatenate([np.asarray(each._value) for each in tensors])
    for each in tensors:
        record_exit(each._id, "model.predict", array)
    return array
