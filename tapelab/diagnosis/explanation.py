"""From a gradient call to its explanation: run the detectors, sort what they find.

Without a path, the detectors of the source come first; then one detector for each cut; then the
checks of every call. Findings that say the same are reported once, and the most decisive rank comes
first. `explain` is the public function, `finding_of` explains errors of the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from tapelab import nest
from tapelab.core.garbage_collection import gc_relaxed
from tapelab.core.tape import GradientTape
from tapelab.diagnosis import pytorch
from tapelab.diagnosis.autograd_errors import failed_call
from tapelab.diagnosis.case import Analysis, Case
from tapelab.diagnosis.declarations import (
    ACROSS_SOURCES,
    AT_CUT,
    BESIDE_CAUSE,
    DECLARED,
    ON_REFUSAL,
)
from tapelab.diagnosis.descriptions import name_of
from tapelab.diagnosis.discrete_choices import is_reported_elsewhere
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.families import checks, source_causes
from tapelab.diagnosis.finding import Explanation, Finding
from tapelab.diagnosis.model_variables import hidden_variables
from tapelab.diagnosis.off_tape import OFF_TAPE
from tapelab.diagnosis.refused_ops import all_none
from tapelab.diagnosis.second_derivatives import crosses_a_gradient, is_rightly_zero
from tapelab.diagnosis.tape_lifetime import stopped_inside
from tapelab.diagnosis.unwatched_source import not_watched
from tapelab.locales import say
from tapelab.recorder.foreign_tape import ForeignTape
from tapelab.recorder.introspection import introspect, introspect_refusal

if TYPE_CHECKING:
    from tapelab.errors import Refusal
    from tapelab.recording import Recording


AFTER_A_CALL: Final = {Cut.AFTER, Cut.DERIVED}
"""Cuts that come of a question inside the block, where there was one."""

ONE_FOR_ALL: Final = {
    code for code, declared in DECLARED.items() if declared.detector in OFF_TAPE.values()
}
"""Codes that are reported once, for all ops that ran off the tape."""


def explain_recording(
    recording: Recording, target: int | Sequence[int], source: int | Sequence[int]
) -> Explanation:
    """Why a gradient is `None`, or lacks a part; target and source are indices of tensors."""
    targets = (target,) if isinstance(target, int) else tuple(target)
    analysis = Analysis(recording)
    if isinstance(source, int):
        return _explained(Case(analysis, targets, source))
    if not source:
        return _of_no_source(Case(analysis, targets, -1))
    return _together(tuple(Case(analysis, targets, each) for each in source))


def explain_call(
    recording: Recording, call: int, positions: Sequence[int] | None = None
) -> Explanation:
    """Why the sources of a question got what they got; by default all of its sources."""
    analysis = Analysis(recording)
    request = analysis.requests[call]
    at = range(len(request.sources)) if positions is None else positions
    cases = tuple(Case.of_call(analysis, call, each) for each in at)
    if not cases:
        return _of_no_source(Case(analysis, request.targets, -1, call))
    return _explained(cases[0]) if len(cases) == 1 else _together(cases)


def _of_no_source(case: Case) -> Explanation:
    """Of an empty list, such as the variables of a model that finds none."""
    return Explanation(
        target=_named(case, case.targets),
        source="",
        connected=False,
        partial=False,
        findings=tuple(hidden_variables(case)),
        recording=case.recording,
        answer=say("The list of sources is empty, so there is no gradient."),
    )


def _explained(case: Case) -> Explanation:
    checked = [finding for check in checks() for finding in check(case)]
    if case.recording.framework.startswith("PyTorch"):
        return _foreign(case, pytorch.findings(case, checked))
    missing = tuple(_missing(case))
    return Explanation(
        target=_named(case, case.targets),
        source=name_of(case, case.source),
        connected=case.connected,
        partial=case.connected and bool(missing),
        findings=tuple(_sorted(_distinct([*missing, *checked]))),
        recording=case.recording,
    )


def _foreign(case: Case, findings: Iterable[Finding]) -> Explanation:
    """The explanation of another framework's program."""
    return Explanation(
        target=_named(case, case.targets),
        source=name_of(case, case.source),
        connected=case.connected and failed_call(case) is None,
        partial=False,
        findings=tuple(_sorted(_distinct(findings))),
        recording=case.recording,
    )


def _together(cases: tuple[Case, ...]) -> Explanation:
    """One explanation for several sources, with the findings of all."""
    parts = tuple(map(_explained, cases))
    common = [finding for check in ACROSS_SOURCES for finding in check(cases)]
    findings = dict.fromkeys([*common, *(each for part in parts for each in part.findings)])
    return Explanation(
        target=parts[0].target,
        source=", ".join(part.source for part in _lacking(parts)),
        connected=all(part.connected for part in parts),
        partial=any(part.partial for part in parts),
        findings=tuple(_sorted(findings)),
        recording=cases[0].recording,
        parts=parts,
    )


def _lacking(parts: Sequence[Explanation]) -> Sequence[Explanation]:
    """Those of several sources whose gradient is missing; else all."""
    return [part for part in parts if not part.connected] or parts


def _named(case: Case, tensors: Sequence[int]) -> str:
    return ", ".join(name_of(case, each) for each in tensors)


def _missing(case: Case) -> Iterator[Finding]:
    """Why nothing arrives, or only a part."""
    if not case.connected:
        if case.zero and is_rightly_zero(case):
            return
        yield from filter(None, (detector(case) for detector in BESIDE_CAUSE))
        yield from _at_the_source(case)
    beside_time = crosses_a_gradient(case)
    for edge in case.cuts:
        assert edge.cut is not None
        if beside_time and edge.cut in OFF_TAPE:
            continue
        if is_reported_elsewhere(case, edge):
            continue
        stopped = stopped_inside(case) if edge.cut in AFTER_A_CALL else None
        if stopped:
            yield stopped
            continue
        yield AT_CUT[edge.cut](case, edge)


def _at_the_source(case: Case) -> Iterator[Finding]:
    findings = (cause(case) for cause in source_causes())
    first = next((finding for finding in findings if finding), None)
    if first:
        yield first
    if first and first.code == "INT_DTYPE":
        yield from filter(None, [not_watched(case)])


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    """The most decisive first."""
    return sorted(findings, key=lambda finding: finding.rank)


def _distinct(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Without the findings that say the same: of the same line, or of ops at the wrong time."""
    seen = set()
    for finding in findings:
        place = finding.where and (finding.where.source, finding.where.line)
        key = finding.code, None if finding.code in ONE_FOR_ALL else place
        if key not in seen:
            seen.add(key)
            yield finding


def explain(tape: GradientTape | ForeignTape, target: Any, source: Any) -> Explanation:
    """Say why `tape.gradient(target, source)` is None, a part, zero or NaN, and what to write.

    Asked for several sources it answers for each, in `parts`; several targets are summed, as
    `gradient` does. It asks nothing of the tape that would use it up or be remembered, and works
    before and after `gradient`.
    """
    if not isinstance(tape, (GradientTape, ForeignTape)):
        raise TypeError(
            f"explain() needs the tape first, but it got {tape!r}. "
            "Try tf.explain(tape, target, source)."
        )
    for end, part in ((target, "target"), (source, "source")):
        if end is None or (part == "target" and not nest.flatten(end)):
            raise TypeError(
                f"explain() needs a {part}: a tensor or a variable, but it got {end}. "
                "Try tf.explain(tape, target, source)."
            )
    known = tape.introspect(target, source) if isinstance(tape, ForeignTape) else None
    if known is not None:
        return explain_call(*known)
    if isinstance(tape, ForeignTape):
        targets, sources = tape.ends(target, source)
        one = sources[0] if len(sources) == 1 else sources
        return explain_recording(tape.recording(), targets, one)
    with gc_relaxed():
        recording, call, positions = introspect(tape, target, source)
        return explain_call(recording, call, positions)


def finding_of(refusal: Refusal) -> Finding | None:
    """What an error comes from, and what to write instead."""
    tape = refusal.tape if refusal.tape is not None else GradientTape()
    recording, call, _ = introspect_refusal(tape, refusal.origin, refusal.ends)
    case = Case.of_call(Analysis(recording), call)
    if refusal.code == "SOME_NONE":
        return all_none(case, _before(case, call))
    finding: Finding | None = ON_REFUSAL[refusal.code](case, refusal.details)
    return finding


def _before(case: Case, call: int) -> Explanation | None:
    """Why the question before a refusal was answered as it was; None without one."""
    request = [number for number in case.analysis.requests if number < call]
    return explain_call(case.recording, max(request)) if request else None
