"""A program as text with its tree: where something can be put in, and which lines are then meant.

The lines at which a finding may stand end with the comment HERE.
"""

from __future__ import annotations

import ast
import random
import textwrap
from dataclasses import dataclass, field
from functools import cached_property

from tests.pitfalls.questions import Question, question_of

HERE = "  # here"
NAMESPACES = {"tf", "np", "math"}


@dataclass(frozen=True)
class Mutant:
    """A program with a pitfall in it, and the code to be found at a line that says HERE."""

    kind: str
    code: str
    text: str
    keeps_values: bool = field(default=True)
    """Whether nothing but the gradient changes, so that a part that is missing can be seen."""


@dataclass(frozen=True)
class Program:
    """A healthy program."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def question(self) -> Question:
        return question_of(self.text)

    @cached_property
    def block(self) -> ast.With:
        """The block of the tape that is asked at last."""
        blocks = [node for node in ast.walk(self.tree) if self._opens_the_tape(node)]
        block = max(blocks, key=lambda node: node.lineno)
        assert isinstance(block, ast.With)
        return block

    def _opens_the_tape(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.With):
            return False
        names = [each.optional_vars for each in node.items if each.optional_vars]
        return self.question.tape in map(ast.unparse, names)

    @cached_property
    def sources(self) -> list[str]:
        """The sources that are asked for by their names."""
        call = self.tree.body[-1].value
        listed = call.args[1].elts if isinstance(call.args[1], ast.List) else call.args[1:2]
        return [each.id for each in listed if isinstance(each, ast.Name)]

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        """The functions that the block may call."""
        functions = [node for node in self.tree.body if isinstance(node, ast.FunctionDef)]
        return [node for node in functions if self.block not in ast.walk(node)]

    @cached_property
    def expressions(self) -> list[ast.expr]:
        """What is computed in the block and in functions: each can be wrapped."""
        bodies = [*self.block.body, *(each for node in self.functions for each in node.body)]
        found = [node for body in bodies for node in _values(body)]
        return [node for node in found if not _is_name_of_a_module(node)]

    def calls(self, function: str) -> list[ast.Call]:
        """The calls of a function, such as `tf.Variable`."""
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        return [call for call in calls if ast.unparse(call.func) == function]

    def with_text(self, node: ast.expr, text: str) -> str:
        """The program with an expression replaced; its first line is marked."""
        start, end = node.lineno - 1, node.end_lineno - 1
        head = self.lines[start].encode()[: node.col_offset].decode()
        tail = self.lines[end].encode()[node.end_col_offset :].decode()
        first, *others = (head + text + tail).split("\n")
        return "\n".join([*self.lines[:start], first + HERE, *others, *self.lines[end + 1 :]])

    def text_of(self, node: ast.AST) -> str:
        text = ast.get_source_segment(self.text, node)
        assert text is not None
        return text

    def lines_of(self, node: ast.stmt) -> list[str]:
        """The lines of a statement, marked and without their indentation."""
        lines = self.lines[node.lineno - 1 : node.end_lineno]
        return [line + HERE for line in textwrap.dedent("\n".join(lines)).split("\n")]

    def replaced(self, first: int, last: int, lines: list[str]) -> str:
        """The program with some of its lines, counted from 1, replaced."""
        return "\n".join([*self.lines[: first - 1], *lines, *self.lines[last:]])

    def indentation(self, node: ast.stmt) -> str:
        return " " * node.col_offset


def _values(body: ast.AST) -> list[ast.expr]:
    """The expressions of numbers in a statement: no names of functions, no stores, no settings."""
    left_out: set[ast.AST] = set()
    for node in ast.walk(body):
        if isinstance(node, ast.Call):
            left_out |= {node.func}
            left_out |= {each for key in node.keywords for each in ast.walk(key)}
        elif isinstance(node, ast.Subscript):
            left_out |= set(ast.walk(node.slice))
        elif isinstance(node, (ast.With, ast.For)):
            left_out |= {each for item in getattr(node, "items", ()) for each in ast.walk(item)}
        elif isinstance(node, ast.Expr) and ".watch(" in ast.unparse(node):
            left_out |= set(ast.walk(node))
        elif isinstance(node, (ast.FunctionDef, ast.Lambda)):
            left_out |= set(ast.walk(node.args))
    kinds = (ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.UnaryOp)
    found = [node for node in ast.walk(body) if isinstance(node, kinds) and node not in left_out]
    return [node for node in found if isinstance(getattr(node, "ctx", ast.Load()), ast.Load)]


def _is_name_of_a_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in NAMESPACES


def meant(text: str) -> set[int]:
    """The lines that say HERE, and those of the functions that are called there."""
    tree = ast.parse(text)
    lines = {at for at, line in enumerate(text.split("\n"), 1) if line.endswith(HERE.strip())}
    functions = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    made = {ast.unparse(n.targets[0]): n.value for n in ast.walk(tree) if isinstance(n, ast.Assign)}
    while True:
        here = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.lineno in lines}
        here |= {ast.unparse(made[n].func) for n in here if isinstance(made.get(n), ast.Call)}
        called = [n for n in functions if n.name in here]
        inside = {at for node in called for at in range(node.lineno, node.end_lineno + 1)}
        if inside <= lines:
            return lines
        lines |= inside


def some(draw: random.Random, among: list) -> object:
    """One of some things by chance; None where there are none."""
    return draw.choice(among) if among else None
