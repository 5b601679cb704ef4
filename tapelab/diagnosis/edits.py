"""Rewriting the learner's lines: small replacements, shown as the lines before and after."""

from __future__ import annotations

import ast
import textwrap
from typing import Final, NamedTuple

from tapelab.diagnosis.code import Code, Extent
from tapelab.diagnosis.finding import Fix

LONGEST: Final = 12
"""A fix of more lines than this is no line to write instead."""


class Edit(NamedTuple):
    """A stretch of the code, and the text to write there."""

    at: Extent
    text: str


def fix(code: Code, edits: list[Edit]) -> Fix | None:
    """The lines that some edits touch, before and after; None where there is nothing to show."""
    if not edits:
        return None
    first = min(edit.at.line for edit in edits)
    last = max(edit.at.end_line for edit in edits)
    if last - first >= LONGEST:
        return None
    before = [code.line(number) for number in range(first, last + 1)]
    after = "\n".join(before)
    for edit in sorted(edits, reverse=True):
        start, end = _offset(before, first, edit.at[:2]), _offset(before, first, edit.at[2:])
        after = after[:start] + edit.text + after[end:]
    return _aligned("\n".join(before), after, first)


def _offset(lines: list[str], first: int, place: tuple[int, ...]) -> int:
    line, column = place
    return sum(len(each) + 1 for each in lines[: line - first]) + column


def _aligned(before: str, after: str, line: int) -> Fix | None:
    """Both without the indentation that the old lines have in common."""
    indent = len(before.split("\n")[0]) - len(textwrap.dedent(before).split("\n")[0])
    kept = [row for row in after.split("\n") if row.strip()]
    old, new = (_shifted(text, indent) for text in (before, "\n".join(kept)))
    return None if old == new else Fix(old, new, line)


def _shifted(text: str, indent: int) -> str:
    return "\n".join(row[indent:].rstrip() for row in text.split("\n"))


def replaced(code: Code, node: ast.AST, text: str) -> Edit:
    """An expression or a statement with other words in its place."""
    return Edit(code.extent(node), text)


def removed(code: Code, statement: ast.stmt) -> Edit:
    """A statement taken out, with its line break or its semicolon."""
    at = code.extent(statement)
    ahead = code.line(at.line)[: at.column]
    behind = code.line(at.end_line)[at.end_column :]
    if behind.lstrip().startswith(";"):
        skipped = len(behind) - len(behind.lstrip().removeprefix(";").lstrip())
        return Edit(at._replace(end_column=at.end_column + skipped), "")
    if ahead.rstrip().endswith(";"):
        start = len(ahead.rstrip().removesuffix(";").rstrip())
        return Edit(at._replace(column=start), "")
    return Edit(at, "")


def first_in_block(code: Code, block: ast.With, line: str) -> Edit:
    """A line of its own at the start of a `with` block."""
    body = code.extent(block.body[0])
    header = code.line(body.line)[: body.column]
    if header.strip():
        return Edit(Extent(body.line, body.column, body.line, body.column), f"{line}; ")
    end = len(code.line(body.line - 1))
    return Edit(Extent(body.line - 1, end, body.line - 1, end), f"\n{header}{line}")


def last_in_block(code: Code, block: ast.With, line: str) -> Edit:
    """A line of its own at the end of a `with` block."""
    return after_statement(code, block.body[-1], line)


def after_statement(code: Code, statement: ast.stmt, line: str) -> Edit:
    """A line of its own behind a statement."""
    at = code.extent(statement)
    ahead = code.line(at.line)[: at.column]
    behind = code.line(at.end_line)[at.end_column :]
    there = Extent(at.end_line, at.end_column, at.end_line, at.end_column)
    if ahead.strip() or behind.lstrip().startswith(";"):
        return Edit(there, f"; {line}")
    end = len(code.line(at.end_line))
    return Edit(Extent(at.end_line, end, at.end_line, end), f"\n{ahead}{line}")


def operand(code: Code, node: ast.expr, instead_of: ast.expr) -> str:
    """The text of an expression for the place of another, in brackets where it needs them."""
    simple = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.Tuple, ast.List)
    alone = (ast.Assign, ast.Return, ast.keyword, ast.AnnAssign)
    around = code.parent.get(instead_of)
    argument = isinstance(around, ast.Call) and instead_of in around.args
    text = code.text(node)
    if isinstance(node, simple) or isinstance(around, alone) or argument:
        return text
    return f"({text})"


def without_argument(code: Code, call: ast.Call, keyword: ast.keyword) -> Edit:
    """A call without one of its keyword arguments, and without the comma beside it."""
    at = code.extent(keyword)
    rest = code.line(at.end_line)[at.end_column :]
    if rest.lstrip().startswith(","):
        spare = len(rest) - len(rest.lstrip().removeprefix(",").lstrip())
        return Edit(at._replace(end_column=at.end_column + spare), "")
    others = [node for node in (*call.args, *call.keywords) if code.extent(node) < at]
    if not others:
        return Edit(at, "")
    end = max(code.extent(node) for node in others)
    return Edit(at._replace(line=end.end_line, column=end.end_column), "")


def joined(inserts: list[Edit]) -> Edit:
    """Several insertions at one place as one, in their order."""
    return Edit(inserts[0].at, "".join(each.text for each in inserts))
