"""Run the code of a page as the cells of a notebook, and hold what it prints to what it says.

A page shows code in blocks of `python`, which all run, in order, in one namespace. A block of
`text` is what was printed since the last one. A block of `{explorer}` shows the value of the last
line of code, as a notebook would; what that line printed in its place counts as said.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from tapelab.diagnosis.declarations import forget_findings
from tapelab.recording import source

MAIN: Final = "__main__"
FENCE: Final = re.compile(r"(?ms)^(`{3,})(python|text|\{explorer\})[^\n]*\n(.*?)^\1$")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: what kind, its text, and the line at which it begins."""

    kind: str
    text: str
    line: int


@dataclass
class Notebook:
    """Runs the blocks of one page; `value` is what the last line of code was worth."""

    name: str
    space: dict[str, Any] = field(default_factory=lambda: {"__name__": MAIN})
    titles: dict[str, str] = field(default_factory=dict)
    value: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Forget the findings that the page declared: other pages are explained without them."""
        forget_findings(MAIN)

    def run(self, code: str) -> str:
        """Run one block of code as the next cell; returns what it printed."""
        number = len(self.titles) + 1
        file = f"<cell {number} of {self.name}>"
        self.titles[file] = f"In [{number}]"
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
        source.titles.insert(0, title := self.titles.get)
        printed = StringIO()
        try:
            with redirect_stdout(printed), np.errstate(all="ignore"):
                self._execute(ast.parse(code, file), file)
        finally:
            source.titles.remove(title)
        return printed.getvalue()

    def _execute(self, tree: ast.Module, file: str) -> None:
        """Run statements, and keep what the last of them is worth: an expression, or a name's."""
        last = tree.body[-1]
        if isinstance(last, ast.Expr):
            tree.body[-1] = ast.copy_location(_named(last.value), last)
        exec(compile(ast.fix_missing_locations(tree), file, "exec"), self.space)  # noqa: S102 - the page's own code
        match tree.body[-1]:
            case ast.Assign(targets=[ast.Name(id=name)]):
                self.value = self.space[name]
            case _:
                self.value = None


def _named(expression: ast.expr) -> ast.Assign:
    """The expression as a statement that gives its value a name, as a notebook does."""
    return ast.Assign(targets=[ast.Name(id="_", ctx=ast.Store())], value=expression)


def blocks(page: str) -> list[Block]:
    """The blocks of a page that are code, what it prints, or what it shows."""
    return [
        Block(found[2].strip("{}"), found[3], page[: found.start()].count("\n") + 1)
        for found in FENCE.finditer(page)
    ]


def differences(file: Path) -> list[str]:
    """Run a page, and tell where it prints something else than the page says."""
    with Notebook(file.stem) as notebook:
        return list(_differences(notebook, file))


def _differences(notebook: Notebook, file: Path) -> Iterator[str]:
    printed = ""
    for block in blocks(file.read_text(encoding="utf-8")):
        if block.kind == "python":
            printed += notebook.run(block.text)
            continue
        if block.kind == "text" and printed != block.text:
            yield f"{file.name}, line {block.line}: printed\n{printed}"
        if block.kind == "explorer" and not hasattr(notebook.value, "to_html"):
            yield f"{file.name}, line {block.line}: nothing to show."
        printed = ""
    if printed:
        yield f"{file.name}: printed at its end\n{printed}"
