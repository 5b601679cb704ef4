"""Findings about sums: over a batch, over the elements of a target, over rows of a Jacobian."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.backward_pass import BackwardSteps
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.descriptions import name_of, say, written_call
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.site import site_at, site_of
from tapelab.diagnosis.tape_block import line_of
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code
    from tapelab.recording.events import Located


Shape = tuple[int, ...]


def meeting(case: Case, backward: BackwardSteps, rows: int) -> int:
    """The tensor in which rows have met, whose numbers then went to all rows; -1 for none."""
    shapes, of = case.recording.shapes, case.recording.columns["tensor.shape"].tolist()
    spread: dict[tuple[int, int], bool] = {}
    for step, (tensor, result) in enumerate(zip(backward.tensor, backward.made, strict=True)):
        if result < 0:
            continue
        pair = of[tensor], of[result]
        if pair not in spread:
            spread[pair] = _is_spread(shapes[pair[0]], shapes[pair[1]], rows)
        if spread[pair] or _is_mixed_in(backward, step, shapes[pair[0]], rows):
            return tensor
    return -1


def _is_spread(given: Shape, result: Shape, rows: int) -> bool:
    """Whether one row was laid out for all of them."""
    if result[:1] != (rows,) or rows < 2 or len(given) > len(result):
        return False
    padded = (1,) * (len(result) - len(given)) + given
    matches = all(a in (1, b) for a, b in zip(padded, result, strict=True))
    return matches and padded[0] == 1


def _is_mixed_in(backward: BackwardSteps, step: int, given: Shape, rows: int) -> bool:
    """Whether a matrix from the left has added rows up."""
    on_the_right = backward.ops[step] == "matmul" and backward.position[step] == 1
    return on_the_right and len(given) == 2 and given[0] == rows > 1


LARGE_BATCH: Final = 32
"""As many examples as a batch of Keras has by default. A sum over fewer may well be meant."""


@finding(
    "UNNORMALISED_SUM",
    rank=Rank.MISLEADING,
    lesson="16",
    what="The loss is a sum over the batch.",
    instead="`tf.reduce_mean`",
    example=Example(
        "P65",
        """
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape: y = «tf.reduce_sum(x * tf.ones(64))»
        """,
        fix="with tf.GradientTape() as tape: y = tf.reduce_mean(x * tf.ones(64))",
        symptom="value",
        near_miss="""
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape: y = tf.reduce_sum(x * tf.ones(4))
        """,
    ),
)
def unnormalised_sum(case: Case) -> Iterator[Finding]:
    """A loss that is a sum over a large batch: its gradient grows with the batch."""
    backward = case.backward
    if (
        backward is None
        or not backward.through({"reduce_sum"})
        or case.recording.tensor(case.target).shape
    ):
        return
    for step in _at_the_end(backward):
        if backward.ops[step] != "reduce_sum":
            continue
        shape = case.recording.tensor(backward.tensor[step]).shape
        source = case.recording.tensor(case.source).shape
        if (
            shape
            and shape[0] >= LARGE_BATCH
            and shape[0] not in source
            and _alone(case, backward, step)
        ):
            yield _grows(case, backward, step, shape[0])
            return


def _at_the_end(backward: BackwardSteps) -> Iterator[int]:
    """The steps from the target on, as long as there is one way and it changes the scale only."""
    tensor = backward.tensor[0]
    while True:
        ahead = backward.out_of.get(tensor, ())
        if len(ahead) != 1:
            return
        yield ahead[0]
        if backward.ops[ahead[0]] not in {"reduce_sum", "negative", "multiply", "reshape"}:
            return
        tensor = backward.tensor[ahead[0]]


def _alone(case: Case, backward: BackwardSteps, step: int) -> bool:
    """Whether nothing on the way divides by the number of examples."""
    count = case.recording.tensor(backward.tensor[step]).shape[0]
    for each in backward.through({"reduce_mean"}):
        given, result = (
            case.recording.tensor(at).shape for at in (backward.tensor[each], backward.made[each])
        )
        if given[:1] == (count,) and result[:1] != (count,):
            return False
    for each in backward.through({"divide", "multiply"}):
        if backward.position[each] == 0:
            other = backward.ran(each).inputs[1]
            factor = backward.measures.of(other)
            if backward.measures.count[other] == 1 and factor.greatest in {count, 1.0 / count}:
                return False
    return True


def _grows(case: Case, backward: BackwardSteps, step: int, count: int) -> Finding:
    event = backward.event[step]
    site = site_of(case, event, backward.ops[step], count=count)
    return site.finding(
        "UNNORMALISED_SUM",
        say("The gradient grows with the batch"),
        site.say(
            "`{text}` in line {line} sums {count} examples, and each of them adds to the "
            "gradient for `{source}`."
        ),
        say("With twice as many examples it is twice as large. A mean keeps its scale."),
        fix=_mean(case, site.span),
        steps=(site.step("{count} examples were summed"),),
    )


def _mean(case: Case, span: int) -> Fix | None:
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    if ast.unparse(call.func).rpartition(".")[2] != "reduce_sum":
        return _reduced_otherwise(code, call)
    text = f"{code.text(call.func)[: -len('reduce_sum')]}reduce_mean"
    return edits.fix(code, [edits.replaced(code, call.func, text)])


def _reduced_otherwise(code: Code, call: ast.Call) -> Fix | None:
    """The loss without `reduction="sum"`, where it is made: here, or in the line of its name."""
    nodes = [call, call.func, *_given_to(code, call.func)]
    for each in (node for node in nodes if isinstance(node, ast.Call)):
        for keyword in each.keywords:
            if (keyword.arg, ast.unparse(keyword.value)) == ("reduction", "'sum'"):
                return edits.fix(code, [edits.without_argument(code, each, keyword)])
    return None


def _given_to(code: Code, name: ast.expr) -> list[ast.expr]:
    """What lines of the code give a name."""
    lines = (each for each in code.statements() if isinstance(each, ast.Assign))
    return [each.value for each in lines if ast.unparse(each.targets[0]) == ast.unparse(name)]


UPDATES: Final = {
    *("apply_gradients", "apply", "minimize", "assign", "assign_add", "assign_sub"),
    *("clip_by_global_norm", "global_norm"),
}
"""What is done with gradients whose sum over a batch is meant."""

JACOBIANS: Final[set[int]] = {e.Method.JACOBIAN, e.Method.BATCH_JACOBIAN}


@finding(
    "SUMMED_TARGET",
    rank=Rank.MISLEADING,
    lesson="07",
    what="The target has several elements, so this is the gradient of their sum.",
    instead="`tape.jacobian`",
    example=Example(
        "P41",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * [3.0, 4.0]
        g = «tape.gradient(y, x)»
        """,
        fix="g = tape.jacobian(y, x)",
        symptom="value",
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape: y = x * [3.0, 4.0]
        g = tape.jacobian(y, x)
        """,
    ),
)
def summed_target(case: Case) -> Iterator[Finding]:
    """A target of several numbers, of which the gradient of the sum was given.

    Nothing is said where the sum is harmless or meant: where each number of the target depends on
    its own row of the source only, where a seed was given, where a Jacobian was asked for as well,
    where several sources were asked for at once, as one does with weights, where each of several
    targets was asked about by itself too, and where the code changes variables by its gradients.
    Nor is it reported before the first gradient call.
    """
    calls_for = [request for _, request in _calls_for(case) if len(request.sources) == 1]
    backward, methods = case.backward, {request.method for request in calls_for}
    if backward is None or not len(backward) or _is_meant(case, backward):
        return
    if e.Method.GRADIENT not in methods or methods & JACOBIANS:
        return
    sizes = [_size(case, target) for target in case.targets]
    if sum(sizes) == 1 or (len(sizes) == 1 and _is_by_row(case, backward)) or _has_own_calls(case):
        return
    yield _summed(case, sizes)


def _size(case: Case, tensor: int) -> int:
    return int(np.prod(case.recording.tensor(tensor).shape, dtype=np.int64))


def _has_own_calls(case: Case) -> bool:
    """Whether each of several targets was asked about by itself too, for this source."""
    return len(case.targets) > 1 and all(
        any(request.method == e.Method.GRADIENT for _, request in _calls_for(alone))
        for alone in (case.beside(target, case.source) for target in case.targets)
    )


def _calls_for(case: Case) -> list[tuple[Located, e.Asked]]:
    """The questions for this source of these targets."""
    return [
        (place, place.event)
        for place in case.recording.placed(e.Asked)
        if isinstance(place.event, e.Asked)
        and place.event.targets == case.targets
        and any(map(case.is_source, place.event.sources))
    ]


def _is_meant(case: Case, backward: BackwardSteps) -> bool:
    """Whether the learner gave a seed, or changes variables by the gradient."""
    for step in range(len(backward)):
        if backward.event[step] < 0:
            seed = backward.measures.of(backward.upstream[step])
            if not seed.least == seed.greatest == 1:
                return True
    return updates_variables(case)


def updates_variables(case: Case) -> bool:
    """Whether the code that asks for the gradient assigns to variables or calls an optimizer."""
    span = case.request.span if case.request else case.recording.tensor(case.target).span
    code = case.codes.of(span)
    nodes = (node for _, node in code.placed) if code else ()
    return any(isinstance(node, ast.Attribute) and node.attr in UPDATES for node in nodes)


def _is_by_row(case: Case, backward: BackwardSteps) -> bool:
    """Whether each row of the target was made from the same row of the source alone."""
    target, source = (case.recording.tensor(each).shape for each in (case.target, case.source))
    if not target or target[:1] != source[:1]:
        return False
    return meeting(case, backward, target[0]) < 0


def _summed(case: Case, sizes: list[int]) -> Finding:
    target = case.targets[0]
    request, target_span = written_call(case), case.recording.tensor(target).span
    shape = case.recording.tensor(target).shape
    span = case.request.span if request and case.request else target_span
    names = ", ".join(f"`{name_of(case, each)}`" for each in case.targets)
    if len(sizes) > 1:
        what = say("The targets are {names}, {count} numbers.", names=names, count=sum(sizes))
    else:
        what = say(
            "{name} has shape {shape}: {count} numbers.", name=names, shape=shape, count=sum(sizes)
        )
    site = site_at(case, span)
    return site.finding(
        "SUMMED_TARGET",
        say("This is the gradient of a sum of {count} numbers", count=sum(sizes)),
        what,
        site.say(
            "A gradient belongs to one number. So the tape sums the elements first, and "
            "returns the gradient of the sum for `{source}`."
        ),
        say("A Jacobian has one gradient for each element."),
        fix=_renamed(case, "gradient", "jacobian") if len(sizes) == 1 else None,
        evidence=(case.request.index,) if case.request else case.made(target),
        steps=(
            site_at(case, target_span).step(
                "{names} got {count} numbers", names=names, count=sum(sizes)
            ),
        ),
    )


def _renamed(case: Case, method: str, other: str) -> Fix | None:
    """The question with another method of the tape."""
    request = written_call(case)
    match request and request.node:
        case ast.Call(func=ast.Attribute(value=tape, attr=name) as function) if name == method:
            assert request is not None
            text = f"{request.code.text(tape)}.{other}"
            return edits.fix(request.code, [edits.replaced(request.code, function, text)])
    return None


@finding(
    "CROSS_TALK",
    rank=Rank.MISLEADING,
    lesson="07",
    what="In a `batch_jacobian`, a row of the target depends on other rows of the source.",
    instead="`tape.jacobian`",
    example=Example(
        "P73",
        """
        x = tf.Variable([[1.0], [2.0]])
        with tf.GradientTape() as tape:
            y = x * «tf.reduce_sum(x)»
        g = tape.batch_jacobian(y, x)
        """,
        fix="g = tape.jacobian(y, x)",
        symptom="value",
        near_miss="""
        x = tf.Variable([[1.0, 2.0], [2.0, 5.0]])
        with tf.GradientTape() as tape:
            y = (x - tf.reduce_mean(x, axis=1, keepdims=True)) ** 3
        g = tape.batch_jacobian(y, x)
        """,
    ),
)
def cross_talk(case: Case) -> Iterator[Finding]:
    """A batch Jacobian of rows that depend on each other."""
    for place, request in reversed(_calls_for(case)):
        if request.method != e.Method.BATCH_JACOBIAN or request.results[0] < 0:
            continue
        backward = BackwardSteps(case.recording, case.source_mask, request.call, request.results[0])
        rows = case.recording.tensor(case.target).shape[0]
        tensor = meeting(case, backward, rows)
        if tensor >= 0:
            yield _talking(case, place, tensor)
        return


def _talking(case: Case, place: Located, tensor: int) -> Finding:
    source = name_of(case, case.source)
    span = case.recording.tensor(tensor).span
    site = site_at(case, span, source)
    return site.finding(
        "CROSS_TALK",
        site.say("`{text}` combines rows of `{source}`"),
        site.say(
            "`batch_jacobian` assumes that each row of `{target}` depends only on the same "
            "row of `{source}`. `{text}` in line {line} is used in all rows, so `{target}[0]` "
            "depends on `{source}[1]` too."
        ),
        say("So each of its numbers is a sum over rows. Use `tape.jacobian`."),
        fix=_renamed(case, "batch_jacobian", "jacobian"),
        evidence=(place.index, *case.made(tensor)),
        steps=(
            site.step("rows of `{source}` were combined"),
            Step(line_of(case, place.index), say("a Jacobian was computed row by row")),
        ),
    )


@finding(
    "SPARSE_GRADIENT",
    rank=Rank.MISLEADING,
    lesson="16",
    what="The gradient is `IndexedSlices` with repeated rows.",
    instead="`tf.convert_to_tensor`",
    example=Example(
        "P68",
        """
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«tf.gather(x, [0, 1, 0])» ** 2)
        """,
        fix="g = tf.convert_to_tensor(tape.gradient(y, x))",
        symptom="value",
        near_miss="""
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape: y = tf.reduce_sum(tf.gather(x, [1, 0]) ** 2)
        """,
    ),
)
def repeated_rows(case: Case) -> Iterator[Finding]:
    """An `IndexedSlices` in which a row that was picked twice stands twice."""
    backward = case.backward
    if backward is None or not backward.through({"gather"}):
        return
    steps = [
        step for tensor in backward.into if case.is_source(tensor) for step in backward.into[tensor]
    ]
    if not all(_picks_rows(case, backward, step) for step in steps):
        return
    picked = [backward.value(backward.ran(step).inputs[1]) for step in steps]
    rows = [each.reshape(-1) for each in picked if each is not None]
    if len(rows) < len(picked) or not rows:
        return
    numbers = np.concatenate(rows)
    distinct = len(np.unique(numbers))
    request = _call_span(case)
    if distinct < len(numbers) and not _is_seen_to(case, backward, steps[0], request):
        yield _repeated(case, backward, steps[0], (len(numbers), distinct), request)


def _picks_rows(case: Case, backward: BackwardSteps, step: int) -> bool:
    """Whether a step leads to the rows of a table by their numbers."""
    if backward.ops[step] != "gather" or backward.position[step]:
        return False
    ran = backward.ran(step)
    table, numbers, result = (
        case.recording.tensor(each).shape for each in (*ran.inputs[:2], ran.outputs[0])
    )
    return result == (*numbers, *table[1:])


def _call_span(case: Case) -> int:
    """The place of the gradient call; -1 without one."""
    request = case.recording.placed(e.Asked)
    for place in request:
        assert isinstance(place.event, e.Asked)
        sources = map(case.is_source, place.event.sources)
        if place.event.method == e.Method.GRADIENT and any(sources):
            return place.span
    return -1


def _is_seen_to(case: Case, backward: BackwardSteps, step: int, request: int) -> bool:
    """Whether an optimizer adds the rows up, or the learner does, or a layer picked them."""
    if case.recording.composite_of(backward.ran(step)) >= 0:
        return True
    code, call = case.codes.of(request), case.codes.expression(request)
    if code is None or call is None:
        return False
    around = code.parent.get(call)
    if isinstance(around, ast.Call) and around is not call and call in around.args:
        return True
    return any(_applies(node) for _, node in code.placed)


def _applies(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in {"apply_gradients", "apply", "minimize"}


def _repeated(
    case: Case, backward: BackwardSteps, step: int, rows: tuple[int, int], request: int
) -> Finding:
    event, name = backward.event[step], name_of(case, case.source)
    site = site_of(case, event, "gather", name=name, rows=rows[0])
    return site.finding(
        "SPARSE_GRADIENT",
        site.say("The gradient of `{name}` is IndexedSlices with repeated rows"),
        site.say(
            "`{text}` in line {line} selected {rows} rows of `{name}`, {distinct} of them "
            "distinct. The gradient has one part for each selected row.",
            distinct=rows[1],
        ),
        say(
            "It is not a tensor, and the parts of one row are not summed. So a norm of "
            "`.values` is not the norm of the gradient. `tf.convert_to_tensor` sums them."
        ),
        fix=_dense(case, request),
        steps=(site.step("{rows} rows were selected"),),
    )


def _dense(case: Case, request: int) -> Fix | None:
    """The question with its answer as a tensor."""
    code, call = case.codes.of(request), case.codes.expression(request)
    if code is None or not isinstance(call, ast.Call) or _has_several_sources(code, call):
        return None
    text = f"{edits.tf_alias(code)}.convert_to_tensor({code.text(call)})"
    return edits.fix(code, [edits.replaced(code, call, text)])


def _has_several_sources(code: Code, call: ast.Call) -> bool:
    return any(isinstance(each, (ast.List, ast.Tuple)) for each in call.args[1:2])
