"""A learner's answer: the function they wrote, run once for each input, its exceptions tamed."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from tapelab.exercises.wording import kind_of

LONGEST_MESSAGE = 280


class Unreadable(Exception):  # noqa: N818 - no error of ours: a way to say why there are no points
    """There is nothing to judge; the message tells the learner why."""


class Unsolved(Unreadable):
    """The answer, or this part of it, is still the placeholder `...`."""


class Answer:
    """What a learner's function returns, remembered, so that all checks look at the same run."""

    def __init__(self, function: Callable[..., Any] | None) -> None:
        self._function = function
        self._results: dict[str, Any] = {}

    def result(self, *arguments: Any) -> Any:
        """The returned value; Unsolved or Unreadable if there is none."""
        key = repr(arguments)
        if key not in self._results:
            self._results[key] = self._run(arguments)
        result = self._results[key]
        if isinstance(result, Unreadable):
            raise result
        return result

    def part(self, where: tuple[Any, ...], *arguments: Any) -> Any:
        """A part of the returned value: an entry of a dict, a place in a tuple."""
        found = self.result(*arguments)
        for key in where:
            found = _entry(found, key)
        if found is ...:
            raise Unsolved("Nothing here yet.")
        return found

    def _run(self, arguments: tuple[Any, ...]) -> Any:
        if self._function is None:
            return Unsolved("Run the cell with your answer first.")
        try:
            result = self._function(*arguments)
        except NotImplementedError:
            return Unsolved("Nothing here yet.")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a learner's error, of any kind
            return Unreadable(told(error, self._function))
        return Unsolved("Nothing here yet.") if result is None or result is ... else result


def _entry(found: Any, key: Any) -> Any:
    if found is ...:
        raise Unsolved("Nothing here yet.")
    if isinstance(key, str):
        if type(found) is not dict:
            raise Unreadable(f"Return a dict with the entry '{key}'; this is {kind_of(found)}.")
        if key not in found:
            raise Unreadable(f"The entry '{key}' is missing.")
    elif type(found) not in (tuple, list):
        raise Unreadable(f"Return a tuple of values; this is {kind_of(found)}.")
    elif len(found) <= key:
        raise Unreadable(f"Return {key + 1} values or more; here are {len(found)}.")
    return found[key]


def told(error: BaseException, function: Callable[..., Any]) -> str:
    """An exception as one sentence, with the line of the learner's code it came from."""
    message = " ".join(str(error).split())
    if len(message) > LONGEST_MESSAGE:
        message = message[: LONGEST_MESSAGE - 1].rstrip() + "…"
    what = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return f"Your code stopped{_place(error, function)} with {what}"


def _place(error: BaseException, function: Callable[..., Any]) -> str:
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    if not frames:
        return ""
    line = f", `{frames[-1].line}`," if frames[-1].line else ""
    return f" at line {frames[-1].lineno}{line}"
