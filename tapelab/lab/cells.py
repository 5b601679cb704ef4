"""The cells of a notebook: what they are called, and code compiled as if it stood in one."""

from __future__ import annotations

import sys
from typing import Any


def title_of_cell(file: str) -> str | None:
    """`In [3]` for the file name that IPython gave to a cell; None for other files."""
    number = number_of_cell(file)
    return None if number is None else f"In [{number}]"


def number_of_cell(file: str) -> int | None:
    """The number under which a cell ran last, by its file name; None for other files."""
    return _numbers(_shell()).get(file)


def newest_number() -> int:
    """The number of the cell that was run last; 0 before the first."""
    return max(_numbers(_shell()).values(), default=0)


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return ipython and ipython.get_ipython()


def enter(shell: Any, text: str) -> str:
    """Let Python find the text of the cell that runs now; returns the cell's file name."""
    running = max(_numbers(shell).values(), default=shell.execution_count)
    name: str = shell.compile.cache(text, running)
    return name


def _numbers(shell: Any) -> dict[str, int]:
    """The numbers of all cells that ran, by file name; IPython keeps them to title tracebacks."""
    found: dict[str, int] = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return found
