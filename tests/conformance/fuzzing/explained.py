"""The differences that have a reason: what TensorFlow leaves open, and what is meant to differ."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from .observing import Difference, Outcome
from .rounding import ROUNDING, parts, rounding_explains

Holds = Callable[[str, Difference, Outcome], bool]


@dataclass(frozen=True)
class Explained:
    """A reason why two outcomes may differ, and how it is recognised."""

    name: str
    reason: str
    holds: Holds


def _raises(ours: str, theirs: str, calls: str = "") -> Holds:
    """An exception, or none, on either side; the patterns match type and message."""

    def holds(text: str, found: Difference, outcome: Outcome) -> bool:
        known = re.match(ours, found.ours) and re.match(theirs, found.theirs)
        return found.what == "exception" and bool(known) and bool(re.search(calls, text))

    return holds


def _differs(what: str, calls: str, theirs: str = "") -> Holds:
    """A difference of some kind, in a program with a certain call."""

    def holds(text: str, found: Difference, outcome: Outcome) -> bool:
        known = re.fullmatch(what, found.what) and re.search(theirs, found.theirs)
        return bool(known) and bool(re.search(calls, text))

    return holds


def _asks_whole_numbers(text: str, found: Difference, outcome: Outcome) -> bool:
    """The last question is about a target that holds no fractions."""
    asked = re.findall(r"\.(?:gradient|jacobian|batch_jacobian)\((\w+)", text)
    known = [outcome.values.get(name) for name in asked]
    if re.match("LookupError", found.theirs):  # any of the questions may have met it
        return any(part.dtype[:3] not in {"flo", "com"} for each in known for part in parts(each))
    target = known[-1] if asked else None
    kinds = {part.dtype[:3] for part in parts(target)}
    other = bool(asked) and not kinds  # a shape, a list of nothing
    return found.what in {"kind", "exception"} and (other or bool(kinds - {"flo", "com"}))


def _seeds(text: str, found: Difference, outcome: Outcome) -> bool:
    mended = "An output gradient needs" in found.ours or "need as many output_gr" in found.ours
    refused = found.what == "exception" and re.match("no error", found.ours)
    given = re.findall(r"output_gradients=(\w+)", text)
    asked = re.findall(r"gradient\(\w+, \[?([^\])]*)", text)
    itself = found.what == "kind" and bool(set(given) & set(re.findall(r"\w+", str(asked[-1:]))))
    return "output_gradients=" in text and bool(
        mended or found.what == "shape" or refused or itself
    )


NONSENSE: Final = (
    r"None|object\(\)|'a'|\{\}|\b\d*\.?\d*j\b|tf\.float32\b(?!\))|\[\[\d+\], \[\d+, \d+\]\]|nan'"
)
"""What no argument can mean, as text in a program."""


def _nonsense(text: str, found: Difference, outcome: Outcome) -> bool:
    both = found.what == "exception" and not re.search("no error", found.ours + found.theirs)
    last = text.strip().splitlines()[-1]
    return both and bool(re.search(NONSENSE, last))


def _spoiled(ours: str, theirs: str) -> Holds:
    """A deliberate mistake in the call at the end, and what the two sides make of it."""
    raises = _raises(ours, theirs, "# spoiled: ")
    return lambda text, found, outcome: raises(text, found, outcome)


REFUSED: Final = r"\w+(Error|Exception): "
"""How a refusal of any type begins."""

TABLE: Final[tuple[Explained, ...]] = (
    Explained(
        "no kernel",
        "TensorFlow has no compiled code for this op and dtype (NotFoundError, "
        "UnimplementedError); tapelab computes it, or names the dtypes that fit.",
        _raises("", "NotFoundError|UnimplementedError"),
    ),
    Explained(
        "type of a flag",
        "TensorFlow looks at the Python type of a flag or a word before it runs; here "
        "whatever is true counts as True.",
        _raises("", "TypeError: (Expected (bool|string|int|float|list) for|Value passed to)"),
    ),
    Explained(
        "nonsense",
        "Text, None, an object or a ragged list where a number belongs is refused by both; which "
        "type of exception depends on the layer of TensorFlow that notices first.",
        _nonsense,
    ),
    Explained(
        "no list there",
        "Some functions of TensorFlow forget to convert a list (AttributeError: 'list' object has "
        "no attribute ...); here it becomes a tensor.",
        _raises(
            "",
            r"AttributeError: '(list|int|float|bool|str|complex|object|NoneType|.*ndarray)' ",
        ),
    ),
    Explained(
        "target of whole numbers",
        "A target of whole numbers or truths has no gradient: None here; TensorFlow looks for the "
        "rule of the op all the same, and now and then finds one.",
        _asks_whole_numbers,
    ),
    Explained(
        "seed of another shape",
        "TensorFlow hands a seed that does not fit on to the rule of the op, so that the shape of "
        "the gradient depends on it; here it is stretched to the target, or refused. Where a rule "
        "hands on what it gets, the gradient is the seed itself.",
        _seeds,
    ),
    Explained(
        "vectorized",
        "TensorFlow cannot vectorize the Jacobian of every op; here it is computed row by row.",
        _raises(
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
        _raises(
            "no error",
            r"LookupError: (gradient registry has no entry for: \w*Grad|No gradient defined for "
            r"operation'\S*Grad' )",
        ),
    ),
    Explained(
        "sign of a vector",
        "Eigenvectors and singular vectors are known up to their sign, and those of equal values "
        "up to a rotation.",
        _differs("value", r"svd|eig|linalg\.qr"),
    ),
    Explained(
        "not positive definite",
        "What has no Cholesky factor gives NaN in some builds of TensorFlow, an error in others.",
        _differs("value|exception", r"cholesky|logdet", r"nan|no error"),
    ),
    Explained(
        "undefined shift",
        "A shift by less than nothing, or beyond the width of the number, is undefined.",
        _differs("value", r"_shift\("),
    ),
    Explained(
        "mistake, other type",
        "Both refuse a deliberate mistake, with exceptions of different types: TensorFlow's "
        "depends on which of its layers looks first. The frequent ones agree: fuzz_found.txt.",
        _spoiled(REFUSED, REFUSED),
    ),
    Explained(
        "mistake, taken here",
        "What can be understood is taken: one number where a row of one is meant, whole numbers of "
        "any width as positions.",
        _spoiled("no error", REFUSED),
    ),
    Explained(
        "mistake, taken there",
        "TensorFlow takes text for truths, fractions for counts and rows for numbers in places "
        "where it does not look; here they are refused.",
        _spoiled(REFUSED, "no error"),
    ),
    Explained(
        "place of one number",
        "TensorFlow's gradient of gather_nd at one index tuple asks ScatterNd for what it refuses.",
        _raises("no error", "InvalidArgumentError: .*(ScatterNd|Graph execution)", "gather_nd"),
    ),
    Explained(
        "order from behind",
        "TensorFlow's gradient of transpose refuses axes that are counted from behind, which "
        "transpose itself takes.",
        _raises("", r"InvalidArgumentError: .*InvertPermutation.* -\d+ is not between", "perm="),
    ),
    Explained(
        "truncated by zero",
        "TensorFlow calls a division by 0 in truncatediv an error of its own (InternalError).",
        _raises(
            "InvalidArgumentError: Integer division by zero",
            "InternalError: .*Unexpected error in binary operator",
            r"truncate(div|mod)\(",
        ),
    ),
    Explained(
        "dropped segment",
        "An entry with a negative segment belongs to none; TensorFlow's second gradient of it is "
        "NaN, here it is 0.",
        _differs("value", r"unsorted_segment_\w+\(.*-1", "nan"),
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
        "warning of a rule",
        "TensorFlow's own gradient rules cast complex numbers, and warn of it.",
        lambda text, found, outcome: found.what == "warning" and "gradient(" in text,
    ),
    Explained(
        "end of a domain",
        "At the end of its domain a special function has several limits: igamma(0, 0), zeta at 0, "
        "the root of a matrix of zeros.",
        _differs("value", r"igamma|zeta|betainc|polygamma|matrix_square_root|sqrtm"),
    ),
    Explained(
        "truth beside numbers",
        "TensorFlow's operators turn numbers silently into truths beside a tensor of truths, which "
        "its functions refuse; here both take truths and refuse numbers.",
        _raises(
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
