"""An answer in this process: the learner's function, its exceptions tamed."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, Final

from tapelab.exercises.answer import Answer, Ends, part
from tapelab.exercises.tape_trial import Trial, trial_of
from tapelab.exercises.value_conversion import live, value_of
from tapelab.exercises.values import Raised, Unsolved, Value, fingerprint
from tapelab.locales import say

LONGEST_MESSAGE: Final = 280


class LocalAnswer(Answer):
    """A function of this kernel, or None where the learner has given none yet."""

    def __init__(self, function: Callable[..., Any] | None, *, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self._function = function

    def _result(self, arguments: tuple[Value, ...]) -> Value:
        return value_of(self._run(arguments))

    def _trial(self, ends: Ends, arguments: tuple[Value, ...]) -> Trial:
        result = self._run(arguments)
        return trial_of(*(part(result, (end,)) for end in ends))

    def _run(self, arguments: tuple[Value, ...]) -> Any:
        """The live result, one for each arguments; it never leaves this class."""
        return self._once(f"run {fingerprint(arguments)}", lambda: self._called(arguments))

    def _called(self, arguments: tuple[Value, ...]) -> Any:
        if self._function is None:
            raise Unsolved(say("Run the cell with your answer first."))
        given = [live(value_of(each)) for each in arguments]
        try:
            result = self._function(*given)
        except NotImplementedError:
            raise Unsolved(say("Nothing here yet.")) from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a learner's error, of any kind
            raise Raised(error_sentence(error, self._function)) from None
        if result is None or result is ...:
            raise Unsolved(say("Nothing here yet."))
        return result


def error_sentence(error: BaseException, function: Callable[..., Any]) -> str:
    """An exception as one sentence, with the line of the learner's code it came from."""
    message = " ".join(str(error).split())
    if len(message) > LONGEST_MESSAGE:
        message = message[: LONGEST_MESSAGE - 1].rstrip() + "…"
    what = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return _placed(error, function, what)


def _placed(error: BaseException, function: Callable[..., Any], what: str) -> str:
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    if not frames:
        return say("Your code stopped with {error}", error=what)
    number, line = frames[-1].lineno, frames[-1].line
    if not line:
        return say("Your code stopped at line {number} with {error}", number=number, error=what)
    return say(
        "Your code stopped at line {number}, `{line}`, with {error}",
        number=number, line=line, error=what,
    )  # fmt: skip
