"""Findings about second derivatives: the first was not recorded, or is constant."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, at_cut, at_source, finding
from tapelab.diagnosis.descriptions import consequence, name_of, written_call
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.off_tape import OFF_TAPE
from tapelab.diagnosis.site import site_of
from tapelab.diagnosis.statement_motion import around_what_came_before, up_into_the_block

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.finding import Fix


ZERO: Final = "unconnected_gradients={tf}.UnconnectedGradients.ZERO"


def is_constant(case: Case, edge: Edge) -> bool:
    """Whether a derivative was computed while the tape recorded, from watched tensors.

    Then nothing was missed: it does not depend on the source.
    """
    behind = case.beside(edge.origin, case.source)
    return case.flow.activity.is_recorded(edge.event) and behind.connected


@finding(
    "OUTER_TAPE_CLOSED",
    rank=Rank.MISSING,
    lesson="10",
    what="The first derivative was computed where the outer tape did not record.",
    instead="The outer block around the inner one",
    example=Example(
        "P43",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = x ** 4
        y = «inner.gradient(h, x)»
        """,
        fix="""
            h = x ** 4
        y = inner.gradient(h, x)
        """,
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = x ** 4
            y = inner.gradient(h, x)
        """,
    ),
)
@finding(
    "CONSTANT_DERIVATIVE",
    rank=Rank.MISSING,
    lesson="10",
    what="The first derivative is constant, so `None` means 0 here.",
    instead="`unconnected_gradients`",
    example=Example(
        "P44",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = 3.0 * x
            y = «inner.gradient(h, x)»
        """,
        fix="g = tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)",
        cured="zero",
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                h = 3.0 * x
            y = inner.gradient(h, x) + x ** 2
        """,
    ),
)
@at_cut(Cut.DERIVED)
def derived(case: Case, edge: Edge) -> Finding:
    """A gradient of a tape between the source and the target."""
    if is_constant(case, edge):
        return _constant(case, edge)
    time = case.flow.activity.unrecorded_because(edge.event)
    return OFF_TAPE[time](case, replace(edge, cut=time)) if time else _unheard(case, edge)


def _unheard(case: Case, edge: Edge) -> Finding:
    event, first = edge.event, name_of(case, edge.to)
    if case.flow.activity.is_recorded(event):  # its input was not recorded
        event = case.flow.maker_of.get(edge.origin, event)
        first = name_of(case, edge.origin)
    site = site_of(case, event, "tape.gradient")
    return site.finding(
        "OUTER_TAPE_CLOSED",
        site.say("`{tape}` did not record `{text}`"),
        site.say(
            "A second derivative needs the first one on the outer tape. `{first}` was "
            "computed where `{tape}` was not recording.",
            first=first,
        ),
        consequence(case),
        fix=up_into_the_block(case) or around_what_came_before(case, event),
        steps=(site.step("`{text}` ran unrecorded"),),
    )


def _constant(case: Case, edge: Edge) -> Finding:
    site = site_of(case, edge.event, "tape.gradient")
    first = name_of(case, edge.to)
    return site.finding(
        "CONSTANT_DERIVATIVE",
        site.say("`{first}` does not depend on `{source}`", first=first),
        site.say(
            "`{text}` was recorded, and `{source}` does not occur in it: the first derivative is "
            "the same for every `{source}`. Here None means exactly 0."
        ),
        fix=_with_zero(case),
        steps=(site.step("`{text}` was recorded"),),
    )


def _with_zero(case: Case) -> Fix | None:
    """The question, with 0 as the answer where no path leads."""
    request = written_call(case)
    if request is None or not isinstance(request.node, ast.Call):
        return None
    argument = ZERO.format(tf=edits.tf_alias(request.code))
    return edits.fix(request.code, [edits.with_argument(request.code, request.node, argument)])


@at_source(160)
def from_before(case: Case) -> Finding | None:
    """A variable that the tape never saw being read: what was computed from it came from before."""
    if case.variable < 0 or not case.path or any(edge.cut for edge in case.path):
        return None
    edges = (edge for each in case.upstream for edge in case.flow.into.get(each, ()))
    gradients = [edge for edge in edges if edge.cut is Cut.DERIVED and not is_constant(case, edge)]
    if gradients:
        return _unheard(case, gradients[0])
    place = case.recording.located[case.path[-1].event]
    name = name_of(case, case.source)
    site = site_of(case, place.index, name=name)
    return site.finding(
        "BEFORE_TAPE",
        site.say("`{name}` was read before `{tape}`"),
        site.say(
            "A tape watches a variable from its first read inside the block. `{name}` was read "
            "before `{tape}` began to record."
        ),
    )


def crosses_a_gradient(case: Case) -> bool:
    """Whether the path from target to source leads through an unrecorded gradient."""
    if not case.flow.edges.has(Cut.DERIVED):
        return False
    return any(edge.cut is Cut.DERIVED and not is_constant(case, edge) for edge in case.path)


def is_rightly_zero(case: Case) -> bool:
    """Whether the gradient is 0 because a derivative on the way does not depend on the source."""
    cuts = [edge for edge in case.path if edge.cut]
    return bool(cuts) and all(each.cut is Cut.DERIVED and is_constant(case, each) for each in cuts)
