"""Findings about values that leave the tape for NumPy or Python, and their rewriting in tf."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, at_cut, at_source, check, finding
from tapelab.diagnosis.descriptions import ENDS_AT, consequence, name_of, number, say
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.host_roundtrips import Trail
from tapelab.diagnosis.site import site_of
from tapelab.diagnosis.tape_block import line_of
from tapelab.recording import events as e
from tapelab.recording.facts import STRAY

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.edits import Edit
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code
    from tapelab.recording.events import Located


SAME_NAMES: Final = (
    *("abs", "sqrt", "square", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos"),
    *("atan", "asinh", "acosh", "atanh", "sign", "maximum", "minimum", "where", "matmul", "pow"),
    *("transpose", "reshape", "stack", "add", "subtract", "multiply", "divide", "negative"),
    *("squeeze", "expand_dims", "tile", "cumsum"),
)
TF_NAMES: Final = dict.fromkeys(SAME_NAMES, "") | {
    "mean": "reduce_mean", "average": "reduce_mean", "sum": "reduce_sum", "prod": "reduce_prod",
    "max": "reduce_max", "amax": "reduce_max", "min": "reduce_min", "amin": "reduce_min",
    "std": "math.reduce_std", "var": "math.reduce_variance", "log": "math.log",
    "log1p": "math.log1p", "expm1": "math.expm1", "power": "pow", "fabs": "abs", "absolute": "abs",
    "clip": "clip_by_value", "linalg.norm": "norm", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
}  # fmt: skip
"""What the functions of NumPy and `math` are called in tf; empty where the name is the same."""

REDUCTIONS: Final = {"mean", "sum", "prod", "max", "min", "std", "var"}
EXITS: Final = {"numpy", "item", "tolist", "to_list", "copy", "astype"}
COPIES: Final = {"float", "array", "asarray", "asanyarray", "float32", "float64"}
PREDICTIONS: Final = {"predict", "predict_on_batch"}
WRAPPERS: Final = {"constant", "convert_to_tensor", "Variable"}


def stay_on_the_tape(case: Case, exits: Sequence[int], back_span: int) -> Fix | None:
    """The lines from some exits to the return, with tf functions in place of NumPy's."""
    code, statement = case.codes.of(exits[0]), case.codes.statement(exits[0])
    lefts = [case.codes.extent(span) for span in exits if case.codes.of(span) is code]
    if code is None or statement is None:
        return None
    words = Rewording(code, Trail(code, *filter(None, lefts)))
    changes = words.edits(statement)
    if case.codes.of(back_span) is code and changes:
        last = case.codes.line(back_span)
        between = (s for s in code.statements() if statement.lineno < s.lineno <= last)
        for each in between:
            if isinstance(each, (ast.Assign, ast.AugAssign, ast.Return)):
                changes += words.edits(each)
    return edits.fix(code, changes)


class Rewording:
    """Expressions along a trail, said without leaving the tape."""

    def __init__(self, code: Code, trail: Trail) -> None:
        self.code = code
        self.trail = trail
        self.tf = edits.tf_alias(code)

    def edits(self, node: ast.AST) -> list[Edit]:
        """The calls to replace in a statement or an expression."""
        if isinstance(node, ast.Call) and self.trail.touches(node) and (new := self._said(node)):
            return [edits.replaced(self.code, node, edits.bracketed(self.code, node, new))]
        return [edit for child in ast.iter_child_nodes(node) for edit in self.edits(child)]

    def _text(self, node: ast.expr) -> str:
        return edits.rewritten(self.code, self.code.extent(node), self.edits(node))

    def _said(self, call: ast.Call) -> str:
        """What to write for a call; empty where it can stay or has no other name."""
        is_method = (
            isinstance(call.func, ast.Attribute)
            and call.func.attr not in PREDICTIONS
            and (self.trail.touches(call.func.value) or call.func.attr in {"numpy", "to_list"})
        )
        if is_method:
            assert isinstance(call.func, ast.Attribute)
            return self._method(call, call.func)
        module, _, name = ast.unparse(call.func).rpartition(".")
        root, _, inner = module.partition(".")
        one = len(call.args) == 1 and all(each.arg in {"dtype", "name"} for each in call.keywords)
        if one and name in COPIES | WRAPPERS and root in {"", "np", "numpy", self.tf}:
            given = self._text(call.args[0])
            return f"{self.tf}.stack({given})" if isinstance(call.args[0], ast.List) else given
        if name in PREDICTIONS and call.args:
            return f"{module}({self._text(call.args[0])}, training=True)"
        if root in {"np", "numpy", "math"}:
            return self._function(call, f"{inner}.{name}" if inner else name, [])
        return ""

    def _method(self, call: ast.Call, method: ast.Attribute) -> str:
        if method.attr in EXITS:
            return self._text(method.value)
        if method.attr in REDUCTIONS:
            return self._function(call, method.attr, [self._text(method.value)])
        return ""

    def _function(self, call: ast.Call, name: str, first: list[str]) -> str:
        if name not in TF_NAMES:
            return ""
        given = first + [self._text(each) for each in call.args]
        given += [f"{each.arg}={self._text(each.value)}" for each in call.keywords]
        return f"{self.tf}.{TF_NAMES[name] or name}({', '.join(given)})"


@finding(
    "LEFT_ENGINE",
    rank=Rank.MISSING,
    lesson="06",
    what="The value went through NumPy or Python.",
    instead="The same function from `tf`",
    example=Example(
        "P15",
        """
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape: y = tf.exp(tf.constant(«(x + 1.0).numpy()») * 2.0)
        """,
        fix="with tf.GradientTape() as tape: y = tf.exp((x + 1.0) * 2.0)",
        near_miss="""
        x = tf.Variable(2.0)
        seen = []
        with tf.GradientTape() as tape:
            h = x * x
            seen.append(h.numpy())
            kept = float(h)
            y = h + 1.0
        """,
    ),
)
@at_cut(Cut.LEFT)
def left(case: Case, edge: Edge) -> Finding:
    """An exit by `.numpy()`, `float()`, a function of NumPy or one of `math`."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Left)
    name, value = name_of(case, edge.origin), number(case, edge.to)
    back = case.recording.located[_came_back(case, edge)]
    site = site_of(case, place.index, case.recording.strings[place.event.how])
    return site.finding(
        "LEFT_ENGINE",
        site.say(ENDS_AT),
        _how(case, edge, name),
        _plain_numbers(case, edge.to),
        consequence(case),
        fix=stay_on_the_tape(case, [place.span, *_others(case, edge)], back.span),
        evidence=_evidence(case, edge),
        steps=_roundtrip_steps(case, edge, name, value),
    )


@at_source(70)
def no_tensor(case: Case) -> Finding | None:
    """A target that is a number of NumPy or Python, and came from nowhere that is known."""
    event = case.flow.maker_of.get(case.target, -1)
    maker = case.recording.event(event) if event >= 0 else None
    stray = isinstance(maker, e.Made) and case.recording.strings[maker.how] == STRAY
    if not stray or case.path:
        return None
    site = site_of(case, event)
    return site.finding(
        "LEFT_ENGINE",
        site.say("`{target}` is not a tensor"),
        site.say(
            "`{target}` is a plain number of NumPy or Python, {value}. It has no history, so it "
            "has no gradient. Compute it with tf ops.",
            value=number(case, case.target),
        ),
    )


def _how(case: Case, edge: Edge, name: str) -> str:
    """By which way the value left."""
    call = case.codes.expression(case.recording.located[edge.event].span)
    function = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
    if function.rpartition(".")[2] in PREDICTIONS:
        return say(
            "`{function}` runs a loop of its own, off the tape, and returns NumPy arrays.",
            function=function,
        )
    who = _who(case, edge)
    return say("{function} took the value of `{name}` off the tape.", function=who, name=name)


def _others(case: Case, edge: Edge) -> list[int]:
    """The spans of the other exits from which the same constant was computed."""
    back = case.flow.into.get(edge.to, ())
    events = (each.event for each in back if each.cut is Cut.LEFT and each.event != edge.event)
    return [case.recording.located[event].span for event in events]


def _plain_numbers(case: Case, tensor: int) -> str:
    """What came back: "It came back as a plain number, 4.6667."."""
    facts = case.recording.tensor(tensor)
    if facts.value is None:
        return say("It came back as plain numbers.")
    value = number(case, tensor)
    if facts.shape:
        return say("It came back as plain numbers, {value}.", value=value)
    return say("It came back as a plain number, {value}.", value=value)


def _who(case: Case, edge: Edge) -> str:
    """What the value left for."""
    left_by = case.recording.event(edge.event)
    assert isinstance(left_by, e.Left)
    how = case.recording.strings[left_by.how]
    call = case.codes.expression(case.recording.located[edge.event].span)
    if isinstance(call, ast.Call):
        function = ast.unparse(call.func)
        return "`.numpy()`" if function.endswith(".numpy") else f"`{function}`"
    return "NumPy" if how == "__array__" else f"`{how}`"


def _came_back(case: Case, edge: Edge) -> int:
    """The event that shows the constant for the first time."""
    for place in case.recording.located[edge.event :]:
        match place.event:
            case e.Made(tensor=tensor) | e.Returned(tensor=tensor) if tensor == edge.to:
                return place.index
            case e.Ran(inputs=inputs) if edge.to in inputs:
                return place.index
    return edge.event


def _evidence(case: Case, edge: Edge) -> tuple[int, ...]:
    return (*case.made(edge.origin), edge.event, _came_back(case, edge))


def _roundtrip_steps(case: Case, edge: Edge, name: str, value: str) -> tuple[Step, ...]:
    recorded = case.made(edge.origin) if edge.origin in case.flow.tracked else ()
    kept = say("`{name}` was recorded", name=name)
    gone = say("`{name}` left the tape through {function}", name=name, function=_who(case, edge))
    back = say("{value} came back as a constant", value=value)
    return (
        *(Step(line_of(case, event), kept) for event in recorded),
        Step(line_of(case, edge.event), gone),
        Step(line_of(case, _came_back(case, edge)), back),
    )


LONGEST: Final = 1000
"""A value that left is looked for in a function of at most so many events."""

MODULES: Final = {"np", "numpy", "math"}


@check
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
    site = site_of(case, place.index, "NumPy")
    return site.finding(
        "LEFT_ENGINE",
        site.say("`{text}` leaves the tape inside `tf.py_function`"),
        site.say(
            "`tf.py_function` differentiates the tf ops in its function. `{text}` passes the "
            "value to NumPy, so the gradient of this step is 0."
        ),
        fix=called_directly(case, step.span),
        evidence=(place.index, step.index),
        steps=(site.step("`{text}` left the tape"),),
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
    body = _function_body(code, function)
    words = _reworded(code, body) if body is not None else None
    if words is None:
        return None
    name = code.text(function) if isinstance(function, ast.Name) else f"({code.text(function)})"
    arguments = ", ".join(code.text(each) for each in given.elts)
    inside = isinstance(function, ast.Lambda)
    if inside and words:
        return None
    return edits.fix(code, [edits.replaced(code, call, f"{name}({arguments})"), *words])


def _function_body(code: Code, function: ast.Name | ast.Lambda) -> ast.AST | None:
    if isinstance(function, ast.Lambda):
        return function
    functions = (node for node in ast.walk(code.tree) if isinstance(node, ast.FunctionDef))
    return next((node for node in functions if node.name == function.id), None)


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
