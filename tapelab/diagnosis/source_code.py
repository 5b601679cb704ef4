"""The user's code as a recording holds it, parsed so that places can be named and lines rewritten.

A recording may hold a part of a file: `_parsed` pads it so that it parses and keeps its line
numbers. Lines count from 1, columns in characters from 0, ends are exclusive.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tapelab.diagnosis.finding import Where

if TYPE_CHECKING:
    from tapelab.recording import Recording
    from tapelab.recording.schema import Source


Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Extent(NamedTuple):
    """A stretch of text; lines from 1, columns in characters, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    def holds(self, other: Extent) -> bool:
        """Whether the other stretch lies within this one."""
        starts = (self.line, self.column) <= (other.line, other.column)
        return starts and (other.end_line, other.end_column) <= (self.end_line, self.end_column)


class Code:
    """One cell or file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.first = source.first_line
        self.lines = source.text.split("\n")
        self.tree = _parsed(self.lines, self.first)
        self.parent: dict[ast.AST, ast.AST] = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }

    def extent(self, node: ast.AST) -> Extent:
        """Where a statement or an expression stands."""
        assert isinstance(node, (ast.stmt, ast.expr, ast.keyword))
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        start, end = self._characters(node.lineno, node.col_offset), end_column
        return Extent(node.lineno, start, end_line, self._characters(end_line, end))

    def _characters(self, line: int, byte_column: int) -> int:
        text = self.line(line)
        if text.isascii():
            return byte_column
        return len(text.encode()[:byte_column].decode(errors="ignore"))

    def line(self, number: int) -> str:
        """One line by its number; empty if it is not here."""
        at = number - self.first
        return self.lines[at] if 0 <= at < len(self.lines) else ""

    def text(self, node: ast.AST | Extent) -> str:
        """The source text of a node or a stretch."""
        at = node if isinstance(node, Extent) else self.extent(node)
        if at.line == at.end_line:
            return self.line(at.line)[at.column : at.end_column]
        middle = [self.line(number) for number in range(at.line + 1, at.end_line)]
        first, last = self.line(at.line)[at.column :], self.line(at.end_line)[: at.end_column]
        return "\n".join([first, *middle, last])

    @cached_property
    def placed(self) -> list[tuple[Extent, ast.AST]]:
        """All statements and expressions, the outer before the inner."""
        nodes = (n for n in ast.walk(self.tree) if isinstance(n, (ast.stmt, ast.expr)))
        return [(self.extent(node), node) for node in nodes]

    def expression(self, at: Extent | None) -> ast.expr | None:
        """The expression that fills a stretch exactly."""
        expressions = (n for where, n in self.placed if where == at and isinstance(n, ast.expr))
        return next(expressions, None)

    def statement(self, at: Extent | None) -> ast.stmt | None:
        """The innermost statement around a stretch."""
        if at is None:
            return None
        around = [n for where, n in self.placed if isinstance(n, ast.stmt) and where.holds(at)]
        return around[-1] if around else None

    def scope(self, node: ast.AST) -> Scope:
        """The function that a node stands in, or the module."""
        while not isinstance(node := self.parent.get(node, self.tree), Scope):
            pass
        return node

    def statements(self) -> Iterator[ast.stmt]:
        """All statements, in the order of their lines."""
        statements = (n for n in ast.walk(self.tree) if isinstance(n, ast.stmt))
        return iter(sorted(statements, key=lambda node: (node.lineno, node.col_offset)))


class Codes:
    """All cells and files of a recording."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._codes: dict[int, Code] = {}
        self._expressions: dict[int, ast.expr | None] = {}

    def of(self, span: int) -> Code | None:
        """The cell or file that a span lies in; None where its text is not known."""
        place = self.recording.span(span)
        if place is None or not self.recording.sources[place.source].text:
            return None
        if place.source not in self._codes:
            self._codes[place.source] = Code(self.recording.sources[place.source])
        return self._codes[place.source]

    def extent(self, span: int) -> Extent | None:
        """The stretch of a span."""
        place = self.recording.span(span)
        if place is None:
            return None
        return Extent(place.line, place.column, place.end_line, place.end_column)

    def expression(self, span: int) -> ast.expr | None:
        """The expression of a span."""
        if span not in self._expressions:
            code = self.of(span)
            self._expressions[span] = code.expression(self.extent(span)) if code else None
        return self._expressions[span]

    def statement(self, span: int) -> ast.stmt | None:
        """The innermost statement around a span."""
        code = self.of(span)
        return code.statement(self.extent(span)) if code else None

    def text(self, span: int) -> str:
        """The source text of a span in one line; empty where it is not known."""
        code, extent = self.of(span), self.extent(span)
        if code is None or extent is None:
            return ""
        return " ".join(line.strip() for line in code.text(extent).split("\n"))

    def line(self, span: int) -> int:
        """The line at which a span begins; 0 for none."""
        place = self.recording.span(span)
        return place.line if place else 0

    def where(self, span: int, part: Extent | None = None) -> Where | None:
        """The place of a span, or of a part of its code, for a finding."""
        place, whole = self.recording.span(span), self.extent(span)
        if place is None or whole is None:
            return None
        code, extent = self.of(span), part or whole
        text = " ".join(line.strip() for line in code.text(extent).split("\n")) if code else ""
        title = self.recording.sources[place.source].title
        return Where(place.source, *extent, file=title, text=text)


def _parsed(lines: list[str], first: int) -> ast.Module:
    """The code as a tree; of a part of a file, as much as is valid by itself."""
    most = min(4, len(lines)) if first > 1 else 1
    for skipped in range(most):
        for dropped in range(most):
            kept = [""] * skipped + lines[skipped : len(lines) - dropped]
            levels = _levels(kept)[: first - 1]
            padding = [""] * (first - 1 - len(levels)) + levels
            try:
                return ast.parse("\n".join(map(_plain, [*padding, *kept])))
            except (SyntaxError, ValueError):
                continue
    return ast.Module(body=[], type_ignores=[])


def _levels(lines: list[str]) -> list[str]:
    """Headers under which lines that begin inside blocks are valid Python."""
    indents: list[int] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line.strip() and (not indents or indent < indents[-1]):
            indents.append(indent)
    if indents and indents[-1]:
        indents.append(0)
    return [" " * indent + "if 1:" for indent in reversed(indents[1:])]


def _plain(line: str) -> str:
    """A line without IPython's magics and shell commands."""
    return "pass" if line[:1] in {"%", "!", "?"} else line
