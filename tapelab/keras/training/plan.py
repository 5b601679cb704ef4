"""What `compile` chose, and how far training has come."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tapelab import nest
from tapelab.keras.training.compile_utils import CompileLoss, CompileMetrics


@dataclass
class Plan:
    """The choices of `compile`; it stands beside the attributes that a layer takes note of."""

    optimizer: Any = None
    loss: Any = None
    compile_loss: CompileLoss | None = None
    loss_tracker: Any = None
    run_eagerly: bool = False
    compiled: bool = False
    stop_training: bool = False
    config: dict[str, Any] = field(default_factory=dict)
    asked: tuple[Any, Any] = (None, None)
    watched: CompileMetrics | None = None
    history: Any = None

    def compile_metrics(self, model: Any) -> CompileMetrics | None:
        """The metrics of `compile`, made when they are first asked for."""
        given, weighted = self.asked
        if self.watched is None and (given or weighted):
            self.watched = CompileMetrics(model, given, weighted)
        return self.watched

    def metrics(self, model: Any) -> list[Any]:
        """The loss, those of the outputs, and the metrics of `compile`."""
        if not self.compiled:
            return []
        outputs = self.compile_loss.metrics if self.compile_loss is not None else []
        watched = self.compile_metrics(model)
        return [self.loss_tracker, *outputs, *([] if watched is None else [watched])]

    def track(self, loss: Any, x: Any) -> None:
        """Take the loss of a batch into the mean of the round, by the number of its samples."""
        if self.loss_tracker is not None:
            self.loss_tracker.update_state(loss, sample_weight=nest.flatten(x)[0].shape[0])
