"""The codes of findings: how decisive each is, and which lesson teaches it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, Final, NamedTuple


class Rank(IntEnum):
    """What a finding says of a gradient; the lower the number, the sooner it is told."""

    REFUSED = 0  # there is no answer, or the answer hides that there is none
    MISSING = 1  # no path leads to the source, or paths are cut
    NOT_FINITE = 2  # infinities and NaN
    VANISHED = 3  # zero, or nearly
    MISLEADING = 4  # numbers that are not those of the question
    WASTEFUL = 5  # the right numbers, at a price


class Code(NamedTuple):
    """What is the same for all findings of one code."""

    lesson: str
    rank: Rank


CODES: Final = {
    "SWAPPED_ARGUMENTS": Code("02", Rank.REFUSED),
    "TAPE_CONSUMED": Code("02", Rank.REFUSED),
    "UNCONNECTED_ZERO": Code("05", Rank.REFUSED),
    "SOME_NONE": Code("16", Rank.REFUSED),
    "MIXED_DTYPE": Code("00", Rank.REFUSED),
    "NO_GRADIENT_REGISTERED": Code("11", Rank.REFUSED),
    "VARIABLES_KEYWORD_MISSING": Code("11", Rank.REFUSED),
    "LEAKED_SYMBOL": Code("08", Rank.REFUSED),
    "REBOUND_TO_TENSOR": Code("00", Rank.MISSING),
    "WRONG_OBJECT": Code("04", Rank.MISSING),
    "UNUSED_SOURCE": Code("05", Rank.MISSING),
    "INT_DTYPE": Code("05", Rank.MISSING),
    "NOT_TRAINABLE": Code("04", Rank.MISSING),
    "AUTOWATCH_OFF": Code("04", Rank.MISSING),
    "NOT_WATCHED": Code("04", Rank.MISSING),
    "WATCHED_TOO_LATE": Code("04", Rank.MISSING),
    "BEFORE_TAPE": Code("05", Rank.MISSING),
    "AFTER_TAPE": Code("05", Rank.MISSING),
    "RECORDING_PAUSED": Code("04", Rank.MISSING),
    "OTHER_THREAD": Code("04", Rank.MISSING),
    "LEFT_ENGINE": Code("06", Rank.MISSING),
    "STATE_READ": Code("06", Rank.MISSING),
    "COPIED_VALUE": Code("06", Rank.MISSING),
    "STOPPED": Code("11", Rank.MISSING),
    "NON_DIFFERENTIABLE": Code("05", Rank.MISSING),
    "INDEX_ONLY": Code("05", Rank.MISSING),
    "PREDICATE_ONLY": Code("08", Rank.MISSING),
    "SHAPE_ONLY": Code("07", Rank.MISSING),
    "SAMPLER": Code("05", Rank.MISSING),
    "OUTER_TAPE_CLOSED": Code("10", Rank.MISSING),
    "CONSTANT_DERIVATIVE": Code("10", Rank.MISSING),
    "UNTRACKED_VARIABLE": Code("06", Rank.MISSING),
    "ZERO_TIMES_INF": Code("13", Rank.NOT_FINITE),
    "INF_LOCAL": Code("13", Rank.NOT_FINITE),
    "OVERFLOW": Code("13", Rank.NOT_FINITE),
    "DEGENERATE": Code("13", Rank.NOT_FINITE),
    "EXPLODING": Code("14", Rank.NOT_FINITE),
    "UNDERFLOW": Code("13", Rank.VANISHED),
    "DEAD_UNITS": Code("14", Rank.VANISHED),
    "SATURATED": Code("13", Rank.VANISHED),
    "CANCELLED_BY_MEAN": Code("14", Rank.VANISHED),
    "VANISHING": Code("14", Rank.VANISHED),
    "ON_KINK": Code("12", Rank.MISLEADING),
    "UPSTREAM_IGNORED": Code("11", Rank.MISLEADING),
    "SWAPPED_LOSS_ARGUMENTS": Code("16", Rank.MISLEADING),
    "DOUBLE_SOFTMAX": Code("13", Rank.MISLEADING),
    "UNINTENDED_BROADCAST": Code("07", Rank.MISLEADING),
    "WRONG_AXIS": Code("07", Rank.MISLEADING),
    "UNNORMALISED_SUM": Code("16", Rank.MISLEADING),
    "SUMMED_TARGET": Code("07", Rank.MISLEADING),
    "CROSS_TALK": Code("07", Rank.MISLEADING),
    "SPARSE_GRADIENT": Code("16", Rank.MISLEADING),
    "COMPLEX_CONVENTION": Code("12", Rank.MISLEADING),
    "ALIASED_MEMORY": Code("06", Rank.MISLEADING),
    "TRACE_TIME_CONSTANT": Code("08", Rank.MISLEADING),
    "NOT_CONVERGED": Code("18", Rank.MISLEADING),
    "DATA_DEPENDENT_TRIP_COUNT": Code("08", Rank.MISLEADING),
    "GRADIENT_INSIDE_TAPE": Code("15", Rank.WASTEFUL),
    "FROZEN_BUT_WATCHED": Code("16", Rank.WASTEFUL),
    "PERSISTENT_HELD": Code("15", Rank.WASTEFUL),
    "GROWING_TAPE": Code("15", Rank.WASTEFUL),
}
"""Findings of one rank keep the order in which they are found: from the source, then along the
path from the target back.
"""

OWN_CODES: Final[dict[str, Code]] = {}
"""The codes of findings that users declared, see `own_findings`."""


def code_facts(code: str) -> Code:
    """The lesson and the rank of a code; ValueError where nobody declared it."""
    facts = CODES.get(code) or OWN_CODES.get(code)
    if facts is None:
        raise ValueError(
            f"No finding {code!r} was declared. Write the code that stands in @finding(…), as in "
            f"@finding({code!r}, rank=Rank.MISLEADING)."
        )
    return facts


Detector = Callable[..., Iterable[Any]]

_DETECTORS: Final[dict[str, Detector]] = {}


def finding(code: str, *, rank: Rank, lesson: str = "") -> Callable[[Detector], Detector]:
    """Declare a finding of your own: a function that looks for it in a `Case`.

    The function yields a `Finding` with this code for what it detects. It sees the recording and
    the backward pass, never a live tensor: `case.way.through({"exp"})` are the steps of the
    backward pass through ops of a name, `case.way.tensor[step]` is the input that a step leads to,
    `case.way.value(tensor)` its value (None where the recording did not keep it),
    `case.way.event[step]` the event in which the op ran, and `name_of(case, tensor)` what the code
    calls a tensor.

        import numpy as np
        import tapelab as tf
        from tapelab.extend import Finding, Rank, finding, name_of, replace_expression, spot

        @finding("LARGE_EXPONENT", rank=Rank.NOT_FINITE)
        def large_exponent(case):
            for step in case.way.through({"exp"}) if case.way else ():
                event, x = case.way.event[step], case.way.tensor[step]
                value = case.way.value(x)
                if value is not None and np.max(value) > 50.0:
                    name, (span, text, _) = name_of(case, x), spot(case, event)
                    yield Finding(
                        code="LARGE_EXPONENT",
                        title=f"`{text}` comes close to overflow",
                        message=f"`{name}` is {np.max(value):g}, and `exp` of 89 is inf.",
                        where=case.codes.where(span),
                        fix=replace_expression(case, event, f"tf.exp(tf.minimum({name}, 50.0))"),
                        evidence=(event,),
                    )

        x = tf.Variable(60.0)
        with tf.GradientTape() as tape:
            y = tf.exp(x)
        print(tf.explain(tape, y, x).findings[0].code)  # LARGE_EXPONENT

    `rank` says how decisive it is among other findings, `lesson` is the number of a lesson that
    teaches it. Write a near miss beside each trigger: a healthy gradient gives no finding.
    """
    if code in CODES:
        raise ValueError(f"{code} is a finding of tapelab. Choose another code for your own.")
    if not code.isupper() or not code.isidentifier():
        raise ValueError(
            f"The code of a finding is written in capitals and underscores, but this is {code!r}. "
            "Try 'LARGE_EXPONENT'."
        )

    def declare(detector: Detector) -> Detector:
        OWN_CODES[code] = Code(lesson, rank)
        _DETECTORS[code] = detector
        return detector

    return declare


def own_detectors() -> tuple[Detector, ...]:
    """The detectors that users declared, in the order of their first declaration."""
    return tuple(_DETECTORS.values())


def forget_findings(module: str) -> None:
    """Withdraw the findings whose detectors were defined in a module of this name."""
    for code in [code for code, each in _DETECTORS.items() if each.__module__ == module]:
        del _DETECTORS[code], OWN_CODES[code]
