"""Findings about a source that no path connects: unused, swapped with the target, in one op."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, at_source, beside_cause, finding
from tapelab.diagnosis.descriptions import name_of, say, shortened, written_call
from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.site import site_at, site_of
from tapelab.diagnosis.unwatched_source import not_trainable, uses_in_block
from tapelab.recording import events as e
from tapelab.recording.facts import DATASET

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.recording.events import Located


IN_A_BODY: Final = (e.Cause.PAUSED, e.Cause.REPLACED)


@finding(
    "SWAPPED_ARGUMENTS",
    rank=Rank.REFUSED,
    lesson="02",
    what="The source and the target are in the wrong order.",
    instead="`tape.gradient(target, source)`",
    example=Example(
        "P40",
        """
        y = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            x = «tf.exp(y)»
        """,
        fix="g = tape.gradient(x, y)",
        ask="tf.explain(tape, y, x) if g is None else tf.explain(tape, x, y)",
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.exp(x)
        """,
    ),
)
@at_source(20)
def swapped(case: Case) -> Finding | None:
    """The source was computed from the target: the arguments look swapped."""
    if case.path or not case.beside(case.source, case.target).path:
        return None
    site = site_at(case, case.recording.tensor(case.source).span)
    return site.finding(
        "SWAPPED_ARGUMENTS",
        say("`tape.gradient` takes the target first"),
        site.say(
            "`{source}` was computed from `{target}`, not the other way round, so no path leads "
            "from `{target}` to `{source}`."
        ),
        fix=_swap(case),
        evidence=case.made(case.source),
    )


def _swap(case: Case) -> Fix | None:
    """The question with its target and its source changed over."""
    request = written_call(case)
    if request is None or not isinstance(request.node, ast.Call):
        return None
    code, named = request.code, {each.arg: each.value for each in request.node.keywords}
    ends = [
        *request.node.args[:2],
        *(named[each] for each in ("target", "sources") if each in named),
    ]
    if len(ends) != 2:
        return None
    one, other = ends
    changes = [edits.replaced(code, one, code.text(other))]
    return edits.fix(code, [*changes, edits.replaced(code, other, code.text(one))])


@at_source(40)
def inside_a_step(case: Case) -> Finding | None:
    """The source is used in Python code that runs as one step, out of the tape's sight."""
    if case.path:
        return None
    steps = {op.name for op in case.recording.ops}
    for place in case.uses_of_source():
        event = place.event
        if not isinstance(event, e.Ran) or event.cause not in IN_A_BODY:
            continue
        group = case.recording.composite_of(event)
        step = case.recording.groups[group].name.strip("<>") if group >= 0 else ""
        if step in steps:
            frozen = not_trainable(case)
            evidence = (place.index,)
            return replace(frozen, evidence=evidence) if frozen else _hidden(case, place, step)
    return None


def _hidden(case: Case, place: Located, step: str) -> Finding:
    site = site_of(case, place.index, step=step)
    return site.finding(
        "UNUSED_SOURCE",
        site.say("`{source}` is used inside `{step}`, which the tape records as one op"),
        site.say(
            "`{step}` is one op for the tape, and gradients flow only to its arguments. "
            "`{source}` is read in its body. Pass it as an argument."
        ),
    )


@at_source(50)
def inside_a_dataset(case: Case) -> Finding | None:
    """The source is used in a function that a Dataset calls for each of its elements."""
    if case.path:
        return None
    for place in case.uses_of_source():
        if isinstance(place.event, e.Ran) and _is_of_a_dataset(case, place.event.group):
            return _in_a_dataset(case, place)
    return None


def _is_of_a_dataset(case: Case, group: int) -> bool:
    while group >= 0:
        if case.recording.groups[group].name == DATASET:
            return True
        group = case.recording.groups[group].parent
    return False


def _in_a_dataset(case: Case, place: Located) -> Finding:
    site = site_of(case, place.index, name_of(case, case.source))
    return site.finding(
        "STATE_READ",
        site.say("The path ends at `{text}`"),
        site.say(
            "A Dataset runs `{text}` off the tape. Its elements have no history, so no path leads "
            "from `{target}` to `{source}`. Compute with `{source}` in the loop, not in the "
            "Dataset."
        ),
        fix=_in_the_loop(case, place.span),
    )


def _in_the_loop(case: Case, span: int) -> Fix | None:
    """The function of `.map(lambda row: …)` as the first line of the loop over the Dataset."""
    code, inner = case.codes.of(span), case.codes.expression(span)
    if code is None or inner is None:
        return None
    given = code.scope(inner)
    statement, call = code.statement(code.extent(inner)), code.parent.get(given)
    match statement, call, given:
        case (
            ast.Assign(targets=[ast.Name(id=rows)]),
            ast.Call(func=ast.Attribute(value=dataset, attr="map"), args=[_], keywords=[]),
            ast.Lambda(args=ast.arguments(args=[ast.arg(arg=row)]), body=body),
        ):
            for loop in code.statements():
                if isinstance(loop, ast.For) and ast.unparse(loop.iter) == rows:
                    line = f"{row} = {code.text(body)}"
                    first = edits.before_statement(code, loop.body[0], line)
                    changes = [edits.replaced(code, call, code.text(dataset)), *first]
                    if first and ast.unparse(loop.target) == row:
                        return edits.fix(code, changes)
    return None


@finding(
    "UNUSED_SOURCE",
    rank=Rank.MISSING,
    lesson="05",
    what="The target was not computed from the source.",
    example=Example(
        "unused",
        """
        x = tf.Variable(2.0)
        z = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = «z * z»
        """,
        near_miss="""
        queue = tf.queue.FIFOQueue(10, tf.float32)
        queue.enqueue([1.0, 2.0])
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * queue.dequeue()
        """,
    ),
)
@at_source(100)
def unused(case: Case) -> Finding | None:
    """The source has nothing to do with the target."""
    if case.path or case.connected:
        return None
    used = uses_in_block(case)
    site = site_at(case, case.recording.tensor(case.target).span)
    return site.finding(
        "UNUSED_SOURCE",
        site.say("`{source}` does not lead to `{target}`")
        if used
        else site.say("`{source}` is not used on this tape"),
        site.say(
            "On this tape no op leads from `{source}` to `{target}`, so there is no path. None "
            "means that there is no path. It is not the number 0."
        ),
        evidence=tuple(used),
    )


ARGUMENT: Final = "unconnected_gradients"


@finding(
    "UNCONNECTED_ZERO",
    rank=Rank.REFUSED,
    lesson="05",
    what="`unconnected_gradients` put a 0 where no path exists.",
    instead="The same call without `unconnected_gradients`",
    example=Example(
        "P42",
        """
        x, z = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = z * z
        g = «tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)»
        """,
        fix="g = tape.gradient(y, x)",
        symptom="zero",
        cured="None",
        near_miss="""
        x = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            y = x * x
        g = tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
)
@beside_cause
def unconnected_zero(case: Case) -> Finding | None:
    """A zero that was asked for in place of None."""
    if not case.zero or case.request is None:
        return None
    request = written_call(case)
    site = site_at(case, case.request.span)
    return site.finding(
        "UNCONNECTED_ZERO",
        site.say("The gradient for `{source}` is 0 in place of None"),
        site.say(
            "`{text}` returns zeros where there is no path. This 0 is not a derivative: no path "
            "connects `{target}` and `{source}`.",
            text=shortened(request.text) if request else ARGUMENT,
        ),
        fix=_without_zero(case),
        evidence=(case.request.index,),
    )


def _without_zero(case: Case) -> Fix | None:
    """The question, with None as the answer where no path leads."""
    request = written_call(case)
    if request is None or not isinstance(request.node, ast.Call):
        return None
    for keyword in request.node.keywords:
        if keyword.arg == ARGUMENT:
            change = edits.without_argument(request.code, request.node, keyword)
            return edits.fix(request.code, [change])
    return None
