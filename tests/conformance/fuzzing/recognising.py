"""How a difference is recognised that has a reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from .observing import Difference, Outcome
from .rounding import parts

Holds = Callable[[str, Difference, Outcome], bool]


@dataclass(frozen=True)
class Explained:
    """A reason why two outcomes may differ, and how it is recognised."""

    name: str
    reason: str
    holds: Holds


def raises(ours: str, theirs: str, calls: str = "") -> Holds:
    """An exception, or none, on either side; the patterns match type and message."""

    def holds(text: str, difference: Difference, outcome: Outcome) -> bool:
        known = re.match(ours, difference.ours) and re.match(theirs, difference.theirs)
        return difference.what == "exception" and bool(known) and bool(re.search(calls, text))

    return holds


def differs(what: str, calls: str, theirs: str = "") -> Holds:
    """A difference of some kind, in a program with a certain call."""

    def holds(text: str, difference: Difference, outcome: Outcome) -> bool:
        known = re.fullmatch(what, difference.what) and re.search(theirs, difference.theirs)
        return bool(known) and bool(re.search(calls, text))

    return holds


def second_order(calls: str, theirs: str = "") -> Holds:
    """A value of a gradient of a gradient differs, in a program with a certain call."""
    of_values = differs("value", calls, theirs)
    return lambda text, difference, outcome: (
        difference.name.startswith("h") and of_values(text, difference, outcome)
    )


def sooner(kind: str, calls: str) -> Holds:
    """TensorFlow has stopped; here a later statement has, with an exception of the same type."""

    def holds(text: str, difference: Difference, outcome: Outcome) -> bool:
        further = difference.what == "presence" or difference.ours.startswith("variable")
        return further and outcome.raised == kind and bool(re.search(calls, text))

    return holds


def either(*ways: Holds) -> Holds:
    """One reason that shows in several ways."""
    return lambda text, difference, outcome: any(way(text, difference, outcome) for way in ways)


def asks_whole_numbers(text: str, difference: Difference, outcome: Outcome) -> bool:
    """The last question is about a target that holds no fractions."""
    requested = re.findall(r"\.(?:gradient|jacobian|batch_jacobian)\((\w+)", text)
    known = [outcome.values.get(name) for name in requested]
    if re.match("LookupError", difference.theirs):  # any of the questions may have met it
        return any(part.dtype[:3] not in {"flo", "com"} for each in known for part in parts(each))
    target = known[-1] if requested else None
    kinds = {part.dtype[:3] for part in parts(target)}
    other = bool(requested) and not kinds  # a shape, a list of nothing
    return difference.what in {"kind", "exception"} and (other or bool(kinds - {"flo", "com"}))


def jacobian_of_nothing(text: str, difference: Difference, outcome: Outcome) -> bool:
    """A Jacobian without entries; where TensorFlow has stopped, an earlier one of such a target."""
    empty = bool(re.search(r"\[([1-9]\d*, )*0[,\]]", difference.theirs))
    if difference.what == "kind":
        return "jacobian(" in text and difference.ours.startswith("NoneType") and empty
    if difference.what == "dtype":
        by_rows = rf"{difference.name} = \w+\.batch_jacobian\(.*experimental_use_pfor=False"
        return (
            bool(re.search(by_rows, text)) and difference.theirs[:14] == "tensor float32" and empty
        )
    requested = re.findall(r"\.jacobian\((\w+), .*experimental_use_pfor=False", text)
    targets = [part for name in requested for part in parts(outcome.values.get(name))]
    stopped = sooner("ValueError", "jacobian")(text, difference, outcome)
    return stopped and any(np.size(target.array) == 0 for target in targets)


def zeros_for_none(text: str, difference: Difference, outcome: Outcome) -> bool:
    """A gradient through a function is None here and 0 there, or has become a target since."""
    zeros = re.fullmatch(r"tensor \w+\[.*?\] [\[\]0., ]+", difference.theirs)
    none = difference.what == "kind" and difference.ours.startswith("NoneType") and bool(zeros)
    target = difference.what == "exception" and difference.ours.startswith(
        "TypeError: A target is None"
    )
    return "tf.function" in text and (none or (target and difference.theirs.startswith("no error")))


def has_subnormal(value: Any) -> bool:
    """Whether a number too small for all its digits stands among the numbers of a value."""
    return any(
        part.dtype[:5] == "float"
        and bool(((part.array != 0) & (abs(part.array) < np.finfo(part.dtype).tiny)).any())
        for part in parts(value)
    )


def has_nan(value: Any) -> bool:
    """Whether NaN stands among the numbers of a value."""
    return any(part.dtype[:3] in {"flo", "com"} and (part.array != part.array).any()
               for part in parts(value))  # fmt: skip


def seeds(text: str, difference: Difference, outcome: Outcome) -> bool:
    """A seed that does not fit its target, or that is passed on as it is."""
    mended = (
        "An output gradient needs" in difference.ours or "need as many output_gr" in difference.ours
    )
    refused = difference.what == "exception" and re.match("no error", difference.ours)
    given = re.findall(r"output_gradients=(\w+)", text)
    requested = re.findall(r"gradient\(\w+, \[?([^\])]*)", text)
    python = difference.what == "dtype" and re.search(r"output_gradients=[-\[(\d]", text)
    itself = difference.what == "kind" and bool(
        set(given) & set(re.findall(r"\w+", str(requested[-1:])))
    )
    return "output_gradients=" in text and bool(
        mended or difference.what == "shape" or refused or itself or python
    )


NONSENSE: Final = (
    r"None|object\(\)|'a'|\{\}|\b\d*\.?\d*j\b|tf\.float32\b(?!\))|\[\[\d+\], \[\d+, \d+\]\]|nan'"
)
"""What no argument can mean, as text in a program."""


def nonsense(text: str, difference: Difference, outcome: Outcome) -> bool:
    """Both refuse a last statement that holds what no argument can mean."""
    both = difference.what == "exception" and not re.search(
        "no error", difference.ours + difference.theirs
    )
    last = text.strip().splitlines()[-1]
    return both and bool(re.search(NONSENSE, last))


def corrupted(ours: str, theirs: str) -> Holds:
    """A deliberate mistake in the call at the end, and what the two sides make of it."""
    return raises(ours, theirs, "# corrupted: ")
