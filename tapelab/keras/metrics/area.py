"""The area under a curve of two shares, followed over many thresholds."""

from __future__ import annotations

from typing import Any, Final

from tapelab import math
from tapelab.array_ops.value_ops import clip_by_value, where
from tapelab.keras import backend
from tapelab.keras.metrics.confusion import COUNTS, counts
from tapelab.keras.metrics.metric import Metric

CURVES: Final = ("PR", "ROC")
SUMMATIONS: Final = ("interpolation", "majoring", "minoring")


class AUC(Metric):
    """The area under the ROC curve, or under the curve of precision over recall."""

    def __init__(
        self, num_thresholds: int = 200, curve: str = "ROC",
        summation_method: str = "interpolation", name: str | None = None, dtype: Any = None,
        thresholds: Any = None, from_logits: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype)
        if curve not in CURVES:
            raise ValueError(
                f'Invalid AUC curve value: "{curve}". Expected values are {list(CURVES)}'
            )
        if summation_method not in SUMMATIONS:
            raise ValueError(
                f'Invalid AUC summation method value: "{summation_method}". '
                f"Expected values are {list(SUMMATIONS)}"
            )
        self.curve, self.summation_method = curve, summation_method
        self.from_logits = from_logits
        inner = _inner_thresholds(num_thresholds) if thresholds is None else sorted(thresholds)
        self.num_thresholds = len(inner) + 2
        margin = backend.epsilon()
        self.thresholds = [-margin, *inner, 1.0 + margin]
        for name_of_count in COUNTS:
            shape = (self.num_thresholds,)
            setattr(self, name_of_count, self.add_variable(shape, name=name_of_count))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count the right and wrong answers of a batch at each threshold."""
        predicted: Any = backend.convert_to_tensor(y_pred, self.dtype)
        shares = math.sigmoid(predicted) if self.from_logits else predicted
        clipped = clip_by_value(shares, 0.0, 1.0)
        found = counts(y_true, clipped, self.thresholds, sample_weight, self.dtype)
        for name in COUNTS:
            variable = getattr(self, name)
            variable.assign(variable + found[name])

    def result(self) -> Any:
        """The area since the last reset."""
        kept: list[Any] = [backend.convert_to_tensor(getattr(self, name)) for name in COUNTS]
        positive, wrong, negative, missed = kept
        recall = _share(positive, positive + missed)
        if self.curve == "PR" and self.summation_method == "interpolation":
            return _interpolated(positive, wrong, missed)
        if self.curve == "ROC":
            x, y = _share(wrong, wrong + negative), recall
        else:
            x, y = recall, _share(positive, positive + wrong)
        heights = {
            "interpolation": (y[:-1] + y[1:]) / 2.0,
            "minoring": math.minimum(y[:-1], y[1:]),
            "majoring": math.maximum(y[:-1], y[1:]),
        }[self.summation_method]
        return math.reduce_sum((x[:-1] - x[1:]) * heights)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same metric again."""
        return {
            **super().get_config(),
            "num_thresholds": self.num_thresholds,
            "curve": self.curve,
            "summation_method": self.summation_method,
            "from_logits": self.from_logits,
        }


def _inner_thresholds(count: int) -> list[float]:
    if count <= 1:
        raise ValueError(
            f"Argument `num_thresholds` must be an integer > 1. Received: num_thresholds={count}"
        )
    return [(place + 1) / (count - 1) for place in range(count - 2)]


def _share(part: Any, whole: Any) -> Any:
    return math.divide_no_nan(part, whole)


def _interpolated(positive: Any, wrong: Any, missed: Any) -> Any:
    """The area under precision over recall, where true positives grow evenly between thresholds.

    Davis and Goadrich (2006) show why a straight line between two points would be too much.
    """
    said = positive + wrong
    more, more_said = positive[:-1] - positive[1:], said[:-1] - said[1:]
    slope = _share(more, math.maximum(more_said, 0.0))
    intercept = positive[1:] - slope * said[1:]
    both = math.logical_and(said[:-1] > 0, said[1:] > 0)
    ratio = where(both, _share(said[:-1], math.maximum(said[1:], 0.0)), 1.0)
    areas = _share(slope * (more + intercept * math.log(ratio)), positive[1:] + missed[1:])
    return math.reduce_sum(areas)
