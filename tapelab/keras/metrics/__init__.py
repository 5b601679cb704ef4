"""`tf.keras.metrics`: numbers kept over many batches, such as an accuracy."""

from __future__ import annotations

from typing import Any, Final

from tapelab.keras import losses
from tapelab.keras.metrics import accuracy as _accuracy
from tapelab.keras.metrics import area, confusion, distances, means, scores
from tapelab.keras.metrics import metric as _metric
from tapelab.keras.serialization import deserialized, resolver, serialized
from tapelab.namespace.missing_names import in_module

Metric = _metric.Metric
Sum = means.Sum
Mean = means.Mean
MeanMetricWrapper = means.MeanMetricWrapper
Accuracy = _accuracy.Accuracy
BinaryAccuracy = _accuracy.BinaryAccuracy
CategoricalAccuracy = _accuracy.CategoricalAccuracy
SparseCategoricalAccuracy = _accuracy.SparseCategoricalAccuracy
TopKCategoricalAccuracy = _accuracy.TopKCategoricalAccuracy
SparseTopKCategoricalAccuracy = _accuracy.SparseTopKCategoricalAccuracy
MeanSquaredError = distances.MeanSquaredError
RootMeanSquaredError = distances.RootMeanSquaredError
MeanAbsoluteError = distances.MeanAbsoluteError
MeanAbsolutePercentageError = distances.MeanAbsolutePercentageError
MeanSquaredLogarithmicError = distances.MeanSquaredLogarithmicError
CosineSimilarity = distances.CosineSimilarity
LogCoshError = distances.LogCoshError
Hinge = distances.Hinge
SquaredHinge = distances.SquaredHinge
CategoricalHinge = distances.CategoricalHinge
Poisson = distances.Poisson
KLDivergence = distances.KLDivergence
BinaryCrossentropy = distances.BinaryCrossentropy
CategoricalCrossentropy = distances.CategoricalCrossentropy
SparseCategoricalCrossentropy = distances.SparseCategoricalCrossentropy
Precision = confusion.Precision
Recall = confusion.Recall
TruePositives = confusion.TruePositives
FalsePositives = confusion.FalsePositives
TrueNegatives = confusion.TrueNegatives
FalseNegatives = confusion.FalseNegatives
MeanIoU = confusion.MeanIoU
AUC = area.AUC
FBetaScore = scores.FBetaScore
F1Score = scores.F1Score
R2Score = scores.R2Score

binary_accuracy = _accuracy.binary_accuracy
categorical_accuracy = _accuracy.categorical_accuracy
sparse_categorical_accuracy = _accuracy.sparse_categorical_accuracy
top_k_categorical_accuracy = _accuracy.top_k_categorical_accuracy
sparse_top_k_categorical_accuracy = _accuracy.sparse_top_k_categorical_accuracy
MSE = mse = mean_squared_error = losses.mean_squared_error
MAE = mae = mean_absolute_error = losses.mean_absolute_error
MAPE = mape = mean_absolute_percentage_error = losses.mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error = losses.mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence = losses.kl_divergence
binary_crossentropy = losses.binary_crossentropy
categorical_crossentropy = losses.categorical_crossentropy
sparse_categorical_crossentropy = losses.sparse_categorical_crossentropy
huber = losses.huber
logcosh = losses.logcosh
hinge = losses.hinge
squared_hinge = losses.squared_hinge
categorical_hinge = losses.categorical_hinge
poisson = losses.poisson

_CLASSES: Final = {
    each.__name__: each
    for each in (
        Sum, Mean, MeanMetricWrapper, Accuracy, BinaryAccuracy, CategoricalAccuracy,
        SparseCategoricalAccuracy, TopKCategoricalAccuracy, SparseTopKCategoricalAccuracy,
        MeanSquaredError, RootMeanSquaredError, MeanAbsoluteError, MeanAbsolutePercentageError,
        MeanSquaredLogarithmicError, CosineSimilarity, LogCoshError, Hinge, SquaredHinge,
        CategoricalHinge, Poisson, KLDivergence, BinaryCrossentropy, CategoricalCrossentropy,
        SparseCategoricalCrossentropy, Precision, Recall, TruePositives, FalsePositives,
        TrueNegatives, FalseNegatives, MeanIoU, AUC,
        FBetaScore, F1Score, R2Score,
    )
}  # fmt: skip
_SHORT: Final = {
    "mse": MeanSquaredError, "mae": MeanAbsoluteError, "mape": MeanAbsolutePercentageError,
    "msle": MeanSquaredLogarithmicError, "bce": BinaryCrossentropy,
    "MSE": MeanSquaredError, "MAE": MeanAbsoluteError, "MAPE": MeanAbsolutePercentageError,
    "MSLE": MeanSquaredLogarithmicError, "BCE": BinaryCrossentropy, "auc": AUC,
}  # fmt: skip

get = resolver("metric", {**_CLASSES, **_SHORT})
serialize = serialized


def deserialize(config: Any) -> Any:
    """The metric that `serialize` wrote down."""
    return deserialized(config, _CLASSES)


__getattr__, __dir__ = in_module(__name__)
