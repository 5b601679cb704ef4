"""Findings about values that only choose: indices, conditions, branches, shapes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, at_source, finding
from tapelab.diagnosis.descriptions import argument, name_of, say, sentence, shortened, written_call
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.site import Site, site_of
from tapelab.diagnosis.smooth_relaxations import blended
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code
    from tapelab.recording.events import Located


PLACES: Final = {"indices", "index", "segment_ids", "ids"}
"""What the inputs of ops are called that take positions."""

CONDITION: Final = {"where": 0}
"""The ops that choose by a condition, and which of their inputs it is."""

CHOOSES: Final = sentence("`{name}` only selects in `{text}`")


def picks(case: Case, edge: Edge) -> bool:
    """Whether a step takes a value as positions to pick from."""
    event = case.recording.event(edge.event)
    if not isinstance(event, e.Ran):
        return False
    op = case.recording.ops[event.op]
    named = op.inputs[min(edge.position, len(op.inputs) - 1)] in PLACES
    return named or op.pattern == "index-only"


def decides(case: Case, edge: Edge) -> bool:
    """Whether a step takes a value as a condition."""
    return CONDITION.get(case.op_name(edge.event)) == edge.position


def choice_behind(case: Case, edge: Edge) -> Edge | None:
    """The step on the way to the target that takes what came of a step as a choice."""
    ahead, seen = [edge], {edge.to}
    while ahead:
        step = ahead.pop()
        if step is not edge and (picks(case, step) or decides(case, step)):
            return step
        if case.flow.is_floating(step.to):
            continue
        steps = [each for each in case.flow.out_of.get(step.to, ()) if each.to in case.upstream]
        ahead += [each for each in steps if each.to not in seen]
        seen.update(each.to for each in steps)
    return None


def is_reported_elsewhere(case: Case, edge: Edge) -> bool:
    """Whether another edge of the same path through integers is the one to report.

    That is the edge at which floats become integers or booleans; if a cast made the integers to
    index with, it is the indexing.
    """
    if edge.cut not in {Cut.FLAT, Cut.INTEGER}:
        return False
    if case.flow.is_floating(edge.origin):
        behind = choice_behind(case, edge) if edge.cut is Cut.INTEGER else None
        return behind is not None and picks(case, behind)
    begun = _beginnings(case, edge)
    casts = all(first.cut is Cut.INTEGER for first in begun)
    return bool(begun) and not (picks(case, edge) and casts)


def _beginnings(case: Case, edge: Edge) -> list[Edge]:
    """The steps from floats of the source's to what a step took that is not."""
    back, seen, beginnings = [edge.origin], {edge.origin}, []
    while back:
        for step in case.flow.into.get(back.pop(), ()):
            if step.origin not in case.downstream or step.cut not in {None, Cut.FLAT, Cut.INTEGER}:
                continue
            if case.flow.is_floating(step.origin):
                beginnings.append(step)
            elif step.origin not in seen:
                seen.add(step.origin)
                back.append(step.origin)
    return beginnings


@finding(
    "INDEX_ONLY",
    rank=Rank.MISSING,
    lesson="05",
    what="The value is used as an index.",
    instead="Interpolation, the values, or the gradient for the tensor that is indexed",
    example=Example(
        "P33",
        """
        x = tf.Variable([3.0, 1.0, 2.0])
        with tf.GradientTape() as tape:
            _, places = «tf.math.top_k(x, 2)»
            y = tf.reduce_sum(tf.cast(places, tf.float32))
        """,
        fix="places, _ = tf.math.top_k(x, 2)",
        near_miss="""
        x = tf.Variable([3.0, 1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(x, tf.argsort(x)) * [1.0, 2.0, 3.0])
        """,
    ),
)
@at_source(110)
def index_source(case: Case) -> Finding | None:
    """A source of integers used as indices, or of booleans used as a condition."""
    if case.source < 0 or case.flow.is_floating(case.source):
        return None
    for edge in reversed(case.path):
        if picks(case, edge) or decides(case, edge):
            return _chosen(case, edge)
    return None


def _of_what_is_picked_from(case: Case, edge: Edge) -> Fix | None:
    """The question for the tensor or variable that is picked from, if the tape follows it."""
    request, written = written_call(case), argument(case, case.source)
    origin = next((each.origin for each in case.flow.into[edge.to] if each.position == 0), -1)
    if request is None or written is None or origin not in case.flow.tracked:
        return None
    name = name_of(case, origin)
    if edge.position == 0 or not re.fullmatch(r"[\w.]+", name) or written.code is not request.code:
        return None
    return edits.fix(request.code, [edits.replaced(request.code, written.node, name)])


def _chosen(case: Case, edge: Edge) -> Finding:
    name = name_of(case, case.source)
    site = site_of(case, edge.event, name=name)
    place = picks(case, edge)
    return site.finding(
        "INDEX_ONLY" if place else "PREDICATE_ONLY",
        site.say(CHOOSES),
        site.say(
            "`{name}` is an index in `{text}`. An index cannot change by a small amount, so it "
            "has no gradient. The tensor that is indexed has one."
        )
        if place
        else site.say(
            "`{name}` is a condition in `{text}`. True and false cannot change by a small amount."
        ),
        fix=_of_what_is_picked_from(case, edge) if place else None,
        steps=(site.step("`{name}` chose"),),
    )


Fork = ast.If | ast.While | ast.IfExp | ast.Call

TRUTH: Final = "bool()"
"""How a value leaves for Python where its truth is asked for."""

CALLS: Final = {"cond", "case", "while_loop", "switch_case"}
"""Functions of tf that call one of several functions."""

SHAPES: Final = {"shape", "ndim"}


class Predicate(NamedTuple):
    """A condition that was computed from the source, and the statement that it decides in."""

    place: Located
    tensor: int
    code: Code
    node: ast.expr
    fork: Fork


@finding(
    "PREDICATE_ONLY",
    rank=Rank.MISSING,
    lesson="08",
    what="The value only decides which branch runs.",
    instead="A smooth blend of both branches",
    example=Example(
        "P34",
        """
        x = tf.constant(1.0)
        v0, v1 = tf.Variable(2.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            if «x > 0.0»:
                y = v0
            else:
                y = v1 ** 2
        """,
        fix="y = tf.sigmoid(x) * v0 + tf.sigmoid(-x) * v1 ** 2",
        near_miss="""
        x = tf.Variable([3.0, -1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(x > 0.0, x, 0.1 * x))
        """,
    ),
)
@at_source(80)
def only_decides(case: Case) -> Finding | None:
    """The source was asked whether something holds, and the target was made in the branch."""
    if case.path or case.connected:
        return None
    decisive = (each for each in _predicates(case) if _is_decisive(case, each))
    predicate = next(decisive, None)
    return None if predicate is None else _decided(case, predicate)


def _predicates(case: Case) -> Iterator[Predicate]:
    """The conditions in the code that were computed from the source, in their order."""
    for place in _truth_events(case):
        tensor = _truth(case, place.event)
        if tensor not in case.downstream:
            continue
        code, node = case.codes.of(place.span), _condition(case, place.span)
        fork = _fork(code, node) if code and node is not None else None
        if code and node is not None and fork is not None:
            yield Predicate(place, tensor, code, node, fork)


def _truth_events(case: Case) -> list[Located]:
    """The events that made truth values, or asked for one."""
    columns, edges = case.recording.columns, case.flow.edges.columns
    kinds = [at for at, name in enumerate(case.recording.dtypes) if name == "bool"]
    events = edges[2][np.isin(columns["tensor.dtype"][edges[1]], kinds)]
    left = [place.index for place in case.recording.placed(e.Left)]
    return [case.recording.located[at] for at in sorted({*events.tolist(), *left})]


def _condition(case: Case, span: int) -> ast.expr | None:
    """The condition itself, where a span is that of what it decides in."""
    node = case.codes.expression(span) or case.codes.statement(span)
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return test
        case ast.Call(args=[first, *_]) if _is_call_of_branches(node):
            return first
    return node if isinstance(node, ast.expr) else None


def _truth(case: Case, event: e.Event) -> int:
    """The truth value that an event made or asked for; -1 where it is of another kind."""
    tensor = -1
    if isinstance(event, e.Ran):
        tensor = event.outputs[0]
    elif isinstance(event, e.Left) and case.recording.strings[event.how] == TRUTH:
        return event.tensor
    if tensor < 0 or case.recording.tensor(tensor).dtype != "bool":
        return -1
    return tensor


def _fork(code: Code, node: ast.expr) -> Fork | None:
    """The statement or the call that an expression decides in."""
    inner: ast.AST = node
    while (outer := code.parent.get(inner)) is not None:
        match outer:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                return outer if test is inner else None
            case ast.Call(args=[first, *_]) if first is inner and _is_call_of_branches(outer):
                return outer
            case ast.stmt():
                return None
        inner = outer
    return None


def _is_call_of_branches(call: ast.Call) -> bool:
    return ast.unparse(call.func).rpartition(".")[2] in CALLS


def _is_decisive(case: Case, predicate: Predicate) -> bool:
    """Whether the target was made in what the predicate decides, or got its name there."""
    fork = predicate.fork
    if isinstance(fork, (ast.IfExp, ast.Call)):
        return True
    request = argument(case, case.target)
    name = request.text if request else ""
    inside = [node for part in (*fork.body, *fork.orelse) for node in ast.walk(part)]
    if any(isinstance(node, ast.Return) or _gives(node, name) for node in inside):
        return True
    spans = (case.recording.located[event].span for event in _making(case))
    nodes = {case.codes.expression(span) for span in spans}
    return any(node in nodes for node in inside)


def _gives(node: ast.AST, name: str) -> bool:
    """Whether a statement gives a value to a name."""
    match node:
        case ast.Assign(targets=targets):
            return name in map(ast.unparse, targets)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return ast.unparse(target) == name
    return False


def _making(case: Case) -> Iterator[int]:
    """The events that made what the target was made from."""
    for tensor in case.upstream:
        yield from case.made(tensor)


def _decided(case: Case, predicate: Predicate) -> Finding:
    code, place = predicate.code, predicate.place
    extent, text = code.extent(predicate.node), shortened(code.text(predicate.node))
    site = Site(case, place.span, text, place.index, extent)
    return site.finding(
        "PREDICATE_ONLY",
        site.say("`{source}` only decides which branch runs"),
        site.say(
            "`{source}` affects `{target}` only through the condition `{text}` in line {line}.",
            line=extent.line,
        ),
        _taken(case, predicate),
        site.say(
            "A gradient flows through the branch that ran, not through the condition. Use "
            "`{source}` in the branches, or blend them smoothly."
        ),
        fix=blended(code, predicate.node),
        steps=(Step(extent.line, site.say("`{text}` was evaluated")),),
    )


def _taken(case: Case, predicate: Predicate) -> str:
    """Which way it went, where that is known."""
    value = case.recording.tensor(predicate.tensor).value
    if value is None or value.size != 1:
        return ""
    if value.any():
        return say("It was true, so the first branch ran.")
    return say("It was false, so the first branch did not run.")


@finding(
    "SHAPE_ONLY",
    rank=Rank.MISSING,
    lesson="07",
    what="Only the shape of the value is used.",
    instead="A soft count",
    example=Example(
        "P35",
        """
        x = tf.Variable([1.0, -2.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.cast(«tf.size(tf.boolean_mask(x, x > 0))», tf.float32)
        """,
        fix="y = tf.cast(tf.reduce_sum(tf.sigmoid(x)), tf.float32)",
        near_miss="""
        x = tf.Variable([3.0, -1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x) / tf.cast(tf.size(x), tf.float32)
        """,
    ),
)
@at_source(90)
def only_its_shape(case: Case) -> Finding | None:
    """The code asks nothing of the source but its shape, by an attribute of Python."""
    if case.path or case.connected or case.uses_of_source():
        return None
    name = name_of(case, case.source)
    opened = [place.span for place in case.recording.placed(e.Opened)]
    for span in (case.recording.tensor(case.target).span, *opened):
        code = case.codes.of(span)
        for at, node in code.placed if code else ():
            if code and _is_shape_of(node, name):
                return _shape(Site(case, span, code.text(at), part=at), name)
    return None


def _is_shape_of(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Attribute(value=inner, attr=attribute) if attribute in SHAPES:
            return ast.unparse(inner) == name
        case ast.Call(func=ast.Name(id="len"), args=[inner]):
            return ast.unparse(inner) == name
    return False


def _shape(site: Site, name: str) -> Finding:
    case = site.case
    return site.finding(
        "SHAPE_ONLY",
        say("Only the shape of `{name}` is used", name=name),
        site.say(
            "`{text}` uses the shape of `{name}`, not its values. So `{target}` does not change "
            "when the values change.",
            name=name,
        ),
        evidence=(*case.made(case.source), *(p.index for p in case.recording.placed(e.Opened))),
    )
