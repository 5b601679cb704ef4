"""The losses and metrics that `compile` sets up, for each output of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tapelab import nest
from tapelab.keras import losses, metrics
from tapelab.keras.loss import LossFunctionWrapper
from tapelab.keras.metrics.metric import Metric
from tapelab.keras.name_scopes import snake_case

ACCURACIES = ("accuracy", "acc")
CROSSENTROPIES = ("crossentropy", "ce")


def by_output(value: Any, names: list[str], what: str) -> list[Any]:
    """Return an argument of `compile` for each output: by name, by position, or one for all."""
    if what.endswith("metrics") and len(names) == 1:
        return [_only_setting(value)]
    if isinstance(value, Mapping):
        unknown = set(value) - set(names)
        if unknown:
            raise ValueError(
                f"In the dict argument `{what}`, keys {sorted(unknown)} are not the names of "
                f"outputs of the model. Its outputs are {names}."
            )
        return [value.get(name) for name in names]
    if isinstance(value, (list, tuple)) and len(names) > 1:
        return list(value)
    if isinstance(value, (list, tuple)) and what in {"loss", "loss_weights"} and len(value) == 1:
        return list(value)
    return [value] * len(names)


def _only_setting(value: Any) -> Any:
    """The metrics of a single output, also if they are nested as for several outputs."""
    nested = isinstance(value, Mapping) or (
        isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple))
    )
    return _only(value) if nested else value


def output_names(model: Any, y_pred: Any) -> list[str]:
    """Return the names of the outputs: keys of a dict, names of their layers, or numbers."""
    if isinstance(y_pred, Mapping):
        return sorted(y_pred)
    count = len(nest.flatten(y_pred))
    makers: list[Any] = [
        getattr(each, "history", None) for each in getattr(model, "outputs", None) or ()
    ]
    if len(makers) == count and all(makers):
        return [maker.operation.name for maker in makers]
    return [f"output_{place}" for place in range(count)]


def parts(value: Any, count: int) -> list[Any]:
    """Return the parts of labels or predictions, one for each output."""
    return nest.flatten(value) if count > 1 else [_only(value)]


def _only(value: Any) -> Any:
    if isinstance(value, Mapping) and len(value) == 1:
        return next(iter(value.values()))
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return value[0]
    return value


class CompileLoss:
    """The weighted sum of the losses of all outputs."""

    def __init__(self, model: Any, loss: Any, loss_weights: Any) -> None:
        self._model, self._given, self._weights = model, loss, loss_weights
        self._names: list[str] = []
        self._losses: list[Any] = []
        self._factors: list[Any] = []
        self.metrics: list[Metric] = []

    def _build(self, y_true: Any, y_pred: Any) -> None:
        self._names = output_names(self._model, y_pred)
        pairs = zip(parts(y_true, len(self._names)), parts(y_pred, len(self._names)), strict=False)
        given = by_output(self._given, self._names, "loss")
        self._losses = [_loss(each, *pair) for each, pair in zip(given, pairs, strict=False)]
        self._factors = by_output(self._weights, self._names, "loss_weights")
        if len(self._names) > 1:
            self.metrics = [metrics.Mean(name=f"{name}_loss") for name in self._names]

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Return the loss of a batch."""
        if not self._losses:
            self._build(y_true, y_pred)
        count = len(self._names)
        weights = parts(sample_weight, count) if isinstance(sample_weight, (list, dict)) else None
        total = None
        for place, (labels, predicted) in enumerate(
            zip(parts(y_true, count), parts(y_pred, count), strict=True)
        ):
            if self._losses[place] is None:
                continue
            if labels is None:
                raise ValueError("None values not supported. A loss needs labels: fit(x, y).")
            value = self._losses[place](labels, predicted, weights[place] if weights else
                                        sample_weight)  # fmt: skip
            if self.metrics:
                self.metrics[place].update_state(value, sample_weight=predicted.shape[0])
            factor = self._factors[place]
            value = value if factor is None else value * factor
            total = value if total is None else total + value
        return total


def _loss(given: Any, y_true: Any, y_pred: Any) -> Any:
    if isinstance(given, str) and given.lower() in CROSSENTROPIES:
        kind = _kind_of_labels(y_true, y_pred)
        return LossFunctionWrapper(getattr(losses, f"{kind}_crossentropy"), name=given)
    loss = losses.get(given)
    if loss is None or isinstance(loss, losses.Loss):
        return loss
    return LossFunctionWrapper(loss, name=getattr(loss, "__name__", None))


class CompileMetrics:
    """The metrics of all outputs; the results have the names of the metrics."""

    name = "compile_metrics"

    def __init__(self, model: Any, given: Any, weighted: Any) -> None:
        for title, value in (("metrics", given), ("weighted_metrics", weighted)):
            if value is not None and not isinstance(value, (list, tuple, Mapping)):
                raise ValueError(
                    f"Expected `{title}` argument to be a list, tuple, or dict. Received instead: "
                    f"{title}={value} of type {type(value)}"
                )
        self._model, self._given, self._weighted = model, given, weighted
        self._plain: list[list[Metric]] = []
        self._with_weight: list[list[Metric]] = []
        self._names: list[str] = []

    @property
    def metrics(self) -> list[Metric]:
        """All metrics, output by output."""
        rows = zip(self._plain, self._with_weight, strict=True)
        return [metric for plain, weighted in rows for metric in (*plain, *weighted)]

    @property
    def variables(self) -> list[Any]:
        """The variables of all metrics."""
        return [variable for metric in self.metrics for variable in metric.variables]

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a batch to all metrics."""
        if not self._names:
            self._build(y_true, y_pred)
        count = len(self._names)
        pairs = zip(parts(y_true, count), parts(y_pred, count), strict=True)
        for place, (labels, predicted) in enumerate(pairs):
            for metric in self._plain[place]:
                metric.update_state(labels, predicted)
            for metric in self._with_weight[place]:
                metric.update_state(labels, predicted, sample_weight=sample_weight)

    def _build(self, y_true: Any, y_pred: Any) -> None:
        self._names = output_names(self._model, y_pred)
        count = len(self._names)
        pairs = list(zip(parts(y_true, count), parts(y_pred, count), strict=True))
        self._plain = _built_metrics(by_output(self._given, self._names, "metrics"), pairs)
        self._with_weight = _built_metrics(
            by_output(self._weighted, self._names, "weighted_metrics"), pairs
        )

    def result(self) -> dict[str, Any]:
        """Return the results by metric name, preceded by the output name if there are several."""
        results: dict[str, Any] = {}
        for name, plain, weighted in zip(self._names, self._plain, self._with_weight, strict=True):
            for metric in (*plain, *weighted):
                title = f"{name}_{metric.name}" if len(self._names) > 1 else metric.name
                results[_unique_key(title, results)] = metric.result()
        return results

    def reset_state(self) -> None:
        """Reset all metrics."""
        for metric in self.metrics:
            metric.reset_state()

    def __repr__(self) -> str:
        return f"<CompileMetrics name={self.name}>"


def _built_metrics(settings: list[Any], pairs: list[tuple[Any, Any]]) -> list[list[Metric]]:
    return [
        [_metric(each, labels, predicted) for each in _listed(setting)]
        for setting, (labels, predicted) in zip(settings, pairs, strict=True)
    ]


def _listed(setting: Any) -> Iterator[Any]:
    several = setting if isinstance(setting, (list, tuple)) else [setting]
    return (each for each in several if each is not None)


def _metric(given: Any, y_true: Any, y_pred: Any) -> Metric:
    if isinstance(given, str) and given.lower() in ACCURACIES:
        return _accuracy(given, y_true, y_pred)
    metric = metrics.get(given)
    if isinstance(metric, Metric):
        if isinstance(given, str):
            metric.name = given
        return metric
    name = snake_case(getattr(metric, "__name__", type(metric).__name__))
    return metrics.MeanMetricWrapper(metric, name=name)


def _accuracy(name: str, y_true: Any, y_pred: Any) -> Metric:
    """The accuracy that fits the shapes: binary, of class numbers, or of one-hot labels."""
    kinds: dict[str, type[Metric]] = {
        "binary": metrics.BinaryAccuracy,
        "sparse_categorical": metrics.SparseCategoricalAccuracy,
        "categorical": metrics.CategoricalAccuracy,
    }
    return kinds[_kind_of_labels(y_true, y_pred)](name=name)


def _kind_of_labels(y_true: Any, y_pred: Any) -> str:
    """What the shapes say of the labels: binary, class numbers, or one-hot."""
    if y_pred.shape[-1] == 1:
        return "binary"
    labels = y_true.shape
    is_sparse = len(labels) < len(y_pred.shape) or labels[-1] == 1
    return "sparse_categorical" if is_sparse else "categorical"


def _unique_key(name: str, taken: Mapping[str, Any]) -> str:
    """The name, followed by a number if it is taken."""
    number, free = 1, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


@dataclass
class CompileState:
    """The arguments of `compile`, and the state of training; no attributes of the model itself."""

    optimizer: Any = None
    loss: Any = None
    compile_loss: CompileLoss | None = None
    loss_tracker: Any = None
    run_eagerly: bool = False
    compiled: bool = False
    stop_training: bool = False
    first_epoch: int | None = None
    """The epoch with which `fit` goes on, if a callback has restored the state of a training."""
    config: dict[str, Any] = field(default_factory=dict)
    metric_arguments: tuple[Any, Any] = (None, None)
    built_metrics: CompileMetrics | None = None
    history: Any = None

    def compile_metrics(self, model: Any) -> CompileMetrics | None:
        """Return the metrics of `compile`, which are built at the first call."""
        given, weighted = self.metric_arguments
        if self.built_metrics is None and (given or weighted):
            self.built_metrics = CompileMetrics(model, given, weighted)
        return self.built_metrics

    def metrics(self, model: Any) -> list[Any]:
        """Return the loss tracker, those of the outputs, and the metrics of `compile`."""
        if not self.compiled:
            return []
        outputs = self.compile_loss.metrics if self.compile_loss is not None else []
        own = self.compile_metrics(model)
        return [self.loss_tracker, *outputs, *([] if own is None else [own])]

    def track(self, loss: Any, x: Any) -> None:
        """Add the loss of a batch to the mean of the epoch, weighted by the number of samples."""
        if self.loss_tracker is not None:
            self.loss_tracker.update_state(loss, sample_weight=nest.flatten(x)[0].shape[0])
