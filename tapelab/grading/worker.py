"""The worker: it runs a student's code in a sandbox and answers the grader's requests.

It reads frames from stdin and writes frames to stdout. The first request holds the cells and files
of the submission; then each request names an exercise and its arguments, and the reply is a plain
value, a recording, or how the call ended. A worker that received no cells is a replay verifier:
it replays recordings of other workers.

Nothing here is secret and nothing here is trusted. Whatever the code does to this process, the
grader takes its replies for the student's answers and for nothing else.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from tapelab.exercises.answer import Ends, part
from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.tape_trial import Trial
from tapelab.exercises.values import Unreadable, Value
from tapelab.grading.op_settings import decode_settings, encode_settings
from tapelab.grading.protocol import Payload, ProtocolError, encode_frame, read_frame
from tapelab.grading.submission import is_inside
from tapelab.recording import from_bytes, to_bytes

if TYPE_CHECKING:
    from tapelab.grading.notebook_runner import Notebook

LARGEST_REQUEST: Final = 1 << 30
"""Bytes that the grader may send: it is trusted, and sends the student's files."""
LONGEST_TEXT: Final = 300


class _Answer(LocalAnswer):
    """A student's function; for the replay verifier it also returns live tensors."""

    def ends(self, ends: Ends, arguments: tuple[Value, ...]) -> list[Any]:
        """The live tape, target and source of the same run."""
        return [part(self._run(arguments), (end,)) for end in ends]


class Worker:
    """A student's notebook, run once, and the pipes to the grader."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source, self._sink = source, sink
        self._functions: dict[str, Callable[..., Any]] = {}
        self._answers: dict[str, _Answer] = {}
        self._context = copy_context()

    def work(self) -> None:
        """Run the cells, then answer requests until the grader closes the pipe."""
        header, payload = self._next()
        self._send({"kind": "started"})
        self._begin(header, payload)
        while True:
            try:
                header, payload = self._next()
            except EOFError:
                return
            try:
                reply, values = self._context.run(self._answer, header, payload)
                self._send({"number": header["number"], **reply}, values)
            except ProtocolError:
                self._send({"number": header["number"], "kind": "ending", "ending": "output"})

    def _next(self) -> tuple[dict[str, Any], Payload]:
        return read_frame(self._read, LARGEST_REQUEST)

    def _read(self, size: int) -> bytes:
        content = self._source.read(size)
        if len(content) < size:
            raise EOFError
        return content

    def _send(self, header: dict[str, Any], payload: Payload | None = None) -> None:
        self._sink.write(encode_frame(header, payload))
        self._sink.flush()

    def _begin(self, header: dict[str, Any], payload: Payload) -> None:
        for name, at in header["files"]:
            if is_inside(name):
                path = Path(name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(payload.buffer(at))
        notebook = self._notebook(header)
        sys.path.insert(0, "")  # after what a kernel imports: a student's json.py is not ours
        if notebook is not None:
            folder = Path(header["folder"])
            folder.mkdir(parents=True, exist_ok=True)
            os.chdir(folder)
        self._put_in_namespace()
        _set_seeds(header["seed"])
        if notebook is not None:
            self._context = notebook.context
            self._run_cells(header, notebook)
        self._send({"kind": "ready"})

    def _notebook(self, header: dict[str, Any]) -> Notebook | None:
        """The shell of a notebook; None in a replay verifier, which has no cells."""
        if not header["cells"]:
            return None
        from tapelab.grading.notebook_runner import Notebook  # IPython, which no replay needs

        return Notebook(script=header["script"])

    def _run_cells(self, header: dict[str, Any], notebook: Notebook) -> None:
        skipped = set(header["skip"])
        number = 0
        for at, source in enumerate(header["cells"]):
            number += bool(source.strip())  # a kernel counts no empty cell
            if at not in skipped:
                self._send({"kind": "running", "cell": at})
                slow = threading.Timer(header["slow"], self._send_line, (notebook, at, number))
                slow.daemon = True
                slow.start()
                stopped = notebook.run(source, number)
                slow.cancel()
                if stopped:
                    self._send({"kind": "stopped", "cell": at, "text": stopped[:LONGEST_TEXT]})

    def _send_line(self, notebook: Notebook, at: int, number: int) -> None:
        """Say which line of a cell has been running for long; called in a thread of its own."""
        line = notebook.running_line(number)
        if line is not None:
            self._send({"kind": "slow", "cell": at, "line": line})

    def _put_in_namespace(self) -> None:
        """Make `@tf.exercise` register answers here; `tf.check` and its like do nothing."""
        import tapelab  # the namespace that the student imports

        names: Any = tapelab
        names.exercise = self._exercise
        names.check = names.hint = names.progress = names.score = _do_nothing

    def _exercise(self, number: str, *_: Any, **__: Any) -> Callable[[Any], Any]:
        def remember(function: Any) -> Any:
            self._functions[str(number)] = function
            self._answers.pop(str(number), None)
            return function

        return remember

    def _answer(self, header: dict[str, Any], payload: Payload) -> tuple[dict[str, Any], Payload]:
        """The reply to a request: the value or recording of the student's function, or its end."""
        reply = Payload()
        if header["kind"] == "replay":
            return {"kind": "replay", "mismatch": _replay_mismatch(header, payload)}, reply
        if header["kind"] == "memory":
            return {"kind": "memory", "peak": _replayed_memory(header, payload)}, reply
        exercise = header["exercise"]
        if exercise not in self._functions:
            return _ending("missing")
        try:
            arguments = tuple(map(payload.take, header["arguments"]))
            if exercise not in self._answers:
                self._answers[exercise] = _Answer(self._functions[exercise])
            answer = self._answers[exercise]
            if header["kind"] == "trial":
                ends = tuple(header["ends"])
                trial = answer.trial(ends, *arguments)
                settings = encode_settings(answer.ends(ends, arguments), reply)
                return {**_encode_trial(trial, reply), "settings": settings}, reply
            return {"kind": "value", "value": reply.put(answer.result(*arguments))}, reply
        except Unreadable as problem:
            text = str(problem)
            return _ending("memory" if " with MemoryError" in text else problem.ending, text)
        except MemoryError:
            return _ending("memory")
        except ProtocolError as error:
            return _ending("refused", f"Your answer cannot be sent: {error}.")
        except BaseException as error:  # noqa: BLE001 - user code may raise anything
            return _ending("raised", f"Your code stopped with {type(error).__name__}.")


def _ending(ending: str, text: str = "") -> tuple[dict[str, Any], Payload]:
    """The reply without a value; it drops the buffers of what could not be sent."""
    return {"kind": "ending", "ending": ending, "text": text[:LONGEST_TEXT]}, Payload()


def _replay_mismatch(header: dict[str, Any], payload: Payload) -> str:
    """What contradicts the recording of another worker; empty if its replay gives the same.

    This worker has run no cells, so no code of the student takes part.
    """
    from tapelab.grading.replay_verifier import (  # only the verifier needs all ops
        Replay,
        ReplayMismatch,
    )

    try:
        recording = from_bytes(payload.buffer(header["tape"]))
        settings = [decode_settings(each, payload) for each in header["settings"]]
        Replay(recording, settings).run(header["call"])
    except ReplayMismatch as mismatch:
        return str(mismatch)
    except Exception as error:  # noqa: BLE001 - a forged recording may raise anything
        return f"it cannot be replayed ({type(error).__name__})"
    return ""


def _replayed_memory(header: dict[str, Any], payload: Payload) -> int:
    """The peak memory in bytes of a replayed tape; -1 where it cannot be replayed."""
    from tapelab.grading.memory_replay import MemoryReplay  # only the verifier needs all ops

    try:
        recording = from_bytes(payload.buffer(header["tape"]))
        settings = [decode_settings(each, payload) for each in header["settings"]]
        return MemoryReplay(recording, settings).peak(header["call"], header["position"])
    except Exception:  # noqa: BLE001 - a forged recording may raise anything
        return -1


def _encode_trial(trial: Trial, reply: Payload) -> dict[str, Any]:
    place = {"call": trial.call, "position": trial.position}
    return {"kind": "trial", "tape": reply.add(to_bytes(trial.recording)), **place}


def _do_nothing(*_: Any, **__: Any) -> None:
    """Stand in for `tf.check`: the verdict is the grader's."""


def _set_seeds(seed: int) -> None:
    """Seed all generators, so that a notebook draws the same numbers in every run."""
    import tapelab

    random.seed(seed)
    np.random.seed(seed % (1 << 32))  # noqa: NPY002 - the generator that students use
    tapelab.random.set_seed(seed)


@contextlib.contextmanager
def _protocol_pipes() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The pipes to the grader, moved to descriptors that `print` and `input` do not reach."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    with os.fdopen(source, "rb") as requests, os.fdopen(sink, "wb") as replies:
        yield requests, replies


def main() -> None:
    """Answer the grader at the other end of stdin and stdout, then exit at once."""
    with _protocol_pipes() as (source, sink):
        Worker(source, sink).work()
        os._exit(0)  # functions that user code registered with atexit must not run
