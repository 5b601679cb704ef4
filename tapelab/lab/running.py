"""Which cell runs, in which thread, and which cell of the notebook a file of code is."""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace
from typing import Any, Final

from tapelab.engine.log import thread
from tapelab.lab.cells import number_of_cell


class Running:
    """The cell that runs, or ran last; its id is None where a front-end gives cells none."""

    def __init__(self) -> None:
        self.execution = 0
        self.cell: str | None = None
        self.state: dict[str, Any] = thread.__dict__
        self.ended = 0.0
        self._depth = 0
        self._ids: dict[int, str | None] = {}

    @property
    def on(self) -> bool:
        """Whether a cell runs now."""
        return self._depth > 0

    def start(self, info: Any = None) -> None:
        """A cell begins, perhaps inside of another, as magics run them."""
        self._depth += 1
        if self._depth == 1:
            self.execution += 1
            self.cell = getattr(info, "cell_id", None)
            self.state = thread.__dict__
            self._ids[_shell().execution_count] = self.cell

    def finish(self, *_: Any) -> None:
        """A cell is done."""
        self._depth = max(0, self._depth - 1)
        self.ended = time.monotonic()

    def cell_of(self, file: str) -> str | None:
        """The id of the cell that ran last from a file name; None for other files."""
        number = number_of_cell(file)
        return None if number is None else self._ids.get(number)

    def cell_called(self, title: str) -> str | None:
        """The id of the cell that a recording calls `In [3]`; None for other titles."""
        number = title.removeprefix("In [").removesuffix("]")
        return self._ids.get(int(number)) if number.isdecimal() else None


RUNNING: Final = Running()


def _shell() -> Any:
    return sys.modules["IPython"].get_ipython()


def attach(shell: Any) -> None:
    """Hear of each cell of a shell that begins or ends, also of the one that runs now."""
    known = shell.events.callbacks
    for event, function in (("pre_run_cell", RUNNING.start), ("post_run_cell", RUNNING.finish)):
        if function not in known[event]:
            shell.events.register(event, function)
            if event == "pre_run_cell":
                _join_in(getattr(shell, "kernel", None))


def _join_in(kernel: Any) -> None:
    """Hear of the cell of a kernel in which tapelab is imported."""
    asked = kernel.get_parent() if kernel is not None else {}
    if asked.get("header", {}).get("msg_type") == "execute_request":
        RUNNING.start(SimpleNamespace(cell_id=asked.get("metadata", {}).get("cellId")))
