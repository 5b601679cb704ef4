"""Tests of other graders as checks: each is a list of steps that run in the student's process.

A step that compares with a literal only asks for the value. It is compared here, outside of the
student's process, where an object that claims to equal everything has no say. Other statements can
only run among the student's names, as their own graders run them; there, a process may lie.
"""

from __future__ import annotations

import ast
import doctest
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapelab.exercises.answer import Answer
from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.value_text import kind_of, spelled
from tapelab.exercises.values import ARRAY, TENSOR, VARIABLE, Numbers, Raised, Unreadable, Unsolved
from tapelab.grading.formats.csv_tables import UnreadableFormat
from tapelab.grading.formats.step_runner import DONE, PRINTED, RAISED, VALUE

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
    """What to run in the student's process, and which reply passes.

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
    """The imports, functions and classes of a test, which later tests may use."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    return "\n".join(
        ast.unparse(each) for each in _parsed(source).body if isinstance(each, kinds)
    )  # fmt: skip


def defining_examples(code: str) -> str:
    """The examples of a doctest that only define names, which later ones may use."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
    comparison = []
    for each in doctest.DocTestParser().get_examples(code):
        body = _parsed(each.source).body
        if not each.want and body and all(isinstance(node, kinds) for node in body):
            first, *rest = each.source.rstrip("\n").split("\n")
            comparison += [f">>> {first}", *(f"... {line}" for line in rest)]
    return "".join(f"{line}\n" for line in comparison)


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(_without_magics(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableFormat(f"A test is no Python: {error}.") from None


def _without_magics(source: str) -> str:
    """Replace magics by `pass`: they never decide on points."""
    lines = source.split("\n")
    return "\n".join("pass" if line[:1] in {"%", "!"} else line for line in lines)


def _of_statement(node: ast.stmt) -> Step:
    comparison = _comparison(node.test) if isinstance(node, ast.Assert) else None
    return comparison or Step(DONE, ast.unparse(node))


def _of_example(example: doctest.Example) -> Step:
    source = example.source.strip("\n")
    flags = sum(flag for flag, on in example.options.items() if on)
    if example.exc_msg is not None:
        return Step(PRINTED, source + "\n", "raises", example.exc_msg, flags=flags)
    if example.want.strip() == "True":
        match _parsed(source).body:
            case [ast.Expr(value)] if comparison := _comparison(value):
                return comparison
    return Step(PRINTED, source + "\n", "shown", example.want, flags=flags)


def _comparison(node: ast.expr) -> Step | None:
    """The step for a comparison with a literal, which is made in the grader; None for others."""
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
    want, expression = (sides[0], sides[1]) if literal[0] else (sides[1], sides[0])
    return Step(VALUE, ast.unparse(expression), how, ast.literal_eval(want), tolerance)


def _tolerance(call: ast.Call) -> tuple[float, float] | None:
    known = dict(_CLOSE[ast.unparse(call.func)])
    for each in call.keywords:
        if each.arg not in known or not _is_plain(each.value):
            return None
        known[each.arg] = ast.literal_eval(each.value)
    relative, absolute = known.values()
    return relative, absolute


def _is_plain(node: ast.expr) -> bool:
    """Whether this is a literal that the protocol sends unchanged."""
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


_MANY: Final = frozenset({ARRAY, TENSOR, VARIABLE})
_LONGEST: Final = 200


@dataclass(frozen=True)
class Asserted:
    """Grades an answer by steps that all have to pass; there is no partial credit for steps."""

    name: str
    points: float
    steps: tuple[Step, ...]
    failure: str = ""

    def __call__(self, answer: Answer) -> Outcome:
        """Take the steps in order, and stop at the first that fails."""
        for number, step in enumerate(self.steps):
            reply = answer.result(self.name, number, step.kind, step.source)
            outcome = self._evaluate(step, reply)
            if outcome is not None:
                return outcome
        return Outcome(self.points)

    def _evaluate(self, step: Step, reply: Any) -> Outcome | None:
        if step.how == POINTS:
            return self._partial_credit(reply)
        wrong = _failure(step, reply)
        if wrong is None:
            return None
        text = " ".join(filter(None, (self.failure, wrong.text)))
        return Outcome(0, text, wrong.expected, wrong.got)

    def _partial_credit(self, reply: Any) -> Outcome:
        """Nbgrader's partial credit: the number that the last line of a cell evaluates to."""
        value = _reply_value(reply, VALUE)
        if type(value) is Numbers and value.array.size == 1 and value.array.dtype.kind in "biuf":
            points = float(value.array.reshape(()))
            if 0 <= points <= self.points:
                return Outcome(points)
        return Outcome(self.points)


def asserted(title: str, points: float, source: str, *, partial: bool = False) -> Check:
    """A cell of assertions, as nbgrader grades one, as a check."""
    return Check(title, points, Asserted(title, points, statements(source, partial=partial)))


def doctested(title: str, points: float, code: str, *, failure: str = "") -> Check:
    """A doctest, as Otter and OK have them, as a check."""
    return Check(title, points, Asserted(title, points, doctests(code), failure))


def _failure(step: Step, reply: Any) -> Outcome | None:
    """The failure of a step; None if it passes."""
    if step.how == "raises":
        return _exception_failure(step, reply)
    if step.how == "shown":
        return _output_failure(step, _reply_value(reply, PRINTED))
    if step.how:
        return _value_failure(step, _reply_value(reply, VALUE))
    _reply_value(reply, DONE)
    return None


def _reply_value(reply: Any, kind: str) -> Any:
    """The value of a reply of this kind; Unreadable with what the step raised instead."""
    if type(reply) is not tuple or not reply or reply[0] != kind:
        _raise_for(reply)
    return reply[1] if len(reply) > 1 else None


def _raise_for(reply: Any) -> None:
    if type(reply) is not tuple or len(reply) != 3 or reply[0] != RAISED:
        raise Unreadable("The test got no reply.")
    name, message = (each if type(each) is str else "" for each in reply[1:])
    if name == "NotImplementedError":
        raise Unsolved("Nothing here yet.")
    short = " ".join(message.split())[:_LONGEST]
    if name == "AssertionError":
        raise Unreadable(short or "An assertion of the test does not hold.")
    raise Raised(f"The test stopped with {name}" + (f": {short}" if short else ""))


def _exception_failure(step: Step, reply: Any) -> Outcome | None:
    if type(reply) is tuple and len(reply) == 3 and reply[0] == RAISED:
        got = f"{reply[1]}: {reply[2]}\n" if reply[2] else f"{reply[1]}\n"
        if doctest.OutputChecker().check_output(step.want, got, step.flags):
            return None
        if step.flags & doctest.IGNORE_EXCEPTION_DETAIL and _kind(step.want) == reply[1]:
            return None
        return Outcome(0, "Another exception is expected.", _short(step.want), _short(got))
    return Outcome(0, "An exception is expected.", _short(step.want), "none")


def _kind(message: str) -> str:
    return message.partition(":")[0].strip().rpartition(".")[2]


def _output_failure(step: Step, got: Any) -> Outcome | None:
    text = got if type(got) is str else ""
    if doctest.OutputChecker().check_output(step.want, text, step.flags):
        return None
    return Outcome(
        0, f"After `{_short(step.source)}`.", _short(step.want), _short(text) or "nothing"
    )


def _value_failure(step: Step, got: Any) -> Outcome | None:
    same = _close(got, step) if step.how == "close" else _equal(got, step.want)
    if same:
        return None
    return Outcome(0, f"For `{_short(step.source)}`.", _short(repr(step.want)), _described(got))


def _equal(got: Any, want: Any) -> bool:
    """Python's equality, for plain values only."""
    if type(want) in {list, tuple}:
        return (
            type(got) is type(want) and len(got) == len(want)
            and all(map(_equal, got, want))
        )  # fmt: skip
    if type(want) is dict:
        return type(got) is dict and got.keys() == want.keys() and all(
            _equal(got[key], want[key]) for key in want
        )  # fmt: skip
    if want is None or type(want) is str:
        return type(got) is type(want) and got == want
    return type(got) is Numbers and got.array.size == 1 and bool(np.all(got.array == want))


def _close(got: Any, step: Step) -> bool:
    """Compare as `allclose` and `isclose` do, without broadcasting errors."""
    array = _array(got)
    relative, absolute = step.tolerance
    try:
        want = np.asarray(step.want)
        return array is not None and bool(np.allclose(array, want, rtol=relative, atol=absolute))
    except (TypeError, ValueError):
        return False


def _array(got: Any) -> Any:
    if type(got) is Numbers:
        return got.array if got.array.dtype.kind in "biufc" else None
    if type(got) not in {list, tuple}:
        return None
    rows = [_array(each) for each in got]
    fit = all(row is not None for row in rows) and len({row.shape for row in rows}) <= 1
    return np.array(rows) if fit else None


def _described(got: Any) -> str:
    if type(got) is Numbers:
        return spelled(got.array) if got.kind in _MANY or got.array.ndim == 0 else got.kind
    if type(got) in {list, tuple}:
        inside = ", ".join(map(_described, got))
        return _short(f"[{inside}]" if type(got) is list else f"({inside})")
    return _short(repr(got)) if type(got) in {str, dict} or got is None else kind_of(got)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
