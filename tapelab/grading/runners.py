"""Where submissions are graded: in this process, in a pool of processes, or on a Dask cluster.

A runner takes tasks and gives one outcome for each, in the order in which they finish. It may be
stopped at any moment: tasks are taken one by one as workers become free, so few are in memory.
A process or a cluster worker that dies costs no points: its task is tried once more, then reported
as failed. Checks are functions and cannot be sent, so each process loads the assignment by its name
and verifies that its version is the same everywhere.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING, Any, Final, Protocol

from tapelab.grading.gradebook.gradebook_errors import GradebookError
from tapelab.grading.result import Result
from tapelab.recording import Recording, to_bytes

if TYPE_CHECKING:
    from distributed import Client, Future

    from tapelab.grading.assignment import Assignment
    from tapelab.grading.submission import Submission


LARGEST_TAPE: Final = 1 << 20
"""Bytes; what a larger tape recorded is not kept."""


class Grader(Protocol):
    """A function such as `tapelab.grading.grader.grade`."""

    def __call__(
        self,
        submission: Submission,
        assignment: Assignment,
        *,
        seed: int | None,
        sandbox: str,
        earlier: Result | None,
        keep: Callable[[str, Recording], None] | None,
    ) -> Result:
        """Grade a submission."""
        ...


@dataclass(frozen=True)
class Task:
    """A submission, and the result from which checks that did not change are taken."""

    submission: Submission
    earlier: Result | None = None

    @classmethod
    def of(cls, submission: Submission, earlier: Result | None = None) -> Task:
        """A task that can be sent to another process: a view of a mapping cannot."""
        return cls(replace(submission, files=dict(submission.files)), earlier)


@dataclass(frozen=True)
class Done:
    """A task with its result, or why there is none."""

    task: Task
    result: Result | None
    why: str = ""
    tapes: Mapping[str, bytes] = field(default_factory=dict)
    """By exercise, what its tape recorded."""


@dataclass(frozen=True)
class Work:
    """How every task of a batch is graded; it is sent to processes, the assignment is not.

    Checks are functions, which do not travel: each process loads the assignment by its name, and
    makes sure that it has the same version as everywhere else.
    """

    grade: Grader
    load: Callable[[str], Assignment]
    source: str
    """What `load` is asked for: the number of a lesson, or a folder."""
    assignment: str
    version: str
    seed: int | None = None
    sandbox: str = "auto"

    def __call__(self, task: Task) -> Done:
        """Grade one submission; whatever goes wrong is an outcome of it alone."""
        try:
            tapes: dict[str, bytes] = {}
            result = self._result(task, tapes)
            return Done(task, result, tapes=tapes)
        except Exception as error:  # noqa: BLE001 - it must not end the batch, and is told
            return Done(task, None, f"{type(error).__name__}: {error}")

    def _result(self, task: Task, tapes: dict[str, bytes]) -> Result:
        assignment = _loaded(self.load, self.source)
        if assignment.version != self.version:
            raise RuntimeError(
                f"this process has another version of {self.assignment} ({assignment.version}, "
                f"not {self.version}). Give all of them the same files and the same tapelab."
            )
        result = self.grade(
            task.submission, assignment, seed=self.seed, sandbox=self.sandbox,
            earlier=task.earlier, keep=partial(_keep, tapes),
        )  # fmt: skip
        key = (result.submission, result.version)
        if key != (task.submission.digest, self.version):
            raise RuntimeError(f"the result is of something else: {key}")
        return result


def _keep(tapes: dict[str, bytes], exercise: str, recording: Recording) -> None:
    """Keep the first recording of an exercise, for pictures, unless it is very large."""
    if exercise not in tapes:
        content = to_bytes(recording)
        if len(content) <= LARGEST_TAPE:
            tapes[exercise] = content


@lru_cache(maxsize=8)
def _loaded(load: Callable[[str], Assignment], name: str) -> Assignment:
    return load(name)


TRIES: Final = 2
"""How often a task is begun that takes its process with it."""
_SPAWN: Final = multiprocessing.get_context("spawn")


def one_by_one(tasks: Iterable[Task], work: Work) -> Iterator[Done]:
    """Grade here, one after the other."""
    return map(work, tasks)


def in_processes(tasks: Iterable[Task], work: Work, jobs: int) -> Iterator[Done]:
    """Grade in `jobs` processes at once, in the order in which they are done.

    Tasks are taken as processes become free, so that few are in memory. Leaving ends all processes.
    """
    waiting = _Queue(iter(tasks))
    crew: list[_Member] = []
    try:
        while True:
            while len(crew) < jobs and (begun := waiting.next()) is not None:
                crew.append(_Member.started(work, begun))
            if not crew:
                return
            for member in _ready(crew):
                done, again = member.outcome()
                if again is not None:
                    waiting.put_back(again)
                if done is not None:
                    yield done
                following = waiting.next() if member.lives else None
                if following is not None:
                    member.begin(following)
                else:
                    member.end()
                    crew.remove(member)
    finally:
        for member in crew:
            member.end()


@dataclass
class _Begun:
    """A task, and how often a process has taken it."""

    task: Task
    tries: int = 0


@dataclass
class _Queue:
    """The tasks that nobody has: those whose process died, then the further ones."""

    tasks: Iterator[Task]
    again: deque[_Begun] = field(default_factory=deque)

    def next(self) -> _Begun | None:
        if self.again:
            return self.again.popleft()
        task = next(self.tasks, None)
        return _Begun(task) if task is not None else None

    def put_back(self, begun: _Begun) -> None:
        self.again.append(begun)


@dataclass
class _Member:
    """A process and what it works on."""

    process: SpawnProcess
    pipe: Connection[Task, Done]
    begun: _Begun
    lives: bool = True

    @classmethod
    def started(cls, work: Work, begun: _Begun) -> _Member:
        pipe, its_end = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_serve, args=(its_end, work), daemon=False)
        process.start()
        its_end.close()
        member = cls(process, pipe, begun)
        member.begin(begun)
        return member

    def begin(self, begun: _Begun) -> None:
        self.begun = _Begun(begun.task, begun.tries + 1)
        try:
            self.pipe.send(begun.task)
        except OSError:
            self.lives = False  # it died between two tasks; its pipe says so, too

    def outcome(self) -> tuple[Done | None, _Begun | None]:
        """What came of the task, or the task to be tried again."""
        try:
            return self.pipe.recv(), None
        except (EOFError, OSError):
            self.lives = False
            self.process.join()
        if self.begun.tries < TRIES:
            return None, self.begun
        ended = _ending(self.process.exitcode or 0)
        return Done(self.begun.task, None, f"The process that graded it {ended}, twice."), None

    def end(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join()
        self.process.close()


def _ready(crew: list[_Member]) -> list[_Member]:
    pipes = wait([member.pipe for member in crew])
    return [member for member in crew if member.pipe in pipes]


def _ending(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def _serve(pipe: Connection[Done, Task], work: Work) -> None:
    """Grade what comes through the pipe, until it is closed or the parent is gone."""
    # Ctrl+C reaches all processes of a terminal; the parent ends this one when it is time. Not
    # SIG_IGN: what is started from here would inherit it.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(work(task))


def _end_with_parent() -> None:
    """Whoever kills the parent leaves no process behind."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


PATIENCE: Final = 30.0
"""Seconds in which a scheduler and a first worker have to answer."""
AHEAD: Final = 4
"""Tasks under way for each thread of the cluster: nobody waits, and few are in memory."""
FETCHED: Final = 60
"""A result that is there is on this computer within so many seconds, or was lost on the way."""


class ClusterError(ConnectionError):
    """A cluster does not answer; the sentence says what to try."""


def on_cluster(
    tasks: Iterable[Task], work: Work, address: str, *, patience: float = PATIENCE
) -> Iterator[Done]:
    """Grade on the workers of a Dask scheduler, in the order in which they are done.

    A task whose worker dies is given to another one; one that takes several with it has no result.
    """
    from distributed import Client, as_completed

    with _connected(Client, address, patience) as client:
        further = iter(tasks)
        under_way = as_completed(loop=client.loop)
        known: dict[str, Task] = {}
        try:
            _begin(client, islice(further, AHEAD * _threads(client)), work, known, under_way)
            for future in under_way:
                task = known.pop(future.key)
                try:
                    done = _outcome(future, task)
                except TimeoutError:  # the result died with its worker, and nobody was told
                    future.release()
                    _begin(client, [task], work, known, under_way, again=True)
                    continue
                yield done
                _begin(client, islice(further, 1), work, known, under_way)
        except GradebookError:
            raise  # the tasks come from a gradebook, whose full disk is an OSError, too
        except (CancelledError, OSError) as error:
            raise ClusterError(
                f"The cluster at {address} went away. What was graded is kept. Start it "
                "again, then run the same command; it goes on where it stopped."
            ) from error


def _connected(client: type[Client], address: str, patience: float) -> Client:
    try:
        connected = client(address, timeout=patience, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {address} ({error}). Start one with: dask scheduler"
        ) from error
    try:
        connected.wait_for_workers(1, timeout=patience)
    except TimeoutError as error:
        connected.close()
        raise ClusterError(
            f"The cluster at {address} has no worker. Start one with: dask worker {address} "
            "--nthreads 1"
        ) from error
    return connected


def _threads(client: Client) -> int:
    threads: dict[str, int] = client.nthreads()
    return max(sum(threads.values()), 1)


def _begin(
    client: Client, tasks: Iterable[Task], work: Work, known: dict[str, Task], under_way: Any,
    *, again: bool = False,
) -> None:  # fmt: skip
    for task in tasks:
        # Named after what it makes: asked for twice at once, it is done once.
        key = f"grade-{work.version}-{task.submission.digest}" + "-again" * again
        known[key] = task
        under_way.add(client.submit(work, task, key=key))


def _outcome(future: Future, task: Task) -> Done:
    error = future.exception(timeout=FETCHED)
    if error is None:
        done: Done = future.result(timeout=FETCHED)
        return done
    if isinstance(error, CancelledError):
        raise error
    return Done(task, None, f"The workers that graded it ended ({type(error).__name__}): {error}")
