"""The cells of a notebook: what they are called, and code compiled as if it stood in one."""

from __future__ import annotations

import sys
import time
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tapelab.core.log import thread
from tapelab.core.tape import GradientTape

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell


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
    numbers: dict[str, int] = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return numbers


class Cell(NamedTuple):
    """A cell of a notebook. IPython leaves out the blank lines at its top, and counts without them.

    The id is None where a front-end gives cells none.
    """

    id: str | None = None
    blank: int = 0


NO_CELL: Final = Cell()


class Running:
    """The cell that runs, or ran last."""

    def __init__(self) -> None:
        self.execution = 0
        self.executions: dict[str | None, int] = {}  # of each cell the last
        self.cell = NO_CELL
        self.state: dict[str, Any] = thread.__dict__
        self.ended = 0.0
        self._depth = 0
        self._cells: dict[int, Cell] = {}
        self._before = 0  # the number of the newest cell when this one began
        self._open: tuple[object, ...] = ()  # the tapes that were open then

    @property
    def on(self) -> bool:
        """Whether a cell runs now."""
        return self._depth > 0

    def start(self, info: ExecutionInfo | None = None, joined: str | None = None) -> None:
        """A cell begins, perhaps inside of another, as magics run them; or was joined in midway."""
        self._depth += 1
        if self._depth == 1:
            newest = newest_number()
            self._cells[newest] = self.cell
            self._before = newest if joined is None else newest - 1
            self.execution += 1
            self.cell = Cell(getattr(info, "cell_id", joined), _blank_lines(info))
            self.executions[self.cell.id] = self.execution
            self.state = thread.__dict__
            self._open = (*thread.tapes,)

    def finish(self, result: object = None) -> None:
        """A cell is done; interrupted, it leaves no tape open that it opened.

        An interrupt that arrives within `__enter__` or `__exit__` of a tape would leave one open,
        and all cells after it would be recorded.
        """
        self._depth = max(0, self._depth - 1)
        if not self._depth and type(getattr(result, "error_in_exec", None)) is KeyboardInterrupt:
            for tape in (*thread.tapes,):
                if isinstance(tape, GradientTape) and tape not in self._open:
                    tape._abandon()
        self.ended = time.monotonic()

    def cell_of(self, file: str) -> Cell:
        """The cell that ran last from a file name; one without an id for other files."""
        return self._numbered(number_of_cell(file))

    def cell_called(self, title: str) -> Cell:
        """The cell that a recording calls `In [3]`; one without an id for other titles."""
        number = title.removeprefix("In [").removesuffix("]")
        return self._numbered(int(number) if number.isdecimal() else None)

    def _numbered(self, number: int | None) -> Cell:
        if number is not None and number > self._before:
            return self.cell
        return self._cells.get(number or 0, NO_CELL)


def _blank_lines(info: ExecutionInfo | None) -> int:
    """How many blank lines a cell begins with."""
    lines = getattr(info, "raw_cell", "").split("\n")
    blank = len(list(takewhile(lambda line: not line.strip(), lines)))
    return blank if blank < len(lines) else 0


RUNNING: Final = Running()


def attach(shell: InteractiveShell) -> None:
    """Observe when cells of a shell begin and end, also the one that runs now."""
    known = shell.events.callbacks
    for event, function in (("pre_run_cell", RUNNING.start), ("post_run_cell", RUNNING.finish)):
        if function not in known[event]:
            shell.events.register(event, function)
            if event == "pre_run_cell":
                _join_in(getattr(shell, "kernel", None))


def _join_in(kernel: Any) -> None:
    """Begin to observe the cell of a kernel in which tapelab is imported."""
    parent = kernel.get_parent() if kernel is not None else {}
    if parent.get("header", {}).get("msg_type") == "execute_request":
        RUNNING.start(joined=parent.get("metadata", {}).get("cellId") or "")
