"""Fixes that keep the input of an op away from where its value or its derivative is infinite."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code


BELOW: Final = {"divide", "divide_no_nan", "floordiv", "mod", "xdivy"}
"""Ops that leave the finite numbers by their second input."""

STEEP: Final = {
    *("sqrt", "rsqrt", "reciprocal", "log", "log1p", "pow", "divide", "reduce_euclidean_norm"),
    *("xlogy", "xdivy", "digamma", "lgamma", "asin", "acos", "atanh", "acosh"),
}
"""Ops with an input at which their derivative is infinite."""

DISTANCE: Final = {"sqrt": "1e-12", "rsqrt": "1e-12", "log": "1e-7", "pow": "1e-8"}
"""How far from 0 an op is kept: less than the accuracy of float32 on numbers around 1, and enough
for a derivative that float32 can hold."""

OF_SQUARES: Final = {"norm": "reduce_sum", "reduce_std": "math.reduce_variance"}


def away_from_the_pole(case: Case, event: int, given: float) -> Fix | None:
    """The line with a small distance to 0 added where an op is given 0.

    Of what is below 0 only a base can be mended: it is taken without its sign.
    """
    span = case.recording.located[event].span
    node, code = case.codes.expression(span), case.codes.of(span)
    if code is None or node is None:
        return None
    text = _guarded(code, node) if given == 0 else _unsigned(code, node)
    return edits.fix(code, [edits.replaced(code, node, text)]) if text else None


def _guarded(code: Code, node: ast.expr) -> str:
    """The expression, kept away from its pole; empty where that cannot be said."""
    tf = edits.tf_alias(code)
    match node:
        case ast.BinOp(left=base, op=ast.Pow(), right=power):
            return f"({code.text(base)} + {DISTANCE['pow']}) ** {code.text(power)}"
        case ast.BinOp(left=above, op=ast.Div(), right=below):
            return f"{tf}.math.divide_no_nan({code.text(above)}, {code.text(below)})"
        case ast.Call(func=ast.Attribute(attr=name), args=[value], keywords=along) if (
            name in OF_SQUARES
        ):
            squared = f"{code.text(value)} ** 2" if name == "norm" else code.text(value)
            inside = ", ".join([squared, *(code.text(each) for each in along)])
            return f"{tf}.sqrt({tf}.{OF_SQUARES[name]}({inside}) + {DISTANCE['sqrt']})"
        case ast.Call(func=ast.Attribute(attr=name) as function, args=[value, *rest]) if (
            name in DISTANCE
        ):
            given = ", ".join([f"{code.text(value)} + {DISTANCE[name]}", *map(code.text, rest)])
            return f"{code.text(function)}({given})"
    return ""


def _unsigned(code: Code, node: ast.expr) -> str:
    """A power of the distance from 0; empty for anything else."""
    tf = edits.tf_alias(code)
    match node:
        case ast.BinOp(left=base, op=ast.Pow(), right=power):
            return f"{tf}.abs({code.text(base)}) ** {code.text(power)}"
        case ast.Call(func=ast.Attribute(attr="pow") as function, args=[base, power]):
            return f"{code.text(function)}({tf}.abs({code.text(base)}), {code.text(power)})"
    return ""


def safe_inside(case: Case, event: int, chooser: int, position: int) -> Fix | None:
    """The double `where`: the branch is given a harmless value wherever it is not chosen."""
    span = case.recording.located[event].span
    node, code = case.codes.expression(span), case.codes.of(span)
    where = case.codes.expression(case.recording.located[chooser].span)
    operand = _risky(node)
    if code is None or operand is None or not isinstance(where, ast.Call) or len(where.args) < 3:
        return None
    condition, value = code.text(where.args[0]), code.text(operand)
    branches = (value, "1.0") if position == 1 else ("1.0", value)
    text = f"{code.text(where.func)}({condition}, {', '.join(branches)})"
    return edits.fix(code, [edits.replaced(code, operand, text)])


def _risky(node: ast.expr | None) -> ast.expr | None:
    """The operand of an op whose value decides whether its derivative is finite."""
    match node:
        case ast.BinOp(op=ast.Div() | ast.FloorDiv(), right=below):
            return below
        case ast.BinOp(op=ast.Pow(), left=base):
            return base
        case ast.Call(args=[_, below]) if "div" in ast.unparse(node.func):
            return below
        case ast.Call(args=[value, *_]):
            return value
    return None


def stable(case: Case, event: int) -> Fix | None:
    """The function that computes the same without the exponential that is too large."""
    span = case.recording.located[event].span
    node, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(node, ast.Call) or not _calls(node, "exp"):
        return None
    around: ast.AST | None = node
    while isinstance(around, ast.expr):
        text = _known(code, around, node.args[0])
        if text:
            return edits.fix(code, [edits.replaced(code, around, text)])
        around = code.parent.get(around)
    return _shifted(code, node)


def _known(code: Code, node: ast.expr, x: ast.expr) -> str:
    """The stable form of a well-known expression with `exp(x)` in it; empty for any other."""
    tf, value = edits.tf_alias(code), code.text(x)
    match node:
        case ast.Call(args=[ast.Call(args=[inner], keywords=along) as total]) if (
            _calls(node, "log") and _calls(total, "reduce_sum") and _calls(inner, "exp")
        ):
            given = ", ".join([value, *(code.text(each) for each in along)])
            return f"{tf}.reduce_logsumexp({given})"
        case ast.Call(args=[inner]) if _calls(node, "log1p") and _calls(inner, "exp"):
            return f"{tf}.nn.softplus({value})"
        case ast.Call(args=[inner]) if _calls(node, "log") and _one_and_exp(inner):
            return f"{tf}.nn.softplus({value})"
        case ast.BinOp(left=one, op=ast.Div(), right=below) if _is_one(one) and _one_and_exp(below):
            turned = isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.USub)
            return f"{tf}.sigmoid({code.text(x.operand) if turned else f'-({value})'})"  # type: ignore[attr-defined]  # a minus that is turned has an operand
        case ast.BinOp(left=above, op=ast.Div(), right=ast.Call(args=[inner]) as below) if (
            _calls(above, "exp") and _calls(below, "reduce_sum") and _calls(inner, "exp")
        ):
            return f"{tf}.nn.softmax({value})"
    return ""


def _shifted(code: Code, node: ast.Call) -> Fix | None:
    """Exponentials that are divided by their sum may all be of smaller numbers."""
    around = code.parent.get(node)
    if not isinstance(around, ast.Assign) or not isinstance(around.targets[0], ast.Name):
        return None
    name, tf = around.targets[0].id, edits.tf_alias(code)
    for _, each in code.placed:
        match each:
            case ast.BinOp(
                left=ast.Name(id=above), op=ast.Div(), right=ast.Call(args=[ast.Name(id=below), *_])
            ) if above == below == name:
                value = code.text(node.args[0])
                text = f"{value} - {tf}.reduce_max({value})"
                return edits.fix(code, [edits.replaced(code, node.args[0], text)])
    return None


def _calls(node: ast.expr, name: str) -> bool:
    """Whether an expression calls a function of a name, of whatever module."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _one_and_exp(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return any(
                _is_one(one) and _calls(other, "exp")
                for one, other in ((left, right), (right, left))
            )
    return False
