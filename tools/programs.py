"""The programs of the tests that run on tapelab and on TensorFlow, and the names they use."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.conformance.snippets import all_tables

TESTS: Final = Path(__file__).parents[1] / "tests"
_OPERATORS: Final = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor", ast.Invert: "invert", ast.USub: "neg", ast.Lt: "lt", ast.LtE: "le",
    ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
_BUILTINS: Final = ("abs", "iter", "len", "bool", "int", "float", "format", "round")


@cache
def programs() -> tuple[str, ...]:
    """Every program: rows of the tables, facts of the semantics, snippets of the tutorials."""
    rows = [snippet.source for table in all_tables().values() for snippet in table]
    return (*rows, *_facts(), *_snippets())


@cache
def uses_of(sources: tuple[str, ...]) -> Counter[str]:
    """In how many programs each dotted name, each `.member` and each operator is used."""
    uses: Counter[str] = Counter()
    for source in sources:
        uses.update(_names(source) | _operators(source))
    return uses


def _facts() -> Iterator[str]:
    for path in sorted((TESTS / "core").glob("test_semantics_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield ast.get_source_segment(text, node) or ""


def _snippets() -> Iterator[str]:
    for path in sorted((TESTS / "tutorials").glob("*.md")):
        yield from re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def _names(source: str) -> set[str]:
    """tf.math.sin counts for tf.math as well; x.assign and tape.gradient count as members."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            dotted = ast.unparse(node)
            found.add(dotted if re.fullmatch(r"tf[.\w]+", dotted) else f".{node.attr}")
    return found


def _operators(source: str) -> set[str]:
    """An operator counts for its method, the reflected one where a number stands on the left."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            side = "r" if isinstance(node.left, ast.Constant) else ""
            found.add(f".__{side}{_OPERATORS[type(node.op)]}__")
        elif isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
            found.add(f".__{_OPERATORS[type(node.op)]}__")
        elif isinstance(node, ast.Compare):
            found |= {f".__{_OPERATORS.get(type(op), 'contains')}__" for op in node.ops}
        elif isinstance(node, ast.Subscript):
            found.add(".__getitem__")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found |= {f".__{node.func.id}__"} if node.func.id in _BUILTINS else set()
    return found
