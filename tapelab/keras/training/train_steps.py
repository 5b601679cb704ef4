"""What is chosen by `compile`, and the steps for one batch, which a learner may write anew."""

from __future__ import annotations

import warnings
from typing import Any

from tapelab.core.tape import GradientTape
from tapelab.keras import optimizers
from tapelab.keras.backend import convert_to_tensor
from tapelab.keras.metrics import Mean
from tapelab.keras.training.batches import unpacked
from tapelab.keras.training.compile_utils import CompileLoss
from tapelab.keras.training.plan import Plan


class Steps:
    """What a model does with one batch, and by what it was told to learn."""

    _plan: Plan

    def __init__(self) -> None:
        self.__dict__["_plan"] = Plan()

    def compile(
        self, optimizer: Any = "rmsprop", loss: Any = None, loss_weights: Any = None,
        metrics: Any = None, weighted_metrics: Any = None, run_eagerly: bool = False,
        steps_per_execution: int = 1, jit_compile: Any = "auto", auto_scale_loss: bool = True,
    ) -> None:  # fmt: skip
        """Choose how the model learns: the optimizer, the loss, and the metrics to watch.

        Called again without a loss or without metrics it keeps those chosen before.
        """
        before, names_some = self._plan, metrics is not None or weighted_metrics is not None
        new_loss = None if loss is None else CompileLoss(self, loss, loss_weights)
        plan = Plan(
            optimizer=optimizers.get(optimizer),
            loss=before.loss if loss is None else loss,
            compile_loss=new_loss or before.compile_loss,
            asked=(metrics, weighted_metrics) if names_some else before.asked,
            watched=None if names_some else before.watched,
            loss_tracker=Mean(name="loss"),
            run_eagerly=bool(run_eagerly),
            compiled=True,
            config={
                "optimizer": optimizer, "loss": loss, "loss_weights": loss_weights,
                "metrics": metrics, "weighted_metrics": weighted_metrics,
                "run_eagerly": run_eagerly, "steps_per_execution": steps_per_execution,
                "jit_compile": jit_compile,
            },
        )  # fmt: skip
        self.__dict__["_plan"] = plan

    @property
    def optimizer(self) -> Any:
        """The optimizer that `compile` was given."""
        return self._plan.optimizer

    @optimizer.setter
    def optimizer(self, value: Any) -> None:
        self._plan.optimizer = optimizers.get(value)

    @property
    def loss(self) -> Any:
        """The loss that `compile` was given."""
        return self._plan.loss

    @property
    def compiled(self) -> bool:
        """Whether `compile` was called."""
        return self._plan.compiled

    @property
    def run_eagerly(self) -> bool:
        """What `compile` was told; steps run eagerly either way."""
        return self._plan.run_eagerly

    @property
    def stop_training(self) -> bool:
        """Whether `fit` should end; a callback may set it."""
        return self._plan.stop_training

    @stop_training.setter
    def stop_training(self, value: bool) -> None:
        self._plan.stop_training = bool(value)

    @property
    def history(self) -> Any:
        """What the last `fit` remembers."""
        if self._plan.history is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute 'history'")
        return self._plan.history

    @property
    def metrics(self) -> list[Any]:
        """What is kept count of: the loss, the metrics of `compile`, and those of the layers."""
        layers = self._every_layer()  # type: ignore[attr-defined]  # a layer's
        mine = [metric for layer in layers for metric in layer._metrics]
        return [*self._plan.metrics(self), *mine]

    @property
    def metrics_names(self) -> list[str]:
        """The names of the metrics."""
        return [metric.name for metric in self.metrics]

    def reset_metrics(self) -> None:
        """Let all metrics forget."""
        for metric in self.metrics:
            metric.reset_state()

    def get_compile_config(self) -> dict[str, Any]:
        """The arguments that `compile` was given."""
        return dict(self._plan.config)

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None,
        training: bool = True,
    ) -> Any:  # fmt: skip
        """The loss of a batch, with what layers and regularizers add to it."""
        found = []
        if self._plan.compile_loss is not None:
            found.append(self._plan.compile_loss(y, y_pred, sample_weight))
        found += [convert_to_tensor(each) for each in self.losses]  # type: ignore[attr-defined]  # a layer's
        if not found:
            raise ValueError("No loss to compute. Provide a `loss` argument in `compile()`.")
        total = found[0]
        for each in found[1:]:
            total = total + each
        return total

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Take a batch into the metrics, and tell their results."""
        watched = self._plan.compile_metrics(self)
        if watched is not None:
            watched.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def compiled_loss(
        self, y: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
    ) -> Any:
        """An older name of `compute_loss`."""
        warnings.warn(
            "`model.compiled_loss()` is deprecated. Instead, use `model.compute_loss(x, y, y_pred, "
            "sample_weight, training)`.",
            stacklevel=2,
        )
        return self.compute_loss(None, y, y_pred, sample_weight)

    @property
    def compiled_metrics(self) -> OlderMetrics | None:
        """The metrics of `compile`, as an older `train_step` asks for them."""
        return OlderMetrics(self) if self.compiled else None

    def get_metrics_result(self) -> dict[str, Any]:
        """The results of all metrics by their names."""
        told: dict[str, Any] = {}
        for metric in self.metrics:
            result = metric.result()
            told.update(result if isinstance(result, dict) else {metric.name: result})
        return told

    def train_step(self, data: Any) -> Any:
        """Learn from one batch: predict, measure the loss, follow its gradient."""
        x, y, sample_weight = unpacked(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)  # type: ignore[operator]  # a layer
            loss = self.compute_loss(x, y, y_pred, sample_weight, training=True)
            scaled = self.optimizer.scale_loss(loss)
        self._plan.track(loss, x)
        variables = self.trainable_variables  # type: ignore[attr-defined]  # a layer's
        if variables:
            self.optimizer.apply_gradients(
                zip(tape.gradient(scaled, variables), variables, strict=True)
            )
        else:
            warnings.warn("The model does not have any trainable weights.", stacklevel=3)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data: Any) -> Any:
        """Measure loss and metrics on one batch."""
        x, y, sample_weight = unpacked(data)
        y_pred = self(x, training=False)  # type: ignore[operator]  # a layer
        self._plan.track(self.compute_loss(x, y, y_pred, sample_weight, training=False), x)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Any) -> Any:
        """Predict one batch."""
        x, _, _ = unpacked(data)
        return self(x, training=False)  # type: ignore[operator]  # a layer


class OlderMetrics:
    """Takes a batch into the metrics of `compile`, with a warning that names the newer way."""

    def __init__(self, model: Steps) -> None:
        self._model = model

    def update_state(self, y: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Take a batch into the metrics."""
        warnings.warn(
            "`model.compiled_metrics()` is deprecated. Instead, use e.g.:\n```\nfor metric in "
            "self.metrics:\n    metric.update_state(y, y_pred)\n```\n",
            stacklevel=2,
        )
        watched = self._model._plan.compile_metrics(self._model)
        if watched is not None:
            watched.update_state(y, y_pred, sample_weight)
