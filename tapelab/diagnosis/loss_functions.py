"""Findings about losses: swapped arguments, probabilities in place of logits and vice versa."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.descriptions import name_of, say, value_range
from tapelab.diagnosis.finding import Finding
from tapelab.diagnosis.site import site_of
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code


WITH_LABELS: Final = {"softmax_cross_entropy", "sigmoid_cross_entropy"}
"""Ops whose first input are labels that may have a gradient."""

LABELS_FIRST: Final = {
    *("categorical_crossentropy", "binary_crossentropy", "kl_divergence"),
    *("categorical_focal_crossentropy", "binary_focal_crossentropy"),
}
"""Losses of Keras in which it matters which argument comes first."""


@finding(
    "SWAPPED_LOSS_ARGUMENTS",
    rank=Rank.MISLEADING,
    lesson="16",
    what="A loss got predictions where it expects labels.",
    instead="`loss(labels, predictions)`",
    example=Example(
        "P67",
        """
        labels = tf.constant([[0.0, 1.0]])
        x = tf.Variable([[0.3, 0.7]])
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x)
            y = «tf.keras.losses.categorical_crossentropy(p, labels)»
        """,
        fix="y = tf.keras.losses.categorical_crossentropy(labels, p)",
        symptom="value",
        near_miss="""
        x = tf.Variable([[0.3, 0.7]])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.keras.losses.mean_squared_error(x, tf.ones((1, 2))))
        """,
    ),
)
def swapped_loss(case: Case) -> Iterator[Finding]:
    """A cross-entropy whose labels come from the source, and whose predictions do not."""
    backward = case.backward
    if backward is None or not len(backward):
        return
    inside = any(group.name in LABELS_FIRST for group in case.recording.groups)
    for step in backward.through({"multiply", *WITH_LABELS} if inside else WITH_LABELS):
        if backward.position[step] == 0 and _gets_labels(case, backward, step):
            yield _swapped(case, backward, step)
            return


def _gets_labels(case: Case, backward: BackwardSteps, step: int) -> bool:
    """Whether a step leads to the labels of a loss and none leads to its predictions."""
    if len(backward.out_of[backward.made[step]]) > 1:
        return False
    if backward.ops[step] in WITH_LABELS:
        return True
    ran = backward.ran(step)
    if backward.ops[step] != "multiply" or group_of(case, ran) not in LABELS_FIRST:
        return False
    other = case.producer(ran.inputs[1])
    return other is not None and case.recording.ops[other.op].name == "log"


def _swapped(case: Case, backward: BackwardSteps, step: int) -> Finding:
    event = backward.event[step]
    site = site_of(case, event, backward.ops[step])
    return site.finding(
        "SWAPPED_LOSS_ARGUMENTS",
        site.say("The arguments of `{text}` look swapped"),
        site.say(
            "The loss in line {line} takes the labels first and the predictions second. Here "
            "the gradient flows into the first argument only."
        ),
        site.say(
            "So `{source}` is used as labels, and the loss takes the logarithm of the labels."
        ),
        fix=_exchanged(case, site.span),
        steps=(site.step("the labels got the gradient"),),
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


TAKES_LOGITS: Final = {
    "softmax_cross_entropy": (1, "softmax"),
    "sparse_softmax_cross_entropy": (1, "softmax"),
    "sigmoid_cross_entropy": (1, "sigmoid"),
    "softmax": (0, "softmax"),
    "log_softmax": (0, "softmax"),
}
"""Ops that turn scores into probabilities: which input has the scores, and what they apply."""

CARRYING: Final = {"reshape", "cast", "identity", "squeeze", "expand_dims"}
"""Ops that return their values unchanged."""

TAKES_PROBABILITIES: Final = {
    "categorical_crossentropy": "divide",
    "sparse_categorical_crossentropy": "clip_by_value",
    "binary_crossentropy": "clip_by_value",
}
"""Losses that expect probabilities, and the op in them that meets what was predicted first."""


@finding(
    "DOUBLE_SOFTMAX",
    rank=Rank.MISLEADING,
    lesson="13",
    what="A softmax is applied twice, or never.",
    instead="One softmax, or `from_logits=True`",
    example=Example(
        "P66",
        """
        labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        x = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape:
            p = «tf.nn.softmax(x)»
            y = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, p))
        """,
        fix="p = x",
        symptom="value",
        near_miss="""
        labels = tf.constant([[1.0, 0.0]])
        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x)
            y = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(labels, p))
        """,
    ),
)
def double_softmax(case: Case) -> Iterator[Finding]:
    """Probabilities where scores belong, or scores where probabilities belong."""
    backward = case.backward
    if backward is None or not len(backward):
        return
    inside = any(group.name in TAKES_PROBABILITIES for group in case.recording.groups)
    for step in backward.through(
        {*TAKES_LOGITS, *(TAKES_PROBABILITIES.values() if inside else ())}
    ):
        at, applied = TAKES_LOGITS.get(backward.ops[step], (-1, ""))
        if backward.position[step] == at:
            first = _applied_before(case, backward.tensor[step], applied)
            if first >= 0:
                yield _twice(case, backward, step, first, applied)
                return
        if _is_unsquashed(case, backward, step):
            yield _never(case, backward, step)
            return


def _applied_before(case: Case, tensor: int, applied: str) -> int:
    """The event that made a tensor, if it is of that op; ops that only carry are looked through."""
    while True:
        event = case.flow.maker_of.get(tensor, -1)
        ran, op = case.op_run(event), case.op_name(event)
        if op == applied:
            return event
        if ran is None or op not in CARRYING:
            return -1
        tensor = ran.inputs[0]


def _twice(case: Case, backward: BackwardSteps, step: int, first: int, applied: str) -> Finding:
    event = backward.event[step]
    site, loss = site_of(case, first, applied), site_of(case, event, backward.ops[step])
    return site.finding(
        "DOUBLE_SOFTMAX",
        say("{applied} is applied twice", applied=applied),
        site.say(
            "`{text}` in line {line} returns probabilities, {made}. `{loss}` expects logits "
            "and applies {applied} again.",
            made=value_range(backward, backward.tensor[step]),
            loss=loss.text,
            applied=applied,
        ),
        site.say(
            "Logits between 0 and 1 are almost equal, so the gradient for `{source}` is far "
            "too small."
        ),
        fix=_once(case, site.span, applied) or _no_logits(case, event),
        evidence=(first, event),
        steps=(
            site.step("{applied} once", applied=applied),
            loss.step("{applied} again", applied=applied),
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
    keywords = [each for each in call.keywords if each.arg == "from_logits"]
    return edits.fix(code, [edits.without_argument(code, call, each) for each in keywords])


def _is_unsquashed(case: Case, backward: BackwardSteps, step: int) -> bool:
    """Whether a loss that expects probabilities meets numbers that are none."""
    if backward.position[step]:
        return False
    group = group_of(case, backward.ran(step))
    if TAKES_PROBABILITIES.get(group) != backward.ops[step]:
        return False
    if group_of(case, case.producer(backward.tensor[step])) == group:
        return False
    measure = backward.measures.of(backward.tensor[step])
    return measure.least < 0 or measure.greatest > 1


def group_of(case: Case, ran: e.Ran | None) -> str:
    """The innermost composite that an op is a part of; empty for none."""
    group = -1 if ran is None else case.recording.composite_of(ran)
    return case.recording.groups[group].name if group >= 0 else ""


def _never(case: Case, backward: BackwardSteps, step: int) -> Finding:
    name = name_of(case, backward.tensor[step])
    site = site_of(case, backward.event[step], name=name)
    return site.finding(
        "DOUBLE_SOFTMAX",
        site.say("`{text}` expects probabilities"),
        site.say(
            "`{text}` in line {line} got `{name}`, {values}. These are logits, not numbers "
            "between 0 and 1.",
            values=value_range(backward, backward.tensor[step]),
        ),
        say("With `from_logits=True` it turns logits into probabilities."),
        fix=_from_logits(case, site.span),
        steps=(site.step("`{name}` was used as probabilities"),),
    )


def _from_logits(case: Case, span: int) -> Fix | None:
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    if ast.unparse(call.func).rpartition(".")[2] not in TAKES_PROBABILITIES:
        constructor = _made_by(code, call)
        return (
            edits.fix(code, [edits.with_argument(code, constructor, "from_logits=True")])
            if constructor
            else None
        )
    return edits.fix(code, [edits.with_argument(code, call, "from_logits=True")])


def _made_by(code: Code, call: ast.Call) -> ast.Call | None:
    """The call that made the loss that is called by its name, if there is one of its kind."""
    kinds = {name.replace("_", "") for name in TAKES_PROBABILITIES}
    for statement in code.statements():
        match statement, call.func:
            case (
                ast.Assign(targets=[ast.Name(id=given)], value=ast.Call() as constructor),
                ast.Name(id=called),
            ) if given == called:
                if ast.unparse(constructor.func).rpartition(".")[2].lower() in kinds:
                    return constructor
    return None
