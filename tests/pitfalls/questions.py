"""Programs that end with their question, `g = tape.gradient(target, [sources])`."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import Any, NamedTuple

import tapelab
from tapelab import nest
from tapelab.diagnosis import Explanation
from tests.pitfalls.snippets import run


class Question(NamedTuple):
    """What the last line of a program asks, as expressions of that program."""

    tape: str
    target: str
    sources: str


class Ran:
    """A program that has run, with the answer to its question."""

    def __init__(self, text: str) -> None:
        tapelab.random.set_seed(0)
        self.names = run(text)
        self.question = question_of(text)

    def _value(self, expression: str) -> Any:
        return eval(expression, self.names)

    @cached_property
    def sources(self) -> list[Any]:
        """The tensors and variables whose gradients were asked for."""
        return nest.flatten(self._value(self.question.sources))

    @property
    def gradients(self) -> list[Any]:
        """The answer, one for each source."""
        return nest.flatten(self.names["g"])

    def explanations(self) -> list[Explanation]:
        """Why each of the gradients is what it is."""
        tape, target = self._value(self.question.tape), self._value(self.question.target)
        return [tapelab.explain(tape, target, source) for source in self.sources]


def question_of(text: str) -> Question:
    """The question in the last line of a program."""
    last = ast.parse(text).body[-1]
    assert isinstance(last, ast.Assign)
    assert isinstance(last.value, ast.Call)
    assert isinstance(last.value.func, ast.Attribute)
    target, sources = map(ast.unparse, last.value.args[:2])
    return Question(ast.unparse(last.value.func.value), target, sources)
