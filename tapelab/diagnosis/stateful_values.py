"""Findings about values that go through state: assignments, metrics, copies, queues, Datasets."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, at_cut, finding
from tapelab.diagnosis.descriptions import (
    ENDS_AT,
    consequence,
    name_of,
    number,
    say,
    sentence,
    shortened,
    translated,
)
from tapelab.diagnosis.edges import Cut
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.site import Site, site_of
from tapelab.diagnosis.tape_block import line_of
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code, Extent


REDUCTIONS: Final = {"Mean": "reduce_mean", "Sum": "reduce_sum"}
"""Metrics of values, and what computes the same from one batch on the tape."""

LOSSES: Final = {
    *("MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError"),
    *("MeanSquaredLogarithmicError", "BinaryCrossentropy", "CategoricalCrossentropy"),
    *("SparseCategoricalCrossentropy", "KLDivergence", "Poisson", "Hinge", "SquaredHinge"),
    *("CategoricalHinge", "LogCosh", "CosineSimilarity"),
}
"""Metrics that there are as losses, too."""


def is_metric(code: Code, call: ast.Call) -> bool:
    """Whether a call is `metric.update_state(…)`, or `metric(…)` of a metric made in this code."""
    return bool(_metric_of(code, call))


def as_loss(case: Case, span: int) -> Fix | None:
    """The loss computed from the values that the metric was given."""
    code, call = case.codes.of(span), case.codes.expression(span)
    if code is None or not isinstance(call, ast.Call):
        return None
    loss = _loss(code, call, _metric_of(code, call))
    if not loss:
        return None
    if not _is_update(call):
        return edits.fix(code, [edits.replaced(code, call, edits.bracketed(code, call, loss))])
    result, statement = _result(code, call), code.parent.get(call)
    if result is None or not isinstance(statement, ast.Expr):
        return None
    text = edits.bracketed(code, result, loss)
    return edits.fix(code, [edits.removed(code, statement), edits.replaced(code, result, text)])


def _is_update(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "update_state"


def _name(call: ast.Call) -> str:
    """What the learner calls the metric."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    return ast.unparse(owner)


def _metric_of(code: Code, call: ast.Call) -> str:
    """The class of the metric that a call updates; empty where the code does not make it one."""
    for statement in code.statements():
        match statement:
            case ast.Assign(targets=[target], value=ast.Call(func=ast.Attribute() as metric)):
                if ast.unparse(target) == _name(call) and ".metrics." in ast.unparse(metric):
                    return metric.attr
    return ""


def _loss(code: Code, call: ast.Call, metric: str) -> str:
    """`tf.reduce_mean(values)`, `tf.keras.losses.MeanSquaredError()(labels, predictions)` …"""
    tf, given = edits.tf_alias(code), ", ".join(code.text(each) for each in call.args)
    if metric in REDUCTIONS and len(call.args) == 1 and not call.keywords:
        return f"{tf}.{REDUCTIONS[metric]}({given})"
    if metric in LOSSES and len(call.args) == 2 and not call.keywords:
        return f"{tf}.keras.losses.{metric}()({given})"
    return ""


def _result(code: Code, update: ast.Call) -> ast.Call | None:
    """The first `metric.result()` behind an update."""
    wanted = f"{_name(update)}.result"
    calls = [node for node in ast.walk(code.tree) if isinstance(node, ast.Call)]
    behind = [node for node in calls if code.extent(node)[:2] > code.extent(update)[:2]]
    return next((node for node in behind if ast.unparse(node.func) == wanted), None)


FUNCTIONAL: Final = {
    "assign": "{value}",
    "assign_add": "{name} + {value}",
    "assign_sub": "{name} - {value}",
}


@finding(
    "STATE_READ",
    rank=Rank.MISSING,
    lesson="06",
    what="The value went through an assignment, a queue, a `Dataset` or a metric.",
    instead="The value itself",
    example=Example(
        "P20",
        """
        x = tf.Variable(3.0)
        kept = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            «kept.assign(x * 2.0)»
            y = kept ** 2
        """,
        fix="""
        kept_new = x * 2.0
        y = kept_new ** 2
        """,
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            x.assign(3.0)
            y = x * x
        """,
    ),
)
@at_cut(Cut.STATE)
def state_read(case: Case, edge: Edge) -> Finding:
    """The target read a variable that had been assigned from the source's value."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Assigned)
    name, value = name_of(case, edge.to), number(case, edge.to)
    site = site_of(case, place.index, f"{name}.assign")
    return site.finding(
        "STATE_READ",
        site.say(ENDS_AT),
        _what_happened(case, place.span, name, value),
        consequence(case),
        fix=as_loss(case, place.span) or _functional(case, place.span),
        evidence=(edge.event,),
        steps=(
            Step(line_of(case, edge.event), site.say("`{text}` stored {value}", value=value)),
            *_read_again(case, edge, name),
        ),
    )


def _what_happened(case: Case, span: int, name: str, value: str) -> str:
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is not None and isinstance(call, ast.Call) and is_metric(code, call):
        return say(
            "A metric stores its state in variables that are not trained, such as `{name}`. Its "
            "result is read from them, so it has no history. Compute the loss itself.",
            name=name,
        )
    return say(
        "An assignment stores a value without its history. After it, `{name}` is read as {value}.",
        name=name,
        value=value,
    )


def _read_again(case: Case, edge: Edge, name: str) -> tuple[Step, ...]:
    reads = (after.event for after in case.flow.out_of.get(edge.to, ()))
    first = min(reads, default=-1)
    said = say("`{name}` was read without a history", name=name)
    return (Step(line_of(case, first), said),) if first >= 0 else ()


def _functional(case: Case, span: int) -> Fix | None:
    """The assignment as a new value under a name of its own, read from there on."""
    call, code = case.codes.expression(span), case.codes.of(span)
    statement = case.codes.statement(span)
    if code is None or not isinstance(call, ast.Call) or not isinstance(statement, ast.Expr):
        return None
    if statement.value is not call or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    variable, value = _new_value(code, call)
    if not value:
        return None
    name = ast.unparse(variable)
    if isinstance(variable, ast.Name) and _is_in_a_loop(code, statement):
        return edits.fix(code, [edits.replaced(code, statement, f"{name} = {value}")])
    new = f"{name.rsplit('.', 1)[-1]}_new"
    changes = [edits.replaced(code, statement, f"{new} = {value}")]
    later = _reads_after(code, statement, name)
    changes += [edits.replaced(code, node, new) for node in later]
    return edits.fix(code, changes) if later else None


def _is_in_a_loop(code: Code, statement: ast.stmt) -> bool:
    return isinstance(code.parent.get(statement), (ast.For, ast.While))


def _new_value(code: Code, call: ast.Call) -> tuple[ast.expr, str]:
    """The variable of `x.assign…(value)` or `x[i].assign(value)`, and its new value as tf code."""
    assert isinstance(call.func, ast.Attribute)
    variable, value = call.func.value, call.args[0]
    if isinstance(variable, ast.Subscript):
        if call.func.attr != "assign" or not _is_index(variable.slice):
            return variable, ""
        whole, index = code.text(variable.value), code.text(variable.slice)
        tf = edits.tf_alias(code)
        updated = f"{tf}.tensor_scatter_nd_update({whole}, [[{index}]], [{code.text(value)}])"
        return variable.value, updated
    if call.func.attr.startswith("scatter_nd_") and len(call.args) == 2 and not call.keywords:
        name = f"{edits.tf_alias(code)}.tensor_{call.func.attr}"
        given = ", ".join(code.text(each) for each in (variable, *call.args))
        return variable, f"{name}({given})"
    pattern = FUNCTIONAL.get(call.func.attr, "")
    given = code.text(value) if pattern == "{value}" else _term(code, value)
    return variable, pattern.format(name=code.text(variable), value=given)


def _is_index(node: ast.expr) -> bool:
    return not any(
        isinstance(each, (ast.Slice, ast.Constant)) and _is_no_int(each) for each in ast.walk(node)
    )


def _is_no_int(node: ast.AST) -> bool:
    return not (isinstance(node, ast.Constant) and isinstance(node.value, int))


def _term(code: Code, value: ast.expr) -> str:
    """A value for the right side of a plus or a minus."""
    text = code.text(value)
    sums = isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub))
    return f"({text})" if sums or isinstance(value, (ast.IfExp, ast.Compare)) else text


def _reads_after(code: Code, statement: ast.stmt, name: str) -> list[ast.expr]:
    """Where the variable is read behind a statement, in the block that the statement stands in."""
    block = code.parent.get(statement)
    nodes = ast.walk(block) if block else ()
    reads = [node for node in nodes if isinstance(node, ast.expr) and ast.unparse(node) == name]
    return [node for node in reads if code.extent(node)[:2] > code.extent(statement)[2:]]


BEGAN: Final = sentence("`{made}` began with a copy of `{name}`")


@finding(
    "COPIED_VALUE",
    rank=Rank.MISSING,
    lesson="06",
    what="A variable was created from a tensor, which copies its value only.",
    instead="The tensor itself, or `tf.stack`",
    example=Example(
        "P11",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = «tf.Variable(tf.exp(x))»
            y = h * h
        """,
        fix="h = tf.exp(x)",
        near_miss="""
        x = tf.Variable(2.0)
        target = tf.Variable(x)
        with tf.GradientTape() as tape: y = x * target
        """,
    ),
)
@at_cut(Cut.COPIED)
def copied(case: Case, edge: Edge) -> Finding:
    """A new variable began with the value of a tensor on the way."""
    site = site_of(case, edge.event, "tf.Variable")
    copy, name = name_of(case, edge.to), name_of(case, edge.origin)
    call = case.codes.expression(site.span)
    if name == copy and isinstance(call, ast.Call) and call.args:
        name = ast.unparse(call.args[0])
    return site.finding(
        "COPIED_VALUE",
        site.say(ENDS_AT),
        say(
            "A new variable copies the value of `{name}` without its history.",
            name=name,
        ),
        consequence(case),
        fix=_without_variable(case, site.span),
        steps=(site.step(BEGAN, made=copy, name=name),),
    )


def _without_variable(case: Case, span: int) -> Fix | None:
    """The line with the tensor itself in place of the variable."""
    call, code = case.codes.expression(span), case.codes.of(span)
    if code is None or not isinstance(call, ast.Call) or not call.args:
        return None
    given = code.text(call.args[0])
    if isinstance(call.args[0], (ast.List, ast.Tuple)):
        given = f"{edits.tf_alias(code)}.stack({given})"
    text = edits.bracketed(code, call, given)
    return edits.fix(code, [edits.replaced(code, call, text)])


PUT: Final = {"dequeue": "enqueue", "dequeue_many": "enqueue_many"}
"""How what a queue hands out was put into it."""


@at_cut(Cut.HANDED_OUT)
def handed_out(case: Case, edge: Edge) -> Finding:
    """What hands out numbers without a history: `queue.dequeue()`, the header of a loop, `next`."""
    place = case.recording.located[edge.event]
    assert isinstance(place.event, e.Ran)
    op = case.recording.ops[place.event.op]
    because = op.rules[min(edge.position, len(op.rules) - 1)].because
    code, extent = case.codes.of(place.span), _iterated(case, place.span)
    text = shortened(code.text(extent)) if code and extent else op.name
    name, value = name_of(case, edge.origin), number(case, edge.to)
    went = say("`{name}` went in, and {value} came out as a constant.", name=name, value=value)
    site = Site(case, place.span, text, edge.event, extent)
    return site.finding(
        "STATE_READ",
        site.say(ENDS_AT),
        translated(because),
        went,
        consequence(case),
        fix=_directly(case, place.span),
        steps=(site.step("`{text}` returned {value} as a constant", value=value),),
    )


def _iterated(case: Case, span: int) -> Extent | None:
    """Where it is handed out: of a loop, what it goes through."""
    code, statement = case.codes.of(span), case.codes.statement(span)
    if code and isinstance(statement, ast.For) and case.codes.expression(span) is None:
        return code.extent(statement.iter)
    return case.codes.extent(span)


def _directly(case: Case, span: int) -> Fix | None:
    """The value itself in place of what came out: `for row in rows`, or what went in."""
    code, statement = case.codes.of(span), case.codes.statement(span)
    call = case.codes.expression(span)
    if code is None:
        return None
    if isinstance(call, ast.Call):
        return _instead_of_a_queue(code, call)
    match statement:
        case ast.For(iter=ast.Call(func=ast.Attribute(attr="from_tensor_slices"), args=[rows])):
            return edits.fix(code, [edits.replaced(code, statement.iter, code.text(rows))])
    return None


def _instead_of_a_queue(code: Code, call: ast.Call) -> Fix | None:
    function = call.func
    put = PUT.get(function.attr, "") if isinstance(function, ast.Attribute) else ""
    name = f"{ast.unparse(function).rpartition('.')[0]}.{put}"
    for statement in code.statements() if put else ():
        match statement:
            case ast.Expr(value=ast.Call(func=putting, args=[given])):
                if ast.unparse(putting) == name and code.extent(statement) < code.extent(call):
                    text = _dequeued(code, call, given)
                    changes = [edits.removed(code, statement), edits.replaced(code, call, text)]
                    return edits.fix(code, changes)
    return None


def _dequeued(code: Code, call: ast.Call, given: ast.expr) -> str:
    """What came out, from what was put in: all of it, or the first rows of a batch."""
    match given, call.args:
        case ast.List(elts=[rows]), [count]:
            text = code.text(rows)
            return f"({text})[:{code.text(count)}]"
    return edits.bracketed(code, call, code.text(given))
