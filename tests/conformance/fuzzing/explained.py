"""The differences that have a reason: what TensorFlow leaves open, and what is meant to differ."""

from __future__ import annotations

import re
from typing import Any, Final

from .observing import Difference, Outcome
from .recognising import (
    Explained,
    asks_whole_numbers,
    differs,
    has_nan,
    nonsense,
    raises,
    seeds,
    spoiled,
)
from .rounding import ROUNDING, rounding_explains

REFUSED: Final = r"\w+(Error|Exception): "
"""How a refusal of any type begins."""

TABLE: Final[tuple[Explained, ...]] = (
    Explained(
        "no kernel",
        "TensorFlow has no compiled code for this op and dtype (NotFoundError, "
        "UnimplementedError); tapelab computes it, or names the dtypes that fit.",
        raises("", "NotFoundError|UnimplementedError"),
    ),
    Explained(
        "type of a flag",
        "TensorFlow looks at the Python type of a flag or a word before it runs; here "
        "whatever is true counts as True.",
        raises("", "TypeError: (Expected (bool|string|int|float|list) for|Value passed to)"),
    ),
    Explained(
        "nonsense",
        "Text, None, an object or a ragged list where a number belongs is refused by both; which "
        "type of exception depends on the layer of TensorFlow that notices first.",
        nonsense,
    ),
    Explained(
        "no list there",
        "Some functions of TensorFlow forget to convert a list (AttributeError: 'list' object has "
        "no attribute ...); here it becomes a tensor.",
        raises(
            "",
            r"AttributeError: '(list|int|float|bool|str|complex|object|NoneType|.*ndarray)' ",
        ),
    ),
    Explained(
        "target of whole numbers",
        "A target of whole numbers or truths has no gradient: None here; TensorFlow looks for the "
        "rule of the op all the same, and now and then finds one.",
        asks_whole_numbers,
    ),
    Explained(
        "seed of another shape",
        "TensorFlow hands a seed that does not fit on to the rule of the op, so that the shape of "
        "the gradient depends on it; here it is stretched to the target, or refused. Where a rule "
        "hands on what it gets, the gradient is the seed itself.",
        seeds,
    ),
    Explained(
        "vectorized",
        "TensorFlow cannot vectorize the Jacobian of every op; here it is computed row by row.",
        raises(
            ".*",
            r"ValueError: (Encountered an exception while vectorizing|Tensor's shape .* is not "
            "compatible with supplied)|ZeroDivisionError|StagingError",
            r"jacobian\(",
        ),
    ),
    Explained(
        "second order",
        "Some gradients of TensorFlow have no gradient of their own (SoftsignGrad); here all can "
        "be differentiated again.",
        raises(
            "no error",
            r"LookupError: (gradient registry has no entry for: \w*Grad|No gradient defined for "
            r"operation'\S*Grad' )",
        ),
    ),
    Explained(
        "sign of a vector",
        "Eigenvectors and singular vectors are known up to their sign, and those of equal values "
        "up to a rotation.",
        differs("value", r"svd|eig|linalg\.qr"),
    ),
    Explained(
        "not positive definite",
        "What has no Cholesky factor gives NaN in some builds of TensorFlow, an error in others.",
        differs("value|exception", r"cholesky|logdet", r"nan|no error"),
    ),
    Explained(
        "undefined shift",
        "A shift by less than nothing, or beyond the width of the number, is undefined.",
        differs("value", r"_shift\("),
    ),
    Explained(
        "mistake, other type",
        "Both refuse a deliberate mistake, with exceptions of different types: TensorFlow's "
        "depends on which of its layers looks first. The frequent ones agree: fuzz_found.txt.",
        spoiled(REFUSED, REFUSED),
    ),
    Explained(
        "mistake, taken here",
        "What can be understood is taken: one number where a row of one is meant, whole numbers of "
        "any width as positions.",
        spoiled("no error", REFUSED),
    ),
    Explained(
        "mistake, taken there",
        "TensorFlow takes text for truths, fractions for counts and rows for numbers in places "
        "where it does not look; here they are refused.",
        spoiled(REFUSED, "no error"),
    ),
    Explained(
        "place of one number",
        "TensorFlow's gradient of gather_nd at one index tuple asks ScatterNd for what it refuses.",
        raises("no error", "InvalidArgumentError: .*(ScatterNd|Graph execution)", "gather_nd"),
    ),
    Explained(
        "order from behind",
        "TensorFlow's gradient of transpose refuses axes that are counted from behind, which "
        "transpose itself takes.",
        raises("", r"InvalidArgumentError: .*InvertPermutation.* -\d+ is not between", "perm="),
    ),
    Explained(
        "truncated by zero",
        "TensorFlow calls a division by 0 in truncatediv an error of its own (InternalError).",
        raises(
            "InvalidArgumentError: Integer division by zero",
            "InternalError: .*Unexpected error in binary operator",
            r"truncate(div|mod)\(",
        ),
    ),
    Explained(
        "dropped segment",
        "An entry with a negative segment belongs to none; TensorFlow's second gradient of it is "
        "NaN, here it is 0.",
        differs("value", r"unsorted_segment_\w+\(.*-1", "nan"),
    ),
    Explained(
        "number for a truth",
        "Both refuse numbers where truths belong; beside Python data TensorFlow's conversion is "
        "first (ValueError), beside tensors the op.",
        raises(
            REFUSED,
            "ValueError: (Tensor|Incompatible type) conversion requested (dtype|to type) bool",
            r"logical_\w+\(|reduce_(any|all)\(",
        ),
    ),
    Explained(
        "variable of another dtype",
        "tf.where gives Python data the dtype of a tensor beside it, and refuses a variable there; "
        "here a variable is as good as a tensor.",
        raises(
            "no error",
            r"ValueError: Incompatible type conversion requested to type \w+ for `tf.Variable",
            r"where\(",
        ),
    ),
    Explained(
        "order of NaN",
        "NaN has no place in an order.",
        lambda text, found, outcome: (
            found.what == "value"
            and bool(re.search(r"sort\(|top_k\(", text))
            and any(has_nan(value) for value in outcome.values.values())
        ),
    ),
    Explained(
        "vectorized roll",
        "TensorFlow's vectorized Jacobian of roll moves the rows where an axis is counted from "
        "behind; row by row it gives what is given here.",
        lambda text, found, outcome: (
            found.what == "value"
            and bool(re.search(r"(roll|shift)\(.*-\d.*\)", text))
            and "jacobian(" in text
        ),
    ),
    Explained(
        "cosines of no rows",
        "TensorFlow's Fourier transforms cannot fill up a row of a tensor that has no rows, on "
        "which its cosine transforms are built; here nothing is transformed to nothing.",
        raises(".*", r"InvalidArgumentError: .*I?RFFT.*must have length of at least", "i?dct|rfft"),
    ),
    Explained(
        "cosines of complex numbers",
        "TensorFlow refuses them with an AssertionError without words; here a TypeError says why.",
        raises("TypeError: Cannot convert 0.0", "AssertionError|IndexError", r"i?dct\("),
    ),
    Explained(
        "slope of RFFT3D",
        "TensorFlow has no gradient of the Fourier transform of real numbers along three axes.",
        raises("no error", r"LookupError: gradient registry has no entry for: I?RFFT3D"),
    ),
    Explained(
        "second slope of colours below zero",
        "TensorFlow's gradient of rgb_to_hsv is 0 for channels below 0, the gradient of that "
        "gradient is not.",
        lambda text, found, outcome: (
            found.what == "value" and found.name.startswith("h") and "rgb_to_hsv(" in text
        ),
    ),
    Explained(
        "fingerprint of a rounded number",
        "A last digit that is rounded otherwise changes all of a fingerprint.",
        differs("value", r"fingerprint\([yg]\d"),
    ),
    Explained(
        "jacobian of nothing",
        "A Jacobian without entries depends on nothing: None here; TensorFlow gives an empty "
        "gradient.",
        lambda text, found, outcome: (
            found.what == "kind"
            and found.ours.startswith("NoneType")
            and bool(re.search(r"\[([1-9]\d*, )*0[,\]]", found.theirs))
            and "jacobian(" in text
        ),
    ),
    Explained(
        "second order of labels",
        "TensorFlow's second gradient of the softmax cross entropy leaves out that the first one "
        "falls with the labels; here it is complete.",
        differs("value", r"softmax_cross_entropy_with_logits\((?s:.*)gradient\((?s:.*)h0"),
    ),
    Explained(
        "infinite slopes",
        "Where the slope is infinite, the second order through a Jacobian is infinity or NaN, as "
        "the zeros of its rows are multiplied first or last.",
        differs(
            "value", r"(erfinv|ndtri|lbeta|cumulative_logsumexp)\((?s:.*)jacobian\(", r"inf|nan"
        ),
    ),
    Explained(
        "beyond acosh",
        "Below 1 acosh is NaN; TensorFlow divides by the sinh of it, here the slope is that of the "
        "formula, which has a value below -1.",
        differs("value", r"acosh\((?s:.*)gradient\(", "nan"),
    ),
    Explained(
        "flattened blocks",
        "TensorFlow's gradient of isotonic_regression has lost the shape of its input.",
        differs("shape", r"isotonic_regression\((?s:.*)(gradient|jacobian)\("),
    ),
    Explained(
        "least squares without a solution of its own",
        "Where columns depend on each other, the normal equations have no factor but by rounding.",
        differs("value", r"lstsq\("),
    ),
    Explained(
        "list in a formula",
        "batch_normalization and weighted_cross_entropy_with_logits compute with lists as they "
        "are (TypeError); here they become tensors.",
        raises(
            "",
            r"TypeError: (can only concatenate (list|tuple)|bad operand type for unary -: '(list|"
            r"tuple)'|unsupported operand type\(s\) for .*'(list|tuple)')",
            r"batch_normalization|weighted_cross_entropy",
        ),
    ),
    Explained(
        "complex swish",
        "TensorFlow's silu takes complex numbers, with a gradient that is not conjugated.",
        raises("InvalidArgumentError: Value for attr 'T' of complex", "no error", r"silu|swish"),
    ),
    Explained(
        "truth by another door",
        "With axis=[] TensorFlow converts what reduce_any and reduce_all get (ValueError).",
        raises(
            "InvalidArgumentError: Value for attr 'T' of",
            "ValueError: Tensor conversion requested dtype bool",
            r"reduce_(any|all)\(.*axis=\[\]",
        ),
    ),
    Explained(
        "jacobian that differentiates again",
        "Below an outer tape TensorFlow's jacobian asks at once for the second gradient that "
        "igamma and igammac do not have; here the question fails when it is put.",
        lambda text, found, outcome: (
            found.what == "presence"
            and outcome.raised == "LookupError"
            and bool(re.search(r"igamma(?s:.*)jacobian\(", text))
        ),
    ),
    Explained(
        "warning of a rule",
        "TensorFlow's own gradient rules cast complex numbers, and warn of it.",
        lambda text, found, outcome: found.what == "warning" and "gradient(" in text,
    ),
    Explained(
        "end of a domain",
        "At the end of its domain a special function has several limits: igamma(0, 0), zeta at 0, "
        "the root of a matrix of zeros.",
        differs("value", r"igamma|zeta|betainc|polygamma|matrix_square_root|sqrtm"),
    ),
    Explained(
        "truth beside numbers",
        "TensorFlow's operators turn numbers silently into truths beside a tensor of truths, which "
        "its functions refuse; here both take truths and refuse numbers.",
        raises(
            "TypeError: Cannot convert .* dtype bool|no error",
            "no error|InvalidArgumentError: Value for attr 'T' of bool",
            r"bool|True|False",
        ),
    ),
)
"""Every difference that is left, with its reason; a smaller table is a better one."""


def explanation(tf: Any, text: str, found: Difference, ours: Outcome) -> str | None:
    """The name of the reason for a difference, None if it has none."""
    for each in TABLE:
        if each.holds(text, found, ours):
            return each.name
    if found.what == "value" and rounding_explains(tf, text, found.name, ours):
        return ROUNDING
    return None
