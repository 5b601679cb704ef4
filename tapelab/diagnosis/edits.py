"""Edits of the user's code: small replacements, shown as the lines before and after.

An `Edit` replaces an extent of the code by a text. `fix` applies several edits to the lines they
touch and returns these lines before and after, without their common indentation.
"""

from __future__ import annotations

import ast
import textwrap
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.diagnosis.finding import Fix
from tapelab.diagnosis.source_code import Code, Extent

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case

LONGEST: Final = 12
"""A fix of more lines than this is no line to write instead."""


class Edit(NamedTuple):
    """A stretch of the code, and the text to write there."""

    at: Extent
    text: str


def fix(code: Code, changes: list[Edit]) -> Fix | None:
    """The lines that some edits touch, before and after; None where there is nothing to show."""
    if not changes:
        return None
    first = min(edit.at.line for edit in changes)
    last = max(edit.at.end_line for edit in changes)
    if last - first >= LONGEST:
        return None
    lines = Extent(first, 0, last, len(code.line(last)))
    return _aligned(code.text(lines), rewritten(code, lines, changes), first)


def rewritten(code: Code, at: Extent, changes: list[Edit]) -> str:
    """The text of a stretch with some stretches in it replaced."""
    said, start = "", at[:2]
    for edit in sorted(changes):
        said += code.text(Extent(*start, *edit.at[:2])) + edit.text
        start = edit.at[2:]
    return said + code.text(Extent(*start, *at[2:]))


def _aligned(before: str, after: str, line: int) -> Fix | None:
    """Both without the indentation that the old lines have in common."""
    indent = len(before.split("\n", maxsplit=1)[0]) - len(textwrap.dedent(before).split("\n")[0])
    kept = [row for row in after.split("\n") if row.strip()]
    old, new = (_shifted(text, indent) for text in (before, "\n".join(kept)))
    return None if old == new else Fix(old, new, line)


def _shifted(text: str, indent: int) -> str:
    return "\n".join(row[indent:] for row in text.split("\n"))


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


def before_statement(code: Code, statement: ast.stmt, line: str) -> list[Edit]:
    """A line of its own ahead of a statement; none where that shares its line."""
    at = code.extent(statement)
    ahead = code.line(at.line)[: at.column]
    there = Extent(at.line, at.column, at.line, at.column)
    return [] if ahead.strip() else [Edit(there, f"{line}\n{ahead}")]


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


def behind(code: Code, node: ast.AST, text: str) -> Edit:
    """Some text right behind an expression."""
    end = code.extent(node)[2:]
    return Edit(Extent(*end, *end), text)


def bracketed(code: Code, place: ast.expr, text: str) -> str:
    """A text for the place of an expression, in brackets where it would fall apart without."""
    try:
        new = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text
    around = code.parent.get(place)
    loose = isinstance(new, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.BoolOp))
    tight = isinstance(around, (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.Compare))
    return f"({text})" if loose and tight and not _closed(text) else text


def _closed(text: str) -> bool:
    """Whether a text stands in one pair of brackets already."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and at < len(text) - 1:
            return False
    return text.startswith("(")


def tf_alias(code: Code) -> str:
    """The name under which the code imports tapelab."""
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.name in {"tapelab", "tensorflow"}:
                    return each.asname or each.name
    return "tf"


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


def with_argument(code: Code, call: ast.Call, argument: str) -> Edit:
    """A call with one more keyword argument, or with another value for it."""
    name = argument.partition("=")[0]
    for keyword in call.keywords:
        if keyword.arg == name:
            return Edit(code.extent(keyword), argument)
    given = [code.extent(node) for node in (*call.args, *call.keywords)]
    at = code.extent(call)
    end = max((each[2:] for each in given), default=(at.end_line, at.end_column - 1))
    return Edit(Extent(*end, *end), f", {argument}" if given else argument)


def joined(inserts: list[Edit]) -> Edit:
    """Several insertions at one place as one, in their order."""
    return Edit(inserts[0].at, "".join(each.text for each in inserts))


def replace_expression(case: Case, event: int, text: str) -> Fix | None:
    """The line in which an event happened, with another expression in the place of its own.

    None where the code is not known or would stay as it is.
    """
    span = case.recording.event_spans[event]
    code, node = case.codes.of(span), case.codes.expression(span)
    if code is None or node is None:
        return None
    return fix(code, [replaced(code, node, bracketed(code, node, text))])
