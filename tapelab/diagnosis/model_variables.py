"""Findings about variables of a model: frozen ones that a tape watches, and unlisted ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding
from tapelab.diagnosis.descriptions import argument, name_of, say, say_many
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.site import site_at, site_of
from tapelab.diagnosis.tape_block import line_of
from tapelab.diagnosis.unwatched_source import uses_in_block
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code


KERAS: Final = ("Layer", "Model")
"""How the classes of Keras are called that find only their own weights."""


@finding(
    "FROZEN_BUT_WATCHED",
    rank=Rank.WASTEFUL,
    lesson="16",
    what="The tape records frozen weights.",
    instead="`model.trainable_variables`",
    example=Example(
        "P07",
        """
        data = tf.ones((2, 3))
        layer = tf.keras.layers.Dense(1)
        layer(data)
        layer.trainable = False
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(«layer(data)»)
        g = tape.gradient(y, layer.kernel.value)
        """,
        fix="g = tape.gradient(y, layer.trainable_variables)",
        symptom="silent",
        cured="nothing",
        ask="tf.why()",
        near_miss="""
        data = tf.ones((2, 3))
        layer = tf.keras.layers.Dense(1)
        layer(data)
        with tf.GradientTape() as tape: y = tf.reduce_sum(layer(data))
        x = layer.kernel
        """,
    ),
)
def frozen_but_watched(case: Case) -> Iterator[Finding]:
    """A weight of a layer with `trainable=False`, which the tape records all the same."""
    variables = case.recording.variables
    if case.variable < 0 or not variables[case.variable].frozen or not case.connected:
        return
    name, used = name_of(case, case.source), uses_in_block(case)
    site = site_of(case, used[0]) if used else site_at(case, variables[case.variable].span)
    yield site.finding(
        "FROZEN_BUT_WATCHED",
        site.say("`{name}` is frozen, but `{tape}` watches it", name=name),
        say(
            "`trainable=False` on a layer removes `{name}` from `trainable_variables`. The "
            "variable behind it stays trainable, so a tape watches it and returns a gradient. "
            "To apply it would change a frozen layer.",
            name=name,
        ),
        _work(case),
        fix=_of_the_trained(case),
        evidence=tuple(used),
        steps=tuple(
            Step(line_of(case, event), say("`{name}` was recorded", name=name))
            for event in used[:3]
        ),
    )


def _work(case: Case) -> str:
    """How many ops are on the tape for frozen variables alone."""
    ops = _for_the_frozen(case)
    if not ops:
        return ""
    return say_many(
        "{count} op was recorded only for frozen weights.",
        "{count} ops were recorded only for frozen weights.",
        ops,
    )


def _for_the_frozen(case: Case) -> int:
    variables, tracked = case.recording.variables, case.flow.tracked
    frozen = {
        tensor
        for tensor in case.flow.watched_at
        if (v := case.flow.variable_of(tensor)) >= 0 and variables[v].frozen
    }
    ops = 0
    for place in case.recording.placed(e.Ran):
        event = place.event
        if isinstance(event, e.Ran) and event.cause == e.Cause.TAPED:
            followed = tracked.intersection(event.inputs)
            if followed and followed <= frozen:
                ops += 1
                frozen.update(event.outputs)
    return ops


def _of_the_trained(case: Case) -> Fix | None:
    """The question for `layer.trainable_variables` in place of `layer.kernel`."""
    request = argument(case, case.source)
    node = request.node if request else None
    if isinstance(node, ast.Attribute) and node.attr == "value":
        node = node.value
    if request is None or not isinstance(node, ast.Attribute):
        return None
    layer = request.code.text(node.value)
    change = edits.replaced(request.code, request.node, f"{layer}.trainable_variables")
    return edits.fix(request.code, [change])


@finding(
    "UNTRACKED_VARIABLE",
    rank=Rank.MISSING,
    lesson="06",
    what="A model does not list a variable that it uses.",
    instead="An attribute of a module, or `add_weight`",
    example=Example(
        "P13",
        """
        class Scale:
            def __init__(self):
                self.factor = «tf.Variable(2.0, name="hidden")»

        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.scale = Scale()
                self.weights = [tf.Variable(3.0, name="seen")]

            def __call__(self, data):
                return self.scale.factor * self.weights[0] * data

        model = Model()
        with tf.GradientTape() as tape:
            y = model(5.0)
        g = tape.gradient(y, model.trainable_variables)
        """,
        fix="class Scale(tf.Module):",
        symptom="silent",
        ask="tf.why()",
        near_miss="""
        data = tf.ones((2, 3))
        one, other = tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)
        with tf.GradientTape() as tape: y = tf.reduce_sum(other(one(data)) ** 2)
        g = tape.gradient(y, one.trainable_variables)[0]
        x = one.kernel
        """,
    ),
)
def untracked(case: Case) -> Iterator[Finding]:
    """A variable made in a class and used on the tape that no module lists, beside one it lists."""
    variables = case.recording.variables
    if case.variable < 0:
        return
    if not variables[case.variable].tracked:
        if case.connected and _is_only_explained(case):
            yield _hidden(case, case.variable, case.source)
        return
    yield from hidden_variables(case)


def hidden_variables(case: Case) -> Iterator[Finding]:
    """The variables that lead to the target, and that no module lists."""
    for number, facts in enumerate(case.recording.variables):
        if facts.tracked or not facts.trainable or _has_gradient_call(case, number):
            continue
        state = next((t for t in case.alive if case.flow.variable_of(t) == number), -1)
        if state in case.flow.tracked and _is_out_of_sight(case, facts.span):
            yield _hidden(case, number, state)


def _is_only_explained(case: Case) -> bool:
    """Whether the source is hidden beside others that are not, and no gradient was asked of it."""
    facts, request = case.recording.variables, case.request
    if request is None or not isinstance(request.event, e.Asked):
        return False
    beside = (case.flow.variable_of(tensor) for tensor in case.flow.watched_at)
    seen = any(each >= 0 and facts[each].tracked for each in beside)
    looked = request.event.method == e.Method.PICTURE
    return looked and seen and _is_out_of_sight(case, facts[case.variable].span)


def _has_gradient_call(case: Case, variable: int) -> bool:
    """Whether somebody asks the tape for a variable after all."""
    sources = (tensor for request in case.analysis.requests.values() for tensor in request.sources)
    return any(case.flow.variable_of(tensor) == variable for tensor in sources)


def _is_out_of_sight(case: Case, span: int) -> bool:
    """Whether a class makes a variable and puts it where no module finds it.

    An attribute of a `tf.Module`, or of a class of which no more is known, is found once somebody
    looks; one of a Keras layer is not, and neither is one of a plain object.
    """
    owner = _class_around(case, span)
    if owner is None:
        return False
    bases = [ast.unparse(base) for base in owner.bases]
    seldom = not bases or any(base.endswith(KERAS) for base in bases)
    return seldom or not _is_attribute(case.codes.statement(span))


def _class_around(case: Case, span: int) -> ast.ClassDef | None:
    """The class in whose method a variable is made."""
    code = case.codes.of(span)
    node: ast.AST | None = case.codes.statement(span)
    while code is not None and node is not None and not isinstance(node, ast.ClassDef):
        node = code.parent.get(node)
    return node if isinstance(node, ast.ClassDef) else None


def _is_attribute(statement: ast.stmt | None) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return any(isinstance(each, ast.Attribute) for each in targets)


def _hidden(case: Case, variable: int, state: int) -> Finding:
    span, name = case.recording.variables[variable].span, name_of(case, state)
    model = _model(case)
    site = site_at(case, span, "tf.Variable", name=name, model=model)
    return site.finding(
        "UNTRACKED_VARIABLE",
        site.say("`{name}` is hidden from `{model}`"),
        site.say(
            "`{tape}` watches `{name}`, but `{model}` does not list it. A module lists the "
            "variables in its attributes, in their lists and dicts, and in other modules. A Keras "
            "layer lists only its own weights. So `{name}` is never trained."
        ),
        fix=_tracked(case, span),
        evidence=case.made(state) or (case.flow.watched_at.get(state, 0),),
        steps=(site.step("`{text}` made it"),),
    )


def _model(case: Case) -> str:
    """What the learner asked for: `model.trainable_variables`."""
    place = case.request
    call = case.codes.expression(place.span) if place else None
    named = [node for node in ast.walk(call) if isinstance(node, ast.Attribute)] if call else []
    lists = [node for node in named if node.attr.endswith(("_variables", "_weights", "variables"))]
    return ast.unparse(lists[0]) if lists else "trainable_variables"


def _tracked(case: Case, span: int) -> Fix | None:
    """The line that makes the hidden thing one that is found: a module, or a Keras variable."""
    code, call = case.codes.of(span), case.codes.expression(span)
    node = _class_around(case, span)
    if code is None or node is None or not isinstance(call, ast.Call):
        return None
    tf, bases = edits.tf_alias(code), [ast.unparse(base) for base in node.bases]
    if not bases:
        return edits.fix(code, [_with_base(code, node, f"{tf}.Module")])
    if any(base.endswith(KERAS) for base in bases):
        return edits.fix(code, [edits.replaced(code, call.func, f"{tf}.keras.Variable")])
    return None


def _with_base(code: Code, node: ast.ClassDef, base: str) -> edits.Edit:
    """`class Bag:` as `class Bag(tf.Module):`."""
    at = code.extent(node)
    line = code.line(at.line)
    start = line.index(node.name, at.column) + len(node.name)
    end = line.index(":", start)
    return edits.Edit(at._replace(column=start, end_line=at.line, end_column=end), f"({base})")
