"""`tf.keras.metrics`: numbers accumulated over batches, such as an accuracy."""

from __future__ import annotations

from typing import Any, Final

from tapelab.keras import losses
from tapelab.keras.metrics import (
    confusion_metrics,
    correlation_metrics,
    function_metrics,
    region_metrics,
    score_metrics,
    threshold_metrics,
)
from tapelab.keras.metrics import metric as _metric
from tapelab.keras.serialization import deserialized, resolver, serialized
from tapelab.namespace.missing_names import in_module

Metric = _metric.Metric
Sum = _metric.Sum
Mean = _metric.Mean
MeanMetricWrapper = _metric.MeanMetricWrapper
Accuracy = function_metrics.Accuracy
BinaryAccuracy = function_metrics.BinaryAccuracy
CategoricalAccuracy = function_metrics.CategoricalAccuracy
SparseCategoricalAccuracy = function_metrics.SparseCategoricalAccuracy
TopKCategoricalAccuracy = function_metrics.TopKCategoricalAccuracy
SparseTopKCategoricalAccuracy = function_metrics.SparseTopKCategoricalAccuracy
MeanSquaredError = function_metrics.MeanSquaredError
RootMeanSquaredError = function_metrics.RootMeanSquaredError
MeanAbsoluteError = function_metrics.MeanAbsoluteError
MeanAbsolutePercentageError = function_metrics.MeanAbsolutePercentageError
MeanSquaredLogarithmicError = function_metrics.MeanSquaredLogarithmicError
CosineSimilarity = function_metrics.CosineSimilarity
LogCoshError = function_metrics.LogCoshError
Hinge = function_metrics.Hinge
SquaredHinge = function_metrics.SquaredHinge
CategoricalHinge = function_metrics.CategoricalHinge
Poisson = function_metrics.Poisson
KLDivergence = function_metrics.KLDivergence
BinaryCrossentropy = function_metrics.BinaryCrossentropy
CategoricalCrossentropy = function_metrics.CategoricalCrossentropy
SparseCategoricalCrossentropy = function_metrics.SparseCategoricalCrossentropy
Precision = confusion_metrics.Precision
Recall = confusion_metrics.Recall
TruePositives = confusion_metrics.TruePositives
FalsePositives = confusion_metrics.FalsePositives
TrueNegatives = confusion_metrics.TrueNegatives
FalseNegatives = confusion_metrics.FalseNegatives
IoU = region_metrics.IoU
BinaryIoU = region_metrics.BinaryIoU
MeanIoU = region_metrics.MeanIoU
OneHotIoU = region_metrics.OneHotIoU
OneHotMeanIoU = region_metrics.OneHotMeanIoU
SensitivityAtSpecificity = threshold_metrics.SensitivityAtSpecificity
SpecificityAtSensitivity = threshold_metrics.SpecificityAtSensitivity
PrecisionAtRecall = threshold_metrics.PrecisionAtRecall
RecallAtPrecision = threshold_metrics.RecallAtPrecision
PearsonCorrelation = correlation_metrics.PearsonCorrelation
ConcordanceCorrelation = correlation_metrics.ConcordanceCorrelation
AUC = confusion_metrics.AUC
FBetaScore = score_metrics.FBetaScore
F1Score = score_metrics.F1Score
R2Score = score_metrics.R2Score

binary_accuracy = function_metrics.binary_accuracy
categorical_accuracy = function_metrics.categorical_accuracy
sparse_categorical_accuracy = function_metrics.sparse_categorical_accuracy
top_k_categorical_accuracy = function_metrics.top_k_categorical_accuracy
sparse_top_k_categorical_accuracy = function_metrics.sparse_top_k_categorical_accuracy
MSE = mse = mean_squared_error = losses.mean_squared_error
MAE = mae = mean_absolute_error = losses.mean_absolute_error
MAPE = mape = mean_absolute_percentage_error = losses.mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error = losses.mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence = losses.kl_divergence
binary_crossentropy = losses.binary_crossentropy
categorical_crossentropy = losses.categorical_crossentropy
sparse_categorical_crossentropy = losses.sparse_categorical_crossentropy
pearson_correlation = correlation_metrics.pearson_correlation
concordance_correlation = correlation_metrics.concordance_correlation
binary_focal_crossentropy = losses.binary_focal_crossentropy
categorical_focal_crossentropy = losses.categorical_focal_crossentropy
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
        TrueNegatives, FalseNegatives, IoU, BinaryIoU, MeanIoU, OneHotIoU, OneHotMeanIoU, AUC,
        SensitivityAtSpecificity, SpecificityAtSensitivity, PrecisionAtRecall, RecallAtPrecision,
        PearsonCorrelation, ConcordanceCorrelation,
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
    """Return the metric that `serialize` described."""
    return deserialized(config, _CLASSES)


__getattr__, __dir__ = in_module(__name__)
