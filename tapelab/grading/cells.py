"""Running the cells of a notebook without a kernel, as the learner saw them run in one."""

from __future__ import annotations

import ast
import builtins
import linecache
import re
import sys
import traceback
from inspect import CO_COROUTINE
from types import CodeType, ModuleType
from typing import Any, Final

from tapelab.grading.magics import Shell

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
        here.update(get_ipython=lambda: self.shell, display=_shown_to_nobody)
        sys.modules["__main__"] = self.module
        self._count = 0

    def run(self, source: str) -> str:
        """Run a cell; what stopped it in one sentence, or nothing."""
        self._count += 1
        try:
            self.execute(self.to_python(source), TITLE.format(self._count))
        except BaseException as error:  # noqa: BLE001 - a notebook goes on after any of them
            return _told(error, TITLE.format(self._count))
        return ""

    def to_python(self, source: str) -> str:
        """The cell without magics; IPython's own transformer knows them all."""
        if source.lstrip().startswith("%%") or _LIKE_PYTHON.search(source):
            from IPython.core.inputtransformer2 import TransformerManager  # only for such cells

            made: Any = TransformerManager
            return str(made().transform_cell(source))
        return source

    def execute(self, source: str, title: str) -> None:
        """Run Python in the namespace; its lines are known to tracebacks and to recordings."""
        lines = source.splitlines(keepends=True)
        linecache.cache[title] = (len(source), None, lines, title)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(source, title, "exec", flags, dont_inherit=True)
        self._started(code)

    def _started(self, code: CodeType) -> None:
        if code.co_flags & CO_COROUTINE:
            import asyncio  # which takes as long as half of tapelab

            asyncio.run(eval(code, self.module.__dict__))  # noqa: S307 - the cell awaits something
        else:
            exec(code, self.module.__dict__)  # noqa: S102 - what a notebook is for


def _told(error: BaseException, title: str) -> str:
    """What stopped a cell, and in which of its lines."""
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__)
             if each.filename == title]  # fmt: skip
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001 - an exception of the learner's may do so, too
        message = ""
    place = f"line {lines[-1]}: " if lines else ""
    return f"{place}{type(error).__name__}" + (f": {message}" if message else "")


def _shown_to_nobody(*_: Any, **__: Any) -> None:
    """Stand in for IPython's display."""
