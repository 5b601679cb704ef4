"""`tf.keras.losses`: how wrong predictions are, as functions and as objects."""

from __future__ import annotations

from typing import Any, Final

from tapelab.keras.losses import classes, crossentropy, regression
from tapelab.keras.losses import loss as _loss
from tapelab.keras.serialization import deserialized, resolver, serialized
from tapelab.namespace.missing_names import in_module

Loss = _loss.Loss
MeanSquaredError = classes.MeanSquaredError
MeanAbsoluteError = classes.MeanAbsoluteError
MeanAbsolutePercentageError = classes.MeanAbsolutePercentageError
MeanSquaredLogarithmicError = classes.MeanSquaredLogarithmicError
CosineSimilarity = classes.CosineSimilarity
Huber = classes.Huber
LogCosh = classes.LogCosh
Hinge = classes.Hinge
SquaredHinge = classes.SquaredHinge
CategoricalHinge = classes.CategoricalHinge
Poisson = classes.Poisson
KLDivergence = classes.KLDivergence
BinaryCrossentropy = classes.BinaryCrossentropy
BinaryFocalCrossentropy = classes.BinaryFocalCrossentropy
CategoricalCrossentropy = classes.CategoricalCrossentropy
CategoricalFocalCrossentropy = classes.CategoricalFocalCrossentropy
Dice = classes.Dice
Tversky = classes.Tversky
SparseCategoricalCrossentropy = classes.SparseCategoricalCrossentropy

MSE = mse = mean_squared_error = regression.mean_squared_error
MAE = mae = mean_absolute_error = regression.mean_absolute_error
MAPE = mape = mean_absolute_percentage_error = regression.mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error = regression.mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence = crossentropy.kl_divergence
huber = regression.huber
logcosh = log_cosh = regression.log_cosh
hinge = regression.hinge
squared_hinge = regression.squared_hinge
categorical_hinge = regression.categorical_hinge
poisson = regression.poisson
cosine_similarity = regression.cosine_similarity
binary_crossentropy = crossentropy.binary_crossentropy
binary_focal_crossentropy = crossentropy.binary_focal_crossentropy
categorical_crossentropy = crossentropy.categorical_crossentropy
categorical_focal_crossentropy = crossentropy.categorical_focal_crossentropy
dice = regression.dice
tversky = regression.tversky
sparse_categorical_crossentropy = crossentropy.sparse_categorical_crossentropy

_CLASSES: Final = {
    each.__name__: each
    for each in (
        MeanSquaredError, MeanAbsoluteError, MeanAbsolutePercentageError,
        MeanSquaredLogarithmicError, CosineSimilarity, Huber, LogCosh, Hinge, SquaredHinge,
        CategoricalHinge, Poisson, KLDivergence, BinaryCrossentropy, BinaryFocalCrossentropy,
        CategoricalCrossentropy, SparseCategoricalCrossentropy, CategoricalFocalCrossentropy,
        Dice, Tversky,
    )
}  # fmt: skip
_FUNCTIONS: Final = {
    each.__name__: each
    for each in (
        mse, mae, mape, msle, kld, huber, log_cosh, hinge, squared_hinge, categorical_hinge,
        poisson, cosine_similarity, binary_crossentropy, binary_focal_crossentropy,
        categorical_crossentropy, sparse_categorical_crossentropy,
        categorical_focal_crossentropy, dice, tversky,
    )
}  # fmt: skip
_SHORT: Final = {
    "mse": mse, "mae": mae, "mape": mape, "msle": msle, "kld": kld, "bce": binary_crossentropy,
    "MSE": mse, "MAE": mae, "MAPE": mape, "MSLE": msle, "KLD": kld, "BCE": binary_crossentropy,
}  # fmt: skip

get = resolver("loss", {**_CLASSES, **_FUNCTIONS, **_SHORT})
serialize = serialized


def deserialize(config: Any) -> Any:
    """The loss that `serialize` wrote down."""
    return deserialized(config, _CLASSES)


__getattr__, __dir__ = in_module(__name__)
