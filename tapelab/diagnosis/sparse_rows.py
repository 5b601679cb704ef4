"""Gradients that are rows with numbers, of which some belong to the same row."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, spot
from tapelab.diagnosis.wording import paragraph, say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way


def repeated_rows(case: Case) -> Iterator[Finding]:
    """An `IndexedSlices` in which a row that was picked twice stands twice."""
    way = case.way
    if way is None or not way.through({"gather"}):
        return
    steps = [step for tensor in way.into if case.is_source(tensor) for step in way.into[tensor]]
    if not all(_picks_rows(case, way, step) for step in steps):
        return
    picked = [way.value(way.ran(step).inputs[1]) for step in steps]
    rows = [each.reshape(-1) for each in picked if each is not None]
    if len(rows) < len(picked) or not rows:
        return
    numbers = np.concatenate(rows)
    distinct = len(np.unique(numbers))
    asked = _asked(case)
    if distinct < len(numbers) and not _is_seen_to(case, way, steps[0], asked):
        yield _repeated(case, way, steps[0], (len(numbers), distinct), asked)


def _picks_rows(case: Case, way: Way, step: int) -> bool:
    """Whether a step leads to the rows of a table by their numbers."""
    if way.ops[step] != "gather" or way.position[step]:
        return False
    ran = way.ran(step)
    table, numbers, made = (
        case.recording.tensor(each).shape for each in (*ran.inputs[:2], ran.outputs[0])
    )
    return made == (*numbers, *table[1:])


def _asked(case: Case) -> int:
    """The place where the gradient was asked for; -1 where nobody did."""
    asked = case.recording.placed(e.Asked)
    for place in asked:
        assert isinstance(place.event, e.Asked)
        sources = map(case.is_source, place.event.sources)
        if place.event.method == e.Method.GRADIENT and any(sources):
            return place.span
    return -1


def _is_seen_to(case: Case, way: Way, step: int, asked: int) -> bool:
    """Whether an optimizer adds the rows up, or the learner does, or a layer picked them."""
    if way.ran(step).group >= 0:
        return True
    code, call = case.codes.of(asked), case.codes.expression(asked)
    if code is None or call is None:
        return False
    around = code.parent.get(call)
    if isinstance(around, ast.Call) and around is not call and call in around.args:
        return True
    return any(_applies(node) for _, node in code.placed)


def _applies(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in {"apply_gradients", "apply", "minimize"}


def _repeated(case: Case, way: Way, step: int, rows: tuple[int, int], asked: int) -> Finding:
    event, name = way.event[step], name_of(case, case.source)
    span, text, line = spot(case, event, "gather")
    return Finding(
        code="SPARSE_GRADIENT",
        title=say("The gradient of `{name}` is IndexedSlices with repeated rows", name=name),
        message=paragraph(
            say(
                "`{text}` in line {line} picked {rows} rows of `{name}`, {distinct} of them "
                "distinct, and the gradient has one entry for each that was picked.",
                text=text,
                line=line,
                rows=rows[0],
                name=name,
                distinct=rows[1],
            ),
            say(
                "It is no tensor, and the entries of one row are not added up: a norm or a limit "
                "taken of `.values` is another one. `tf.convert_to_tensor` adds them up."
            ),
        ),
        where=case.codes.where(span),
        fix=_dense(case, asked),
        evidence=(event,),
        steps=(Step(line, say("{rows} rows were picked", rows=rows[0])),),
    )


def _dense(case: Case, asked: int) -> Fix | None:
    """The question with its answer as a tensor."""
    code, call = case.codes.of(asked), case.codes.expression(asked)
    if code is None or not isinstance(call, ast.Call) or _asks_for_several(code, call):
        return None
    text = f"{edits.tf_alias(code)}.convert_to_tensor({code.text(call)})"
    return edits.fix(code, [edits.replaced(code, call, text)])


def _asks_for_several(code: Code, call: ast.Call) -> bool:
    return any(isinstance(each, (ast.List, ast.Tuple)) for each in call.args[1:2])
