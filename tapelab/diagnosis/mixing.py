"""Tensors of two dtypes in one op: tensors are never cast silently."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import shortened, text_of
from tapelab.diagnosis.wording import paragraph, say

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix

NARROWER: Final = {"float64": "float32", "int64": "int32"}
"""What the dtypes that NumPy and Python choose are meant to be most often."""

FLOATING: Final = ("float", "bfloat", "complex")


class Operand(NamedTuple):
    """One of the two: its expression, where the code shows it, and its dtype."""

    node: ast.expr | None
    text: str
    dtype: str


def mixed(case: Case, details: Mapping[str, Any]) -> Finding | None:
    """An op that was given a tensor of another dtype than its first."""
    if case.question is None:
        return None
    span = case.question.span
    one, other = _operands(case, span, details)
    text, line = text_of(case, span) or details["op"], case.codes.line(span)
    wrong, right = _to_cast(one, other)
    return Finding(
        code="MIXED_DTYPE",
        title=say("`{text}` mixes {one} and {other}", text=text, one=one.dtype, other=other.dtype),
        message=paragraph(
            say(
                "`{one}` is {dtype} and `{other}` is {second}, and tensors are never cast "
                "silently.",
                one=one.text,
                dtype=one.dtype,
                other=other.text,
                second=other.dtype,
            ),
            say("NumPy makes float64 by itself, and tf float32.")
            if "float64" in (one.dtype, other.dtype)
            else "",
        ),
        where=case.codes.where(span),
        fix=_cast(case, span, wrong, right.dtype),
        evidence=(case.question.index,),
        steps=(Step(line, say("`{text}` was refused", text=text)),),
    )


def _operands(case: Case, span: int, details: Mapping[str, Any]) -> tuple[Operand, Operand]:
    """The two inputs of the op, as the code has them."""
    code, first = case.codes.of(span), details["first"]
    nodes: list[ast.expr] = []
    match case.codes.expression(span):
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            nodes = [left, right]
        case ast.Call(args=args):
            nodes = args[first : first + 2]
    if code is None or len(nodes) != 2:
        names = [say("the first tensor"), say("the second tensor")]
        one, other = (Operand(None, *pair) for pair in zip(names, details["dtypes"], strict=True))
        return one, other
    texts = (shortened(code.text(node)) for node in nodes)
    one, other = map(Operand, nodes, texts, details["dtypes"])
    return one, other


def _to_cast(one: Operand, other: Operand) -> tuple[Operand, Operand]:
    """Which operand to cast, and to the dtype of which: to floats, and to the usual floats."""
    for wrong, right in ((one, other), (other, one)):
        if right.dtype.startswith(FLOATING) and not wrong.dtype.startswith(FLOATING):
            return wrong, right
    for wrong, right in ((other, one), (one, other)):
        if NARROWER.get(wrong.dtype) == right.dtype:
            return wrong, right
    return other, one


def _cast(case: Case, span: int, wrong: Operand, dtype: str) -> Fix | None:
    """The line with one of the two cast to the dtype of the other."""
    code = case.codes.of(span)
    if code is None or wrong.node is None:
        return None
    tf = edits.tf_alias(code)
    text = f"{tf}.cast({code.text(wrong.node)}, {tf}.{dtype})"
    return edits.fix(code, [edits.replaced(code, wrong.node, text)])
