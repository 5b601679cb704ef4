"""Gradients of exactly 0, because all units of a layer are off."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, spot
from tapelab.diagnosis.spoken import extent
from tapelab.diagnosis.wording import paragraph, say, say_many
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way

RECTIFYING: Final = {"relu", "maximum"}

PRODUCTS: Final = ("matmul", "einsum", "conv", "multiply")
"""Ops whose slope for one input is the other: where that is off, nothing passes."""

AVERAGES: Final = {"reduce_sum", "reduce_mean", "add", "multiply", "divide"}
"""Ops that make a loss of margins."""

STDDEV: Final = "0.5"


def dead_units(case: Case) -> Iterator[Finding]:
    """A layer of which no unit is on, between a target and a source that gets nothing."""
    way = case.way
    if way is None or not way.is_zero:
        return
    for event, given, result in _rectified(case, way):  # the first: others are given its zeros
        off = way.measures.known[given] and way.measures.of(given).greatest <= 0
        if off and _has_part(case, way, event, result) and not _is_content(case, way, event, given):
            yield _dead(case, way, event, given)
            return


def _rectified(case: Case, way: Way) -> Iterator[tuple[int, int, int]]:
    """The ops that are off below 0 and made nothing but zeros: event, input and result."""
    zero = way.measures.zero
    for index in way.all_of(RECTIFYING):
        ran = case.recording.event(index)
        assert isinstance(ran, e.Ran)
        result = ran.outputs[0]
        if not zero[result]:
            continue
        if len(ran.inputs) == 1:
            yield index, ran.inputs[0], result
        elif zero[ran.inputs[0]] or zero[ran.inputs[1]]:
            yield index, ran.inputs[bool(zero[ran.inputs[0]])], result


def _has_part(case: Case, way: Way, event: int, result: int) -> bool:
    """Whether an op is on the way, or makes a factor of a product that is."""
    if way.out_of.get(result) is not None and way.event[way.out_of[result][0]] == event:
        return True
    products = {op.name for op in case.recording.ops if op.name.startswith(PRODUCTS)}
    return any(result in way.ran(step).inputs for step in way.through(products))


def _is_content(case: Case, way: Way, event: int, given: int) -> bool:
    """Whether being off is what was asked for: a margin that is kept, as in a hinge loss."""
    steps = [step for step in way.into.get(given, ()) if way.event[step] == event]
    if not steps:
        return case.is_source(given)
    arrived = way.measures.of(way.upstream[steps[0]])
    if case.is_source(given):
        return arrived.least >= 0
    if arrived.least < 0 or arrived.greatest <= 0:
        return False
    ahead = way.into.get(way.made[steps[0]], ())
    return _is_margin(case, way, given) and all(way.ops[each] in {"", *AVERAGES} for each in ahead)


def _is_margin(case: Case, way: Way, given: int) -> bool:
    """Whether something that leads to the source is subtracted, perhaps under one more sum."""
    behind = list(way.out_of.get(given, ()))
    for step in [each for each in behind if way.ops[each] == "add"]:
        behind += way.out_of.get(way.tensor[step], ())
    return any(
        way.ops[each] == "negative" or (way.ops[each] == "subtract" and way.position[each] == 1)
        for each in behind
    )


def _dead(case: Case, way: Way, event: int, given: int) -> Finding:
    span, text, line = spot(case, event, "relu")
    values = extent(way, given)
    return Finding(
        code="DEAD_UNITS",
        title=say("All units of `{text}` are off", text=text),
        message=paragraph(
            say("`{text}` in line {line} received {given}.", text=text, line=line, given=values),
            say_many(
                "That is not above 0, so the unit is off: it makes 0, and its slope is 0.",
                "None of its {count} elements is above 0, so 100 % of the units are off: they make "
                "0, and their slope is 0.",
                int(way.measures.count[given]),
            ),
            say("So the gradient for `{source}` is 0.", source=name_of(case, case.source)),
        ),
        where=case.codes.where(span),
        fix=_begun_apart(case, way) or _leaking(case, span),
        evidence=(event,),
        steps=(Step(line, say("the units received {given}", given=values)),),
    )


def _begun_apart(case: Case, way: Way) -> Fix | None:
    """The lines that begin weights at 0, with weights that differ from one another."""
    found: dict[int, ast.Call] = {}
    for row in case.recording.variables:
        call, code = case.codes.expression(row.span), case.codes.of(row.span)
        shape = case.recording.shapes[row.shape]
        if code is not None and len(shape) > 1 and _zeros(call):
            found[row.span] = call.args[0]  # type: ignore[union-attr]  # zeros are made by a call
    codes = {case.codes.of(span) for span in found}
    if len(codes) != 1 or not way:
        return None
    (code,) = codes
    assert code is not None
    return edits.fix(code, [_random(code, call) for call in found.values()])


def _zeros(call: ast.expr | None) -> bool:
    match call:
        case ast.Call(args=[ast.Call(func=function, args=[_]), *_]):
            return ast.unparse(function).rpartition(".")[2] == "zeros"
    return False


def _random(code: Code, call: ast.Call) -> edits.Edit:
    shape = code.text(call.args[0])
    text = f"{edits.tf_alias(code)}.random.normal({shape}, stddev={STDDEV})"
    return edits.replaced(code, call, text)


def _leaking(case: Case, span: int) -> Fix | None:
    """The line with units that keep a small slope when they are off."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    text = f"{edits.tf_alias(code)}.nn.leaky_relu"
    match ast.unparse(call.func).rpartition(".")[2], call.args:
        case "relu", _:
            return edits.fix(code, [edits.replaced(code, call.func, text)])
        case "maximum", [value, ast.Constant(value=0)]:
            return edits.fix(code, [edits.replaced(code, call, f"{text}({code.text(value)})")])
    return None
