"""Which front-end shows what Python draws: a shell of IPython, marimo, or a plain console."""

from __future__ import annotations

import sys
from typing import Any, Final
from weakref import WeakKeyDictionary

TERMINAL: Final = "TerminalInteractiveShell"
"""What IPython calls its shell in a terminal."""
_drawn: Final[WeakKeyDictionary[Any, int]] = WeakKeyDictionary()
"""The number of the cell in which a picture was drawn last."""


def first_in_cell(picture: Any) -> bool:
    """Whether the running cell has not drawn a picture yet; from now on it has."""
    cell, last = shell().execution_count, _drawn.get(picture)
    _drawn[picture] = cell
    return bool(last != cell)


def in_marimo() -> bool:
    """Whether a notebook of marimo runs this, which shows what a cell ends in by itself."""
    marimo = sys.modules.get("marimo")
    return marimo is not None and bool(marimo.running_in_notebook())


def in_terminal() -> bool:
    """Whether the running IPython shell is one in a terminal, which shows text alone."""
    return type(shell()).__name__ == TERMINAL


def shell() -> Any:
    """The running IPython shell, without importing IPython where it is not."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def asks_for_views() -> bool:
    """Whether this front-end runs a widget only where an output holds it: VS Code and Colab do."""
    return "google.colab" in sys.modules or "__vsc_ipynb_file__" in vars(sys.modules["__main__"])
