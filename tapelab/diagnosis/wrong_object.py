"""Findings about a source that is not the object used: a slice, a copy, another variable."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, at_source, finding
from tapelab.diagnosis.descriptions import argument, name_of, say, sentence, written_call
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.site import site_at, site_of
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code


VIEWS: Final = {
    *("read_value", "identity", "strided_slice", "slice", "gather", "gather_nd", "reshape", "cast"),
    *("transpose", "squeeze", "expand_dims", "broadcast_to", "split", "unstack", "getitem"),
}
"""Ops whose result holds the very numbers of their first input, or some of them."""

SAME: Final = {"read_value", "identity"}
"""Those whose result has the same shape and numbers in the same places."""


class Taken(NamedTuple):
    """What a source was taken from, and how: the last step first."""

    origin: int
    steps: tuple[Edge, ...]


@finding(
    "WRONG_OBJECT",
    rank=Rank.MISSING,
    lesson="04",
    what="The source is not the object that the target was computed from.",
    instead="The object that was used",
    example=Example(
        "P08",
        """
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v ** 3)
        x = «v[1]»
        """,
        fix="g = tape.gradient(y, v)[1]",
        ask="tf.why()",
        near_miss="""
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            x = v[0]
            y = x * x + v[1]
        """,
    ),
)
@at_source(60)
def wrong_object(case: Case) -> Finding | None:
    """A source that was taken from what the target was computed from, and not used itself."""
    if case.path:
        return None
    return _taken_anew(case) or _made_anew(case)


def _taken_anew(case: Case) -> Finding | None:
    taken = next(
        (each for each in _origins(case) if case.beside(case.target, each.origin).path), None
    )
    if taken is None:
        return None
    first = taken.steps[0]
    used = name_of(case, taken.origin)
    site = site_of(case, first.event, name_of(case, case.source), origin=used)
    return site.finding(
        "WRONG_OBJECT",
        site.say("`{text}` is a new tensor, which `{target}` was not computed from"),
        site.say(
            "Each call of `{text}` makes a new tensor from `{origin}`. `{target}` was "
            "computed from `{origin}`, not from this one."
        ),
        site.say("Ask for the gradient of `{origin}`."),
        fix=_by_the_origin(case, taken),
        evidence=tuple(sorted({each.event for each in taken.steps})),
        steps=(site.step("`{text}` made a new tensor"),),
    )


def _origins(case: Case) -> Iterator[Taken]:
    """What the numbers of the source were taken from, the nearest first."""
    tensor, seen = case.source, {case.source}
    steps: tuple[Edge, ...] = ()
    if case.variable >= 0:
        tensor = case.flow.first_state_of(case.variable)
    while True:
        edges = [edge for edge in case.flow.into.get(tensor, ()) if _hands_on(case, edge)]
        if not edges or edges[0].origin in seen:
            return
        tensor, steps = edges[0].origin, (*steps, edges[0])
        seen.add(tensor)
        yield Taken(tensor, steps)


def _hands_on(case: Case, edge: Edge) -> bool:
    copied = edge.cut in {Cut.COPIED, Cut.LEFT}
    return copied or (edge.position == 0 and case.op_name(edge.event) in VIEWS)


def _by_the_origin(case: Case, taken: Taken) -> Fix | None:
    """The question for the origin, with the same slice taken of its gradient."""
    request, written = written_call(case), argument(case, case.source)
    if request is None or written is None or written.code is not request.code:
        return None
    origin = name_of(case, taken.origin)
    if not re.fullmatch(r"[\w.]+", origin):
        return None
    changes = [edits.replaced(request.code, written.node, origin)]
    sliced = _slice(case, taken)
    alone = written.node in ast.walk(request.node) and not isinstance(
        request.code.parent.get(written.node), (ast.List, ast.Tuple)
    )
    if sliced and alone:
        changes.append(edits.behind(request.code, request.node, sliced))
    return edits.fix(request.code, changes)


def _slice(case: Case, taken: Taken) -> str:
    """`[0]`, where the source is one slice of its origin."""
    names = ((edge, case.op_name(edge.event)) for edge in taken.steps)
    steps = [edge for edge, name in names if name and name not in SAME]
    if len(steps) != 1:
        return ""
    span = case.recording.located[steps[0].event].span
    node, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(node, ast.Subscript):
        return ""
    return f"[{code.text(node.slice)}]"


def _made_anew(case: Case) -> Finding | None:
    """A variable of the same name and shape that was made inside the block, and used instead."""
    twin, inside = next(_twins(case), (-1, False))
    if case.variable < 0 or twin < 0:
        return None
    facts = case.recording.tensor(twin)
    source = name_of(case, case.source)
    first_line = case.codes.line(case.recording.variables[case.variable].span)
    titles = (
        sentence("`{text}` makes another variable"),
        sentence("`{text}` makes another variable inside the tape"),
    )
    site = site_at(case, facts.span, "tf.Variable")
    return site.finding(
        "WRONG_OBJECT",
        site.say(titles[inside]),
        site.say(
            "`{source}` from line {made} is not used on `{tape}`. A different variable of the "
            "same name and shape was made in line {line}, and `{target}` was computed from "
            "that one.",
            made=first_line,
        ),
        say("Create variables once, before the tape, and use them."),
        fix=_without_the_twin(case, site.span, source),
        evidence=case.made(twin),
        steps=(
            Step(first_line, site.say("`{source}` was made")),
            site.step("`{text}` made another one"),
        ),
    )


def _twins(case: Case) -> Iterator[tuple[int, bool]]:
    """The first states of variables that resemble the source and lead to the target, and whether
    they were made inside the block.
    """
    for place in case.recording.placed(e.Made):
        state = place.event.tensor if isinstance(place.event, e.Made) else -1
        inside = case.flow.activity.is_recorded(place.index)
        if _alike(case, case.flow.variable_of(state)) and case.beside(case.target, state).path:
            yield state, inside


def _alike(case: Case, variable: int) -> bool:
    """Whether a variable has the name and the shape of the source, which is another one."""
    if case.variable < 0 or variable in {-1, case.variable}:
        return False
    mine, other = case.recording.variables[case.variable], case.recording.variables[variable]
    same = mine.shape == other.shape and mine.dtype == other.dtype
    return same and _bare(mine.name) == _bare(other.name)


def _bare(name: str) -> str:
    """A name without the numbers that layers are counted by: `dense_3/kernel` is `dense/kernel`."""
    return re.sub(r"_\d+(?=/)", "", name)


def _without_the_twin(case: Case, span: int, source: str) -> Fix | None:
    """The line that makes the other variable, left out, where the first has the same name."""
    code, statement = case.codes.of(span), case.codes.statement(span)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if code and name == source:
            around = code.parent.get(statement)
            known = any(_names(each, name) for each in code.tree.body if each is not statement)
            if known and len(getattr(around, "body", ())) > 1:
                return edits.fix(code, [edits.removed(code, statement)])
    return _the_first_one(case, span)


def _the_first_one(case: Case, span: int) -> Fix | None:
    """The name of the first variable, or of its layer, where another one is made in a function."""
    node, written = case.codes.expression(span), argument(case, case.source)
    if written is None or not isinstance(node, ast.Call):
        return None
    code, owner = written.code, _owner(written.code, written.node)
    constructor = node.func if isinstance(node.func, ast.Call) else node
    if case.codes.of(span) is not code or isinstance(code.scope(node), ast.Module):
        return None
    if (constructor is node) is not (owner is written.node) or not isinstance(owner, ast.Name):
        return None
    known = any(_names(each, owner.id) for each in code.tree.body)
    return edits.fix(code, [edits.replaced(code, constructor, owner.id)]) if known else None


def _owner(code: Code, source: ast.expr) -> ast.expr:
    """What a source belongs to: of `layer.kernel`, or of a name for it, the layer."""
    name = source.id if isinstance(source, ast.Name) else ""
    for each in code.tree.body:
        match each:
            case ast.Assign(targets=[ast.Name(id=given)], value=ast.Attribute() as value):
                source = value if given == name else source
    return source.value if isinstance(source, ast.Attribute) else source


def _names(statement: ast.stmt, name: str) -> bool:
    """Whether a statement of a module gives something a name."""
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return any(isinstance(each, ast.Name) and each.id == name for each in targets)
