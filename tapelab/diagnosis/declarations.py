"""Declarations of findings: all that is said about a code, in one block beside its detector.

`@finding` declares a code: how decisive it is, which lesson teaches it, what happened, what to
write instead, a program with the pitfall and a near miss. Below it stands the detector, the
function that recognises the pitfall in a `Case` and composes the sentences and the fix. A second
decorator says when the detector runs; without one it runs for every gradient call:

- `at_source(order)`: no gradient arrives, and the cause may be the source itself. The detectors run
  in ascending order, and the first finding is the answer.
- `at_cut(cut)`: an edge between the source and the target is cut in this way.
- `beside_cause`: no gradient arrives; the finding is reported together with the cause.
- `across_sources`: all sources of one call together.
- `on_refusal(code)`: the engine raised an error.
- `check`: every gradient call, also where a gradient arrives (a further detector of a code).

Invariants: a code has one declaration, and each finding of a detector has a declared code. The
reference page, the list of codes and the triggers of the tests are generated from the declarations;
an own finding, `tapelab.extend.finding`, is declared with the same decorator.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    from tapelab.diagnosis.edges import Cut

Detector = Callable[..., Any]
D = TypeVar("D", bound=Detector)

PACKAGE: Final = __name__.rpartition(".")[0]


class Rank(IntEnum):
    """What a finding says about a gradient; findings of a lower rank come first."""

    REFUSED = 0  # there is no result, or the result hides that there is none
    MISSING = 1  # no path leads to the source, or paths are cut
    NOT_FINITE = 2  # infinities and NaN
    VANISHED = 3  # zero, or nearly
    MISLEADING = 4  # values that are not those of the question
    WASTEFUL = 5  # the right values, at a price


class Example(NamedTuple):
    """A program with the pitfall, and a near miss that looks like it and has no finding.

    The program computes `y` from `x` on `tape`. Both programs end with `g = tape.gradient(y, x)`,
    which `complete` adds unless they give `g` a value. The expression at fault stands in
    «guillemets». `fix` is the code that the finding proposes, `symptom` what `g` looks like,
    `cured` what it looks like with the fix, and `ask` the expression that explains it.
    `pitfall` is the number in the catalogue of pitfalls.
    """

    pitfall: str
    program: str
    fix: str | None = None
    symptom: str = "None"
    cured: str = "number"
    ask: str = "tf.explain(tape, y, x)"
    near_miss: str = ""


GRADIENT_CALL: Final = "g = tape.gradient(y, x)"
BINDING_OF_G: Final = re.compile(r"^ *g\b.* = ", re.MULTILINE)


def complete(program: str) -> str:
    """A program of an example, dedented, with the gradient call unless it has one of its own."""
    text = textwrap.dedent(program).strip("\n").rstrip()
    return text if BINDING_OF_G.search(text) else f"{text}\n{GRADIENT_CALL}"


@dataclass(frozen=True)
class Declaration:
    """What holds for all findings of a code."""

    code: str
    rank: Rank
    lesson: str
    what: str
    instead: str
    example: Example | None
    detector: Detector

    @property
    def is_own(self) -> bool:
        """Whether a user declared it."""
        return not self.detector.__module__.startswith(PACKAGE)


DECLARED: Final[dict[str, Declaration]] = {}
"""The declarations by their codes."""

FOREIGN: Final[dict[str, Declaration]] = {}
"""The declarations of what only happens in programs of other frameworks, by their codes."""

CHECKS: Final[dict[Detector, None]] = {}
AT_SOURCE: Final[dict[Detector, int]] = {}
AT_CUT: Final[dict[Cut, Detector]] = {}
BESIDE_CAUSE: Final[dict[Detector, None]] = {}
ACROSS_SOURCES: Final[dict[Detector, None]] = {}
ON_REFUSAL: Final[dict[str, Detector]] = {}


def finding(
    code: str, *, rank: Rank, lesson: str = "", what: str = "", instead: str = "",
    example: Example | None = None,
) -> Callable[[D], D]:  # fmt: skip
    """Declare a finding: a function that looks for it in a `Case`.

    The function yields a `Finding` with this code for what it detects. It sees the recording and
    the backward pass, never a live tensor: `case.backward.through({"exp"})` are the steps of the
    backward pass through ops of a name, `case.backward.tensor[step]` is the input that a step leads
    to, `case.backward.value(tensor)` its value (None where the recording did not keep it),
    `case.backward.event[step]` the event in which the op ran, and `name_of(case, tensor)` what the
    code calls a tensor.

        import numpy as np
        import tapelab as tf
        from tapelab.extend import Finding, Rank, finding, name_of, replace_expression, spot

        @finding("LARGE_EXPONENT", rank=Rank.NOT_FINITE)
        def large_exponent(case):
            for step in case.backward.through({"exp"}) if case.backward else ():
                event, x = case.backward.event[step], case.backward.tensor[step]
                value = case.backward.value(x)
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
    teaches it. `what`, `instead` and `example` are for its documentation and its tests. A healthy
    gradient has no finding. Declaring a code again, as when a cell runs twice, replaces it.
    """
    if not code.isupper() or not code.isidentifier():
        raise ValueError(
            f"The code of a finding is written in capitals and underscores, but this is {code!r}. "
            "Try 'LARGE_EXPONENT'."
        )
    known = DECLARED.get(code)
    if known is not None and not known.is_own:
        raise ValueError(f"{code} is a finding of tapelab. Choose another code for your own.")

    def declare(detector: D) -> D:
        if known is not None:
            CHECKS.pop(known.detector, None)
        DECLARED[code] = Declaration(code, rank, lesson, what, instead, example, detector)
        if not _runs_elsewhere(detector):
            CHECKS[detector] = None
        return detector

    return declare


def _runs_elsewhere(detector: Detector) -> bool:
    """Whether a decorator has said when a detector runs."""
    hooks = (*AT_SOURCE, *AT_CUT.values(), *BESIDE_CAUSE, *ACROSS_SOURCES, *ON_REFUSAL.values())
    return detector in hooks


def check(detector: D) -> D:
    """Run a further detector of a declared code for every gradient call."""
    CHECKS[detector] = None
    return detector


def at_source(order: int) -> Callable[[D], D]:
    """Run a detector, in ascending order, to find the cause of a None in the source itself."""

    def register(detector: D) -> D:
        AT_SOURCE[detector] = order
        return detector

    return register


def at_cut(*cuts: Cut) -> Callable[[D], D]:
    """Run a detector for each edge that is cut in one of these ways."""

    def register(detector: D) -> D:
        AT_CUT.update(dict.fromkeys(cuts, detector))
        return detector

    return register


def beside_cause(detector: D) -> D:
    """Run a detector where no gradient arrives, beside those that look for the cause."""
    BESIDE_CAUSE[detector] = None
    return detector


def across_sources(detector: D) -> D:
    """Run a detector for all cases of one gradient call together, one case for each source."""
    ACROSS_SOURCES[detector] = None
    return detector


def on_refusal(code: str) -> Callable[[D], D]:
    """Run a detector for an error that the engine raises with this code.

    The detector gets the case of the refused call and the details that the engine knows.
    """

    def register(detector: D) -> D:
        ON_REFUSAL[code] = detector
        return detector

    return register


def declaration_of(code: str) -> Declaration:
    """The declaration of a code; ValueError if there is none."""
    declaration = DECLARED.get(code) or FOREIGN.get(code)
    if declaration is None:
        raise ValueError(
            f"No finding {code!r} was declared. Write the code that stands in @finding(…), as in "
            f"@finding({code!r}, rank=Rank.MISLEADING)."
        )
    return declaration


def own_detectors() -> tuple[Detector, ...]:
    """The detectors that users declared, in the order of their first declaration."""
    return tuple(each.detector for each in DECLARED.values() if each.is_own)


def forget_findings(module: str) -> None:
    """Withdraw the findings whose detectors were defined in a module of this name."""
    for code, declaration in list(DECLARED.items()):
        if declaration.is_own and declaration.detector.__module__ == module:
            CHECKS.pop(declaration.detector, None)
            del DECLARED[code]
