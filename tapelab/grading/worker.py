"""The worker: it runs what a learner wrote, and answers the judge's questions with plain data.

Nothing here is secret and nothing here is trusted. Whatever a learner's code does to this process,
the judge takes what comes out of it for an answer of the learner's, and for nothing else.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from tapelab.exercises.answer import Ends, part
from tapelab.exercises.local import LocalAnswer
from tapelab.exercises.trial import Trial
from tapelab.exercises.ungradable import Unreadable
from tapelab.exercises.values import Value
from tapelab.grading.notebook_runner import Notebook
from tapelab.grading.op_settings import settings_of, told_settings
from tapelab.grading.protocol import Parcel, WireError, pack, receive
from tapelab.grading.submission import is_inside
from tapelab.recording import from_bytes, to_bytes

MOST: Final = 1 << 30
"""Bytes that the judge may send: it is trusted, and has the learner's files to send."""
LINE: Final = 300


class _Answer(LocalAnswer):
    """A learner's function, of which the witness needs more than a check does."""

    def ends(self, ends: Ends, arguments: tuple[Value, ...]) -> list[Any]:
        """The live tape, target and source of the same run."""
        return [part(self._run(arguments), (end,)) for end in ends]


class Worker:
    """A learner's notebook, run once, and the two ends of the wire to the judge."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source, self._sink = source, sink
        self._functions: dict[str, Callable[..., Any]] = {}
        self._answers: dict[str, _Answer] = {}

    def work(self) -> None:
        """Run the cells, then answer until the judge has no more questions."""
        header, parcel = self._next()
        self._say({"kind": "awake"})
        self._begin(header, parcel)
        while True:
            try:
                header, parcel = self._next()
            except EOFError:
                return
            try:
                self._say(*self._answer(header, parcel))
            except WireError:
                self._say({"number": header["number"], "kind": "ending", "ending": "output"})

    def _next(self) -> tuple[dict[str, Any], Parcel]:
        return receive(self._read, MOST)

    def _read(self, size: int) -> bytes:
        content = self._source.read(size)
        if len(content) < size:
            raise EOFError
        return content

    def _say(self, header: dict[str, Any], parcel: Parcel | None = None) -> None:
        self._sink.write(pack(header, parcel))
        self._sink.flush()

    def _begin(self, header: dict[str, Any], parcel: Parcel) -> None:
        for name, at in header["files"]:
            if is_inside(name):
                path = Path(name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(parcel.buffer(at))
        sys.path.insert(0, "")
        self._put_in_namespace()
        _seeded(header["seed"])
        notebook, skipped = Notebook(), set(header["skip"])
        for at, source in enumerate(header["cells"]):
            if at not in skipped:
                self._say({"kind": "running", "cell": at})
                stopped = notebook.run(source)
                if stopped:
                    self._say({"kind": "stopped", "cell": at, "text": stopped[:LINE]})
        self._say({"kind": "ready"})

    def _put_in_namespace(self) -> None:
        """`@tf.exercise` marks an answer here, for any number; the checks are the judge's."""
        import tapelab  # the namespace that the learner will import

        names: Any = tapelab
        names.exercise = self._exercise
        names.check = names.hint = names.progress = _not_here

    def _exercise(self, number: str, *_: Any, **__: Any) -> Callable[[Any], Any]:
        def remember(function: Any) -> Any:
            self._functions[str(number)] = function
            self._answers.pop(str(number), None)
            return function

        return remember

    def _answer(self, header: dict[str, Any], parcel: Parcel) -> tuple[dict[str, Any], Parcel]:
        """What the learner's function makes of the arguments, or how it ended."""
        told, reply = {"number": header["number"]}, Parcel()
        if header["kind"] == "witness":
            return {**told, "kind": "witness", "doubt": _doubt(header, parcel)}, reply
        try:
            exercise = header["exercise"]
            arguments = tuple(map(parcel.take, header["arguments"]))
            if exercise not in self._answers:
                self._answers[exercise] = _Answer(self._functions.get(exercise))
            answer = self._answers[exercise]
            if header["kind"] == "trial":
                ends = tuple(header["ends"])
                trial = answer.trial(ends, *arguments)
                settings = told_settings(answer.ends(ends, arguments), reply)
                return {**told, **_told_trial(trial, reply), "settings": settings}, reply
            value = reply.put(answer.result(*arguments))
        except Unreadable as problem:
            text = str(problem)
            ending = "memory" if " with MemoryError" in text else problem.ending
            return {**told, "kind": "ending", "ending": ending, "text": text[:LINE]}, Parcel()
        except MemoryError:
            return {**told, "kind": "ending", "ending": "memory", "text": ""}, Parcel()
        except WireError as error:
            text = f"Your answer cannot be read: {error}."
            return {**told, "kind": "ending", "ending": "refused", "text": text[:LINE]}, Parcel()
        except BaseException as error:  # noqa: BLE001 - a learner may raise whatever there is
            text = f"Your code stopped with {type(error).__name__}."
            return {**told, "kind": "ending", "ending": "raised", "text": text[:LINE]}, Parcel()
        return {**told, "kind": "value", "value": value}, reply


def _doubt(header: dict[str, Any], parcel: Parcel) -> str:
    """What contradicts a recording that another worker sent; empty if nothing does.

    The witness runs no cells, so nothing of the learner's takes part in this.
    """
    from tapelab.grading.replay import Doubt, Replay  # only a witness needs all ops

    try:
        recording = from_bytes(parcel.buffer(header["tape"]))
        settings = [settings_of(each, parcel) for each in header["settings"]]
        Replay(recording, settings).run(header["call"])
    except Doubt as doubt:
        return str(doubt)
    except Exception as error:  # noqa: BLE001 - whatever a made-up recording leads to
        return f"it cannot be run again ({type(error).__name__})"
    return ""


def _told_trial(trial: Trial, reply: Parcel) -> dict[str, Any]:
    place = {"call": trial.call, "position": trial.position}
    return {"kind": "trial", "tape": reply.add(to_bytes(trial.recording)), **place}


def _not_here(*_: Any, **__: Any) -> None:
    """Stand in for `tf.check`: what it would say, the judge will say."""


def _seeded(seed: int) -> None:
    """The same random numbers in every run of the same notebook."""
    import tapelab

    random.seed(seed)
    np.random.seed(seed % (1 << 32))  # noqa: NPY002 - what learners draw from
    tapelab.random.set_seed(seed)


@contextlib.contextmanager
def _wire() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The pipes to the judge, moved away from where `print` and `input` would reach them."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    with os.fdopen(source, "rb") as from_judge, os.fdopen(sink, "wb") as to_judge:
        yield from_judge, to_judge


def main() -> None:
    """Work for the judge at the other end of stdin and stdout, then leave without a word."""
    with _wire() as (source, sink):
        Worker(source, sink).work()
        os._exit(0)  # what the learner registered to run at exit has no part in this
