"""Beside a learner's code: the tests of another grader, run step by step among the learner's names.

This runs in the learner's process, so what it says is no more than that process says. Which steps
to take, and whether their values are right, is decided by `foreign` in the judge's.
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
"""The cell to put where a test stood: names are seen as they are there, whatever comes later."""
DONE, VALUE, SHOWN, RAISED = "done", "value", "shown", "raised"
LONGEST: Final = 400


class Steps:
    """The names of a notebook at one place, and the steps of tests among them.

    A step sees the names in the notebook's own namespace, where the learner's functions look, too;
    what it changes there is seen by the next step of its check, and by nothing else.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self._live = names
        self._kept = dict(names)
        self._of: dict[str, dict[str, Any]] = {}

    def __call__(self, check: str, number: int, kind: str, source: str) -> tuple[Any, ...]:
        """Take a step of a check; `number` keeps two equal steps apart."""
        del number
        try:
            with self._in_place(check), contextlib.redirect_stderr(io.StringIO()):
                return _KINDS[kind](source, self._live)
        except BaseException as error:  # noqa: BLE001 - an answer may raise whatever there is
            return (RAISED, type(error).__name__, _message(error))

    @contextlib.contextmanager
    def _in_place(self, check: str) -> Iterator[None]:
        before = dict(self._live)
        _put(self._live, self._of.get(check, self._kept))
        try:
            yield
        finally:
            self._of[check] = dict(self._live)
            _put(self._live, before)


def _put(live: dict[str, Any], names: Mapping[str, Any]) -> None:
    live.clear()
    live.update(names)


def _run(source: str, names: dict[str, Any]) -> tuple[Any, ...]:
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, "<test>", "exec"), names)  # noqa: S102 - the step of a test
    return (DONE,)


def _value(source: str, names: dict[str, Any]) -> tuple[Any, ...]:
    with contextlib.redirect_stdout(io.StringIO()):
        return (VALUE, eval(compile(source, "<test>", "eval"), names))  # noqa: S307 - as above


def _shown(source: str, names: dict[str, Any]) -> tuple[Any, ...]:
    """What Python's prompt would print after this; a notebook's own way to show is put aside."""
    shows, sys.displayhook = sys.displayhook, sys.__displayhook__
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(source, "<test>", "single"), names)  # noqa: S102 - as above
    finally:
        sys.displayhook = shows
    return (SHOWN, out.getvalue())


_KINDS: Final[Mapping[str, Callable[[str, dict[str, Any]], tuple[Any, ...]]]] = {
    DONE: _run,
    VALUE: _value,
    SHOWN: _shown,
}


def _message(error: BaseException) -> str:
    try:
        return str(error)[:LONGEST]
    except Exception:  # noqa: BLE001 - an exception of the learner's may do so, too
        return ""


def answer(number: str, names: dict[str, Any]) -> None:
    """Let the names that a notebook has by now be the answer to an exercise."""
    os.environ.setdefault("NBGRADER_EXECUTION", "autograde")  # tests may ask nbgrader's question
    import_module("tapelab").exercise(number)(Steps(names))
