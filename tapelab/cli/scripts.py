"""Run a learner's script as `python script.py` would, and keep the tapes that it asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import numpy as np

from tapelab.core.backward_report import GradientCall
from tapelab.core.gradient_call import observers
from tapelab.core.tape import GradientTape


class ScriptFailed(Exception):  # noqa: N818 - what failed is the script, and it has said so
    """The script ended before its end; Python's words on it have been printed."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class Witness:
    """Keeps the tapes that `tf.why()` will be asked about.

    A tape inside a function is gone when the function is done, and with it what it saw.
    """

    def __init__(self) -> None:
        self.kept: dict[str, GradientTape] = {}

    def hear(self, tape: GradientTape, _: GradientCall, results: Any) -> None:
        """Keep the tape that answered last, and the one whose answer went wrong last."""
        self.kept["last"] = tape
        if any(map(_went_wrong, results)):
            self.kept["wrong"] = tape


def _went_wrong(result: Any) -> bool:
    """Whether a gradient is None, or holds NaN or infinities."""
    value: Any = getattr(result, "_value", None)
    is_number = value is not None and value.dtype.kind in "fc"
    return result is None or (is_number and not np.isfinite(value).all())


@contextmanager
def running(script: Path, arguments: list[str]) -> Iterator[None]:
    """Run a script as the main module; until the end of the block its tapes and names live.

    ScriptFailed where it breaks off, or ends with another status than 0.
    """
    main, witness = ModuleType("__main__"), Witness()
    main.__file__ = str(script)
    observers.append(witness.hear)
    try:
        with _in_place_of_ours(main, [str(script), *arguments], str(script.resolve().parent)):
            _run(script, main)
        yield
    finally:
        observers.remove(witness.hear)


def _run(script: Path, main: ModuleType) -> None:
    try:
        exec(compile(script.read_bytes(), str(script), "exec"), main.__dict__)  # noqa: S102 - the learner's script
    except SystemExit as end:
        _told_as_python_does(end)
    except Exception as error:
        error.__traceback__ = _from(str(script), error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        raise ScriptFailed(error) from error


@contextmanager
def _in_place_of_ours(main: ModuleType, arguments: list[str], folder: str) -> Iterator[None]:
    """Let a module be the main one, as long as its code runs."""
    before = sys.modules["__main__"], sys.argv, sys.path[0]
    sys.modules["__main__"], sys.argv, sys.path[0] = main, arguments, folder
    try:
        yield
    finally:
        sys.modules["__main__"], sys.argv, sys.path[0] = before


def _told_as_python_does(end: SystemExit) -> None:
    """A script may end early; with anything but 0 it says that something failed."""
    if end.code is None or end.code == 0:
        return
    if not isinstance(end.code, int):
        print(end.code, file=sys.stderr)
    raise ScriptFailed(end) from end


def _from(file: str, trace: TracebackType | None) -> TracebackType | None:
    """A traceback from the script on: how it was started is no matter of the learner's."""
    while trace is not None and trace.tb_frame.f_code.co_filename != file:
        trace = trace.tb_next
    return trace


@contextmanager
def output_apart() -> Iterator[None]:
    """Send what is printed meanwhile, also by other programs, to the error stream."""
    sys.stdout.flush()
    ours = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(ours, 1)
        os.close(ours)
