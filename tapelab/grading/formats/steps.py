"""The steps that a test of another grader comes to, and what each of them should say.

An assertion that compares with a literal becomes a question for the value: it is compared outside
the learner's process, where an object that claims to equal everything has no say.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tapelab.grading.formats.answering import DONE, SHOWN, VALUE
from tapelab.grading.formats.grades import UnreadableFormat

EQUAL: Final = "equal"
POINTS: Final = "points"
_CLOSE: Final = {
    "np.allclose": {"rtol": 1e-5, "atol": 1e-8},
    "np.isclose": {"rtol": 1e-5, "atol": 1e-8},
    "numpy.allclose": {"rtol": 1e-5, "atol": 1e-8},
    "numpy.isclose": {"rtol": 1e-5, "atol": 1e-8},
    "math.isclose": {"rel_tol": 1e-9, "abs_tol": 0.0},
}
"""The functions that compare numbers, and their tolerances where a test names none."""


@dataclass(frozen=True)
class Step:
    """What to do in the learner's process, and which answer passes.

    `how` is `equal`, `close`, `shown`, `raises`, `points` or empty, where it only must not raise.
    """

    kind: str
    source: str
    how: str = ""
    want: Any = None
    tolerance: tuple[float, float] = (0.0, 0.0)
    flags: int = 0


def statements(source: str, *, partial: bool = False) -> tuple[Step, ...]:
    """The steps of a cell of assertions; with `partial`, a value at its end is its points."""
    body = _parsed(source).body
    steps = [_of_statement(each) for each in body]
    last = body[-1] if body else None
    if partial and isinstance(last, ast.Expr) and not isinstance(last.value, ast.Constant):
        steps[-1] = Step(VALUE, ast.unparse(last), POINTS)
    return tuple(steps)


def doctests(code: str) -> tuple[Step, ...]:
    """The steps of a doctest, each with what Python's prompt would print."""
    try:
        examples = doctest.DocTestParser().get_examples(code)
    except ValueError as error:
        raise UnreadableFormat(f"This is no doctest: {error}.") from None
    return tuple(_of_example(each) for each in examples)


def definitions(source: str) -> str:
    """What a test defines for those after it: imports, functions and classes, without asserting."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    return "\n".join(
        ast.unparse(each) for each in _parsed(source).body if isinstance(each, kinds)
    )  # fmt: skip


def defining_examples(code: str) -> str:
    """The examples of a doctest that only give names, which those after it may use."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
    found = []
    for each in doctest.DocTestParser().get_examples(code):
        body = _parsed(each.source).body
        if not each.want and body and all(isinstance(node, kinds) for node in body):
            first, *rest = each.source.rstrip("\n").split("\n")
            found += [f">>> {first}", *(f"... {line}" for line in rest)]
    return "".join(f"{line}\n" for line in found)


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(_without_magics(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableFormat(f"A test is no Python: {error}.") from None


def _without_magics(source: str) -> str:
    """A magic never decides on points; `%matplotlib` in a test is left out."""
    lines = source.split("\n")
    return "\n".join("pass" if line[:1] in {"%", "!"} else line for line in lines)


def _of_statement(node: ast.stmt) -> Step:
    if isinstance(node, ast.Assert):
        found = _comparison(node.test)
        if found:
            return found
    return Step(DONE, ast.unparse(node))


def _of_example(example: doctest.Example) -> Step:
    source = example.source.strip("\n")
    if example.exc_msg is not None:
        return Step(SHOWN, source + "\n", "raises", example.exc_msg, flags=_flags(example))
    if example.want.strip() == "True":
        found = next(_comparisons_in(source), None)
        if found:
            return found
    return Step(SHOWN, source + "\n", "shown", example.want, flags=_flags(example))


def _comparisons_in(source: str) -> Iterator[Step]:
    body = _parsed(source).body
    if len(body) == 1 and isinstance(body[0], ast.Expr):
        found = _comparison(body[0].value)
        if found:
            yield found


def _flags(example: doctest.Example) -> int:
    return sum(flag for flag, on in example.options.items() if on)


def _comparison(node: ast.expr) -> Step | None:
    """A comparison of something of the learner's with a literal, to be made outside."""
    if isinstance(node, ast.Compare) and [type(op) for op in node.ops] == [ast.Eq]:
        sides = [node.left, node.comparators[0]]
        return _with_literal(sides, EQUAL, (0.0, 0.0))
    if isinstance(node, ast.Call) and ast.unparse(node.func) in _CLOSE and len(node.args) == 2:
        tolerance = _tolerance(node)
        return tolerance and _with_literal(node.args, "close", tolerance)
    return None


def _with_literal(
    sides: list[ast.expr], how: str, tolerance: tuple[float, float]
) -> Step | None:  # fmt: skip
    literal = [_is_plain(side) for side in sides]
    if literal.count(True) != 1:
        return None
    want, asked = (sides[0], sides[1]) if literal[0] else (sides[1], sides[0])
    return Step(VALUE, ast.unparse(asked), how, ast.literal_eval(want), tolerance)


def _tolerance(call: ast.Call) -> tuple[float, float] | None:
    known = dict(_CLOSE[ast.unparse(call.func)])
    for each in call.keywords:
        if each.arg not in known or not _is_plain(each.value):
            return None
        known[each.arg] = ast.literal_eval(each.value)
    relative, absolute = known.values()
    return relative, absolute


def _is_plain(node: ast.expr) -> bool:
    """Whether this is a literal that comes out of another process as it went in."""
    try:
        return _carries(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False


def _carries(value: Any) -> bool:
    if type(value) in {list, tuple}:
        return all(map(_carries, value))
    if type(value) is dict:
        return all(type(key) in {str, int} for key in value) and all(map(_carries, value.values()))
    return value is None or type(value) in {bool, int, float, complex, str}
