"""Findings about shapes that fit by accident: an unintended broadcast, a softmax over the batch."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.descriptions import format_value, operand, say
from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.site import site_of
from tapelab.recording import events as e
from tapelab.views.number_format import format_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix


COMPARING: Final = {"subtract", "squared_difference"}
"""Ops that set predictions against labels. A product of a row and a column is often meant."""

STRETCHING: Final = {"expand_dims", "reshape", "strided_slice", "broadcast_to", "getitem"}
"""Ops by which somebody made room for a broadcast on purpose."""

TOLERANCE: Final = 1e-3


@finding(
    "UNINTENDED_BROADCAST",
    rank=Rank.MISLEADING,
    lesson="07",
    what="Shapes `(n,)` and `(n, 1)` were broadcast to `(n, n)`.",
    instead="One shape for both",
    example=Example(
        "P63",
        """
        x = tf.Variable(1.0)
        data = tf.constant([[1.0], [2.0], [3.0], [4.0]])
        labels = tf.constant([2.0, 4.0, 6.0, 8.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean((«x * data - labels») ** 2)
        """,
        fix="y = tf.reduce_mean((tf.squeeze(x * data, axis=-1) - labels) ** 2)",
        symptom="value",
        near_miss="""
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean((tf.ones((4, 3)) - x) ** 3)
        """,
    ),
)
def unintended_broadcast(case: Case) -> Iterator[Finding]:
    """A row of numbers set against a column of as many: all pairs instead of all differences."""
    backward = case.backward
    if backward is None or not len(backward):
        return
    seen = set[int]()
    for step in backward.through(COMPARING):
        if backward.event[step] not in seen:
            seen.add(backward.event[step])
            column = _column(case, backward.ran(step))
            if column is not None and not _on_purpose(case, backward, step):
                yield _all_pairs(case, backward, step, column)
                return


def _column(case: Case, ran: e.Ran) -> int | None:
    """Which input is the column, of a column and a row that are equally long."""
    shapes = [case.recording.tensor(each).shape for each in ran.inputs]
    for at, (one, other) in enumerate((shapes, shapes[::-1])):
        if len(other) == 1 and other[0] > 1 and one == (*other, 1):
            return at
    return None


def _on_purpose(case: Case, backward: BackwardSteps, step: int) -> bool:
    """Whether an axis was put in where the column was made, or where it is used."""
    node = case.codes.expression(case.recording.located[backward.event[step]].span)
    for each in ast.walk(node) if node else ():
        if isinstance(each, ast.Subscript) and "None" in ast.unparse(each.slice):
            return True
        if isinstance(each, ast.Attribute) and each.attr in {"newaxis", "expand_dims", "reshape"}:
            return True
    makers = (case.flow.maker_of.get(each, -1) for each in backward.ran(step).inputs)
    return any(case.op_name(maker) in STRETCHING for maker in makers)


def _all_pairs(case: Case, backward: BackwardSteps, step: int, column: int) -> Finding:
    ran, event = backward.ran(step), backward.event[step]
    one, other = (format_shape(case.recording.tensor(each).shape) for each in ran.inputs)
    rows = case.recording.tensor(ran.inputs[column]).shape[0]
    site = site_of(case, event, backward.ops[step], one=one, other=other)
    return site.finding(
        "UNINTENDED_BROADCAST",
        site.say("`{text}` pairs every number with every other"),
        site.say(
            "`{text}` in line {line} got the shapes {one} and {other} and broadcast both to "
            "{made}.",
            made=format_shape((rows, rows)),
        ),
        say(
            "That makes {pairs} pairs where {rows} belong together, so {more} unrelated pairs "
            "are in the gradient.",
            pairs=rows * rows,
            rows=rows,
            more=rows * rows - rows,
        ),
        fix=_squeezed(case, backward, step, column),
        steps=(site.step("{one} and {other} were broadcast"),),
    )


def _squeezed(case: Case, backward: BackwardSteps, step: int, column: int) -> Fix | None:
    """The line with the column as a row."""
    edges = case.flow.into.get(backward.made[step], [])
    edge = next((each for each in edges if each.position == column), None)
    given = operand(case, edge) if edge else None
    if given is None:
        return None
    text = f"{edits.tf_alias(given.code)}.squeeze({given.text}, axis=-1)"
    return edits.fix(given.code, [edits.replaced(given.code, given.node, text)])


@finding(
    "WRONG_AXIS",
    rank=Rank.MISLEADING,
    lesson="07",
    what="A softmax was taken over the batch axis.",
    instead="`axis=-1`",
    example=Example(
        "P64",
        """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        data = tf.constant([[1.0, 2.0], [3.0, 1.0], [0.0, 1.0]])
        labels = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
        with tf.GradientTape() as tape:
            p = «tf.nn.softmax(data @ x, axis=0)»
            y = -tf.reduce_mean(tf.reduce_sum(labels * tf.math.log(p), axis=-1))
        """,
        fix="p = tf.nn.softmax(data @ x, axis=-1)",
        symptom="value",
        near_miss="""
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        with tf.GradientTape() as tape:
            y = -tf.reduce_mean(labels * tf.math.log(tf.nn.softmax(x)))
        """,
    ),
)
def wrong_axis(case: Case) -> Iterator[Finding]:
    """A softmax over the batch, where the labels it is compared with add up to 1 over classes."""
    backward = case.backward
    if backward is None or not len(backward):
        return
    softmaxes = backward.through({"softmax", "log_softmax"})
    for step in softmaxes:
        output = backward.value(backward.made[step])
        if output is None or output.ndim != 2 or min(output.shape) < 2:
            continue
        shares = np.exp(output) if backward.ops[step] == "log_softmax" else output
        columns = _adds_up(shares, 0) and not _adds_up(shares, 1)
        if columns and _has_examples_in_rows(backward, output.shape, alone=len(softmaxes) == 1):
            yield _over_the_batch(case, backward, step, shares)
            return


def _adds_up(shares: NDArray[Any], axis: int) -> bool:
    """Whether shares add up to 1 along an axis."""
    return bool(np.all(np.abs(shares.sum(axis=axis) - 1) < TOLERANCE) and np.all(shares >= 0))


def _has_examples_in_rows(backward: BackwardSteps, shape: tuple[int, ...], *, alone: bool) -> bool:
    """Whether each row is an example: labels in it add up to 1, or one entry of it is picked.

    Labels of as many classes as examples may add up to 1 both ways; they tell nothing where
    another softmax goes the other way.
    """
    for step in backward.through({"gather", "gather_nd"}):
        picked = backward.recording.tensor(backward.made[step]).shape
        if backward.recording.tensor(backward.tensor[step]).shape == shape and picked == shape[:1]:
            return True
    for step in backward.through({"multiply", *COMPARING}):
        other = backward.value(backward.ran(step).inputs[1 - backward.position[step]])
        if other is None or other.shape != shape or other.dtype.kind != "f":
            continue
        if _adds_up(other, 1) and (alone or not _adds_up(other, 0)):
            return True
    return False


def _over_the_batch(
    case: Case, backward: BackwardSteps, step: int, shares: NDArray[Any]
) -> Finding:
    event = backward.event[step]
    site = site_of(case, event, backward.ops[step])
    sums = shares.sum(axis=1)
    return site.finding(
        "WRONG_AXIS",
        site.say("`{text}` sums to 1 over the batch"),
        site.say(
            "`{text}` in line {line} normalises along axis 0, over {rows} examples. The rows "
            "sum to {least} to {most}.",
            rows=shares.shape[0],
            least=format_value(float(sums.min())),
            most=format_value(float(sums.max())),
        ),
        say("The labels sum to 1 in each row, along axis 1."),
        fix=_last_axis(case, site.span),
        steps=(site.step("each column sums to 1"),),
    )


def _last_axis(case: Case, span: int) -> Fix | None:
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    if len(call.args) > 1:
        return edits.fix(code, [edits.replaced(code, call.args[1], "-1")])
    return edits.fix(code, [edits.with_argument(code, call, "axis=-1")])
