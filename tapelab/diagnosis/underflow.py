"""Gradients too small for float16, which keeps nothing closer to 0 than 6e-8."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import name_of, spot
from tapelab.diagnosis.spoken import plainly
from tapelab.diagnosis.wording import paragraph, say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.way import Way

NARROW: Final = "float16"
SMALLEST: Final = float(np.finfo(np.float16).smallest_subnormal)

NEVER_FLAT: Final = {"cast", "reduce_mean", "reduce_sum", "negative", "reshape", "identity"}
"""Ops that hand on something of every gradient that is not 0."""


def underflow(case: Case) -> Iterator[Finding]:
    """A gradient that became 0 in float16 and not by mathematics."""
    way = case.way
    if way is None or not way.is_zero or NARROW not in case.recording.dtypes:
        return
    for step in way.through({*NEVER_FLAT, "multiply", "divide"}):
        if way.starved(step) and _flushed(way, step):
            yield _lost(case, way, step)
            return


def _flushed(way: Way, step: int) -> bool:
    """Whether a product of two numbers that are not 0 was 0 in float16."""
    if way.recording.tensor(way.contribution[step]).dtype != NARROW:
        return False
    if way.ops[step] in NEVER_FLAT:
        return True
    factor, dy = _factor(way, step), way.value(way.upstream[step])
    if factor is None or dy is None:
        return False
    with np.errstate(all="ignore"):
        exact = dy.astype(np.float64) * factor.astype(np.float64)
    return bool(np.any((exact != 0) & (np.abs(exact) < SMALLEST)))


def _factor(way: Way, step: int) -> NDArray[Any] | None:
    """What a step multiplies the gradient by, element by element."""
    if way.ops[step] == "multiply":
        return way.value(way.ran(step).inputs[1 - way.position[step]])
    if way.ops[step] == "divide" and way.position[step] == 0:
        below = way.value(way.ran(step).inputs[1])
        return None if below is None else 1.0 / below
    return None


def _lost(case: Case, way: Way, step: int) -> Finding:
    event = way.event[step]
    span, text, line = spot(case, event, way.ops[step])
    size = plainly(way.largest[way.upstream[step]])
    return Finding(
        code="UNDERFLOW",
        title=say("The gradient is too small for float16 at `{text}`", text=text),
        message=paragraph(
            say(
                "On the way back, {size} arrived at `{text}` in line {line}. float16 keeps "
                "nothing closer to 0 than {smallest}, so it became 0.",
                size=size,
                text=text,
                line=line,
                smallest=plainly(float(f"{SMALLEST:.1g}")),
            ),
            say("So the gradient for `{source}` is 0.", source=name_of(case, case.source)),
        ),
        where=case.codes.where(span),
        fix=_wider(case, span),
        evidence=(event,),
        steps=(Step(line, say("{size} became 0", size=size)),),
    )


def _wider(case: Case, span: int) -> Fix | None:
    """The lines with float32 wherever they say float16."""
    code = case.codes.of(span)
    if code is None:
        return None
    named = [
        node for _, node in code.placed if isinstance(node, ast.Attribute) and node.attr == NARROW
    ]
    changes = [edits.replaced(code, n, f"{code.text(n.value)}.float32") for n in named]
    return edits.fix(code, changes)
