"""From a question to its findings, the most decisive first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.assigning import state_read
from tapelab.diagnosis.case import Case
from tapelab.diagnosis.copying import copied
from tapelab.diagnosis.finding import Explanation, Finding
from tapelab.diagnosis.flow import Cut, Edge
from tapelab.diagnosis.integers import int_on_the_way, int_source
from tapelab.diagnosis.leaving import left
from tapelab.diagnosis.names import name_of
from tapelab.diagnosis.rebinding import rebound
from tapelab.diagnosis.stopping import flat, handed_out, stopped, withheld
from tapelab.diagnosis.timing import TIMES, ran_off_tape
from tapelab.diagnosis.unused import inside_a_step, swapped, unused
from tapelab.diagnosis.watching import autowatch_off, not_trainable, not_watched

if TYPE_CHECKING:
    from tapelab.recording import Recording

AT_THE_SOURCE: Final[tuple[Callable[[Case], Finding | None], ...]] = (
    rebound,
    swapped,
    inside_a_step,
    unused,
    int_source,
    not_trainable,
    autowatch_off,
    not_watched,
)
"""Causes that lie in the source itself: the first that applies is the answer. A tensor of whole
numbers may lack `watch` besides."""

AT_A_CUT: Final[dict[Cut, Callable[[Case, Edge], Finding]]] = {
    Cut.STOPPED: stopped,
    Cut.FLAT: flat,
    Cut.WITHHELD: withheld,
    Cut.INTEGER: int_on_the_way,
    Cut.LEFT: left,
    Cut.STATE: state_read,
    Cut.HANDED_OUT: handed_out,
    Cut.BEFORE: ran_off_tape,
    Cut.AFTER: ran_off_tape,
    Cut.PAUSED: ran_off_tape,
    Cut.THREAD: ran_off_tape,
    Cut.LATE: ran_off_tape,
    Cut.COPIED: copied,
}
"""Causes that lie between source and target, by the kind of cut."""

TOLD_TOGETHER: Final = {time.code for time in TIMES.values()}


def explain_recording(recording: Recording, target: int, source: int) -> Explanation:
    """Why a gradient is `None`, or lacks a part; target and source are indices of tensors."""
    case = Case(recording, target, source)
    findings = tuple(_distinct(_findings(case)))
    return Explanation(
        target=name_of(case, target),
        source=name_of(case, source),
        connected=case.connected,
        partial=case.connected and bool(findings),
        findings=findings,
        recording=recording,
    )


def _findings(case: Case) -> Iterator[Finding]:
    if not case.connected:
        yield from _at_the_source(case)
    for edge in case.cuts:
        assert edge.cut is not None
        yield AT_A_CUT[edge.cut](case, edge)


def _at_the_source(case: Case) -> Iterator[Finding]:
    found = (cause(case) for cause in AT_THE_SOURCE)
    first = next((finding for finding in found if finding), None)
    if first:
        yield first
    if first and first.code == "INT_DTYPE":
        yield from filter(None, [not_watched(case)])


def _distinct(findings: Iterator[Finding]) -> Iterator[Finding]:
    """Without the findings that say the same: of the same line, or of ops at the wrong time."""
    seen = set()
    for finding in findings:
        place = finding.where and (finding.where.source, finding.where.line)
        key = finding.code, None if finding.code in TOLD_TOGETHER else place
        if key not in seen:
            seen.add(key)
            yield finding
