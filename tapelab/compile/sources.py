"""From a code object to the syntax tree it was compiled from, at its true lines and columns."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from types import CodeType


def definition_of(code: CodeType) -> ast.FunctionDef | None:
    """The `def` of a function; None where its source is not to be had."""
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError, IndexError):
        return None
    try:
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except SyntaxError:
        return None
    definition = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(definition, ast.FunctionDef) or definition.name != code.co_name:
        return None
    _move(tree, first - 1, len(lines[0]) - len(lines[0].lstrip()))
    return definition


def lambda_of(code: CodeType) -> ast.Lambda | None:
    """The lambda expression of a function; None where several may be meant."""
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except SyntaxError:
        return None
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and [each.arg for each in (*node.args.args, *node.args.kwonlyargs)] == names
    ]
    return found[0] if len(found) == 1 else None


def _move(tree: ast.AST, lines: int, columns: int) -> None:
    ast.increment_lineno(tree, lines)
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt, ast.arg, ast.keyword, ast.alias)):
            node.col_offset += columns
            node.end_col_offset = (node.end_col_offset or 0) + columns
