"""Runs the cells of a notebook in the worker, without a Jupyter kernel.

Cells are executed one after the other in one namespace; a cell that raises does not stop the
next ones. Magics never cost points: those that run Python run it, the others do nothing, and no
program of the system is started.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import re
import shlex
import sys
import traceback
from collections.abc import Callable, Mapping
from inspect import CO_COROUTINE
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final


class Shell:
    """Stands in for `get_ipython()`; what it does not know, it does not do."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self.user_ns = notebook.module.__dict__

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        """Run what is under a `%%` line, if that is Python."""
        _CELLS.get(name, _ignore_magic)(self._notebook, line, cell)

    def run_line_magic(self, name: str, line: str, *_: Any, **__: Any) -> Any:
        """Run what is behind a `%`, if that is Python."""
        return _LINES.get(name, _ignore_magic)(self._notebook, line, "")

    def getoutput(self, *_: Any, **__: Any) -> list[str]:
        """What a `!` line printed: nothing, for no program is started."""
        return []

    def transform_cell(self, cell: str) -> str:
        """Python from the language of cells."""
        return self._notebook.to_python(cell)

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None


def _ignore_magic(_: Notebook, __: str, ___: str) -> None:
    """Many magics only change how things look."""


def _run(notebook: Notebook, line: str, cell: str) -> None:
    """Run the cell under the magic, which may have magics of its own."""
    del line
    notebook.execute(notebook.to_python(cell), f"{id(cell)} of a magic")


def _expression(notebook: Notebook, line: str, _: str) -> Any:
    """`%time f(x)`: the value of the line."""
    try:
        return eval(line, notebook.module.__dict__)  # noqa: S307 - a line of the cell
    except SyntaxError:
        notebook.execute(line, "a magic")
        return None


def _write(_: Notebook, line: str, cell: str) -> None:
    """`%%writefile helpers.py`: later cells may import it."""
    *options, name = shlex.split(line)
    with Path(name).open("a" if options else "w", encoding="utf-8") as file:
        file.write(cell)


def _script(notebook: Notebook, line: str, _: str) -> None:
    """`%run helpers.py`: as if the file stood in the cell."""
    name = shlex.split(line)[-1]
    notebook.execute(Path(name).read_text(encoding="utf-8"), name)


Magic = Callable[["Notebook", str, str], Any]
"""It gets the notebook, the rest of its line, and the cell below it."""
_PYTHON: Final = (
    *("time", "timeit", "capture", "prun", "tape", "predict", "python", "python3", "pypy", "debug"),
    *("memit", "mprun", "heat", "snakeviz", "scalene", "pyinstrument", "skip", "wandb"),
)
_CELLS: Final[Mapping[str, Magic]] = {
    **dict.fromkeys(_PYTHON, _run),
    "writefile": _write,
    "file": _write,
}
_LINES: Final[Mapping[str, Magic]] = {
    **dict.fromkeys(("time", "prun"), _expression),
    "run": _script,
}


TITLE: Final = "In [{}]"
_LIKE_PYTHON: Final = re.compile(r"^\s*(?:[%!?]|.*\?\s*$|[/,;]\w|\w+\s*=\s*[%!])", re.MULTILINE)
"""Lines that only IPython understands: without one, its transformer need not be loaded."""


class Notebook:
    """A namespace in which cells run one after the other; what one cell breaks stays its own."""

    def __init__(self) -> None:
        self.module = ModuleType("__main__")
        self.shell = Shell(self)
        here = self.module.__dict__
        here.update(__builtins__=builtins, In=[""], Out={}, _="", __="", ___="")
        here.update(get_ipython=lambda: self.shell, display=_display_nothing)
        sys.modules["__main__"] = self.module
        self._count = 0

    def run(self, source: str) -> str:
        """Run a cell; what stopped it in one sentence, or nothing."""
        self._count += 1
        try:
            self.execute(self.to_python(source), TITLE.format(self._count))
        except BaseException as error:  # noqa: BLE001 - a notebook goes on after any of them
            return _error_sentence(error, TITLE.format(self._count))
        return ""

    def to_python(self, source: str) -> str:
        """The cell without magics; IPython's own transformer knows them all."""
        if source.lstrip().startswith("%%") or _LIKE_PYTHON.search(source):
            from IPython.core.inputtransformer2 import TransformerManager  # only for such cells

            manager: Any = TransformerManager
            return str(manager().transform_cell(source))
        return source

    def execute(self, source: str, title: str) -> None:
        """Run Python in the namespace; its lines are known to tracebacks and to recordings."""
        lines = source.splitlines(keepends=True)
        linecache.cache[title] = (len(source), None, lines, title)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(source, title, "exec", flags, dont_inherit=True)
        self._execute_code(code)

    def _execute_code(self, code: CodeType) -> None:
        if code.co_flags & CO_COROUTINE:
            import asyncio  # which takes as long as half of tapelab

            asyncio.run(eval(code, self.module.__dict__))  # noqa: S307 - the cell awaits something
        else:
            exec(code, self.module.__dict__)  # noqa: S102 - what a notebook is for


def _error_sentence(error: BaseException, title: str) -> str:
    """What stopped a cell, and in which of its lines."""
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__)
             if each.filename == title]  # fmt: skip
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001 - an exception of the learner's may do so, too
        message = ""
    place = f"line {lines[-1]}: " if lines else ""
    return f"{place}{type(error).__name__}" + (f": {message}" if message else "")


def _display_nothing(*_: Any, **__: Any) -> None:
    """Stand in for IPython's display."""
