"""Layer 6: what tapelab adds to a running notebook."""

from __future__ import annotations

import sys
from typing import Any

from tapelab.lab import hints, live, running
from tapelab.lab.cells import title_of_cell
from tapelab.recording import source


def attach(shell: Any = None) -> None:
    """Give a notebook the `%%tape` magic and cells their titles; nothing outside of IPython."""
    ipython = sys.modules.get("IPython")
    shell = shell or (ipython and ipython.get_ipython())
    if shell is None:
        return
    if title_of_cell not in source.titles:
        source.titles.append(title_of_cell)
    shell.register_magic_function(tape, "cell", "tape")
    running.attach(shell)
    hints.attach(shell)
    live.attach(shell)


def tape(line: str, cell: str) -> Any:
    """Record a cell on a tape and show it.

    %%tape              the way back from what the last line assigns
    %%tape z            the way back from z to all that is watched
    %%tape z x y        the way back from z to x and y
    %%tape --no-hints   without the line about gradients that look wrong

    In a cell that opens tapes itself, the last of them is shown.
    """
    __tracebackhide__ = True
    from tapelab.lab.magics import record_cell

    return record_cell(line, cell)
