"""From a question to its findings, the most decisive first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.case import Account, Case
from tapelab.diagnosis.causes import AT_A_CUT, AT_THE_SOURCE, CHECKS, OF_SEVERAL
from tapelab.diagnosis.choosing import is_told_elsewhere
from tapelab.diagnosis.derivatives import crosses_a_gradient, is_rightly_zero
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.finding import Explanation, Finding
from tapelab.diagnosis.inside import stopped_inside
from tapelab.diagnosis.keeping import hidden_variables
from tapelab.diagnosis.names import name_of
from tapelab.diagnosis.own_findings import own_detectors
from tapelab.diagnosis.timing import TIMES
from tapelab.diagnosis.watching import not_watched
from tapelab.diagnosis.wording import say
from tapelab.diagnosis.zeros import unconnected_zero

if TYPE_CHECKING:
    from tapelab.recording import Recording

BEHIND_A_QUESTION: Final = {Cut.AFTER, Cut.DERIVED}
"""Cuts that come of a question inside the block, where there was one."""

TOLD_TOGETHER: Final = {time.code for time in TIMES.values()}


def explain_recording(
    recording: Recording, target: int | Sequence[int], source: int | Sequence[int]
) -> Explanation:
    """Why a gradient is `None`, or lacks a part; target and source are indices of tensors."""
    targets = (target,) if isinstance(target, int) else tuple(target)
    account = Account(recording)
    if isinstance(source, int):
        return _explained(Case(account, targets, source))
    if not source:
        return _of_no_source(Case(account, targets, -1))
    return _together(tuple(Case(account, targets, each) for each in source))


def explain_call(
    recording: Recording, call: int, positions: Sequence[int] | None = None
) -> Explanation:
    """Why the sources of a question got what they got; by default all of its sources."""
    account = Account(recording)
    asked = account.asked[call]
    at = range(len(asked.sources)) if positions is None else positions
    cases = tuple(Case.of_call(account, call, each) for each in at)
    if not cases:
        return _of_no_source(Case(account, asked.targets, -1, call))
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
        answer=say("The list of sources is empty, so no gradient was asked for."),
    )


def _explained(case: Case) -> Explanation:
    missing = tuple(_missing(case))
    checked = [finding for check in (*CHECKS, *own_detectors()) for finding in check(case)]
    return Explanation(
        target=_named(case, case.targets),
        source=name_of(case, case.source),
        connected=case.connected,
        partial=case.connected and bool(missing),
        findings=tuple(_sorted(_distinct([*missing, *checked]))),
        recording=case.recording,
    )


def _together(cases: tuple[Case, ...]) -> Explanation:
    """One explanation for several sources, with the findings of all."""
    parts = tuple(map(_explained, cases))
    common = [finding for check in OF_SEVERAL for finding in check(cases)]
    found = dict.fromkeys([*common, *(each for part in parts for each in part.findings)])
    return Explanation(
        target=parts[0].target,
        source=", ".join(part.source for part in parts),
        connected=all(part.connected for part in parts),
        partial=any(part.partial for part in parts),
        findings=tuple(_sorted(found)),
        recording=cases[0].recording,
        parts=parts,
    )


def _named(case: Case, tensors: Sequence[int]) -> str:
    return ", ".join(name_of(case, each) for each in tensors)


def _missing(case: Case) -> Iterator[Finding]:
    """Why nothing arrives, or only a part."""
    if not case.connected:
        if case.zero and is_rightly_zero(case):
            return
        yield from filter(None, [unconnected_zero(case)])
        yield from _at_the_source(case)
    beside_time = crosses_a_gradient(case)
    for edge in case.cuts:
        assert edge.cut is not None
        if beside_time and edge.cut in TIMES:
            continue
        if is_told_elsewhere(case, edge):
            continue
        stopped = stopped_inside(case) if edge.cut in BEHIND_A_QUESTION else None
        if stopped:
            yield stopped
            continue
        yield AT_A_CUT[edge.cut](case, edge)


def _at_the_source(case: Case) -> Iterator[Finding]:
    found = (cause(case) for cause in AT_THE_SOURCE)
    first = next((finding for finding in found if finding), None)
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
        key = finding.code, None if finding.code in TOLD_TOGETHER else place
        if key not in seen:
            seen.add(key)
            yield finding
