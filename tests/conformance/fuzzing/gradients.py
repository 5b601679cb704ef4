"""The differences in gradients that have a reason."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import Final

from .recognising import (
    Explained,
    asks_whole_numbers,
    differs,
    either,
    jacobian_of_nothing,
    raises,
    second_order,
    seeds,
    sooner,
)

FROM_BEHIND: Final = r"perm=(tf\.constant\()?\[[^\]]*-\d"
"""An order of axes in a program, one of them counted from behind."""

CASTS: Final = "You are casting an input of type complex"

OF_GRADIENTS: Final[tuple[Explained, ...]] = (
    Explained(
        "target of integers",
        "A target of integers or truths has no gradient: None here; TensorFlow looks for the "
        "rule of the op all the same, and now and then finds one.",
        asks_whole_numbers,
    ),
    Explained(
        "seed of another shape",
        "TensorFlow hands a seed that does not fit on to the rule of the op, so that the shape of "
        "the gradient depends on it; here it is stretched to the target, or refused. Where a rule "
        "returns its argument, the gradient is the seed itself.",
        seeds,
    ),
    Explained(
        "vectorized",
        "TensorFlow cannot vectorize the Jacobian of every op; here it is computed row by row.",
        raises(
            ".*",
            r"ValueError: (Encountered an exception while vectorizing|Tensor's shape .* is not "
            "compatible with supplied)|ZeroDivisionError|StagingError|AttributeError: in user "
            "code: AttributeError: 'NoneType' object has no attribute 'decode'",
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
            r"operation'\S*Grad\w?' )",
        ),
    ),
    Explained(
        "place of one number",
        "TensorFlow's gradient of gather_nd at one index tuple asks ScatterNd for what it refuses.",
        either(
            raises("no error", "InvalidArgumentError: .*(ScatterNd|Graph execution)", "gather_nd"),
            sooner("InvalidArgumentError", r"gather_nd\(\w+, \[\d+\](?s:.*)gradient\("),
        ),
    ),
    Explained(
        "order from behind",
        "TensorFlow's gradient of transpose refuses axes that are counted from behind, which "
        "transpose itself takes.",
        either(
            raises("", r"InvalidArgumentError: .*InvertPermutation.* -\d+ is not between", "perm="),
            raises("no error", r"InvalidArgumentError: Graph .*/InvertPermutation ", FROM_BEHIND),
            sooner("InvalidArgumentError", FROM_BEHIND + r"(?s:.*)gradient\("),
        ),
    ),
    Explained(
        "dropped segment",
        "An entry with a negative segment belongs to none; TensorFlow's second gradient of it is "
        "NaN, here it is 0.",
        differs("value", r"unsorted_segment_\w+\(.*-1", "nan"),
    ),
    Explained(
        "vectorized roll",
        "TensorFlow's vectorized Jacobian of roll moves the rows where an axis is counted from "
        "behind; row by row it gives what is given here.",
        lambda text, difference, outcome: (
            difference.what == "value"
            and bool(re.search(r"(roll|shift)\(.*-\d.*\)", text))
            and "jacobian(" in text
        ),
    ),
    Explained(
        "gradient of RFFT3D",
        "TensorFlow has no gradient of the Fourier transform of real numbers along three axes.",
        raises("no error", r"LookupError: gradient registry has no entry for: I?RFFT3D"),
    ),
    Explained(
        "second derivative of colours below zero",
        "TensorFlow's gradient of rgb_to_hsv is 0 for channels below 0, the gradient of that "
        "gradient is not.",
        second_order(r"rgb_to_hsv\("),
    ),
    Explained(
        "jacobian of nothing",
        "A Jacobian without entries depends on nothing: None here; TensorFlow gives an empty "
        "gradient, and row by row one of the wrong shape (ValueError) or of the default dtype.",
        jacobian_of_nothing,
    ),
    Explained(
        "second order of labels",
        "TensorFlow's second gradient of the softmax cross entropy leaves out that the first one "
        "falls with the labels; here it is complete.",
        second_order(r"softmax_cross_entropy_with_logits\("),
    ),
    Explained(
        "not conjugated",
        "TensorFlow's gradients of what is shielded from 0 do not conjugate complex numbers.",
        differs(
            "value",
            r"(xlogy|xdivy|xlog1py|multiply_no_nan|cumprod)\((?s:.*)gradient\(",
            "complex",
        ),
    ),
    Explained(
        "second order of a least entry",
        "TensorFlow shares the gradient of a segment's least or greatest entry out among those "
        "that are it, and divides 0 by 0 in the second order of segments that have none.",
        second_order(r"unsorted_segment_(min|max)\(", "nan"),
    ),
    Explained(
        "derivative of a root that has none",
        "The root of a singular matrix has no derivative: NaN here, refused by TensorFlow.",
        raises(
            "no error",
            "InvalidArgumentError: .*Input matrix is not invertible",
            r"(matrix_square_root|sqrtm)\((?s:.*)gradient\(",
        ),
    ),
    Explained(
        "gradient of a broadcast value",
        "Here betainc and labels beside scores are stretched as elsewhere; TensorFlow takes one "
        "number for many, and refuses the backward pass.",
        raises(
            "no error",
            r"InvalidArgumentError: .*Input to reshape is a tensor with \d+ values, but the "
            r"requested shape has 1 \[Op:Reshape\]",
            r"(betainc|softmax_cross_entropy_with_logits)\((?s:.*)gradient\(",
        ),
    ),
    Explained(
        "second order of a product with a zero",
        "TensorFlow's second gradient of a product by id divides by the factor that is 0.",
        second_order(r"unsorted_segment_prod\(", "nan"),
    ),
    Explained(
        "second order of blocks of nothing",
        "TensorFlow cannot count the blocks of isotonic_regression where there are none.",
        raises(
            "no error",
            "InvalidArgumentError: .*(UnsortedSegmentSum.* num_segments|'num_split' of 0)",
            r"isotonic_regression\(",
        ),
    ),
    Explained(
        "seed that vanishes",
        "A root has an infinite derivative at 0; where the seed is the root itself, and so 0, "
        "TensorFlow's second order is NaN, and here it is 0.",
        differs("value", r"sqrt\((?s:.*)output_gradients=y", "nan"),
    ),
    Explained(
        "infinite derivatives",
        "Where the derivative is infinite, the second order through a Jacobian is infinity or "
        "NaN, as the zeros of its rows are multiplied first or last.",
        differs(
            "value",
            r"(erfinv|ndtri|lbeta|cumulative_logsumexp|reciprocal)\((?s:.*)jacobian\(",
            r"inf|nan",
        ),
    ),
    Explained(
        "norm of a row that counts 0",
        "The rows of a Jacobian ask about one norm each; TensorFlow's second order divides the "
        "zeros of the others by their own.",
        second_order(r"reduce_euclidean_norm\((?s:.*)jacobian\(", "nan"),
    ),
    Explained(
        "jacobian that differentiates again",
        "Below an outer tape TensorFlow's jacobian asks at once for the second gradient that "
        "igamma and igammac do not have; here the question fails when it is put.",
        sooner("LookupError", r"igamma(?s:.*)jacobian\("),
    ),
    Explained(
        "warning of a rule",
        "TensorFlow's own gradient rules cast complex numbers, and warn of it.",
        lambda text, difference, outcome: (
            difference.what == "warning"
            and "gradient(" in text
            and {*literal_eval(difference.theirs)} - {*literal_eval(difference.ours)} == {CASTS}
            and {*literal_eval(difference.ours)} <= {*literal_eval(difference.theirs)}
        ),
    ),
    Explained(
        "diagonal of one number",
        "TensorFlow takes a number for its own diagonal part, and refuses the backward pass.",
        raises("no error", r"InvalidArgumentError: .*\[Op:Diag\]", r"diag_part\((?s:.*)gradient\("),
    ),
    Explained(
        "diagonal of nothing",
        "TensorFlow lays a row of nothing beside the diagonal, and refuses the backward pass.",
        either(
            raises(
                "no error",
                r"InvalidArgumentError: .*MatrixDiagPart.* lower_diag_index is out of bound",
                r"linalg\.diag\((?s:.*)gradient\(",
            ),
            sooner(
                "InvalidArgumentError", r"zeros\(\[(\d+, )*0(?s:.*)linalg\.diag\((?s:.*)gradient\("
            ),
        ),
    ),
    Explained(
        "gradient of grouped convolutions",
        "TensorFlow convolves in groups, and has no gradient of it on the processor.",
        raises("no error", "InvalidArgumentError: .*Gradients for grouped convolutions", "conv"),
    ),
    Explained(
        "mirror of nothing",
        "TensorFlow pads an empty tensor with its mirror image, and refuses the backward pass.",
        raises("no error", "InvalidArgumentError: .*MirrorPadGrad.* 0 was not less than 0", "pad"),
    ),
    Explained(
        "question about nothing",
        "A Jacobian row by row asks nothing of a target without entries, so that TensorFlow does "
        "not warn of asking inside the tape; here it is asked at once.",
        lambda text, difference, outcome: (
            difference.what == "warning"
            and difference.theirs == "[]"
            and literal_eval(difference.ours) == ["Calling GradientTape.gradient on a persi"]
            and "experimental_use_pfor=False" in text
            and bool(re.search(r"zeros\(\[([1-9]\d*, )*0[,\]]", text))
        ),
    ),
)
"""Reasons why a gradient, a Jacobian or a second order may differ."""
