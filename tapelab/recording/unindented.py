"""Cells of marimo: functions in a file, whose bodies marimo runs without their indentation."""

from __future__ import annotations

import ast
from functools import lru_cache
from types import CodeType
from typing import Final, NamedTuple

CELL_FILE: Final = "__marimo__cell_"
"""How the file begins in which marimo's editor keeps a cell; the rest says nothing to a person."""
MAKER: Final = "import marimo"
HEAD: Final = 60
"""A file without these words among so many first lines has no such cells."""


class Cell(NamedTuple):
    """The lines of a cell, how far they are indented in the file, and the name of its function."""

    first: int
    last: int
    columns: int
    name: str


def indentation(code: CodeType, line: int, lines: list[str]) -> int:
    """How many columns a line stands further right in its file than in the code that ran."""
    if not any(MAKER in each for each in lines[:HEAD]):
        return 0
    outermost = code.co_qualname.partition(".")[0]
    for cell in _cells("\n".join(lines)):
        if cell.first <= line <= cell.last:
            return 0 if outermost == cell.name else cell.columns
    return 0


@lru_cache(maxsize=16)
def _cells(text: str) -> tuple[Cell, ...]:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return ()
    return tuple(_cell(node) for node in body if _is_cell(node))


def _cell(node: ast.stmt) -> Cell:
    first: ast.stmt = getattr(node, "body")[0]  # noqa: B009 - functions and blocks have one
    name = getattr(node, "name", "")
    return Cell(first.lineno, node.end_lineno or first.lineno, first.col_offset, name)


def _is_cell(node: ast.stmt) -> bool:
    """`@app.cell`, with or without arguments, and `with app.setup:`."""
    match node:
        case ast.FunctionDef(decorator_list=[mark]) | ast.AsyncFunctionDef(decorator_list=[mark]):
            called = mark.func if isinstance(mark, ast.Call) else mark
            return isinstance(called, ast.Attribute) and called.attr == "cell"
        case ast.With(items=[ast.withitem(context_expr=ast.Attribute(attr="setup"))]):
            return True
    return False
