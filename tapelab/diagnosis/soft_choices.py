"""What to write instead of positions, counts and samples: their relatives that have a slope."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis import edits
from tapelab.diagnosis.smoothing import is_cast_at_once, soft_step
from tapelab.recording import events as e

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.code import Code
    from tapelab.diagnosis.finding import Fix
    from tapelab.diagnosis.flow import Edge


class Choice(NamedTuple):
    """A call that answers with whole numbers, and the shapes of what went in and came out."""

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
    given, made = (case.recording.tensor(each) for each in (ran.inputs[0], edge.to))
    if write is None or given.dtype != "float32" or not call.args:
        return None
    cast = is_cast_at_once(case, edge)
    return edits.fix(code, write(Choice(code, call, given.shape, made.shape, cast)))


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
