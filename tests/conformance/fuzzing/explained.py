"""The differences that have a reason: what TensorFlow leaves open, and what is meant to differ."""

from __future__ import annotations

import re
from typing import Any, Final

from .gradients import OF_GRADIENTS
from .observing import Difference, Outcome
from .recognising import (
    Explained,
    corrupted,
    differs,
    either,
    has_nan,
    has_subnormal,
    nonsense,
    raises,
    second_order,
    sooner,
    zeros_for_none,
)
from .rounding import ROUNDING, rounding_explains

REFUSED: Final = r"\w+(Error|Exception): "
"""How a refusal of any type begins."""

SCORES_FROM_BEHIND: Final = r"softmax_cross_entropy_with_logits\(.*axis=-[2-9]"
"""A softmax along an axis from behind that is not the last one."""

ROWS_OF_ANOTHER_DTYPE: Final = Explained(
    "rows of another dtype",
    "TensorFlow's row by row Jacobian keeps rows in the dtype of the target, and refuses those "
    "of a source of another dtype.",
    raises("no error", "InvalidArgumentError: .*TensorArray dtype", "experimental_use_pfor=False"),
)

TABLE: Final[tuple[Explained, ...]] = (
    *OF_GRADIENTS,
    ROWS_OF_ANOTHER_DTYPE,
    Explained(
        "infinite derivative beside zeros",
        "The derivative of a Jacobian multiplies the zeros beside its diagonal by an infinite "
        "second derivative: NaN here, as row by row; TensorFlow's vectorized rows skip them.",
        lambda text, difference, outcome: (
            second_order(r"jacobian\(", "inf")(text, difference, outcome)
            and "nan" in difference.ours
        ),
    ),
    Explained(
        "no kernel",
        "TensorFlow has no compiled code for this op and dtype (NotFoundError, "
        "UnimplementedError); tapelab computes it, or names the dtypes that fit.",
        either(
            raises("", "NotFoundError|UnimplementedError"),
            raises("", "InvalidArgumentError: .*No OpKernel was registered"),
        ),
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
        "mistake, other type",
        "Both refuse a deliberate mistake, with exceptions of different types: TensorFlow's "
        "depends on which of its layers looks first. The frequent ones agree: fuzz_found.txt.",
        corrupted(REFUSED, REFUSED),
    ),
    Explained(
        "mistake, taken here",
        "What can be understood is taken: one number where a row of one is meant, integers of "
        "any width as positions.",
        corrupted("no error", REFUSED),
    ),
    Explained(
        "mistake, taken there",
        "TensorFlow takes text for truths, fractions for counts and rows for numbers in places "
        "where it does not look; here they are refused.",
        corrupted(REFUSED, "no error"),
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
        "TensorFlow gives Python data the dtype of a tensor beside it, and refuses a variable "
        "there; here a variable is as good as a tensor.",
        raises(
            "",
            r"ValueError: Incompatible type conversion requested to type \w+ for `tf.Variable",
        ),
    ),
    Explained(
        "adjoint of truths",
        "matmul refuses truths on both sides; with adjoint_a TensorFlow's conjugation is first.",
        raises("InvalidArgumentError: Value for attr", "TypeError: Expected numeric", "adjoint_"),
    ),
    Explained(
        "row that fills",
        "TensorFlow takes a row of one element for the scalar that fills, and its "
        "gradient is a scalar.",
        differs("shape", r"tf\.fill\b"),
    ),
    Explained(
        "order of NaN",
        "NaN has no place in an order.",
        lambda text, difference, outcome: (
            difference.what == "value"
            and bool(re.search(r"sort\(|top_k\(", text))
            and any(has_nan(value) for value in outcome.values.values())
        ),
    ),
    Explained(
        "subnormal numbers",
        "TensorFlow computes with 0 instead of numbers too small for all their digits, such as "
        "bitcast makes of small counts; here they are what they are.",
        lambda text, difference, outcome: (
            difference.what == "value"
            and "bitcast(" in text
            and any(has_subnormal(value) for value in outcome.values.values())
        ),
    ),
    Explained(
        "cosines of no rows",
        "TensorFlow's Fourier transforms cannot fill up a row of a tensor that has no rows, on "
        "which its cosine transforms are built; here nothing is transformed to nothing, and so "
        "is its gradient.",
        either(
            raises(
                ".*",
                r"InvalidArgumentError: .*(RFFT.*must have length of at least|Fill.* must be >= 0)",
                "i?dct|rfft",
            ),
            sooner("InvalidArgumentError", r"zeros\(\[0(?s:.*)i?dct\("),
        ),
    ),
    Explained(
        "cosines of complex numbers",
        "TensorFlow refuses them with an AssertionError without words; here a TypeError says why.",
        raises("TypeError: Cannot convert 0.0", "AssertionError|IndexError", r"i?dct\("),
    ),
    Explained(
        "fingerprint of a rounded number",
        "A last digit that is rounded otherwise changes all of a fingerprint.",
        differs("value", r"fingerprint\([yg]\d"),
    ),
    Explained(
        "bits of a rounded number",
        "The last bits of a number are those of its last digit, which may be rounded otherwise.",
        lambda text, difference, outcome: (
            difference.what == "value"
            and bool(re.search(rf"\b{difference.name} = tf\.bitcast\([yg]\d+, tf\.u?int", text))
        ),
    ),
    Explained(
        "scores from behind",
        "TensorFlow takes an axis of scores that is counted from behind only if it is the last; "
        "here any.",
        either(
            raises("", "InvalidArgumentError: .*Range.* start <= limit", SCORES_FROM_BEHIND),
            sooner("InvalidArgumentError", SCORES_FROM_BEHIND),
        ),
    ),
    Explained(
        "axes of a product that are not there",
        "Both refuse them; TensorFlow notices it at its lists (IndexError), at NumPy (ValueError) "
        "or at the op that turns the axes, depending on how far they are off.",
        raises("IndexError: tensordot", "(InvalidArgument|Value|Index)Error: ", r"tensordot\("),
    ),
    Explained(
        "beyond acosh",
        "Below 1 acosh is NaN; TensorFlow divides by its sinh, here the derivative is that of "
        "the formula, which has a value below -1.",
        differs("value", r"acosh\((?s:.*)gradient\(", "nan"),
    ),
    Explained(
        "flattened blocks",
        "TensorFlow's gradient of isotonic_regression has lost the shape of its input.",
        either(
            differs("shape", r"isotonic_regression\((?s:.*)(gradient|jacobian)\("),
            raises(
                "no error",
                "InvalidArgumentError: .*transpose expects a vector of size",
                r"isotonic_regression\((?s:.*)gradient\(",
            ),
        ),
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
        "dtype of complex rows",
        "TensorFlow takes NumPy's complex128 for complex64 or as it is, depending on what the "
        "process has transformed before.",
        differs("dtype", r"i?fft\dd\(np\.|i?fft\(np\.", "complex64"),
    ),
    Explained(
        "softmax of one number",
        "A scalar has no axis; TensorFlow's oneDNN build says so with an AbortedError.",
        raises("InvalidArgumentError", "AbortedError: .*Input dims must be", r"softmax\("),
    ),
    Explained(
        "eigenvalues of other numbers",
        "TensorFlow stumbles over a name of its own (UnboundLocalError) where numbers are whole or "
        "narrow; here the dtypes that fit are named.",
        raises(
            "NotFoundError|InvalidArgumentError: Value for attr 'T'",
            "UnboundLocalError: .*'out_dtype'",
            r"eig(vals)?\(",
        ),
    ),
    Explained(
        "list of narrow labels",
        "TensorFlow rounds a list of labels to float32 before it widens them.",
        differs("value", r"cross_entropy_with_logits\(\w+, \["),
    ),
    Explained(
        "list in a formula, later",
        "The same where a list met a list, and the next mistake of the call is of the same type.",
        sooner("TypeError", r"batch_normalization\(.*\["),
    ),
    Explained(
        "end of a domain",
        "At the end of its domain a special function has several limits: igamma(0, 0), betainc, "
        "the root of a matrix of zeros.",
        differs("value", r"igamma|betainc|matrix_square_root|sqrtm"),
    ),
    Explained(
        "truth beside numbers",
        "TensorFlow's operators turn numbers silently into truths beside a tensor of truths, which "
        "its functions refuse; here both take truths and refuse numbers.",
        raises(
            "TypeError: Cannot convert .* dtype bool|no error|"
            "InvalidArgumentError: cannot compute Mul as input #1.* but is a bool tensor",
            "no error|InvalidArgumentError: Value for attr 'T' of bool",
            r"bool|True|False",
        ),
    ),
    Explained(
        "quotient of truths",
        "What TensorFlow refuses beside an array it leaves to NumPy, which divides truths.",
        raises(
            "TypeError: Invalid dtype tf.bool in __r?truediv__",
            "no error",
            r" / np\.|np\..* / |tf\.divide\(.*np\.",
        ),
    ),
    Explained(
        "repeated nothing",
        "TensorFlow counts the columns that it repeats of no rows as none, and stumbles over it.",
        raises("no error", "ValueError: Tensor's shape .* is not compatible", r"repeat\("),
    ),
    Explained(
        "saturated long number",
        "TensorFlow's bounds of int64 are no longer those where they have become float32.",
        differs("value", r"saturate_cast\(.*tf\.float32", r"9\.22337"),
    ),
    Explained(
        "colour that does not fit",
        "What a number too large for a narrow dtype becomes is left open by C, where TensorFlow "
        "casts it: that depends on how many stand beside it.",
        differs("value", r"convert_image_dtype\(.*-?[2-9]\.\d.*tf\.u?int"),
    ),
)
"""Every difference that is left, with its reason; a smaller table is a better one."""

OF_CONTEXTS: Final[tuple[Explained, ...]] = (
    Explained(
        "rule that a function needs",
        "TensorFlow builds the gradient of a function when a tape calls it, and refuses an op that "
        "has no rule there; here the gradient call does.",
        either(
            sooner("LookupError", r"tf\.function"),
            raises("no error", r"(LookupError|StagingError): .*gradient registry has no entry"),
            raises("", "LookupError: No gradient defined for operation", r"tf\.function"),
        ),
    ),
    Explained(
        "zeros of a function",
        "The gradient of a function is one op in TensorFlow, so that its own gradient is 0 for "
        "what does not depend on an input; here it is None, as it is eagerly.",
        zeros_for_none,
    ),
    Explained(
        "shape that values decide",
        "A loop and a fold refuse a body whose shape TensorFlow cannot tell while it traces; here "
        "more shapes are known.",
        raises("no error", "ValueError: .*(enters the loop with shape|Inconsistent shapes: saw)"),
    ),
    Explained(
        "no kernel in a graph",
        "TensorFlow has no compiled code for this op and dtype: in a graph that is an "
        "InvalidArgumentError.",
        raises("", "InvalidArgumentError: .*No OpKernel was registered"),
    ),
    Explained(
        "seed of another shape through a function",
        "TensorFlow hands a seed on to the function, where its shape may fit the first rule; here "
        "it must have the shape of its target.",
        either(
            raises("InvalidArgumentError: .*An output gradient needs", "no error", "output_grad"),
            raises("no error", "ValueError: .*compatible with the shape this function", "output_g"),
            raises("ValueError: 1 targets need as many output_gradients", "", "output_gradients"),
            differs("shape", r"tf\.function(?s:.*)output_gradients="),
        ),
    ),
    Explained(
        "seed as a gradient",
        "The gradient of a copy is the seed itself here, as in TensorFlow's eager code; a function "
        "of TensorFlow returns a new tensor, which no tape follows.",
        lambda text, difference, outcome: (
            difference.what == "kind"
            and bool(re.search(r"tf\.function(?s:.*)output_gradients=", text))
            and difference.ours.startswith("tensor")
            and difference.theirs.startswith("None")
        ),
    ),
    Explained(
        "slices that a graph adds",
        "In a graph TensorFlow adds gradients of picked rows as slices; here, as in eager code, "
        "their sum is a whole tensor.",
        lambda text, difference, outcome: (
            difference.what == "kind"
            and "tf.function" in text
            and difference.ours.startswith("tensor")
            and difference.theirs.startswith("IndexedSlices")
        ),
    ),
    Explained(
        "gradient that a function builds",
        "TensorFlow builds the gradient of a function when a tape calls it, and refuses shapes "
        "there; here the gradient call does.",
        raises("no error", "ValueError: .*{{node gradients/", r"tf\.function"),
    ),
    Explained(
        "second order of complex products",
        "TensorFlow conjugates otherwise in a function than in eager code, which agrees with "
        "tapelab.",
        second_order(r"reduce_prod(?s:.*)complex|complex(?s:.*)reduce_prod"),
    ),
    Explained(
        "nothing in a loop",
        "Loops and vectorized Jacobians of TensorFlow refuse empty tensors that its eager code "
        "takes.",
        raises(
            "no error",
            r"InvalidArgumentError: .*(Requires delta != 0|UnsortedSegmentSum)|"
            "StagingError: .*ZeroDivisionError",
        ),
    ),
    Explained(
        "slices of a function",
        "The gradient of a function takes whole tensors in TensorFlow; here the gradient of picked "
        "rows stays sparse through a function.",
        lambda text, difference, outcome: (
            difference.what == "kind"
            and "tf.function" in text
            and difference.ours.startswith("IndexedSlices")
            and difference.theirs.startswith("tensor")
        ),
    ),
    Explained(
        "vectorized function",
        "TensorFlow cannot vectorize the Jacobian of every branch, loop and function; here it is "
        "computed row by row.",
        raises(
            "no error",
            "(ValueError|StagingError): .*(while vectorizing|not compatible with supplied)",
            r"jacobian",
        ),
    ),
    Explained(
        "gradient of a full factor",
        "TensorFlow has no gradient of qr with full_matrices for tall matrices, and builds it with "
        "the function, even if nothing asks for it.",
        raises("no error", "NotImplementedError: QrGrad", r"full_matrices=True"),
    ),
    Explained(
        "no gradient in a branch",
        "TensorFlow refuses a branch with an op that has no gradient where a gradient passes the "
        "branch by; here only the op itself refuses.",
        raises("no error", "StagingError: .*LookupError: No gradient defined", r"switch_case|cond"),
    ),
    Explained(
        "no gradient while vectorizing",
        "Both refuse; TensorFlow's error comes from the function that vectorizes the Jacobian.",
        raises("LookupError: ", "StagingError: .*LookupError: No gradient defined", r"jacobian"),
    ),
    ROWS_OF_ANOTHER_DTYPE,
    Explained(
        "watched after its use in a function",
        "TensorFlow's function copies an outer tensor when an op first uses it; to watch the "
        "tensor afterwards does not reach the copy (None). Here it counts as watched.",
        differs(
            "kind", r"tf\.function(?s:.*)\n    .*\(.*\b(\w+)\b(?s:.*)\.watch\(\[?\1\b", "NoneType"
        ),
    ),
    Explained(
        "doubles to pool in a graph",
        "TensorFlow's max_pool2d takes an array of doubles as floats in eager code, and as it is "
        "in a graph; here always as floats.",
        either(
            differs("dtype", r"max_pool2?d?\b", "float64"),
            raises("no error", "InvalidArgumentError: .*TensorListSetItem", r"max_pool2?d?\b"),
        ),
    ),
    Explained(
        "numbers beside a bias",
        "In a graph TensorFlow gives a list the default dtype and then refuses a bias of another "
        "one; in eager code, as here, the list takes the dtype of the bias.",
        raises("no error", "ValueError: .*bias: Tensor conversion requested dtype"),
    ),
    Explained(
        "gradient of isotonic regression in a graph",
        "TensorFlow's gradient of isotonic_regression has another shape than its input, which a "
        "function refuses.",
        raises("no error", "ValueError: .*input gradient.*[ /]IsotonicRegression"),
    ),
    Explained(
        "cosines of no rows in a graph",
        "TensorFlow's cosine transforms refuse a tensor without rows, in a graph when their "
        "gradient is built.",
        raises("no error", "ValueError: Fill dimensions must be >= 0", "dct"),
    ),
    Explained(
        "argument in a graph",
        "A graph takes what Python's types announce: TensorFlow refuses a tensor for a list and "
        "gives a list another dtype than eagerly; here functions take what they take eagerly.",
        raises(
            "",
            r"TypeError: .*(Expected (list|any non-t|\w+, but got Tensor)|"
            r"that does not match type \w+ of argument)|"
            "TypeError: .*don't all match|"
            r"NotImplementedError: numpy\(\) is only available when eager",
        ),
    ),
)
"""Reasons why a program with captures differs in a function, a branch, a loop or a layer."""


def explanation(tf: Any, text: str, difference: Difference, ours: Outcome) -> str | None:
    """The name of the reason for a difference, None if it has none."""
    return _explanation(tf, text, text, difference, ours, TABLE)


def explanation_of_captured(
    tf: Any, text: str, plain: str, difference: Difference, ours: Outcome
) -> str | None:
    """The name of the reason why a program with captures differs and its `plain` one does not."""
    return _explanation(tf, text, plain, difference, ours, OF_CONTEXTS)


def _explanation(
    tf: Any,
    text: str,
    plain: str,
    difference: Difference,
    ours: Outcome,
    table: tuple[Explained, ...],
) -> str | None:
    for each in table:
        if each.holds(text, difference, ours):
            return each.name
    if difference.what == "value" and rounding_explains(tf, plain, difference.name, ours):
        return ROUNDING
    return None
