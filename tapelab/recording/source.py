"""From a code object and an instruction to the stretch of source it came from, and its name.

marimo keeps cells as functions in a file and runs their bodies without the indentation: spans in
them are moved back to where the text stands in the file.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType
from typing import Final, NamedTuple

from tapelab.recording.identity_cache import cached_by_identity

Extent = tuple[int, int, int, int]
"""line, column, end line, end column; columns in characters."""

WHOLE_FILE: Final = 400
MARGIN: Final = 3

titles: list[Callable[[str], str | None]] = []
"""Functions that name a file for people (`In [3]`); the first answer that is not None counts."""


def title_of(file: str) -> str:
    """What a person calls a file or a cell."""
    for name in titles:
        title = name(file)
        if title is not None:
            return title
    own = Path(file).name
    return "cell" if own.startswith(CELL_FILE) else own


@cached_by_identity(maxsize=4096)
def extent_of(code: CodeType, instruction: int) -> Extent:
    """Where the instruction at a byte offset stands; columns are 0 where Python kept none."""
    place = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    line, end_line, column, end_column = place
    line = line or code.co_firstlineno
    end_line = end_line or line
    lines = lines_of(code.co_filename)
    more = indentation(code, line, lines)
    start = _characters(lines, line, (column or 0) + more)
    return line, start, end_line, _characters(lines, end_line, (end_column or 0) + more)


def function_of(code: CodeType) -> str:
    """The function that some code belongs to, such as `Dense.call`; empty for a cell or a file."""
    for own in reversed(code.co_qualname.split(".<locals>.")):
        name = own.replace("<lambda>", "lambda")
        if not name.startswith("<"):  # as the name of a comprehension, a cell or a file does
            return name
    return ""


def lines_of(file: str) -> list[str]:
    """The lines of a file or a cell, as far as Python can find them."""
    if file == "<string>":  # any exec() has this name; Python 3.13 keeps the text of `-c` under it
        return []
    return [line.rstrip("\r\n") for line in linecache.getlines(file)]


def _characters(lines: list[str], line: int, byte_column: int) -> int:
    if not 0 < line <= len(lines) or lines[line - 1].isascii():
        return byte_column
    return len(lines[line - 1].encode()[:byte_column].decode(errors="ignore"))


@dataclass
class Names:
    """The names that the code of one file gives to the values of expressions.

    `by_extent` has the target of an assignment, `unpacked` the targets into which a value is
    unpacked, and `returns` what the functions return: names, and the places of other expressions.
    Functions are known by their first line and name, as their code objects are.
    """

    by_extent: dict[Extent, str] = field(default_factory=dict)
    unpacked: dict[Extent, tuple[str, ...]] = field(default_factory=dict)
    returns: dict[tuple[int, str], list[tuple[str | Extent, ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, file: str) -> Names:
        """The names in a file or cell; none if it is not valid Python by itself."""
        return _names_in("\n".join(lines_of(file)))

    def _note(self, node: ast.AST, lines: list[str]) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for target, value in zip(names, values, strict=False):
                    self._put(value, _target(target), lines)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                self.unpacked[_extent(value, lines)] = tuple(map(_target, names))
            case ast.Assign(targets=targets, value=value):
                plain = next((each for each in targets if isinstance(each, ast.Name)), targets[0])
                self._put(value, _target(plain), lines)
                self._put_parts(value, _target(plain), lines)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._put(value, name, lines)
            case ast.AugAssign(target=ast.Name(id=name)):
                self._put(node, name, lines)
            case ast.withitem(context_expr=value, optional_vars=ast.Name(id=name)):
                self._put(value, name, lines)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                self._put(value, name, lines)

            case ast.FunctionDef() | ast.AsyncFunctionDef():
                first = min(each.lineno for each in (node, *node.decorator_list))
                self.returns[first, node.name] = [
                    _parts(value, lines) for value in _returned_by(node)
                ]
            case ast.Lambda(body=body):
                known = self.returns.setdefault((node.lineno, "<lambda>"), [])
                known.extend(_parts(value, lines) for value in _branches(body))

    def _put(self, node: ast.expr | ast.stmt, name: str, lines: list[str]) -> None:
        if name:
            self.by_extent[_extent(node, lines)] = name

    def _put_parts(self, value: ast.expr, name: str, lines: list[str]) -> None:
        """The parts of a list or a dict that is written out: `weights[0]`, `weights['w']`."""
        match value:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                keys: list[str] = [str(number) for number in range(len(parts))]
            case ast.Dict(keys=given, values=parts):
                keys = [ast.unparse(key) if isinstance(key, ast.Constant) else "" for key in given]
            case _:
                return
        for key, part in zip(keys, parts, strict=True):
            if name and key:
                self._put(part, f"{name}[{key}]", lines)


def _target(node: ast.expr) -> str:
    """What an assignment calls a value; empty where it is unpacked further."""
    named = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    return ast.unparse(node) if named else ""


def _extent(node: ast.expr | ast.stmt, lines: list[str]) -> Extent:
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    start = _characters(lines, node.lineno, node.col_offset)
    return node.lineno, start, end_line, _characters(lines, end_line, end_column)


def _returned_by(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    """What the `return` statements of a function return, without those of functions inside."""
    pending: list[ast.AST] = [*function.body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return):
            yield from _branches(node.value)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))


def _branches(value: ast.expr | None) -> Iterator[ast.expr]:
    """The values that an expression may have: both of `a if c else b`."""
    if isinstance(value, ast.IfExp):
        yield from _branches(value.body)
        yield from _branches(value.orelse)
    elif value is not None:
        yield value


def _parts(value: ast.expr, lines: list[str]) -> tuple[str | Extent, ...]:
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return tuple([_target(part) or _extent(part, lines) for part in parts])


@lru_cache(maxsize=64)
def _names_in(text: str) -> Names:
    """The names in a text; a slider asks for those of the same cell at each of its moves."""
    names, lines = Names(), text.split("\n")
    with suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(_plain(text))):
            names._note(node, lines)
    return names


def _plain(text: str) -> str:
    """The text with IPython's magics and shell lines blanked, so that Python can parse it."""
    lines = text.split("\n")
    return "\n".join("pass" if line[:1] in "%!?" and line else line for line in lines)


def window(file: str, used: list[int]) -> tuple[int, str]:
    """The part of a file to keep: all of a short one, else the used lines and a margin."""
    lines = lines_of(file)
    if len(lines) <= WHOLE_FILE:
        return 1, "\n".join(lines)
    first = max(1, min(used) - MARGIN)
    last = min(len(lines), max(used) + MARGIN)
    return first, "\n".join(lines[first - 1 : last])


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
