"""Smooth relaxations of ops without a derivative: a division, a sigmoid, a softmax, a blend.

Each function returns the fix that replaces a hard choice by a smooth one, or nothing where the
code does not show what is meant. In the limit of steep sigmoids the results agree.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.edges import Edge
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.source_code import Code


ROUNDING: Final = {"round", "rint", "floor", "ceil", "sign"}
"""Functions of one tensor whose result stays near their argument."""

ABOVE: Final = (ast.Gt, ast.GtE, "greater", "greater_equal")
BELOW: Final = (ast.Lt, ast.LtE, "less", "less_equal")


def smooth(case: Case, edge: Edge) -> Fix | None:
    """The line with a smooth function in place of a flat op."""
    span = case.recording.located[edge.event].span
    return without_flat_op(case, span, soft=is_cast_at_once(case, edge))


def without_flat_op(case: Case, span: int, *, soft: bool) -> Fix | None:
    node, code = case.codes.expression(span), case.codes.of(span)
    if code is None or node is None:
        return None
    text = edits.bracketed(code, node, _led_past(code, node)) or _divided(code, node)
    if not text and soft:
        text = soft_step(code, node)
    return edits.fix(code, [edits.replaced(code, node, text)]) if text else None


def _divided(code: Code, node: ast.expr) -> str:
    """A floor division without the floor."""
    match node:
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return f"{code.text(left)} / {code.text(right)}"
    return ""


def _led_past(code: Code, node: ast.expr) -> str:
    """The rounded value, with the gradient as if it had not been rounded."""
    match node:
        case ast.Call(func=ast.Attribute(value=module, attr=name), args=[value]):
            if name not in ROUNDING or not isinstance(value, (ast.Name, ast.Attribute, ast.Call)):
                return ""
            x, tf = code.text(value), ast.unparse(module).partition(".")[0]
            return f"{x} + {tf}.stop_gradient({code.text(node)} - {x})"
    return ""


def soft_step(code: Code, node: ast.expr, *, mirrored: bool = False) -> str:
    """A sigmoid, which goes from 0 to 1 where a comparison jumps; mirrored from 1 to 0."""
    match node:
        case ast.Compare(left=one, ops=[relation], comparators=[other]):
            said: object = type(relation)
        case ast.Call(func=ast.Attribute(attr=name), args=[one, other]):
            said = name
        case _:
            return ""
    if said not in ABOVE and said not in BELOW:
        return ""
    high, low = (one, other) if (said in ABOVE) is not mirrored else (other, one)
    return f"{edits.tf_alias(code)}.sigmoid({_difference(code, high, low)})"


def _difference(code: Code, high: ast.expr, low: ast.expr) -> str:
    if isinstance(low, ast.Constant) and not low.value:
        return code.text(high)
    if isinstance(high, ast.Constant) and not high.value:
        return f"-({code.text(low)})" if isinstance(low, ast.BinOp) else f"-{code.text(low)}"
    loose = isinstance(low, (ast.BinOp, ast.UnaryOp))
    return f"{code.text(high)} - " + (f"({code.text(low)})" if loose else code.text(low))


def is_cast_at_once(case: Case, edge: Edge) -> bool:
    """Whether all that is made of a comparison is floats by a cast."""
    ahead = [each for each in case.flow.out_of.get(edge.to, ()) if each.to in case.upstream]
    return bool(ahead) and all(case.op_name(each.event) == "cast" for each in ahead)


CHOOSING = ("cond", "where")


def blended(code: Code, test: ast.expr) -> Fix | None:
    """The smooth blend of what a comparison decides between; None where it is no such choice."""
    match code.parent.get(test):
        case (
            ast.If(
                body=[ast.Assign(targets=[ast.Name(id=name)], value=one)],
                orelse=[ast.Assign(targets=[ast.Name(id=other_name)], value=other)],
            ) as choice
        ) if name == other_name:
            return _instead(code, choice, test, one, other, f"{name} = ")
        case ast.If(body=[ast.Return(value=ast.expr() as one)], orelse=[]) as choice:
            return _returned(code, choice, test, one)
        case ast.IfExp(body=one, orelse=other) as choice:
            return _instead(code, choice, test, one, other)
        case ast.Call(func=function, args=[_, one, other]) as choice:
            if ast.unparse(function).rpartition(".")[2] in CHOOSING:
                return _instead(code, choice, test, _branch_value(one), _branch_value(other))
    return None


def _branch_value(branch: ast.expr) -> ast.expr:
    """The value of a branch, which a function of nothing may make."""
    return branch.body if isinstance(branch, ast.Lambda) else branch


def _instead(
    code: Code, choice: ast.stmt | ast.expr, test: ast.expr, one: ast.expr, other: ast.expr,
    ahead: str = "",
) -> Fix | None:  # fmt: skip
    text = _blend(code, test, one, other)
    if isinstance(choice, ast.expr):
        text = edits.bracketed(code, choice, text)
    return edits.fix(code, [edits.replaced(code, choice, ahead + text)]) if text else None


def _returned(code: Code, choice: ast.If, test: ast.expr, one: ast.expr) -> Fix | None:
    """Of `if …: return one` and the `return other` that follows, one line."""
    rows = getattr(code.parent.get(choice), "body", [])
    after = rows[rows.index(choice) + 1 :] if choice in rows else []
    match after:
        case [ast.Return(value=ast.expr() as other) as last]:
            text = _blend(code, test, one, other)
            changes = [edits.replaced(code, choice, f"return {text}"), edits.removed(code, last)]
            return edits.fix(code, changes) if text else None
    return None


def _blend(code: Code, test: ast.expr, one: ast.expr, other: ast.expr) -> str:
    """`σ(z) · one + σ(−z) · other`, without what is 0 and without a factor of 1."""
    request = _comparison(code, test)
    yes, no = soft_step(code, request), soft_step(code, request, mirrored=True)
    if not yes or any(not isinstance(each, ast.expr) for each in (one, other)):
        return ""
    parts = [_times(code, yes, one), _times(code, no, other)]
    return " + ".join(part for part in parts if part) or "0.0"


def _comparison(code: Code, test: ast.expr) -> ast.expr:
    """The test itself, or what the one line says that gives its name a value."""
    if not isinstance(test, ast.Name):
        return test
    given = [each for each in code.statements() if test.id in _names(each)]
    match given:
        case [ast.Assign(value=value)] if code.scope(given[0]) is code.scope(test):
            return value
    return test


def _names(statement: ast.stmt) -> list[str]:
    """The names that a line gives a value to."""
    if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        return []
    stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return [node.id for node in stored if isinstance(node.ctx, ast.Store)]


def _times(code: Code, weight: str, value: ast.expr) -> str:
    match value:
        case ast.Constant(value=0):
            return ""
        case ast.Constant(value=1):
            return weight
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.IfExp() | ast.Compare() | ast.UnaryOp():
            return f"{weight} * ({code.text(value)})"
    return f"{weight} * {code.text(value)}"


class Choice(NamedTuple):
    """A call that returns integers, and the shapes of its input and its result."""

    code: Code
    call: ast.Call
    given: tuple[int, ...]
    made: tuple[int, ...]
    is_cast: bool

    @property
    def tf(self) -> str:
        """What the code calls the package."""
        return edits.tf_alias(self.code)

    def argument(self, at: int) -> str:
        """One argument as it is written."""
        return self.code.text(self.call.args[at])


def softly(case: Case, edge: Edge) -> Fix | None:
    """The line with a soft choice in place of a hard one."""
    place = case.recording.located[edge.event]
    call, code, ran = case.codes.expression(place.span), case.codes.of(place.span), place.event
    if code is None or not isinstance(call, ast.Call) or not isinstance(ran, e.Ran):
        return None
    write = SOFT.get(ast.unparse(call.func).rpartition(".")[2])
    given, result = (case.recording.tensor(each) for each in (ran.inputs[0], edge.to))
    if write is None or given.dtype != "float32" or not call.args:
        return None
    cast = is_cast_at_once(case, edge)
    return edits.fix(code, write(Choice(code, call, given.shape, result.shape, cast)))


def _expected_position(choice: Choice) -> list[edits.Edit]:
    """The mean of all positions, each as likely as a softmax makes it: a soft `argmax`."""
    if not choice.is_cast or len(choice.given) != 1:
        return []
    tf, (length,) = choice.tf, choice.given
    text = f"{tf}.reduce_sum({tf}.nn.softmax({choice.argument(0)}) * {tf}.range({length}.0))"
    return [edits.replaced(choice.code, choice.call, text)]


def _values(choice: Choice) -> list[edits.Edit]:
    """The largest values, which follow their tensor, and not the places where they stand."""
    match choice.code.parent.get(choice.call):
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id="_"), ast.Name(id=places)]) as names]):
            if choice.is_cast:
                return [edits.replaced(choice.code, names, f"{places}, _")]
    return []


def _soft_count(choice: Choice) -> list[edits.Edit]:
    """How many entries pass, each counted by how clearly it does."""
    match choice.call.args[0]:
        case ast.Call(func=ast.Attribute(attr="boolean_mask"), args=[_, test]) if choice.is_cast:
            soft = soft_step(choice.code, test)
            text = f"{choice.tf}.reduce_sum({soft})"
            return [edits.replaced(choice.code, choice.call, text)] if soft else []
    return []


def _gumbel(choice: Choice) -> list[edits.Edit]:
    """A softmax of the scores and some noise: the noise does not depend on the scores."""
    statement = choice.code.statement(choice.code.extent(choice.call))
    if not choice.is_cast or len(choice.given) != 2 or statement is None:
        return []
    tf, (rows, classes), draws = choice.tf, choice.given, choice.made[-1]
    uniform = f"{tf}.random.uniform([{rows}, {draws}, {classes}], 1e-9)"
    noise = f"noise = -{tf}.math.log(-{tf}.math.log({uniform}))"
    soft = f"{tf}.nn.softmax({choice.argument(0)}[:, {tf}.newaxis] + noise)"
    text = f"{tf}.reduce_sum({soft} * {tf}.range({classes}.0), axis=-1)"
    ahead = edits.before_statement(choice.code, statement, noise)
    return [*ahead, edits.replaced(choice.code, choice.call, text)] if ahead else []


def _interpolated(choice: Choice) -> list[edits.Edit]:
    """What lies between the two nearest entries, where a number was cut to a position."""
    code, tf = choice.code, choice.tf
    match choice.call:
        case ast.Call(args=[_, ast.Call(func=ast.Attribute(attr="cast"), args=[place, *_])],
                      keywords=[]) if choice.given:  # fmt: skip
            at = code.text(place)
            if len(choice.made) >= len(choice.given):
                at = f"{at}[..., {tf}.newaxis]"
            near = f"{tf}.nn.relu(1.0 - {tf}.abs({at} - {tf}.range({choice.given[0]}.0)))"
            text = f"{tf}.tensordot({near}, {choice.argument(0)}, 1)"
            return [edits.replaced(code, choice.call, text)]
    return []


SOFT: Final[dict[str, Callable[[Choice], list[edits.Edit]]]] = {
    "argmax": _expected_position,
    "top_k": _values,
    "size": _soft_count,
    "categorical": _gumbel,
    "gather": _interpolated,
}
"""What stands for a call, by its name; nothing where it would not be the same in the limit."""
