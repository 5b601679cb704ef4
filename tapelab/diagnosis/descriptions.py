"""Names, values, places and shared sentences for the texts of findings.

`name_of` says what the user calls a tensor, `spot` where an event happened and what is written
there, `written_call` and `argument` which expressions made the gradient call. `consequence` is the
sentence on what a cut means for the gradient. Templates are marked by `say`, `say_many` and
`sentence`, so that `tools/words.py` finds them for the catalogues.
"""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis.source_code import Code, Scope
from tapelab.locales import paragraph, say, say_many, sentence, translated
from tapelab.recording import events as e
from tapelab.views.number_format import MINUS, format_brief, format_shape

if TYPE_CHECKING:
    from tapelab.diagnosis.backward_pass import BackwardSteps
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge


GRADIENT_METHODS: Final = (".gradient", ".jacobian", ".batch_jacobian")
"""How the calls end that ask a tape."""

TRAINING_METHODS: Final = (".fit", ".train_on_batch")
"""How the calls end that run ops and ask a tape inside the library."""

ROOM: Final = 32
"""How many characters a number, or an expression without a name, may take in a sentence."""


class Written(NamedTuple):
    """An expression in the learner's code."""

    code: Code
    node: ast.expr

    @property
    def text(self) -> str:
        """The expression as it is written."""
        return self.code.text(self.node)


def name_of(case: Case, tensor: int) -> str:
    """What the learner calls a tensor: its name, or the expression that stands for it."""
    facts = case.recording.tensor(tensor)
    if facts.named and facts.name != "Variable":
        return facts.name
    if tensor in case.targets and is_training_call(case, facts.span):
        return "loss"
    request = argument(case, tensor)
    if request and len(request.text) <= ROOM:
        return request.text
    if facts.variable >= 0:
        return _made_as(case, facts.span) or say("the variable")
    return shortened(facts.name) or say("the tensor")


def _made_as(case: Case, span: int) -> str:
    """What the line that makes a variable assigns it to, such as `self.weight`, or what it says."""
    statement, call = case.codes.statement(span), case.codes.expression(span)
    if isinstance(statement, ast.Assign) and statement.value is call:
        return shortened(ast.unparse(statement.targets[0]))
    return text_of(case, span)


class Spot(NamedTuple):
    """Where something happened in the learner's code, and what is written there."""

    span: int
    text: str
    line: int


def spot(case: Case, event: int, otherwise: str = "") -> Spot:
    """Where an event happened; its text is what to say `otherwise` where none is known."""
    span = case.recording.event_spans[event]
    return Spot(span, text_at(case, event, otherwise), case.codes.line(span))


def text_of(case: Case, span: int) -> str:
    """What is written at a place, in one line of bearable length; empty where it is not known."""
    return shortened(case.codes.text(span))


def text_at(case: Case, event: int, otherwise: str = "") -> str:
    """What is written where an event happened; of an op that `fit` ran, the name of the op."""
    span = case.recording.event_spans[event]
    ran = case.recording.event(event)
    if isinstance(ran, e.Ran) and is_training_call(case, span):
        return case.recording.ops[ran.op].name
    return text_of(case, span) or otherwise


def is_training_call(case: Case, span: int) -> bool:
    """Whether a place is a call such as `model.fit(x, y)`, whose ops run in the library."""
    call = case.codes.expression(span)
    return isinstance(call, ast.Call) and ast.unparse(call.func).endswith(TRAINING_METHODS)


def shortened(text: str) -> str:
    """An expression in one line of bearable length."""
    line = " ".join(text.split())
    return line if len(line) <= ROOM else f"{line[: ROOM - 1]}…"


def number(case: Case, tensor: int) -> str:
    """The value of a tensor, printed like everywhere else."""
    return format_brief(case.recording.tensor(tensor), ROOM)


def argument(case: Case, tensor: int) -> Written | None:
    """The argument with which the learner asked for a target or a source."""
    places = case.recording.placed(e.Asked)
    request = [(each.event, each.span) for each in places if isinstance(each.event, e.Asked)]
    for event, span in sorted(request, key=lambda pair: pair[0].method == e.Method.PICTURE):
        call, code = case.codes.expression(span), case.codes.of(span)
        if code and isinstance(call, ast.Call) and not is_training_call(case, span):
            node = _argument(case, event, call, tensor)
            if node is not None:
                return Written(code, node)
    return None


def written_call(case: Case) -> Written | None:
    """The call with which the learner asked the tape, where it is known."""
    if case.request is None:
        return None
    code, call = (
        case.codes.of(case.request.span),
        case.codes.expression(case.request.span),
    )
    if code is None or not isinstance(call, ast.Call):
        return None
    return Written(code, call) if ast.unparse(call.func).endswith(GRADIENT_METHODS) else None


def _argument(case: Case, request: e.Asked, call: ast.Call, tensor: int) -> ast.expr | None:
    """The argument of `tape.gradient(target, source)` or `explain(tape, target, source)`."""
    shift = int(isinstance(call.func, ast.Name) or getattr(call.func, "attr", "") == "explain")
    ends = (
        (request.targets, shift, {"target"}),
        (request.sources, shift + 1, {"sources", "source"}),
    )
    for tensors, position, keywords in ends:
        at = next((i for i, each in enumerate(tensors) if _same(case, each, tensor)), None)
        if at is None:
            continue
        given = call.args[position : position + 1]
        given += [each.value for each in call.keywords if each.arg in keywords]
        if given and isinstance(given[0], (ast.List, ast.Tuple)):
            given = given[0].elts[at : at + 1]
        elif len(tensors) > 1:
            continue
        if given and not isinstance(given[0], ast.Starred):
            return given[0]
    return None


def _same(case: Case, one: int, other: int) -> bool:
    variable = case.flow.variable_of(one)
    return one == other or (variable >= 0 and variable == case.flow.variable_of(other))


def operand(case: Case, edge: Edge) -> Written | None:
    """The expression that an op took as its input, where the code shows which one it is."""
    span = case.recording.located[edge.event].span
    node, code = case.codes.expression(span), case.codes.of(span)
    expression: ast.expr | None = None
    match node:
        case ast.BinOp(left=left, right=right):
            expression = (left, right)[edge.position] if edge.position < 2 else None
        case ast.UnaryOp(operand=only) | ast.Subscript(value=only):
            expression = only
        case ast.Call(args=args) if edge.position < len(args):
            expression = args[edge.position]
    return Written(code, expression) if code and expression is not None else None


def visible(code: Code, scope: Scope, name: str) -> bool:
    """Whether the first part of a dotted name occurs in a function or in the module."""
    root = name.split(".", 1)[0].split("[", 1)[0]
    nodes = list(ast.walk(scope))
    loaded = any(isinstance(node, ast.Name) and node.id == root for node in nodes)
    return loaded or any(isinstance(node, ast.arg) and node.arg == root for node in nodes)


__all__ = ["ENDS_AT", "consequence", "paragraph", "say", "say_many", "sentence", "translated"]

ENDS_AT: Final = sentence("The path ends at `{text}`")


def consequence(case: Case, *, is_known: bool = False) -> str:
    """What a cut means for the gradient: there is none, or only part of it.

    `is_known` if the value of the missing part was reported already. Otherwise it is unknown: ops
    off the tape leave values, but no gradient rules.
    """
    unknown = say("The value of the missing part was not recorded.")
    return (
        _consequence(case)
        if is_known or not case.connected
        else paragraph(_consequence(case), unknown)
    )


def _consequence(case: Case) -> str:
    target, source = name_of(case, case.target), name_of(case, case.source)
    if not case.connected:
        return say("So no path leads from `{target}` to `{source}`.", target=target, source=source)
    uses, alive = case.uses()
    if alive >= uses:
        return say(
            "Other paths lead from `{source}` to `{target}` on the tape, so this gradient is "
            "incomplete.",
            source=source,
            target=target,
        )
    return say_many(
        "{count} of {uses} uses of `{source}` leads to `{target}` on the tape, so this gradient "
        "is incomplete.",
        "{count} of {uses} uses of `{source}` lead to `{target}` on the tape, so this gradient is "
        "incomplete.",
        alive,
        uses=uses,
        source=source,
        target=target,
    )


def format_value(value: float) -> str:
    """`0`, `1000`, `−0.25`, `3.4e38`, `∞`, `NaN`."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    mantissa, _, exponent = f"{value:.4g}".partition("e")
    return (f"{mantissa}e{int(exponent)}" if exponent else mantissa).replace("-", MINUS)


def value_range(backward: BackwardSteps, tensor: int) -> str:
    """The one number of a tensor, or from where to where its numbers go; else its shape."""
    if not backward.measures.known[tensor]:
        return format_shape(backward.recording.tensor(tensor).shape)
    measure = backward.measures.of(tensor)
    least, greatest = format_value(measure.least), format_value(measure.greatest)
    return least if least == greatest else say("{least} to {most}", least=least, most=greatest)
