"""Findings about ops off the tape: before it, after it, in a pause, in another thread, too late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.declarations import Example, Rank, at_cut, finding
from tapelab.diagnosis.descriptions import (
    consequence,
    name_of,
    say_many,
    sentence,
    shortened,
    text_of,
)
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.finding import Finding, Fix, Step
from tapelab.diagnosis.site import Site, site_of
from tapelab.diagnosis.statement_motion import (
    call_at_fault,
    in_this_thread,
    into_the_block,
    recorded_again,
    up_into_the_block,
)
from tapelab.diagnosis.tape_block import block_of, line_of, marker, watch
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge


SINCE: Final = sentence("`{made}` was computed before `{tape}` began to record in line {line}.")


@finding(
    "BEFORE_TAPE",
    rank=Rank.MISSING,
    lesson="05",
    what="An op ran before the tape began to record.",
    instead="The line inside the `with` block",
    example=Example(
        "P02",
        """
        x = tf.Variable(1.5)
        w = tf.constant(2.0)
        y = «tf.exp(x) * w»
        with tf.GradientTape() as tape:
            z = y + 1.0
        """,
        fix="""
        with tf.GradientTape() as tape:
            y = tf.exp(x) * w
        """,
        near_miss="""
        x = tf.Variable(2.0)
        data = tf.constant([1.0, 2.0]) / 2.0
        with tf.GradientTape() as tape: y = tf.reduce_sum(data * x)
        """,
    ),
)
@at_cut(Cut.BEFORE)
def before_tape(case: Case, edge: Edge) -> Finding:
    """An op ran before the tape began to record."""
    when = sentence("`{made}` was computed before `{tape}` began to record.")
    if line_of(case, _start(case)):
        when = SINCE
    title = sentence("`{text}` ran before the tape")
    return _off_tape(case, edge, "BEFORE_TAPE", title, when, into_the_block(case))


@finding(
    "AFTER_TAPE",
    rank=Rank.MISSING,
    lesson="05",
    what="An op ran after the tape had stopped.",
    instead="The line inside the `with` block",
    example=Example(
        "P78",
        """
        def cube(v):
            return v ** 3

        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            first = cube(x)
        y = «cube(x)»
        """,
        fix="""
        first = cube(x)
        y = cube(x)
        """,
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = (lambda v: v ** 3)(x)
        after = y * 2.0
        """,
    ),
)
@at_cut(Cut.AFTER)
def after_tape(case: Case, edge: Edge) -> Finding:
    """An op ran after the tape had stopped recording."""
    title = sentence("`{text}` ran after the tape")
    when = sentence("`{made}` was computed after `{tape}` stopped recording.")
    return _off_tape(case, edge, "AFTER_TAPE", title, when, up_into_the_block(case))


@finding(
    "RECORDING_PAUSED",
    rank=Rank.MISSING,
    lesson="04",
    what="An op ran inside `tape.stop_recording()`.",
    instead="The line outside of that block",
    example=Example(
        "P23",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                y = «x * x»
        """,
        fix="y = x * x",
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
            with tape.stop_recording():
                error = y - 3.0
        """,
    ),
)
@at_cut(Cut.PAUSED)
def recording_paused(case: Case, edge: Edge) -> Finding:
    """An op ran inside `tape.stop_recording()`."""
    title = sentence("`{text}` ran while recording was paused")
    when = sentence("`{made}` was computed inside `{tape}.stop_recording()`.")
    return _off_tape(case, edge, "RECORDING_PAUSED", title, when, recorded_again(case))


@finding(
    "OTHER_THREAD",
    rank=Rank.MISSING,
    lesson="04",
    what="An op ran in another thread than the tape's.",
    instead="A call in the thread of the tape",
    example=Example(
        "P25 a pool",
        """
        from concurrent.futures import ThreadPoolExecutor
        x = tf.Variable(2.0)
        with ThreadPoolExecutor(1) as pool, tf.GradientTape() as tape:
            y = pool.submit(lambda: «x * x»).result() * 3.0
        """,
        fix="y = (lambda: x * x)() * 3.0",
        near_miss="""
        import threading
        x = tf.Variable(2.0)
        seen = []
        with tf.GradientTape() as tape:
            y = x * x
            worker = threading.Thread(target=lambda: seen.append(tf.sin(y)))
            worker.start(); worker.join()
        """,
    ),
)
@at_cut(Cut.THREAD)
def other_thread(case: Case, edge: Edge) -> Finding:
    """An op ran in another thread than that of the tape."""
    title = sentence("`{text}` ran in another thread")
    when = sentence(
        "`{made}` was computed in thread {thread}. A tape records only the thread that opened it, "
        "and `{tape}` was opened in another one."
    )
    return _off_tape(case, edge, "OTHER_THREAD", title, when, in_this_thread(case))


@finding(
    "WATCHED_TOO_LATE",
    rank=Rank.MISSING,
    lesson="04",
    what="The source was used before `tape.watch`.",
    instead="`tape.watch(x)` first",
    example=Example(
        "P04",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            y = «x * x»
            tape.watch(x)
        """,
        fix="""
        with tf.GradientTape() as tape:
            tape.watch(x)
        """,
        near_miss="""
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            other = tf.constant(2.0) * 3.0
            tape.watch(x)
            y = x * other
        """,
    ),
)
@at_cut(Cut.LATE)
def watched_too_late(case: Case, edge: Edge) -> Finding:
    """An op used the source before it was watched."""
    title = sentence("`{text}` ran before `{source}` was watched")
    when = sentence("`{made}` was computed before `{tape}.watch({source})`.")
    return _off_tape(case, edge, "WATCHED_TOO_LATE", title, when, watch(case))


OFF_TAPE: Final = {
    Cut.BEFORE: before_tape,
    Cut.AFTER: after_tape,
    Cut.PAUSED: recording_paused,
    Cut.THREAD: other_thread,
    Cut.LATE: watched_too_late,
}
"""The detectors of ops that ran when or where the tape did not record."""


def _off_tape(case: Case, edge: Edge, code: str, title: str, when: str, fix: Fix | None) -> Finding:
    """A finding about an op between source and target that the tape did not record."""
    assert edge.cut is not None
    span = case.recording.located[edge.event].span
    call, source = call_at_fault(case, span, edge.cut), case.codes.of(span)
    text = shortened(source.text(call)) if source and call else text_of(case, span)
    text = text or name_of(case, edge.to)
    site = Site(case, span, text, edge.event, call)
    when = site.say(
        when,
        made=name_of(case, edge.to),
        line=line_of(case, _start(case)),
        thread=case.recording.located[edge.event].thread,
    )
    return site.finding(
        code,
        site.say(title),
        when,
        _how_many(case, edge),
        consequence(case),
        fix=fix,
        evidence=tuple(sorted({edge.event, *(each.event for each in case.between(edge.cut))})),
        steps=_time_steps(site, edge),
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


def _time_steps(site: Site, edge: Edge) -> tuple[Step, ...]:
    case, ran = site.case, site.step("`{text}` ran")
    block = block_of(case)
    if edge.cut is Cut.BEFORE and _start(case) >= 0:
        return ran, site_of(case, _start(case)).step("`{tape}` began to record")
    if edge.cut is Cut.AFTER and block:
        end = block.code.extent(block.node).end_line
        return Step(end, site.say("`{tape}` stopped recording")), ran
    return (ran,)
