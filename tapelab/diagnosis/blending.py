"""What to write instead of a choice between two values: both, each as much as it is meant."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tapelab.diagnosis import edits
from tapelab.diagnosis.smoothing import soft_step

if TYPE_CHECKING:
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix

CHOOSING = ("cond", "where")


def blended(code: Code, test: ast.expr) -> Fix | None:
    """The smooth blend of what a comparison decides between; None where it is no such choice."""
    match code.parent.get(test):
        case (
            ast.If(
                body=[ast.Assign(targets=[ast.Name(id=name)], value=one)],
                orelse=[ast.Assign(targets=[ast.Name(id=other_name)], value=other)],
            ) as choice
        ) if name == other_name:
            return _instead(code, choice, test, one, other, f"{name} = ")
        case ast.If(body=[ast.Return(value=ast.expr() as one)], orelse=[]) as choice:
            return _returned(code, choice, test, one)
        case ast.IfExp(body=one, orelse=other) as choice:
            return _instead(code, choice, test, one, other)
        case ast.Call(func=function, args=[_, one, other]) as choice:
            if ast.unparse(function).rpartition(".")[2] in CHOOSING:
                return _instead(code, choice, test, _body(one), _body(other))
    return None


def _body(branch: ast.expr) -> ast.expr:
    """The value of a branch, which a function of nothing may make."""
    return branch.body if isinstance(branch, ast.Lambda) else branch


def _instead(
    code: Code, choice: ast.stmt | ast.expr, test: ast.expr, one: ast.expr, other: ast.expr,
    ahead: str = "",
) -> Fix | None:  # fmt: skip
    text = _blend(code, test, one, other)
    if isinstance(choice, ast.expr):
        text = edits.bracketed(code, choice, text)
    return edits.fix(code, [edits.replaced(code, choice, ahead + text)]) if text else None


def _returned(code: Code, choice: ast.If, test: ast.expr, one: ast.expr) -> Fix | None:
    """Of `if …: return one` and the `return other` that follows, one line."""
    rows = getattr(code.parent.get(choice), "body", [])
    after = rows[rows.index(choice) + 1 :] if choice in rows else []
    match after:
        case [ast.Return(value=ast.expr() as other) as last]:
            text = _blend(code, test, one, other)
            changes = [edits.replaced(code, choice, f"return {text}"), edits.removed(code, last)]
            return edits.fix(code, changes) if text else None
    return None


def _blend(code: Code, test: ast.expr, one: ast.expr, other: ast.expr) -> str:
    """`σ(z) · one + σ(−z) · other`, without what is 0 and without a factor of 1."""
    asked = _comparison(code, test)
    yes, no = soft_step(code, asked), soft_step(code, asked, mirrored=True)
    if not yes or any(not isinstance(each, ast.expr) for each in (one, other)):
        return ""
    parts = [_times(code, yes, one), _times(code, no, other)]
    return " + ".join(part for part in parts if part) or "0.0"


def _comparison(code: Code, test: ast.expr) -> ast.expr:
    """The test itself, or what the one line says that gives its name a value."""
    if not isinstance(test, ast.Name):
        return test
    given = [each for each in code.statements() if test.id in _names(each)]
    match given:
        case [ast.Assign(value=value)] if code.scope(given[0]) is code.scope(test):
            return value
    return test


def _names(statement: ast.stmt) -> list[str]:
    """The names that a line gives a value to."""
    if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        return []
    stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return [node.id for node in stored if isinstance(node.ctx, ast.Store)]


def _times(code: Code, weight: str, value: ast.expr) -> str:
    match value:
        case ast.Constant(value=0):
            return ""
        case ast.Constant(value=1):
            return weight
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.IfExp() | ast.Compare() | ast.UnaryOp():
            return f"{weight} * ({code.text(value)})"
    return f"{weight} * {code.text(value)}"
