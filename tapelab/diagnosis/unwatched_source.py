"""Findings about a source that the tape does not watch: a tensor, a variable, auto-watch off."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, at_source, finding
from tapelab.diagnosis.descriptions import name_of, say, say_many, sentence
from tapelab.diagnosis.finding import Finding, Fix, Step
from tapelab.diagnosis.site import Site, site_at
from tapelab.diagnosis.statement_motion import call_at_fault
from tapelab.diagnosis.tape_block import line_of, watch, watch_call
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case


AN_OP: Final = sentence("An op used it unwatched")


@finding(
    "NOT_WATCHED",
    rank=Rank.MISSING,
    lesson="04",
    what="The source is a tensor that the tape does not watch.",
    instead="`tape.watch(x)`",
    example=Example(
        "P03",
        """
        x = tf.constant([1.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«x * x»)
        """,
        fix="""
        with tf.GradientTape() as tape:
            tape.watch(x)
        """,
        near_miss="""
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        """,
    ),
)
@at_source(150)
def not_watched(case: Case) -> Finding | None:
    """A plain tensor without `tape.watch`."""
    if case.variable >= 0 or case.source in case.flow.tracked:
        return None
    name, used = name_of(case, case.source), uses_in_block(case)
    created_at = case.recording.tensor(case.source).span
    site = _first_use(case, used) if used else site_at(case, created_at)
    return site.finding(
        "NOT_WATCHED",
        say("`{name}` is not watched", name=name),
        say(
            "`{name}` is a plain tensor. A tape records what is done with a tensor only after "
            "`{call}`.",
            name=name,
            call=watch_call(case),
        ),
        _how_often(len(used)),
        fix=watch(case),
        evidence=tuple(used),
        steps=(*_made(case, created_at, say("`{name}` was made", name=name)), *_used(case, used)),
    )


def _how_often(ops: int) -> str:
    if not ops:
        return say("Nothing used it unwatched.")
    return say_many("{count} op used it unwatched.", "{count} ops used it unwatched.", ops)


@finding(
    "NOT_TRAINABLE",
    rank=Rank.MISSING,
    lesson="04",
    what="The source is a variable with `trainable=False`.",
    instead="The variable without `trainable=False`, or `tape.watch(x)`",
    example=Example(
        "P05",
        """
        x = «tf.Variable(4.0, trainable=False, name="rate")»
        with tf.GradientTape() as tape:
            y = tf.sqrt(x)
        """,
        fix='x = tf.Variable(4.0, name="rate")',
        near_miss="""
        x = tf.Variable(4.0, trainable=False)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        """,
    ),
)
@at_source(130)
def not_trainable(case: Case) -> Finding | None:
    """A variable made with `trainable=False`."""
    if not _is_unwatched_variable(case) or case.recording.variables[case.variable].trainable:
        return None
    name, used = name_of(case, case.source), uses_in_block(case)
    created_at = case.recording.variables[case.variable].span
    site = site_at(case, created_at, name=name)
    return site.finding(
        "NOT_TRAINABLE",
        site.say("`{name}` is not trainable"),
        site.say(
            "A tape watches trainable variables by itself. `{name}` was made with "
            "`trainable=False`, and `{call}` was not called.",
            call=watch_call(case),
        ),
        fix=_trainable(case, created_at) or watch(case),
        evidence=tuple(used),
        steps=(
            *_made(case, created_at, site.say("`{name}` was made with `trainable=False`")),
            *_used(case, used),
        ),
    )


@finding(
    "AUTOWATCH_OFF",
    rank=Rank.MISSING,
    lesson="04",
    what="The tape was made with `watch_accessed_variables=False`.",
    instead="`tape.watch(x)`",
    example=Example(
        "P06",
        """
        x = tf.Variable(4.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            y = «x * x»
        """,
        fix="""
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
        """,
        near_miss="""
        x = tf.Variable(4.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = x * x
        """,
    ),
)
@at_source(140)
def autowatch_off(case: Case) -> Finding | None:
    """A tape with `watch_accessed_variables=False`, and a variable without `watch`."""
    if not _is_unwatched_variable(case) or case.recording.tape.watch_accessed_variables:
        return None
    if not case.recording.variables[case.variable].trainable:
        return None
    used = uses_in_block(case)
    site = _first_use(case, used)
    return site.finding(
        "AUTOWATCH_OFF",
        site.say("`{tape}` does not watch variables by itself"),
        site.say(
            "`{tape}` was made with `watch_accessed_variables=False`, and `{call}` was not "
            "called. So the tape has no op with `{name}`.",
            call=watch_call(case),
            name=name_of(case, case.source),
        ),
        fix=watch(case),
        evidence=tuple(used),
        steps=_used(case, used),
    )


def uses_in_block(case: Case) -> list[int]:
    """The events of the ops that took the source while the tape was open."""
    inside = (e.Cause.TAPED, e.Cause.UNWATCHED, e.Cause.INTEGER)
    taken = ((place.index, place.event) for place in case.uses_of_source())
    return [at for at, event in taken if isinstance(event, e.Ran) and event.cause in inside]


def _is_unwatched_variable(case: Case) -> bool:
    if case.variable < 0 or not case.flow.is_floating(case.source):
        return False
    return not any(case.is_source(tensor) for tensor in case.flow.tracked)


def _trainable(case: Case, span: int) -> Fix | None:
    """The line that makes the variable, without `trainable=False`."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    for keyword in call.keywords:
        if keyword.arg == "trainable" and ast.unparse(keyword.value) == "False":
            return edits.fix(code, [edits.without_argument(code, call, keyword)])
    return None


def _first_use(case: Case, events: list[int]) -> Site:
    """The first use, where the user called for it."""
    span = case.recording.event_spans[events[0]] if events else -1
    return Site(case, span, "", part=call_at_fault(case, span) if events else None)


def _made(case: Case, span: int, text: str) -> tuple[Step, ...]:
    return (Step(case.codes.line(span), text),) if span >= 0 else ()


def _used(case: Case, events: list[int]) -> tuple[Step, ...]:
    seen: dict[Step, None] = {}
    for event in events:
        span = case.recording.located[event].span
        text = case.codes.text(span)
        said = say("`{text}` used it unwatched", text=text) if text else say(AN_OP)
        seen[Step(line_of(case, event), said)] = None
    return tuple(seen)[:3]
