"""A metric of Keras taken for a loss: it keeps count in variables, which have no history."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix

REDUCTIONS: Final = {"Mean": "reduce_mean", "Sum": "reduce_sum"}
"""Metrics of values, and what computes the same from one batch on the tape."""

LOSSES: Final = {
    *("MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError"),
    *("MeanSquaredLogarithmicError", "BinaryCrossentropy", "CategoricalCrossentropy"),
    *("SparseCategoricalCrossentropy", "KLDivergence", "Poisson", "Hinge", "SquaredHinge"),
    *("CategoricalHinge", "LogCosh", "CosineSimilarity"),
}
"""Metrics that there are as losses, too."""


def is_metric(code: Code, call: ast.Call) -> bool:
    """Whether a call is `metric.update_state(…)`, or `metric(…)` of a metric made in this code."""
    return bool(_metric_of(code, call))


def as_loss(case: Case, span: int) -> Fix | None:
    """The loss computed from the values that the metric was given."""
    code, call = case.codes.of(span), case.codes.expression(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    loss = _loss(code, call, _metric_of(code, call))
    if not loss:
        return None
    if not _is_update(call):
        return edits.fix(code, [edits.replaced(code, call, edits.bracketed(code, call, loss))])
    result, statement = _result(code, call), code.parent.get(call)
    if result is None or not isinstance(statement, ast.Expr):
        return None
    text = edits.bracketed(code, result, loss)
    return edits.fix(code, [edits.removed(code, statement), edits.replaced(code, result, text)])


def _is_update(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "update_state"


def _name(call: ast.Call) -> str:
    """What the learner calls the metric."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    return ast.unparse(owner)


def _metric_of(code: Code, call: ast.Call) -> str:
    """The class of the metric that a call updates; empty where the code does not make it one."""
    for statement in code.statements():
        match statement:
            case ast.Assign(targets=[target], value=ast.Call(func=ast.Attribute() as made)):
                if ast.unparse(target) == _name(call) and ".metrics." in ast.unparse(made):
                    return made.attr
    return ""


def _loss(code: Code, call: ast.Call, metric: str) -> str:
    """`tf.reduce_mean(values)`, `tf.keras.losses.MeanSquaredError()(labels, predictions)` …"""
    tf, given = edits.tf_alias(code), ", ".join(code.text(each) for each in call.args)
    if metric in REDUCTIONS and len(call.args) == 1 and not call.keywords:
        return f"{tf}.{REDUCTIONS[metric]}({given})"
    if metric in LOSSES and len(call.args) == 2 and not call.keywords:
        return f"{tf}.keras.losses.{metric}()({given})"
    return ""


def _result(code: Code, update: ast.Call) -> ast.Call | None:
    """The first `metric.result()` behind an update."""
    wanted = f"{_name(update)}.result"
    calls = [node for node in ast.walk(code.tree) if isinstance(node, ast.Call)]
    behind = [node for node in calls if code.extent(node)[:2] > code.extent(update)[:2]]
    return next((node for node in behind if ast.unparse(node.func) == wanted), None)
