"""Findings that users declare.

A detector is a function of a `Case`: it yields a `Finding` where it applies, and nothing where the
gradient is healthy. `finding` registers it under its code; from then on `tf.explain`, `tf.why`,
figures and checks ask it of every case, after tapelab's own detectors. Declaring a code again, as
when a cell runs twice, replaces its detector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.codes import CODES, OWN_CODES, Code, Rank

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Finding, Fix

Detector = Callable[["Case"], Iterable["Finding"]]

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
        from tapelab.extend import Finding, Rank, finding, name_of, replaced, spot

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
                        fix=replaced(case, event, f"tf.exp(tf.minimum({name}, 50.0))"),
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


def replaced(case: Case, event: int, text: str) -> Fix | None:
    """The line in which an event happened, with another expression in the place of its own.

    None where the code is not known or would stay as it is.
    """
    span = case.recording.event_spans[event]
    code, node = case.codes.of(span), case.codes.expression(span)
    if code is None or node is None:
        return None
    return edits.fix(code, [edits.replaced(code, node, edits.bracketed(code, node, text))])
