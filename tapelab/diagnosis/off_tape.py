"""The op ran at the wrong time: before the tape, after it, while it paused, in another thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis.descriptions import (
    lost,
    name_of,
    paragraph,
    say,
    say_many,
    sentence,
    shortened,
    text_of,
)
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.finding import Finding, Fix, Step
from tapelab.diagnosis.statement_motion import (
    call_at_fault,
    in_this_thread,
    into_the_block,
    recorded_again,
    up_into_the_block,
)
from tapelab.diagnosis.tape_block import block_of, line_of, marker, tape_name, watch
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge


class Time(NamedTuple):
    """How a finding about time is told and mended."""

    code: str
    title: str
    when: str
    fix: Callable[[Case], Fix | None]


TIMES: Final = {
    Cut.BEFORE: Time(
        "BEFORE_TAPE",
        sentence("`{text}` ran before the tape"),
        sentence("`{made}` was computed before `{tape}` began to record."),
        into_the_block,
    ),
    Cut.AFTER: Time(
        "AFTER_TAPE",
        sentence("`{text}` ran after the tape"),
        sentence("`{made}` was computed after `{tape}` stopped recording."),
        up_into_the_block,
    ),
    Cut.PAUSED: Time(
        "RECORDING_PAUSED",
        sentence("`{text}` ran while recording was paused"),
        sentence("`{made}` was computed inside `{tape}.stop_recording()`."),
        recorded_again,
    ),
    Cut.THREAD: Time(
        "OTHER_THREAD",
        sentence("`{text}` ran in another thread"),
        sentence(
            "`{made}` was computed in another thread (number {thread}) than the one that opened "
            "`{tape}`, and a tape listens to its own thread."
        ),
        in_this_thread,
    ),
    Cut.LATE: Time(
        "WATCHED_TOO_LATE",
        sentence("`{text}` ran before `{source}` was watched"),
        sentence("`{made}` was computed before `{tape}.watch({source})`."),
        watch,
    ),
}
SINCE: Final = sentence("`{made}` was computed before `{tape}` began to record in line {line}.")


def ran_off_tape(case: Case, edge: Edge) -> Finding:
    """An op between source and target that ran when or where the tape did not listen."""
    assert edge.cut is not None
    time, span = TIMES[edge.cut], case.recording.located[edge.event].span
    call, code = call_at_fault(case, span, edge.cut), case.codes.of(span)
    text = shortened(code.text(call)) if code and call else text_of(case, span)
    text = text or name_of(case, edge.to)
    opened = line_of(case, _start(case))
    words = {
        "text": text,
        "made": name_of(case, edge.to),
        "tape": tape_name(case),
        "source": name_of(case, case.source),
        "line": opened,
        "thread": case.recording.located[edge.event].thread,
    }
    when = SINCE if opened and edge.cut is Cut.BEFORE else time.when
    return Finding(
        code=time.code,
        title=say(time.title, **words),
        message=paragraph(say(when, **words), _how_many(case, edge), lost(case)),
        where=case.codes.where(span, call),
        fix=time.fix(case),
        evidence=tuple(sorted({edge.event, *(each.event for each in case.between(edge.cut))})),
        steps=_time_steps(case, edge, text),
    )


def _how_many(case: Case, edge: Edge) -> str:
    """How many ops ran while recording was paused, and in which lines."""
    events = sorted({each.event for each in case.between(Cut.PAUSED)})
    if edge.cut is not Cut.PAUSED or len(events) < 2:
        return ""
    first, last = line_of(case, events[0]), line_of(case, events[-1])
    return say_many(
        "{count} op ran there (lines {first} to {last}).",
        "{count} ops ran there (lines {first} to {last}).",
        len(events),
        first=first,
        last=last,
    )


def _start(case: Case) -> int:
    """The event with which the tape began to record, for the last time."""
    reset = marker(case, e.Reset)
    return reset if reset >= 0 else marker(case, e.Opened)


def _time_steps(case: Case, edge: Edge, text: str) -> tuple[Step, ...]:
    ran = Step(line_of(case, edge.event), say("`{text}` ran", text=text))
    tape = tape_name(case)
    block = block_of(case)
    if edge.cut is Cut.BEFORE and _start(case) >= 0:
        return ran, Step(line_of(case, _start(case)), say("`{tape}` began to record", tape=tape))
    if edge.cut is Cut.AFTER and block:
        end = block.code.extent(block.node).end_line
        return Step(end, say("`{tape}` stopped recording", tape=tape)), ran
    return (ran,)
