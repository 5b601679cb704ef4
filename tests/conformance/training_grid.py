"""Write tables of Keras's losses, metrics, optimizers: python tests/conformance/training_grid.py.

A loss is asked for each reduction, weights of each shape that is broadcast, and a mask; a metric
for two batches with weights; an optimizer for three steps with each of its options. record.py asks
TensorFlow for the answers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

# It runs from a checkout, beside no package of its own.
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conformance.snippets import TABLES  # noqa: E402  after the path

Program = tuple[str, str]
"""A name and an expression."""

SHARES: Final = "c([[0.2, 0.7, 0.1], [0.6, 0.3, 0.1]])"
ONE_HOT: Final = "c([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])"
CLASSES: Final = "c([1, 2])"
TRUTHS: Final = "c([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])"
NUMBERS: Final = "c([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]])"
OTHERS: Final = "c([[0.25, 1.0, 1.5], [1.0, -0.75, -0.5]])"
MAPS: Final = "tf.sigmoid(tf.reshape(tf.range(8.0), (2, 2, 2)))"

LOSSES: Final = {
    "MeanSquaredError": (OTHERS, NUMBERS), "MeanAbsoluteError": (OTHERS, NUMBERS),
    "MeanAbsolutePercentageError": (OTHERS, NUMBERS), "Huber": (OTHERS, NUMBERS),
    "MeanSquaredLogarithmicError": (SHARES, ONE_HOT), "LogCosh": (OTHERS, NUMBERS),
    "CosineSimilarity": (OTHERS, NUMBERS), "Hinge": (TRUTHS, NUMBERS),
    "SquaredHinge": (TRUTHS, NUMBERS), "CategoricalHinge": (ONE_HOT, NUMBERS),
    "Poisson": (TRUTHS, SHARES), "KLDivergence": (ONE_HOT, SHARES),
    "BinaryCrossentropy": (TRUTHS, SHARES), "BinaryFocalCrossentropy": (TRUTHS, SHARES),
    "CategoricalCrossentropy": (ONE_HOT, SHARES), "CategoricalFocalCrossentropy": (ONE_HOT, SHARES),
    "SparseCategoricalCrossentropy": (CLASSES, SHARES), "Dice": (TRUTHS, SHARES),
    "Tversky": (TRUTHS, SHARES), "CategoricalGeneralizedCrossEntropy": (CLASSES, SHARES),
    "Circle": ("c([1, 1, 0])", "tf.eye(3) * 0.5 + 0.25"),
}  # fmt: skip
"""Labels and predictions for each loss."""
OPTIONS: Final = {
    "Huber": ("delta=0.5",), "CosineSimilarity": ("axis=0",), "Dice": ("axis=-1",),
    "Tversky": ("alpha=0.3, beta=0.7",), "BinaryCrossentropy": ("label_smoothing=0.1", "axis=0"),
    "BinaryFocalCrossentropy": ("gamma=1.0, apply_class_balancing=True",),
    "CategoricalCrossentropy": ("label_smoothing=0.1", "axis=0"),
    "CategoricalFocalCrossentropy": ("alpha=0.5, gamma=1.0",),
    "SparseCategoricalCrossentropy": ("ignore_class=2",),
    "CategoricalGeneralizedCrossEntropy": ("q=0.3",),
    "Circle": ("gamma=2.0", "margin=0.25, gamma=4.0"),
}  # fmt: skip
WEIGHTS: Final = ("2.0", "c([1.0, 3.0])", "c([[1.0], [3.0]])")
NEEDS_ARGUMENTS: Final = frozenset({
    "IoU", "MeanIoU", "OneHotIoU", "OneHotMeanIoU", "SensitivityAtSpecificity",
    "SpecificityAtSensitivity", "PrecisionAtRecall", "RecallAtPrecision",
})  # fmt: skip
REDUCTIONS: Final = ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none", None)

METRICS: Final = {
    **{name: LOSSES[name] for name in (
        "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError",
        "MeanSquaredLogarithmicError", "CosineSimilarity", "Hinge", "SquaredHinge",
        "CategoricalHinge", "Poisson", "KLDivergence", "BinaryCrossentropy",
        "CategoricalCrossentropy", "SparseCategoricalCrossentropy",
    )},
    "RootMeanSquaredError": (OTHERS, NUMBERS), "LogCoshError": (OTHERS, NUMBERS),
    "Accuracy": (CLASSES, "c([1, 1])"), "BinaryAccuracy": (TRUTHS, SHARES),
    "CategoricalAccuracy": (ONE_HOT, SHARES), "SparseCategoricalAccuracy": (CLASSES, SHARES),
    "TopKCategoricalAccuracy": (ONE_HOT, SHARES),
    "SparseTopKCategoricalAccuracy": (CLASSES, SHARES), "Precision": (TRUTHS, SHARES),
    "Recall": (TRUTHS, SHARES), "AUC": (TRUTHS, SHARES), "TruePositives": (TRUTHS, SHARES),
    "TrueNegatives": (TRUTHS, SHARES), "FalsePositives": (TRUTHS, SHARES),
    "FalseNegatives": (TRUTHS, SHARES), "R2Score": (OTHERS, NUMBERS),
    "PearsonCorrelation": (OTHERS, NUMBERS), "ConcordanceCorrelation": (OTHERS, NUMBERS),
    "IoU": (CLASSES, "c([1, 2])"), "MeanIoU": (CLASSES, "c([1, 2])"),
    "OneHotIoU": (ONE_HOT, SHARES), "OneHotMeanIoU": (ONE_HOT, SHARES),
    "BinaryIoU": ("c([1, 0])", "c([0.75, 0.25])"),
    "SensitivityAtSpecificity": (TRUTHS, SHARES), "SpecificityAtSensitivity": (TRUTHS, SHARES),
    "PrecisionAtRecall": (TRUTHS, SHARES), "RecallAtPrecision": (TRUTHS, SHARES),
}  # fmt: skip
METRIC_OPTIONS: Final = {
    "BinaryAccuracy": ("threshold=0.25",), "TopKCategoricalAccuracy": ("k=2",),
    "SparseTopKCategoricalAccuracy": ("k=1",),
    "Precision": ("top_k=1", "class_id=1", "thresholds=[0.1, 0.5]"),
    "Recall": ("top_k=2", "class_id=1", "thresholds=0.25"), "CosineSimilarity": ("axis=0",),
    "AUC": ("curve='PR'", "num_thresholds=5", "summation_method='majoring'",
            "summation_method='minoring'", "from_logits=True", "thresholds=[0.3, 0.6]"),
    "BinaryCrossentropy": ("label_smoothing=0.1", "from_logits=True"),
    "CategoricalCrossentropy": ("from_logits=True",),
    "R2Score": ("class_aggregation=None", "class_aggregation='variance_weighted_average'",
                "num_regressors=1"),
    "PearsonCorrelation": ("axis=0",), "ConcordanceCorrelation": ("axis=0",),
    "IoU": ("3, [0, 2]", "3, [1]", "3, [1, 2], ignore_class=2"), "MeanIoU": ("3",),
    "OneHotIoU": ("3, [0, 2]", "3, [1], ignore_class=0"), "OneHotMeanIoU": ("3",),
    "BinaryIoU": ("[0, 1]", "[1]", "threshold=0.8"),
    "SensitivityAtSpecificity": ("0.5", "0.5, num_thresholds=5", "0.3, class_id=1"),
    "SpecificityAtSensitivity": ("0.5", "0.5, num_thresholds=1", "0.3, class_id=1"),
    "PrecisionAtRecall": ("0.5", "0.5, num_thresholds=5", "0.3, class_id=1"),
    "RecallAtPrecision": ("0.5", "0.5, num_thresholds=5", "0.3, class_id=1"),
}  # fmt: skip
OPTIMIZERS: Final = {
    "SGD": ("momentum=0.9", "momentum=0.9, nesterov=True"),
    "Adam": ("amsgrad=True", "beta_1=0.5, beta_2=0.9", "epsilon=0.1"),
    "AdamW": ("weight_decay=0.1",), "Adamax": ("beta_1=0.5",), "Nadam": ("beta_1=0.5",),
    "RMSprop": ("rho=0.5", "momentum=0.5", "centered=True"), "Adadelta": ("rho=0.5",),
    "Adagrad": ("initial_accumulator_value=0.5",), "Lion": ("beta_1=0.5",),
    "Ftrl": ("l1_regularization_strength=0.1", "l2_regularization_strength=0.1", "beta=0.5",
             "l2_shrinkage_regularization_strength=0.1", "learning_rate_power=-0.25"),
    "Lamb": ("beta_1=0.5, beta_2=0.9", "epsilon=0.1"),
    "Adafactor": ("beta_2_decay=-0.5", "epsilon_2=0.1", "clip_threshold=0.5"),
    "Muon": ("nesterov=False", "ns_steps=2, momentum=0.5", "rms_rate=None", "adam_lr_ratio=0.5",
             "exclude_layers=['matrix']", "adam_weight_decay=0.1"),
    "ScheduleFreeAdamW": ("warmup_steps=2", "beta_1=0.5, beta_2=0.9"),
}  # fmt: skip
OF_ALL_OPTIMIZERS: Final = (
    "clipnorm=0.5", "clipvalue=0.2", "global_clipnorm=0.5", "weight_decay=0.05",
    "use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=2", "gradient_accumulation_steps=2",
    "learning_rate=tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)",
)  # fmt: skip


def main() -> None:
    """Write the tables."""
    programs = {"losses": losses, "metrics": metrics, "optimizers": optimizers}
    for kind, written in programs.items():
        lines = [f"{name}: {expression}" for name, expression in dict(written()).items()]
        head = f"# Written by training_grid.py: Keras's {kind} by their options.\n\n"
        text = head + "\n".join(lines) + "\n"
        (TABLES / f"training_grid_{kind}.txt").write_text(text, encoding="utf-8")


def named(*parts: str) -> str:
    """A name of letters, digits and underscores."""
    return re.sub(r"\W+", "_", " ".join(parts)).strip("_")


def losses() -> Iterator[Program]:
    """Losses with reductions, weights, dtypes and options, with their gradients."""
    for name, (labels, predicted) in LOSSES.items():
        for option in ("", *OPTIONS.get(name, ())):
            yield (
                named(name, option, "gradient"),
                f"grad(lambda p: tf.keras.losses.{name}({option})({labels}, p), {predicted})",
            )
        for reduction, weights in product(REDUCTIONS, ("None", *WEIGHTS)):
            call = f"tf.keras.losses.{name}(reduction={reduction!r})"
            yield (
                named(name, str(reduction), weights),
                f"{call}({labels}, {predicted}, sample_weight={weights})",
            )
        wide = labels if labels is CLASSES else f"tf.cast({labels}, tf.float64)"
        given = f"{wide}, tf.cast({predicted}, tf.float64)"
        yield named(name, "float64"), f"tf.keras.losses.{name}(dtype='float64')({given})"


def metrics() -> Iterator[Program]:
    """Metrics of two batches, with weights and options."""
    for name, (labels, predicted) in METRICS.items():
        default = () if name in NEEDS_ARGUMENTS else ("",)
        for option, weights in product(
            (*default, *METRIC_OPTIONS.get(name, ())), ("None", "c([1.0, 3.0])")
        ):
            batches = f"({labels}, {predicted}, {weights}), ({labels}[:1], {predicted}[:1])"
            yield (
                named(name, option, weights),
                f"measured(tf.keras.metrics.{name}({option}), {batches})",
            )


def optimizers() -> Iterator[Program]:
    """Optimizers with each of their options, after each of three steps."""
    for name, own in OPTIMIZERS.items():
        for option in ("", *own, *OF_ALL_OPTIMIZERS):
            rate = "" if "learning_rate" in option.replace("learning_rate_power", "") else "0.1"
            arguments = ", ".join(part for part in (rate, option) if part)
            made = f"tf.keras.optimizers.{name}({arguments})"
            yield named(name, option), f"stepped({made})"


if __name__ == "__main__":
    main()
