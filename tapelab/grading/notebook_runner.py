"""Runs the cells of a notebook in the worker, in the shell that a Jupyter kernel has.

Cells run one after the other in one namespace; a cell that raises does not stop the next ones. As
in a kernel an event loop runs while they do, so a task of one cell can be awaited in a later one;
the code of a .py file meets no loop but its own. What is not installed here costs no points: an
unknown cell magic runs the cell below it, an unknown line magic does nothing.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import traceback
from contextlib import suppress
from contextvars import copy_context
from types import ModuleType
from typing import Any, Final

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import UsageError
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from traitlets import Type
from traitlets.config import Config

from tapelab.recording import source

_INSTALLERS: Final = frozenset({"pip", "conda", "mamba", "micromamba", "uv"})
"""Magics that install packages: the learner's machine had what they name, this one has no net."""
_SURROUNDINGS: Final = frozenset({"load_ext", "reload_ext", "matplotlib", "gui", "config"})
"""Magics that prepare how things look or are measured, which may need what is not here."""


class SilentDisplayHook(DisplayHook):
    """Keeps the value of a cell as `Out` and `_`, and writes it nowhere: there is no front-end."""

    def write_output_prompt(self) -> None:
        """Write nothing."""

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        """Write nothing."""

    def finish_displayhook(self) -> None:
        """End without an empty line."""


class SilentDisplayPublisher(DisplayPublisher):
    """Drops what is displayed; a terminal's would print it among the output."""

    def publish(self, data: Any, *_: Any, **__: Any) -> None:
        """Drop it."""

    def clear_output(self, wait: bool = False) -> None:
        """Clear nothing, with no codes for a terminal."""


class Shell(InteractiveShell):
    """IPython's shell without a terminal and a front-end: what it displays is dropped."""

    displayhook_class = Type(SilentDisplayHook)
    display_pub_class = Type(SilentDisplayPublisher)

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        """Run what is behind a `%`."""
        if magic_name in _INSTALLERS:
            return None
        run: Any = super().run_line_magic
        try:
            return run(magic_name, line, _stack_depth + 1)
        except Exception:
            if self._knows("line", magic_name) and magic_name not in _SURROUNDINGS:
                raise
            return None

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        """Run what is under a `%%` line."""
        run: Any = super().run_cell_magic
        try:
            return run(magic_name, line, cell)
        except UsageError:
            if self._knows("cell", magic_name):
                raise
        shell: Any = self
        text = shell.transform_cell(cell)
        file = self.compile.cache(text, self.execution_count, cell)
        exec(compile(text, file, "exec"), self.user_ns)  # noqa: S102 - what a notebook is for
        return None

    def _knows(self, kind: str, magic_name: str) -> bool:
        shell: Any = self
        return shell.find_magic(magic_name, kind) is not None

    def system(self, cmd: str) -> None:
        """Run what is behind a `!`, and print what it prints."""
        expand: Any = self.var_expand
        ended = subprocess.run(  # noqa: S602 - a line for the system's shell
            expand(cmd, depth=1), shell=True, stdin=subprocess.DEVNULL, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        sys.stdout.write(ended.stdout)
        self.user_ns["_exit_code"] = ended.returncode

    def enable_gui(self, gui: str | None = None) -> None:
        """Open no windows."""

    def ask_exit(self) -> None:
        """Go on with the next cell, as a notebook does that is run as a whole."""

    def showtraceback(self, *_: Any, **__: Any) -> None:
        """Show nothing: errors are in the result of a cell."""

    showsyntaxerror = showindentationerror = showtraceback


def _settings() -> Config:
    settings = Config()
    settings.HistoryManager.enabled = False  # no database of what was typed
    return settings


class Notebook:
    """A namespace in which cells run one after the other; what one cell breaks stays its own."""

    def __init__(self, *, script: bool = False) -> None:
        if not script:
            os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
        module = ModuleType("__main__")
        self.shell: Any = Shell.instance(config=_settings(), user_module=module)
        self._loop = asyncio.new_event_loop()
        self.context = copy_context()
        """What context variables hold: one cell sets print options, the next ones have them."""
        self.shell.loop_runner = self._loop.run_until_complete
        self._run = self._run_by_itself if script else self._run_in_loop
        source.titles.append(self._title)

    def run(self, text: str, number: int) -> str:
        """Run a cell as `In [number]`; what stopped it in one sentence, or nothing."""
        self.shell.execution_count = number
        try:
            result = self._run(text)
            error = result.error_before_exec or result.error_in_exec
        except BaseException as problem:  # noqa: BLE001 - of a task that another cell began
            error = problem
        return "" if error is None else self._error_sentence(error, number)

    def _run_by_itself(self, text: str) -> ExecutionResult:
        result: ExecutionResult = self.context.run(self.shell.run_cell, text, store_history=True)
        return result

    def _run_in_loop(self, text: str) -> ExecutionResult:
        task = self._loop.create_task(self._run_cell(text), context=self.context)
        return self._loop.run_until_complete(task)

    async def _run_cell(self, text: str) -> ExecutionResult:
        """Run a cell as a kernel does, then let the tasks begin that it created."""
        shell, transformed, problem = self.shell, text, None
        try:
            transformed = shell.transform_cell(text)
        except Exception:  # noqa: BLE001 - the shell reports it as the result of the cell
            problem = sys.exc_info()
        result: ExecutionResult = await shell.run_cell_async(
            text, store_history=True, transformed_cell=transformed, preprocessing_exc_tuple=problem
        )
        shell.events.trigger("post_execute")
        shell.events.trigger("post_run_cell", result)
        await asyncio.sleep(0)
        return result

    def running_line(self, number: int) -> int | None:
        """The line of a cell that runs now, in the main thread."""
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        lines = [line for each, line in traceback.walk_stack(frame)
                 if self._title(each.f_code.co_filename) == f"In [{number}]"]  # fmt: skip
        return lines[0] if lines else None

    def _title(self, file: str) -> str | None:
        """`In [3]` for the file name that the shell gave to a cell; None for other files."""
        label = self.shell.compile.format_code_name(file)
        return None if label is None else label[1].replace("In[", "In [")

    def _error_sentence(self, error: BaseException, number: int) -> str:
        """What stopped a cell, and in which of its lines."""
        message = ""
        with suppress(BaseException):  # an exception of the learner's may raise another
            message = error.msg if isinstance(error, SyntaxError) else str(error)
        title = f"In [{number}]"
        lines = [each.lineno for each in traceback.extract_tb(error.__traceback__)
                 if self._title(each.filename) == title]  # fmt: skip
        if isinstance(error, SyntaxError) and error.lineno:
            lines.append(error.lineno)
        place = f"line {lines[-1]}: " if lines else ""
        return f"{place}{type(error).__name__}" + (f": {message}" if message else "")
