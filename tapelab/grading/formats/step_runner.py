"""Runs the steps of another grader's tests in the student's process, among the student's names.

What it returns is only what that process says. `external_tests` decides in the grader's process
which steps to run, and whether their values are right.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Final

CELL: Final = (
    "from tapelab.grading.formats.step_runner import answer as _answer\n"
    "_answer({number!r}, globals())\n"
)
"""The cell in the place of a test: it registers the names of the notebook as they are there."""
DONE, VALUE, PRINTED, RAISED = "done", "value", "shown", "raised"
LONGEST: Final = 400


class Steps:
    """The names of a notebook at one place, and the steps of tests among them.

    A step sees the names in the notebook's own namespace, where the learner's functions look, too;
    what it changes there is seen by the next step of its check, and by nothing else.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self._live = names
        self._names_at_start = dict(names)
        self._names_of: dict[str, dict[str, Any]] = {}

    def __call__(self, check: str, number: int, kind: str, source: str) -> tuple[Any, ...]:
        """Take a step of a check; `number` keeps two equal steps apart."""
        del number
        try:
            with self._in_place(check), contextlib.redirect_stderr(io.StringIO()):
                return _RUNNERS[kind](source, self._live)
        except BaseException as error:  # noqa: BLE001 - an answer may raise whatever there is
            return (RAISED, type(error).__name__, _message(error))

    @contextlib.contextmanager
    def _in_place(self, check: str) -> Iterator[None]:
        before = dict(self._live)
        _replace(self._live, self._names_of.get(check, self._names_at_start))
        try:
            yield
        finally:
            self._names_of[check] = dict(self._live)
            _replace(self._live, before)


def _replace(live: dict[str, Any], names: Mapping[str, Any]) -> None:
    live.clear()
    live.update(names)


def _run(source: str, names: dict[str, Any]) -> tuple[Any, ...]:
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, "<test>", "exec"), names)  # noqa: S102 - the step of a test
    return (DONE,)


def _value(source: str, names: dict[str, Any]) -> tuple[Any, ...]:
    with contextlib.redirect_stdout(io.StringIO()):
        return (VALUE, eval(compile(source, "<test>", "eval"), names))  # noqa: S307 - as above


def _printed(source: str, names: dict[str, Any]) -> tuple[Any, ...]:
    """What Python's prompt prints for this; a display hook of the notebook is not used."""
    shows, sys.displayhook = sys.displayhook, sys.__displayhook__
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(source, "<test>", "single"), names)  # noqa: S102 - as above
    finally:
        sys.displayhook = shows
    return (PRINTED, out.getvalue())


_RUNNERS: Final[Mapping[str, Callable[[str, dict[str, Any]], tuple[Any, ...]]]] = {
    DONE: _run,
    VALUE: _value,
    PRINTED: _printed,
}


def _message(error: BaseException) -> str:
    try:
        return str(error)[:LONGEST]
    except Exception:  # noqa: BLE001 - an exception of the learner's may do so, too
        return ""


def answer(number: str, names: dict[str, Any]) -> None:
    """Register the notebook's current names as the answer to an exercise."""
    os.environ.setdefault("NBGRADER_EXECUTION", "autograde")  # tests may ask nbgrader's question
    import_module("tapelab").exercise(number)(Steps(names))
