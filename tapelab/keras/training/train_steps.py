"""`compile`, and the steps for a batch, which a subclass of a model may override."""

from __future__ import annotations

import warnings
from typing import Any

from tapelab.core.tape import GradientTape
from tapelab.keras import optimizers
from tapelab.keras.backend import convert_to_tensor
from tapelab.keras.metrics import Mean
from tapelab.keras.serialization import deserialize_keras_object, serialize_keras_object
from tapelab.keras.training.batches import unpacked
from tapelab.keras.training.compile_utils import CompileLoss, CompileState


class TrainSteps:
    """What a model computes for a batch, as `compile` configured it."""

    _compiled: CompileState

    def __init__(self) -> None:
        self.__dict__["_compiled"] = CompileState()

    def compile(
        self, optimizer: Any = "rmsprop", loss: Any = None, loss_weights: Any = None,
        metrics: Any = None, weighted_metrics: Any = None, run_eagerly: bool = False,
        steps_per_execution: int = 1, jit_compile: Any = "auto", auto_scale_loss: bool = True,
    ) -> None:  # fmt: skip
        """Configure training: the optimizer, the loss and the metrics.

        A later call without a loss or without metrics keeps the earlier ones.
        """
        before, has_metrics = self._compiled, metrics is not None or weighted_metrics is not None
        metric_arguments = (metrics, weighted_metrics) if has_metrics else before.metric_arguments
        given_optimizer, optimizer = optimizer, optimizers.get(optimizer)
        scaled = isinstance(optimizer, optimizers.LossScaleOptimizer)
        policy = self.dtype_policy.name  # type: ignore[attr-defined]  # a layer's
        if auto_scale_loss and policy == "mixed_float16" and optimizer is not None and not scaled:
            optimizer = optimizers.LossScaleOptimizer(optimizer, name="loss_scale_optimizer")
        new_loss = None if loss is None else CompileLoss(self, loss, loss_weights)
        state = CompileState(
            optimizer=optimizer,
            loss=before.loss if loss is None else loss,
            compile_loss=new_loss or before.compile_loss,
            metric_arguments=metric_arguments,
            built_metrics=None if has_metrics else before.built_metrics,
            loss_tracker=Mean(name="loss"),
            run_eagerly=bool(run_eagerly),
            compiled=True,
            config={
                "optimizer": given_optimizer, "loss": loss, "loss_weights": loss_weights,
                "metrics": metrics, "weighted_metrics": weighted_metrics,
                "run_eagerly": run_eagerly, "steps_per_execution": steps_per_execution,
                "jit_compile": jit_compile,
            },
        )  # fmt: skip
        self.__dict__["_compiled"] = state

    @property
    def optimizer(self) -> Any:
        """The optimizer of `compile`."""
        return self._compiled.optimizer

    @optimizer.setter
    def optimizer(self, value: Any) -> None:
        self._compiled.optimizer = optimizers.get(value)

    @property
    def loss(self) -> Any:
        """The loss of `compile`."""
        return self._compiled.loss

    @property
    def compiled(self) -> bool:
        """Whether `compile` was called."""
        return self._compiled.compiled

    @property
    def run_eagerly(self) -> bool:
        """The argument of `compile`; steps always run eagerly."""
        return self._compiled.run_eagerly

    @property
    def stop_training(self) -> bool:
        """Whether `fit` ends after this batch; a callback may set it."""
        return self._compiled.stop_training

    @stop_training.setter
    def stop_training(self, value: bool) -> None:
        self._compiled.stop_training = bool(value)

    @property
    def history(self) -> Any:
        """The history of the last `fit`."""
        if self._compiled.history is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute 'history'")
        return self._compiled.history

    @property
    def metrics(self) -> list[Any]:
        """The loss tracker, the metrics of `compile`, and those of the layers."""
        layers = self._every_layer()  # type: ignore[attr-defined]  # a layer's
        of_layers = [metric for layer in layers for metric in layer._metrics]
        return [*self._compiled.metrics(self), *of_layers]

    @property
    def metrics_names(self) -> list[str]:
        """The names of the metrics."""
        return [metric.name for metric in self.metrics]

    def reset_metrics(self) -> None:
        """Reset all metrics."""
        for metric in self.metrics:
            metric.reset_state()

    def get_compile_config(self) -> Any:
        """Return the arguments of `compile` as plain data; None before it was called."""
        return serialize_keras_object(self._compiled.config) if self.compiled else None

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compile the model with the arguments that `get_compile_config` returned.

        A class that overrides `compile` overrides this, too.
        """
        if type(self).compile is not TrainSteps.compile:
            warnings.warn(
                "`compile()` was not called as part of model loading because the model's "
                "`compile()` method is custom. Override `get_compile_config()` and "
                "`compile_from_config(config)`, or call `compile()` again after loading.",
                stacklevel=2,
            )
            return
        self.compile(**deserialize_keras_object(config))
        if self.optimizer is not None and self.built:  # type: ignore[attr-defined]  # a layer's
            self.optimizer.build(self.trainable_variables)  # type: ignore[attr-defined]  # a layer's

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None,
        training: bool = True,
    ) -> Any:  # fmt: skip
        """Return the loss of a batch, with the terms of layers and regularizers."""
        losses = []
        if self._compiled.compile_loss is not None:
            losses.append(self._compiled.compile_loss(y, y_pred, sample_weight))
        losses += [convert_to_tensor(each) for each in self.losses]  # type: ignore[attr-defined]  # a layer's
        if not losses:
            raise ValueError("No loss to compute. Provide a `loss` argument in `compile()`.")
        total = losses[0]
        for loss in losses[1:]:
            total = total + loss
        return total

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Add a batch to the metrics, and return their results."""
        own = self._compiled.compile_metrics(self)
        if own is not None:
            own.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def compiled_loss(
        self, y: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
    ) -> Any:
        """Return `compute_loss`: its name in Keras 2."""
        warnings.warn(
            "`model.compiled_loss()` is deprecated. Instead, use `model.compute_loss(x, y, y_pred, "
            "sample_weight, training)`.",
            stacklevel=2,
        )
        return self.compute_loss(None, y, y_pred, sample_weight)

    @property
    def compiled_metrics(self) -> CompiledMetrics | None:
        """The metrics of `compile`, as a `train_step` for Keras 2 uses them."""
        return CompiledMetrics(self) if self.compiled else None

    def get_metrics_result(self) -> dict[str, Any]:
        """Return the results of all metrics by name."""
        results: dict[str, Any] = {}
        for metric in self.metrics:
            result = metric.result()
            results.update(result if isinstance(result, dict) else {metric.name: result})
        return results

    def train_step(self, data: Any) -> Any:
        """Train on a batch: forward pass, loss, backward pass, optimizer step."""
        x, y, sample_weight = unpacked(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)  # type: ignore[operator]  # a layer
            loss = self.compute_loss(x, y, y_pred, sample_weight, training=True)
            scaled = self.optimizer.scale_loss(loss)
        self._compiled.track(loss, x)
        variables = self.trainable_variables  # type: ignore[attr-defined]  # a layer's
        if variables:
            self.optimizer.apply_gradients(
                zip(tape.gradient(scaled, variables), variables, strict=True)
            )
        else:
            warnings.warn("The model does not have any trainable weights.", stacklevel=3)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data: Any) -> Any:
        """Compute the loss and the metrics of a batch."""
        x, y, sample_weight = unpacked(data)
        y_pred = self(x, training=False)  # type: ignore[operator]  # a layer
        self._compiled.track(self.compute_loss(x, y, y_pred, sample_weight, training=False), x)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Any) -> Any:
        """Predict a batch."""
        x, _, _ = unpacked(data)
        return self(x, training=False)  # type: ignore[operator]  # a layer


class CompiledMetrics:
    """Adds a batch to the metrics of `compile`, with a deprecation warning."""

    def __init__(self, model: TrainSteps) -> None:
        self._model = model

    def update_state(self, y: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a batch to the metrics."""
        warnings.warn(
            "`model.compiled_metrics()` is deprecated. Instead, use e.g.:\n```\nfor metric in "
            "self.metrics:\n    metric.update_state(y, y_pred)\n```\n",
            stacklevel=2,
        )
        own = self._model._compiled.compile_metrics(self._model)
        if own is not None:
            own.update_state(y, y_pred, sample_weight)
