"""Gradients with respect to complex sources, which are conjugates of derivatives.

With z = a + i·b and a real target L, the tape gives ∂L/∂a + i·∂L/∂b = 2·∂L/∂z*, as TensorFlow does.
That is the direction in which L grows, which gradient descent needs. The derivative, by which
dL = Re(derivative·dz), is its conjugate ∂L/∂a − i·∂L/∂b = 2·∂L/∂z; JAX gives that one. Of a complex
target f the tape gives the gradient of its real part, the conjugate of f′(z) where f has a
derivative.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.descriptions import (
    ROOM,
    Written,
    argument,
    name_of,
    paragraph,
    say,
    written_call,
)
from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.site import site_at
from tapelab.diagnosis.summed_gradients import updates_variables
from tapelab.views.number_format import format_brief

if TYPE_CHECKING:
    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix

CONJUGATES: Final = {"conj", "conjugate"}
PARTS: Final = {"real", "imag"}


@finding(
    "COMPLEX_CONVENTION",
    rank=Rank.MISLEADING,
    lesson="12",
    what="The source is complex, so the gradient is the conjugate of the derivative.",
    instead="`tf.math.conj`; in gradient descent, the gradient as it is",
    example=Example(
        "P74",
        """
        x = tf.Variable(3.0 + 1.0j)
        with tf.GradientTape() as tape:
            y = x * x
        g = «tape.gradient(y, x)»
        """,
        fix="g = tf.math.conj(tape.gradient(y, x))",
        symptom="value",
        near_miss="""
        x = tf.Variable(3.0 + 0.0j)
        with tf.GradientTape() as tape: y = x * x
        """,
    ),
)
def conjugated(case: Case) -> Iterator[Finding]:
    """The gradient with respect to a complex source, where it differs from the derivative.

    Nothing is said where the code conjugates it. Of a real target nothing is said either where the
    code takes a step along the gradient or takes its two parts: both need it as it is.
    """
    backward = case.backward
    if backward is None or backward.is_non_finite or not _is_complex(case, case.source):
        return
    value = backward.value(backward.result)
    if value is None or not np.any(value.imag != 0):
        return
    if _is_complex(case, case.target):
        if not _mentions_conjugate(case):
            yield _finding(case, _of_complex_target(case, backward))
    elif not updates_variables(case) and not _is_meant(case):
        yield _finding(case, _of_real_target(case, backward))


def _is_complex(case: Case, tensor: int) -> bool:
    return case.recording.tensor(tensor).dtype.startswith("complex")


def _mentions_conjugate(case: Case) -> bool:
    """Whether the code conjugates something: the gradient, or a part of the target."""
    code = case.codes.of(case.request.span) if case.request else None
    nodes = (node for _, node in code.placed) if code else ()
    return any(isinstance(node, ast.Attribute) and node.attr in CONJUGATES for node in nodes)


def _is_meant(case: Case) -> bool:
    """Whether the code conjugates the gradient, takes its parts, or takes a step along it."""
    request, source = written_call(case), argument(case, case.source)
    if request is None:
        return False
    gradient = _Gradient(request)
    sources = {name_of(case, case.source), source.text if source else ""}
    return any(gradient.is_used_by(node, sources) for _, node in request.code.placed)


class _Gradient:
    """A gradient in the user's code: the call that returns it, and the names it is given."""

    def __init__(self, call: Written) -> None:
        self.call = call
        self.names: set[str] = set()
        for statement in call.code.statements():
            self._follow(statement)

    def _follow(self, statement: ast.stmt) -> None:
        """Add the names that a statement gives to what it computes from the gradient."""
        match statement:
            case ast.Assign(targets=targets, value=value) if self.is_in(value):
                given = (node for target in targets for node in ast.walk(target))
                self.names.update(node.id for node in given if isinstance(node, ast.Name))
            case ast.Return(value=ast.expr() as value) if self.is_in(value):
                scope = self.call.code.scope(statement)
                self.names.add(getattr(scope, "name", ""))

    def is_in(self, expression: ast.expr) -> bool:
        """Whether an expression contains the gradient or something computed from it."""
        return any(
            node is self.call.node or (isinstance(node, ast.Name) and node.id in self.names)
            for node in ast.walk(expression)
        )

    def is_used_by(self, node: ast.AST, sources: set[str]) -> bool:
        """Whether a node conjugates the gradient, takes a part of it, or adds it to a source."""
        match node:
            case ast.Call(func=function):
                name = ast.unparse(function).rpartition(".")[2]
                return name in CONJUGATES | PARTS and self.is_in(node)
            case ast.Attribute(value=value, attr=name):
                return name in PARTS and self.is_in(value)
            case (
                ast.BinOp(left=point, op=ast.Add() | ast.Sub(), right=step)
                | ast.AugAssign(target=point, op=ast.Add() | ast.Sub(), value=step)
            ):
                return self.call.code.text(point) in sources and self.is_in(step)
        return False


def _of_real_target(case: Case, backward: BackwardSteps) -> str:
    value, conjugate = _values(case, backward)
    return paragraph(
        say(
            "`{source}` is complex, z = a + i·b, and `{target}` is real. For those the tape gives "
            "∂/∂a + i·∂/∂b = 2·∂/∂z*, here {value}: the direction in which `{target}` grows, which "
            "gradient descent needs.",
            source=name_of(case, case.source),
            target=name_of(case, case.target),
            value=value,
        ),
        say(
            "The derivative is its conjugate, ∂/∂a − i·∂/∂b = 2·∂/∂z, here {conjugate}: a small "
            "step dz changes `{target}` by Re(derivative·dz).",
            conjugate=conjugate,
            target=name_of(case, case.target),
        ),
    )


def _of_complex_target(case: Case, backward: BackwardSteps) -> str:
    value, conjugate = _values(case, backward)
    return paragraph(
        say(
            "`{source}` and `{target}` are complex. For those the tape gives the conjugate of the "
            "derivative, here {value}.",
            source=name_of(case, case.source),
            target=name_of(case, case.target),
            value=value,
        ),
        say("The derivative itself is {conjugate}.", conjugate=conjugate),
    )


def _values(case: Case, backward: BackwardSteps) -> tuple[str, str]:
    """The gradient that the tape gave, and its conjugate, in few characters."""
    facts = case.recording.tensor(backward.result)
    assert facts.value is not None
    conjugate = replace(facts, value=facts.value.conj())
    return format_brief(facts, ROOM), format_brief(conjugate, ROOM)


def _finding(case: Case, message: str) -> Finding:
    request = written_call(case)
    span = case.recording.tensor(case.target).span
    if request and case.request:
        span = case.request.span
    site = site_at(case, span)
    return site.finding(
        "COMPLEX_CONVENTION",
        say("This is the conjugate of the derivative"),
        message,
        fix=_fix(request) if request else None,
        evidence=(case.request.index,) if case.request else case.made(case.target),
        steps=(site.step("the source is complex"),),
    )


def _fix(request: Written) -> Fix | None:
    """The line with the conjugate of the gradient; None where a method of it is called."""
    if isinstance(request.code.parent.get(request.node), ast.Attribute):
        return None
    text = f"{edits.tf_alias(request.code)}.math.conj({request.text})"
    return edits.fix(request.code, [edits.replaced(request.code, request.node, text)])
