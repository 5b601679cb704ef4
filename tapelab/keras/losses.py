"""`tf.keras.losses`: how far predictions are from labels, as functions and as classes.

A function takes labels and predictions, arrays of shape [batch, ..., size], and returns one loss
per sample: the mean or the sum over the last axis. Its class, declared in the table at the end,
computes that and reduces the losses of the samples to a scalar; its settings are the function's
keyword arguments, the reduction, a name and a dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

import numpy as np

from tapelab import linalg, math, nn
from tapelab.array_ops import creation, shape_ops, value_ops
from tapelab.core.execute import composite
from tapelab.keras import activations, backend, loss, masks
from tapelab.keras.class_settings import Configured, setting
from tapelab.keras.logits import scores_of
from tapelab.keras.loss import pair as _pair
from tapelab.keras.serialization import deserialized, resolver, serialized
from tapelab.namespace.missing_names import in_module

Loss = loss.Loss
_LOG_2: Final = float(np.float32(np.log(2.0)))
"""ln 2 in the precision that Keras has it, whatever the dtype of the loss."""


class _FunctionLoss(loss.LossFunctionWrapper):
    """The class of a function of this module, which its class statement names."""

    reduction: str | None = setting("sum_over_batch_size", in_config=False)
    name: str = setting(None, in_config=False)
    dtype: str = setting(None, in_config=False)
    _subclass_settings_before = "reduction"
    _function: ClassVar[Callable[..., Any]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        Configured.__init__(self, *args, **kwargs)

    def __init_subclass__(
        cls, function: Callable[..., Any] | None = None, name: str | None = None
    ) -> None:
        if function is not None:  # a subclass of the user keeps the function
            cls._function = staticmethod(function)
            cls.name = setting(name or function.__name__, in_config=False)
        super().__init_subclass__()

    def _begin(self, arguments: dict[str, Any]) -> None:
        shared = {key: arguments.pop(key) for key in ("reduction", "name", "dtype")}
        super().__init__(type(self)._function, **shared, **arguments)


def _mean(losses: Any) -> Any:
    return math.reduce_mean(losses, axis=-1)


def _positive(probabilities: Any) -> Any:
    """Probabilities of at least epsilon."""
    return value_ops.clip_by_value(probabilities, backend.epsilon(), 1.0)


def _clipped(probabilities: Any) -> Any:
    """Probabilities at least epsilon away from 0 and 1, where the logarithm is finite."""
    return value_ops.clip_by_value(probabilities, backend.epsilon(), 1.0 - backend.epsilon())


@composite
def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of `(y_true - y_pred)²` per sample."""
    labels, predicted = _pair(y_true, y_pred)
    return _mean(math.square(labels - predicted))


@composite
def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of `|y_true - y_pred|` per sample."""
    labels, predicted = _pair(y_true, y_pred)
    return _mean(math.abs(labels - predicted))


@composite
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of `100 |y_true - y_pred| / |y_true|` per sample."""
    labels, predicted = _pair(y_true, y_pred)
    size = math.maximum(math.abs(labels), backend.epsilon())
    return 100.0 * _mean(math.abs((labels - predicted) / size))


@composite
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of `(ln(1 + y_true) - ln(1 + y_pred))²` per sample."""
    labels, predicted = _pair(y_true, y_pred)
    log_predicted = math.log(math.maximum(predicted, backend.epsilon()) + 1.0)
    log_labels = math.log(math.maximum(labels, backend.epsilon()) + 1.0)
    return _mean(math.square(log_predicted - log_labels))


@composite
def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Return half the squared error up to `delta`, and a linear function beyond (Huber 1964)."""
    labels, predicted = _pair(y_true, y_pred)
    distance = math.abs(predicted - labels)
    square = 0.5 * math.square(distance)
    line = delta * distance - 0.5 * delta * delta
    return _mean(value_ops.where(distance <= delta, square, line))


@composite
def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of `ln cosh(y_pred - y_true)`: quadratic near 0, linear far away."""
    labels, predicted = _pair(y_true, y_pred)
    error = predicted - labels
    return _mean(error + nn.softplus(-2.0 * error) - _LOG_2)


@composite
def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Return minus the cosine of the angle to the labels: -1 for the same direction."""
    labels, predicted = _pair(y_true, y_pred)
    return -math.reduce_sum(_normalized(labels, axis) * _normalized(predicted, axis), axis=axis)


def _normalized(x: Any, axis: int) -> Any:
    squares = math.reduce_sum(math.square(x), axis=axis, keepdims=True)
    return x * math.rsqrt(math.maximum(squares, backend.epsilon() ** 2))


@composite
def poisson(y_true: Any, y_pred: Any) -> Any:
    """Return the negative log-likelihood of counts under Poisson means, up to a constant."""
    labels, predicted = _pair(y_true, y_pred)
    return _mean(predicted - labels * math.log(predicted + backend.epsilon()))


@composite
def hinge(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of `max(1 - y_true · y_pred, 0)` for labels -1 and 1."""
    labels, predicted = _pair(y_true, y_pred)
    return _mean(math.maximum(1.0 - _signs(labels) * predicted, 0.0))


@composite
def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of `max(1 - y_true · y_pred, 0)²` for labels -1 and 1."""
    labels, predicted = _pair(y_true, y_pred)
    return _mean(math.square(math.maximum(1.0 - _signs(labels) * predicted, 0.0)))


def _signs(labels: Any) -> Any:
    """Labels 0 and 1 as -1 and 1; others unchanged."""
    binary = math.reduce_all(math.logical_or(math.equal(labels, 0.0), math.equal(labels, 1.0)))
    return value_ops.where(binary, 2.0 * labels - 1.0, labels)


@composite
def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """Return how much the true class lacks of a margin of 1 over the best other class."""
    labels, predicted = _pair(y_true, y_pred)
    of_true_class = math.reduce_sum(labels * predicted, axis=-1)
    best_other = math.reduce_max((1.0 - labels) * predicted, axis=-1)
    return math.maximum(best_other - of_true_class + 1.0, 0.0)


@composite
def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """Return 1 minus the Dice coefficient of two regions, `2 |A ∩ B| / (|A| + |B|)`."""
    labels, predicted = _pair(y_true, y_pred)
    overlap = math.reduce_sum(labels * predicted, axis=axis)
    sizes = math.reduce_sum(labels, axis=axis) + math.reduce_sum(predicted, axis=axis)
    return 1.0 - 2.0 * overlap / (sizes + backend.epsilon())


@composite
def tversky(
    y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None
) -> Any:
    """Return 1 minus the Tversky index.

    As Keras computes it, `alpha` weighs labels that are missed, `beta` predictions without a label.
    """
    labels, predicted = _pair(y_true, y_pred)
    overlap = math.reduce_sum(labels * predicted, axis=axis)
    missed = math.reduce_sum(labels * (1.0 - predicted), axis=axis)
    without_label = math.reduce_sum((1.0 - labels) * predicted, axis=axis)
    whole = overlap + alpha * missed + beta * without_label
    return 1.0 - overlap / (whole + backend.epsilon())


@composite
def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """Return the Kullback-Leibler divergence `Σ y_true ln(y_true / y_pred)` per sample."""
    labels, predicted = _pair(y_true, y_pred)
    labels = _positive(labels)
    return math.reduce_sum(labels * math.log(labels / _positive(predicted)), axis=-1)


@composite
def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:  # fmt: skip
    """Return the mean cross entropy of labels 0 and 1 and probabilities, along an axis."""
    labels, predicted = _pair(y_true, y_pred)
    labels = _smoothed(labels, label_smoothing, 2)
    if labels.shape != predicted.shape:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape. Received: "
            f"target.shape={labels.shape}, output.shape={predicted.shape}"
        )
    losses = _binary_losses(labels, predicted, from_logits=from_logits)
    return math.reduce_mean(losses, axis=axis)


def _binary_losses(labels: Any, predicted: Any, *, from_logits: bool) -> Any:
    """The cross entropy of each label, 0 or 1, and each prediction."""
    scores, are_logits = scores_of(
        predicted, "binary_crossentropy", "Sigmoid", from_logits=from_logits
    )
    if are_logits:
        return nn.sigmoid_cross_entropy_with_logits(labels, scores)
    p = _clipped(predicted)
    return -(labels * math.log(p) + (1.0 - labels) * math.log(1.0 - p))


def _smoothed(labels: Any, share: float, classes: Any) -> Any:
    """Labels moved by a share towards the uniform distribution over the classes."""
    return labels * (1.0 - share) + share / classes if share else labels


@composite
def binary_focal_crossentropy(
    y_true: Any, y_pred: Any, apply_class_balancing: bool = False, alpha: float = 0.25,
    gamma: float = 2.0, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
) -> Any:  # fmt: skip
    """Return the binary cross entropy times `(1 - p)^gamma` for the probability p of the label.

    Good predictions get less weight (Lin et al. 2017).
    """
    labels, predicted = _pair(y_true, y_pred)
    labels = _smoothed(labels, label_smoothing, 2)
    probability = activations.sigmoid(predicted) if from_logits else predicted
    losses = _binary_losses(labels, probability, from_logits=False)
    of_label = labels * probability + (1.0 - labels) * (1.0 - probability)
    weighted = math.pow(1.0 - of_label, gamma) * losses
    if apply_class_balancing:
        weighted = (labels * alpha + (1.0 - labels) * (1.0 - alpha)) * weighted
    return math.reduce_mean(weighted, axis=axis)


@composite
def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:  # fmt: skip
    """Return the cross entropy `-Σ y_true ln y_pred` of distributions over classes."""
    predicted: Any = backend.convert_to_tensor(y_pred)
    labels: Any = backend.convert_to_tensor(y_true, predicted.dtype)
    labels = _smoothed(labels, label_smoothing, label_smoothing and labels.shape[axis])
    _check_same_shape(labels, predicted)
    scores, are_logits = scores_of(
        predicted, "categorical_crossentropy", "Softmax", from_logits=from_logits
    )
    if are_logits:
        return nn.softmax_cross_entropy_with_logits(labels, scores, axis=axis)
    shares = predicted / math.reduce_sum(predicted, axis=axis, keepdims=True)
    return -math.reduce_sum(labels * math.log(_clipped(shares)), axis=axis)


def _check_same_shape(labels: Any, predicted: Any) -> None:
    shapes = f"Received: target.shape={labels.shape}, output.shape={predicted.shape}"
    if not labels.ndim:
        raise ValueError(f"Arguments `target` and `output` must be at least rank 1. {shapes}")
    if labels.ndim != predicted.ndim:
        raise ValueError(
            f"Arguments `target` and `output` must have the same rank (ndim). {shapes}. "
            "Labels that are class numbers belong to sparse_categorical_crossentropy."
        )
    if labels.shape != predicted.shape:
        raise ValueError(f"Arguments `target` and `output` must have the same shape. {shapes}")


@composite
def categorical_focal_crossentropy(
    y_true: Any, y_pred: Any, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False,
    label_smoothing: float = 0.0, axis: int = -1,
) -> Any:  # fmt: skip
    """Return the cross entropy times `alpha (1 - p)^gamma` for each probability p.

    Good predictions get less weight (Lin et al. 2017).
    """
    labels, predicted = _pair(y_true, y_pred)
    labels = _smoothed(labels, label_smoothing, label_smoothing and labels.shape[-1])
    shares = nn.softmax(predicted, axis=axis) if from_logits else predicted
    shares = _clipped(shares / math.reduce_sum(shares, axis=axis, keepdims=True))
    losses = -labels * math.log(shares)
    return math.reduce_sum(alpha * math.pow(1.0 - shares, gamma) * losses, axis=axis)


@composite
def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None,
    axis: int = -1,
) -> Any:  # fmt: skip
    """Return the cross entropy `-ln y_pred[class]` for labels that are class numbers."""
    predicted: Any = backend.convert_to_tensor(y_pred)
    classes: Any = value_ops.cast(backend.convert_to_tensor(y_true), "int64")
    if classes.ndim == predicted.ndim and classes.ndim and classes.shape[-1] == 1:
        classes = shape_ops.squeeze(classes, -1)
    _check_classes(classes, predicted)
    valid = _class_mask(classes, ignore_class)
    if valid is not None:
        classes = classes * value_ops.cast(valid, "int64")
    function = "sparse_categorical_crossentropy"
    scores, are_logits = scores_of(predicted, function, "Softmax", from_logits=from_logits)
    scores = scores if are_logits else math.log(_clipped(scores))
    losses = nn.sparse_softmax_cross_entropy_with_logits(classes, scores)
    return losses if valid is None else value_ops.where(valid, losses, 0.0)


def _class_mask(y_true: Any, ignore_class: int | None) -> Any:
    """Return which samples are not of the ignored class; None if no class is ignored."""
    if ignore_class is None:
        return None
    return math.not_equal(
        value_ops.cast(backend.convert_to_tensor(y_true), "int64"), int(ignore_class)
    )


def _check_classes(classes: Any, predicted: Any) -> None:
    shapes = f"target.shape={classes.shape}, output.shape={predicted.shape}"
    if not predicted.ndim:
        raise ValueError(f"Argument `output` must be at least rank 1. Received: {shapes}")
    if classes.ndim != predicted.ndim - 1:
        raise ValueError(
            f"Argument `output` must have rank (ndim) `target.ndim - 1`. Received: {shapes}. "
            "One-hot labels belong to categorical_crossentropy."
        )
    if classes.shape != predicted.shape[:-1]:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last "
            f"dimension: {shapes}"
        )


class SparseCategoricalCrossentropy(_FunctionLoss, function=sparse_categorical_crossentropy):
    """The cross entropy of class numbers and probabilities, or logits."""

    from_logits: bool = setting(False)
    ignore_class: int | None = setting(None)
    axis: int = setting(-1, before="name", in_config=False)

    def _mask(self, y_true: Any, y_pred: Any) -> Any:
        from_layers = super()._mask(y_true, y_pred)
        of_classes = _class_mask(y_true, self.ignore_class)
        return loss.both_masks(from_layers, of_classes)


@composite
def categorical_generalized_cross_entropy(y_true: Any, y_pred: Any, q: float) -> Any:
    """Return `(1 - p^q) / q` for the probability p of the class number (Zhang, Sabuncu 2018)."""
    predicted: Any = backend.convert_to_tensor(y_pred)
    labels = value_ops.cast(y_true, "int32")
    one_hot: Any = creation.one_hot(labels, predicted.shape[-1], dtype=predicted.dtype)
    probability: Any = math.reduce_sum(predicted * one_hot, axis=-1)
    return (1.0 - math.pow(probability, q)) / q


class CategoricalGeneralizedCrossEntropy(
    _FunctionLoss, function=categorical_generalized_cross_entropy
):
    """The cross entropy of class numbers that noisy labels disturb less."""

    q: float = setting(0.5)

    def _begin(self, arguments: dict[str, Any]) -> None:
        if not 0 < arguments["q"] < 1:
            raise ValueError("q must be in the interval (0, 1)")
        super()._begin(arguments)


@composite
def circle(
    y_true: Any, y_pred: Any, ref_labels: Any = None, ref_embeddings: Any = None,
    remove_diagonal: bool = True, gamma: float = 80, margin: float = 0.4,
) -> Any:  # fmt: skip
    """Return how far embeddings of one class are apart, and those of others near (Sun et al. 2020).

    Each row is compared with all rows, or with reference embeddings and their labels.
    """
    rows: Any = backend.convert_to_tensor(y_pred)
    labels = shape_ops.reshape(value_ops.cast(y_true, "int32"), [-1])
    others: Any = rows if ref_embeddings is None else backend.convert_to_tensor(ref_embeddings)
    of_others = labels if ref_labels is None else shape_ops.reshape(
        value_ops.cast(ref_labels, "int32"), [-1]
    )  # fmt: skip
    cosine = linalg.matmul(rows, others, transpose_b=True)
    distance: Any = math.maximum(math.subtract(1.0, cosine), 0.0)
    same = math.equal(shape_ops.expand_dims(labels, 1), shape_ops.expand_dims(of_others, 0))
    different = math.logical_not(same)
    if remove_diagonal:
        itself = np.eye(int(same.shape[0]), int(same.shape[1]), dtype=bool)
        same = math.logical_and(same, backend.convert_to_tensor(~itself))
    attraction = -gamma * math.maximum(margin + distance, 0.0) * (margin - distance)
    repulsion = gamma * math.maximum(1.0 + margin - distance, 0.0) * (1.0 - margin - distance)
    total = math.reduce_logsumexp(value_ops.where(same, attraction, -np.inf), axis=1)
    total = total + math.reduce_logsumexp(value_ops.where(different, repulsion, -np.inf), axis=1)
    losses = nn.softplus(total)
    masks.remember(losses, losses > 0.0)
    return losses


class Circle(_FunctionLoss, function=circle):
    """The circle loss of embeddings and their class numbers."""

    gamma: float = setting(80.0)
    margin: float = setting(0.4)
    remove_diagonal: bool = setting(True)


def _class(name: str, function: Callable[..., Any], **options: Any) -> type[_FunctionLoss]:
    return loss.class_of_function(_FunctionLoss, name, function, module=__name__, **options)


MeanSquaredError = _class("MeanSquaredError", mean_squared_error)
MeanAbsoluteError = _class("MeanAbsoluteError", mean_absolute_error)
MeanAbsolutePercentageError = _class("MeanAbsolutePercentageError", mean_absolute_percentage_error)
MeanSquaredLogarithmicError = _class("MeanSquaredLogarithmicError", mean_squared_logarithmic_error)
Huber = _class("Huber", huber, title="huber_loss", in_config=False)
LogCosh = _class("LogCosh", log_cosh)
CosineSimilarity = _class("CosineSimilarity", cosine_similarity, in_config=False)
Poisson = _class("Poisson", poisson)
Hinge = _class("Hinge", hinge)
SquaredHinge = _class("SquaredHinge", squared_hinge)
CategoricalHinge = _class("CategoricalHinge", categorical_hinge)
Dice = _class("Dice", dice, before={"axis": "dtype"})
Tversky = _class("Tversky", tversky, before={"axis": "dtype"})
KLDivergence = _class("KLDivergence", kl_divergence)
BinaryCrossentropy = _class("BinaryCrossentropy", binary_crossentropy)
BinaryFocalCrossentropy = _class("BinaryFocalCrossentropy", binary_focal_crossentropy)
CategoricalCrossentropy = _class("CategoricalCrossentropy", categorical_crossentropy)
CategoricalFocalCrossentropy = _class(
    "CategoricalFocalCrossentropy", categorical_focal_crossentropy
)

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh

_CLASSES: Final = {kind.__name__: kind for kind in _FunctionLoss.__subclasses__()}
_SHORT: Final = {
    "mse": mse, "mae": mae, "mape": mape, "msle": msle, "kld": kld, "bce": binary_crossentropy,
    "MSE": mse, "MAE": mae, "MAPE": mape, "MSLE": msle, "KLD": kld, "BCE": binary_crossentropy,
}  # fmt: skip
_FUNCTIONS: Final = {kind._function.__name__: kind._function for kind in _CLASSES.values()}

get = resolver("loss", {**_CLASSES, **_FUNCTIONS, **_SHORT})
serialize = serialized


def deserialize(config: Any) -> Any:
    """Return the loss that `serialize` described."""
    return deserialized(config, _CLASSES)


__getattr__, __dir__ = in_module(__name__)
