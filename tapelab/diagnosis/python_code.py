"""Python and NumPy code that a tape sees as one step: `tf.numpy_function`, `tf.py_function`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.names import text_of
from tapelab.diagnosis.numpy_names import TF_NAMES
from tapelab.diagnosis.wording import say
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix
    from tapelab.recording.events import Located

LONGEST: Final = 1000
"""A value that left is looked for in a function of at most so many events."""

MODULES: Final = {"np", "numpy", "math"}


def numpy_inside(case: Case) -> Iterator[Finding]:
    """A `tf.py_function` whose code leaves for NumPy: the gradient that comes back is zero."""
    if not case.connected:
        return
    for place in case.recording.placed(e.Left):
        step = _step_around(case, place)
        if step and _passes_nothing(case, step.index):
            yield _left_inside(case, step, place)
            return


def _passes_nothing(case: Case, step: int) -> bool:
    """Whether all that came back through a step is zero."""
    flows = (place.event for place in case.recording.placed(e.Flowed))
    back = [f.contribution for f in flows if isinstance(f, e.Flowed) and f.event == step]
    values = [case.recording.tensor(each).value for each in back if each >= 0]
    return bool(values) and all(value is not None and not value.any() for value in values)


def _step_around(case: Case, exit_: Located) -> Located | None:
    """The `tf.py_function` in whose function a value left: the next that ends; None if none."""
    for place in case.recording.located[exit_.index : exit_.index + LONGEST]:
        if isinstance(place.event, e.Ran):
            call = case.codes.expression(place.span)
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("py_function"):
                return place
    return None


def _left_inside(case: Case, step: Located, place: Located) -> Finding:
    text = text_of(case, place.span) or "NumPy"
    return Finding(
        code="LEFT_ENGINE",
        title=say("`{text}` leaves the tape inside `tf.py_function`", text=text),
        message=say(
            "`tf.py_function` lets gradients pass through tf ops in its function. `{text}` hands "
            "the numbers to NumPy, so what comes back through this step is 0.",
            text=text,
        ),
        where=case.codes.where(place.span),
        fix=called_directly(case, step.span),
        evidence=(place.index, step.index),
        steps=(Step(case.codes.line(place.span), say("`{text}` left the tape", text=text)),),
    )


def called_directly(case: Case, span: int) -> Fix | None:
    """The function called on tensors, in tf ops, in place of `tf.numpy_function(f, [x], …)`."""
    code, call = case.codes.of(span), case.codes.expression(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    named = {each.arg: each.value for each in call.keywords}
    function = call.args[0] if call.args else named.get("func")
    given = call.args[1] if len(call.args) > 1 else named.get("inp")
    if not isinstance(function, (ast.Name, ast.Lambda)) or not isinstance(given, ast.List):
        return None
    body = _body(code, function)
    words = _reworded(code, body) if body is not None else None
    if words is None:
        return None
    name = code.text(function) if isinstance(function, ast.Name) else f"({code.text(function)})"
    arguments = ", ".join(code.text(each) for each in given.elts)
    inside = isinstance(function, ast.Lambda)
    if inside and words:
        return None
    return edits.fix(code, [edits.replaced(code, call, f"{name}({arguments})"), *words])


def _body(code: Code, function: ast.Name | ast.Lambda) -> ast.AST | None:
    if isinstance(function, ast.Lambda):
        return function
    made = (node for node in ast.walk(code.tree) if isinstance(node, ast.FunctionDef))
    return next((node for node in made if node.name == function.id), None)


def _reworded(code: Code, body: ast.AST) -> list[edits.Edit] | None:
    """The names of NumPy in a function as those of tf; None where tf has no such function."""
    changes, tf = [], edits.tf_alias(code)
    for node in ast.walk(body):
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
                if name not in TF_NAMES:
                    return None
                changes.append(edits.replaced(code, node, f"{tf}.{TF_NAMES[name] or name}"))
            case ast.Call(func=ast.Attribute(attr="numpy", value=value)):
                changes.append(edits.replaced(code, node, code.text(value)))
    return changes
