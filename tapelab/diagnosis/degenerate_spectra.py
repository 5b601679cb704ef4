"""The finding about eigenvectors and singular vectors of equal or almost equal values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.descriptions import format_value, name_of, say, sentence
from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.site import site_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix


DECOMPOSING: Final = {
    "eigh": sentence("eigenvalues"),
    "eig": sentence("eigenvalues"),
    "svd": sentence("singular values"),
}
"""Ops that make values first and then their vectors."""

PERTURBED: Final = 1e-2
"""By how much of the largest value the diagonal is set apart."""


@finding(
    "DEGENERATE",
    rank=Rank.NOT_FINITE,
    lesson="13",
    what="Two eigenvalues or singular values are equal.",
    instead="A small difference between them",
    example=Example(
        "P56",
        """
        x = tf.Variable([[1.0, 0.0], [0.0, 1.0]])
        with tf.GradientTape() as tape:
            values, vectors = «tf.linalg.eigh(x)»
            y = tf.reduce_sum(vectors[:, 0] * tf.constant([1.0, 2.0]))
        """,
        fix="values, vectors = tf.linalg.eigh("
        "x + tf.linalg.diag(0.01 * tf.range(2.0, dtype=tf.float32)))",
        symptom="zero",
        near_miss="""
        x = tf.Variable([[1.0, 0.0], [0.0, 1.0]])
        with tf.GradientTape() as tape:
            values, vectors = tf.linalg.eigh(x)
            y = tf.reduce_sum(values ** 2)
        """,
    ),
)
def degenerate(case: Case) -> Iterator[Finding]:
    """A gradient through vectors whose values are equal, or nearly: it has 1 / gap in it."""
    backward = case.backward
    if backward is None or not len(backward):
        return
    for step in backward.through(DECOMPOSING):
        if not _uses_vectors(backward, step):
            continue
        values = backward.value(backward.ran(step).outputs[0])
        if values is None or values.shape[-1] < 2:
            continue
        gap, pair, largest = _least_gap(values)
        if gap <= _resolution(case, backward, step) * largest:
            yield _undetermined(case, backward, step, gap, pair, largest)
            return


def _uses_vectors(backward: BackwardSteps, step: int) -> bool:
    """Whether a gradient arrives at the vectors, and not at the values alone."""
    vectors = backward.ran(step).outputs[1:]
    totals = (backward.cotangent.get(each) for each in vectors)
    return any(total is not None and backward.largest[total] > 0 for total in totals)


def _least_gap(values: NDArray[Any]) -> tuple[float, float, float]:
    """The smallest distance of two values of one matrix, the value there, and the largest."""
    rows = np.sort(np.abs(values) if values.dtype.kind == "c" else values, axis=-1)
    gaps = np.diff(rows.astype(np.float64), axis=-1)
    at = int(np.argmin(gaps))
    there = rows[..., :-1].reshape(-1)[at]
    return float(gaps.reshape(-1)[at]), float(there), float(np.max(np.abs(rows)))


def _resolution(case: Case, backward: BackwardSteps, step: int) -> float:
    """The relative gap at which rounding errors, enlarged by 1 / gap, take half of all digits."""
    dtype = case.recording.tensor(backward.tensor[step]).dtype
    real = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    return float(np.sqrt(np.finfo(real).eps))


def _undetermined(
    case: Case, backward: BackwardSteps, step: int, gap: float, pair: float, largest: float
) -> Finding:
    event = backward.event[step]
    site = site_of(case, event, backward.ops[step], gap=format_value(gap))
    kind, name = say(DECOMPOSING[backward.ops[step]]), name_of(case, backward.ran(step).inputs[0])
    return site.finding(
        "DEGENERATE",
        site.say("The vectors of `{text}` are not determined"),
        site.say(
            "Two {kind} of `{name}` in line {line} are {pair}, with a gap of {gap}.",
            kind=kind,
            name=name,
            pair=format_value(pair),
        ),
        site.say(
            "The gradient of their vectors contains 1 / gap, so the gradient for `{source}` "
            "has no meaning."
        ),
        fix=_set_apart(case, backward, step, largest),
        steps=(site.step("the gap is {gap}"),),
    )


def _set_apart(case: Case, backward: BackwardSteps, step: int, largest: float) -> Fix | None:
    """The line with a little added to the diagonal, more to each further entry."""
    span = case.recording.located[backward.event[step]].span
    call, code = case.codes.expression(span), case.codes.of(span)
    facts = case.recording.tensor(backward.ran(step).inputs[0])
    if code is None or not isinstance(call, ast.Call) or not call.args or len(facts.shape) != 2:
        return None
    tf, matrix = edits.tf_alias(code), call.args[0]
    if facts.shape[0] != facts.shape[1] or "float" not in facts.dtype:
        return None
    size = float(f"{PERTURBED * (largest or 1.0):.1g}")
    steps = f"{tf}.range({facts.shape[0]}.0, dtype={tf}.{facts.dtype})"
    text = f"{code.text(matrix)} + {tf}.linalg.diag({size:g} * {steps})"
    return edits.fix(code, [edits.replaced(code, matrix, text)])
