"""Losses that take probabilities for scores, or scores for probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.descriptions import extent, name_of, paragraph, say, spot
from tapelab.diagnosis.finding import Finding, Step
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.backward_pass import Way
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code


TAKES_LOGITS: Final = {
    "softmax_cross_entropy": (1, "softmax"),
    "sparse_softmax_cross_entropy": (1, "softmax"),
    "sigmoid_cross_entropy": (1, "sigmoid"),
    "softmax": (0, "softmax"),
    "log_softmax": (0, "softmax"),
}
"""Ops that turn scores into probabilities: which input has the scores, and what they apply."""

CARRYING: Final = {"reshape", "cast", "identity", "squeeze", "expand_dims"}
"""Ops that hand on the numbers as they are."""

TAKES_PROBABILITIES: Final = {
    "categorical_crossentropy": "divide",
    "sparse_categorical_crossentropy": "clip_by_value",
    "binary_crossentropy": "clip_by_value",
}
"""Losses that expect probabilities, and the op in them that meets what was predicted first."""


def double_softmax(case: Case) -> Iterator[Finding]:
    """Probabilities where scores belong, or scores where probabilities belong."""
    way = case.way
    if way is None or not len(way):
        return
    inside = any(group.name in TAKES_PROBABILITIES for group in case.recording.groups)
    for step in way.through({*TAKES_LOGITS, *(TAKES_PROBABILITIES.values() if inside else ())}):
        at, applied = TAKES_LOGITS.get(way.ops[step], (-1, ""))
        if way.position[step] == at:
            first = _applied_before(case, way.tensor[step], applied)
            if first >= 0:
                yield _twice(case, way, step, first, applied)
                return
        if _is_unsquashed(case, way, step):
            yield _never(case, way, step)
            return


def _applied_before(case: Case, tensor: int, applied: str) -> int:
    """The event that made a tensor, if it is of that op; ops that only carry are looked through."""
    while True:
        event = case.flow.maker_of.get(tensor, -1)
        ran = case.recording.event(event) if event >= 0 else None
        if not isinstance(ran, e.Ran):
            return -1
        op = case.recording.ops[ran.op].name
        if op == applied:
            return event
        if op not in CARRYING:
            return -1
        tensor = ran.inputs[0]


def _twice(case: Case, way: Way, step: int, first: int, applied: str) -> Finding:
    event = way.event[step]
    span, text, line = spot(case, first, applied)
    _, loss, used = spot(case, event, way.ops[step])
    made = extent(way, way.tensor[step])
    return Finding(
        code="DOUBLE_SOFTMAX",
        title=say("{applied} is applied twice", applied=applied),
        message=paragraph(
            say(
                "`{text}` in line {line} made probabilities, {made}, and `{loss}` takes them for "
                "scores and applies {applied} again.",
                text=text,
                line=line,
                made=made,
                loss=loss,
                applied=applied,
            ),
            say(
                "Scores between 0 and 1 are all nearly alike, so the gradient for `{source}` is "
                "far too small.",
                source=name_of(case, case.source),
            ),
        ),
        where=case.codes.where(span),
        fix=_once(case, span, applied) or _no_logits(case, event),
        evidence=(first, event),
        steps=(
            Step(line, say("{applied} once", applied=applied)),
            Step(used, say("{applied} again", applied=applied)),
        ),
    )


def _once(case: Case, span: int, applied: str) -> Fix | None:
    """The line with the scores themselves."""
    call, code = case.codes.expression(span), case.codes.of(span)
    match call:
        case ast.Call(args=[scores, *_]) if code and ast.unparse(call.func).endswith(applied):
            text = edits.bracketed(code, call, code.text(scores))
            return edits.fix(code, [edits.replaced(code, call, text)])
    return None


def _no_logits(case: Case, event: int) -> Fix | None:
    """The loss without `from_logits=True`."""
    span = case.recording.located[event].span
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    told = [each for each in call.keywords if each.arg == "from_logits"]
    return edits.fix(code, [edits.without_argument(code, call, each) for each in told])


def _is_unsquashed(case: Case, way: Way, step: int) -> bool:
    """Whether a loss that expects probabilities meets numbers that are none."""
    if way.position[step]:
        return False
    group = group_of(case, way.ran(step))
    if TAKES_PROBABILITIES.get(group) != way.ops[step]:
        return False
    if group_of(case, maker(case, way.tensor[step])) == group:
        return False
    measure = way.measures.of(way.tensor[step])
    return measure.least < 0 or measure.greatest > 1


def maker(case: Case, tensor: int) -> e.Ran | None:
    event = case.flow.maker_of.get(tensor, -1)
    ran = case.recording.event(event) if event >= 0 else None
    return ran if isinstance(ran, e.Ran) else None


def group_of(case: Case, ran: e.Ran | None) -> str:
    """The innermost composite that an op is a part of; empty for none."""
    if ran is None or ran.group < 0:
        return ""
    return case.recording.groups[ran.group].name


def _never(case: Case, way: Way, step: int) -> Finding:
    span, text, line = spot(case, way.event[step])
    name = name_of(case, way.tensor[step])
    return Finding(
        code="DOUBLE_SOFTMAX",
        title=say("`{text}` expects probabilities", text=text),
        message=paragraph(
            say(
                "`{text}` in line {line} was given `{name}`, {values}: scores, and no numbers "
                "between 0 and 1.",
                text=text,
                line=line,
                name=name,
                values=extent(way, way.tensor[step]),
            ),
            say("With `from_logits=True` it turns scores into probabilities by itself."),
        ),
        where=case.codes.where(span),
        fix=_from_logits(case, span),
        evidence=(way.event[step],),
        steps=(Step(line, say("`{name}` was taken for probabilities", name=name)),),
    )


def _from_logits(case: Case, span: int) -> Fix | None:
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    if ast.unparse(call.func).rpartition(".")[2] not in TAKES_PROBABILITIES:
        made = _made_by(code, call)
        return (
            edits.fix(code, [edits.with_argument(code, made, "from_logits=True")]) if made else None
        )
    return edits.fix(code, [edits.with_argument(code, call, "from_logits=True")])


def _made_by(code: Code, call: ast.Call) -> ast.Call | None:
    """The call that made the loss that is called by its name, if there is one of its kind."""
    kinds = {name.replace("_", "") for name in TAKES_PROBABILITIES}
    for statement in code.statements():
        match statement, call.func:
            case (
                ast.Assign(targets=[ast.Name(id=given)], value=ast.Call() as made),
                ast.Name(id=called),
            ) if given == called:
                if ast.unparse(made.func).rpartition(".")[2].lower() in kinds:
                    return made
    return None


WITH_LABELS: Final = {"softmax_cross_entropy", "sigmoid_cross_entropy"}
"""Ops whose first input are labels that may have a gradient."""

LABELS_FIRST: Final = {
    *("categorical_crossentropy", "binary_crossentropy", "kl_divergence"),
    *("categorical_focal_crossentropy", "binary_focal_crossentropy"),
}
"""Losses of Keras in which it matters which argument comes first."""


def swapped_loss(case: Case) -> Iterator[Finding]:
    """A cross-entropy whose labels come from the source, and whose predictions do not."""
    way = case.way
    if way is None or not len(way):
        return
    inside = any(group.name in LABELS_FIRST for group in case.recording.groups)
    for step in way.through({"multiply", *WITH_LABELS} if inside else WITH_LABELS):
        if way.position[step] == 0 and _gets_labels(case, way, step):
            yield _swapped(case, way, step)
            return


def _gets_labels(case: Case, way: Way, step: int) -> bool:
    """Whether a step leads to the labels of a loss and none leads to its predictions."""
    if len(way.out_of[way.made[step]]) > 1:
        return False
    if way.ops[step] in WITH_LABELS:
        return True
    ran = way.ran(step)
    if way.ops[step] != "multiply" or group_of(case, ran) not in LABELS_FIRST:
        return False
    other = maker(case, ran.inputs[1])
    return other is not None and case.recording.ops[other.op].name == "log"


def _swapped(case: Case, way: Way, step: int) -> Finding:
    event = way.event[step]
    span, text, line = spot(case, event, way.ops[step])
    return Finding(
        code="SWAPPED_LOSS_ARGUMENTS",
        title=say("The arguments of `{text}` look swapped", text=text),
        message=paragraph(
            say(
                "The loss in line {line} takes the labels first and what was predicted second. "
                "Here the gradient flows into the first argument only.",
                line=line,
            ),
            say(
                "So `{source}` is taken for labels, and the logarithm is that of the labels.",
                source=name_of(case, case.source),
            ),
        ),
        where=case.codes.where(span),
        fix=_exchanged(case, span),
        evidence=(event,),
        steps=(Step(line, say("the labels got the gradient")),),
    )


def _exchanged(case: Case, span: int) -> Fix | None:
    """The call with its two arguments the other way round."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    named = {each.arg: each.value for each in call.keywords}
    pairs = (call.args[:2], [named[a] for a in ("labels", "logits") if a in named])
    for pair in pairs:
        if len(pair) == 2 and not any(isinstance(each, ast.Starred) for each in pair):
            one, other = pair
            texts = code.text(other), code.text(one)
            changes = [edits.replaced(code, n, t) for n, t in zip(pair, texts, strict=True)]
            return edits.fix(code, changes)
    return None


LARGE_BATCH: Final = 32
"""As many examples as a batch of Keras has by default. A sum over fewer may well be meant."""


def unnormalised_sum(case: Case) -> Iterator[Finding]:
    """A loss that is a sum over a large batch: its gradient grows with the batch."""
    way = case.way
    if way is None or not way.through({"reduce_sum"}) or case.recording.tensor(case.target).shape:
        return
    for step in _at_the_end(way):
        if way.ops[step] != "reduce_sum":
            continue
        shape = case.recording.tensor(way.tensor[step]).shape
        source = case.recording.tensor(case.source).shape
        if shape and shape[0] >= LARGE_BATCH and shape[0] not in source and _alone(case, way, step):
            yield _grows(case, way, step, shape[0])
            return


def _at_the_end(way: Way) -> Iterator[int]:
    """The steps from the target on, as long as there is one way and it changes the scale only."""
    tensor = way.tensor[0]
    while True:
        ahead = way.out_of.get(tensor, ())
        if len(ahead) != 1:
            return
        yield ahead[0]
        if way.ops[ahead[0]] not in {"reduce_sum", "negative", "multiply", "reshape"}:
            return
        tensor = way.tensor[ahead[0]]


def _alone(case: Case, way: Way, step: int) -> bool:
    """Whether nothing on the way divides by the number of examples."""
    count = case.recording.tensor(way.tensor[step]).shape[0]
    for each in way.through({"reduce_mean"}):
        given, made = (case.recording.tensor(at).shape for at in (way.tensor[each], way.made[each]))
        if given[:1] == (count,) and made[:1] != (count,):
            return False
    for each in way.through({"divide", "multiply"}):
        if way.position[each] == 0:
            other = way.ran(each).inputs[1]
            factor = way.measures.of(other)
            if way.measures.count[other] == 1 and factor.greatest in {count, 1.0 / count}:
                return False
    return True


def _grows(case: Case, way: Way, step: int, count: int) -> Finding:
    event = way.event[step]
    span, text, line = spot(case, event, way.ops[step])
    return Finding(
        code="UNNORMALISED_SUM",
        title=say("The gradient grows with the batch"),
        message=paragraph(
            say(
                "`{text}` in line {line} adds up {count} examples, and each of them adds its part "
                "to the gradient for `{source}`.",
                text=text,
                line=line,
                count=count,
                source=name_of(case, case.source),
            ),
            say("With twice as many examples it is twice as large; a mean would keep its size."),
        ),
        where=case.codes.where(span),
        fix=_mean(case, span),
        evidence=(event,),
        steps=(Step(line, say("{count} examples were added up", count=count)),),
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
    made = [call, call.func, *_given_to(code, call.func)]
    for each in (node for node in made if isinstance(node, ast.Call)):
        for keyword in each.keywords:
            if (keyword.arg, ast.unparse(keyword.value)) == ("reduction", "'sum'"):
                return edits.fix(code, [edits.without_argument(code, each, keyword)])
    return None


def _given_to(code: Code, name: ast.expr) -> list[ast.expr]:
    """What lines of the code give a name."""
    lines = (each for each in code.statements() if isinstance(each, ast.Assign))
    return [each.value for each in lines if ast.unparse(each.targets[0]) == ast.unparse(name)]
