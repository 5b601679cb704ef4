"""What the magics of a notebook come to where no front-end is: cells run, and the rest is nothing.

A magic never costs points. Those that run Python run it, those that talk to the system do not.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol


class CellRunner(Protocol):
    """What magics need of the notebook that runs their cells: see `cells.Notebook`."""

    module: ModuleType

    def to_python(self, source: str) -> str:
        """The cell without magics."""

    def execute(self, source: str, title: str) -> None:
        """Run Python in the namespace of the notebook."""


class Shell:
    """Stands in for `get_ipython()`; what it does not know, it does not do."""

    def __init__(self, notebook: CellRunner) -> None:
        self._notebook = notebook
        self.user_ns = notebook.module.__dict__

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        """Run what is under a `%%` line, if that is Python."""
        _CELLS.get(name, _nothing)(self._notebook, line, cell)

    def run_line_magic(self, name: str, line: str, *_: Any, **__: Any) -> Any:
        """Run what is behind a `%`, if that is Python."""
        return _LINES.get(name, _nothing)(self._notebook, line, "")

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


def _nothing(_: CellRunner, __: str, ___: str) -> None:
    """Many magics only change how things look."""


def _run(notebook: CellRunner, line: str, cell: str) -> None:
    """Run the cell under the magic, which may have magics of its own."""
    del line
    notebook.execute(notebook.to_python(cell), f"{id(cell)} of a magic")


def _expression(notebook: CellRunner, line: str, _: str) -> Any:
    """`%time f(x)`: the value of the line."""
    try:
        return eval(line, notebook.module.__dict__)  # noqa: S307 - a line of the cell
    except SyntaxError:
        notebook.execute(line, "a magic")
        return None


def _write(_: CellRunner, line: str, cell: str) -> None:
    """`%%writefile helpers.py`: later cells may import it."""
    *options, name = shlex.split(line)
    with Path(name).open("a" if options else "w", encoding="utf-8") as file:
        file.write(cell)


def _script(notebook: CellRunner, line: str, _: str) -> None:
    """`%run helpers.py`: as if the file stood in the cell."""
    name = shlex.split(line)[-1]
    notebook.execute(Path(name).read_text(encoding="utf-8"), name)


_PYTHON: Final = (
    *("time", "timeit", "capture", "prun", "tape", "predict", "python", "python3", "pypy", "debug"),
    *("memit", "mprun", "heat", "snakeviz", "scalene", "pyinstrument", "skip", "wandb"),
)
_CELLS: Final[dict[str, Callable[[CellRunner, str, str], Any]]] = {
    **dict.fromkeys(_PYTHON, _run),
    "writefile": _write,
    "file": _write,
}
_LINES: Final[dict[str, Callable[[CellRunner, str, str], Any]]] = {
    **dict.fromkeys(("time", "prun"), _expression),
    "run": _script,
}
