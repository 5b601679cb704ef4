"""Where submissions are graded: in this process, in a process pool, or on a Dask cluster.

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

from tapelab.errors import Complaint
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
    """A submission, and an earlier result whose unchanged checks are kept."""

    submission: Submission
    earlier: Result | None = None

    @classmethod
    def of(cls, submission: Submission, earlier: Result | None = None) -> Task:
        """A task that can be sent to another process: a view of a mapping cannot."""
        return cls(replace(submission, files=dict(submission.files)), earlier)


@dataclass(frozen=True)
class TaskResult:
    """A task with its result, or the reason why there is none."""

    task: Task
    result: Result | None
    why: str = ""
    tapes: Mapping[str, bytes] = field(default_factory=dict)
    """By exercise, the serialized recording of its tape."""


@dataclass(frozen=True)
class GradingPlan:
    """How every task of a batch is graded; sent to worker processes, unlike the assignment.

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

    def __call__(self, task: Task) -> TaskResult:
        """Grade one submission; whatever goes wrong is an outcome of it alone."""
        try:
            tapes: dict[str, bytes] = {}
            result = self._result(task, tapes)
            return TaskResult(task, result, tapes=tapes)
        except Exception as error:  # noqa: BLE001 - reported, and the batch goes on
            return TaskResult(task, None, f"{type(error).__name__}: {error}")

    def _result(self, task: Task, tapes: dict[str, bytes]) -> Result:
        assignment = _load_cached(self.load, self.source)
        if assignment.version != self.version:
            raise RuntimeError(
                f"this process has another version of {self.assignment} ({assignment.version}, "
                f"not {self.version}). Give all of them the same files and the same tapelab."
            )
        result = self.grade(
            task.submission, assignment, seed=self.seed, sandbox=self.sandbox,
            earlier=task.earlier, keep=partial(_keep_recording, tapes),
        )  # fmt: skip
        key = (result.submission, result.version)
        if key != (task.submission.digest, self.version):
            raise RuntimeError(f"the result is of something else: {key}")
        return result


def _keep_recording(tapes: dict[str, bytes], exercise: str, recording: Recording) -> None:
    """Keep the first recording of an exercise, for pictures, unless it is very large."""
    if exercise not in tapes:
        content = to_bytes(recording)
        if len(content) <= LARGEST_TAPE:
            tapes[exercise] = content


@lru_cache(maxsize=8)
def _load_cached(load: Callable[[str], Assignment], name: str) -> Assignment:
    return load(name)


TRIES: Final = 2
"""Attempts for a task whose process dies."""
_SPAWN: Final = multiprocessing.get_context("spawn")


def grade_serially(tasks: Iterable[Task], plan: GradingPlan) -> Iterator[TaskResult]:
    """Grade in this process, one after the other."""
    return map(plan, tasks)


def grade_in_processes(tasks: Iterable[Task], plan: GradingPlan, jobs: int) -> Iterator[TaskResult]:
    """Grade in `jobs` processes at once, in the order in which they are done.

    Tasks are taken as processes become free, so that few are in memory. Leaving ends all processes.
    """
    remaining = map(_Attempt, tasks)
    retried: deque[_Attempt] = deque()
    pool: list[_PoolWorker] = []

    def next_attempt() -> _Attempt | None:
        return retried.popleft() if retried else next(remaining, None)

    try:
        while True:
            while len(pool) < jobs and (attempt := next_attempt()) is not None:
                pool.append(_PoolWorker.started(plan, attempt))
            if not pool:
                return
            for worker in _ready(pool):
                done, retry = worker.outcome()
                if retry is not None:
                    retried.append(retry)
                if done is not None:
                    yield done
                following = next_attempt() if worker.is_alive else None
                if following is not None:
                    worker.begin(following)
                else:
                    worker.end()
                    pool.remove(worker)
    finally:
        for worker in pool:
            worker.end()


@dataclass
class _Attempt:
    """A task, and how many processes have tried it."""

    task: Task
    tries: int = 0


@dataclass
class _PoolWorker:
    """A process of the pool and its current attempt."""

    process: SpawnProcess
    pipe: Connection[Task, TaskResult]
    attempt: _Attempt
    is_alive: bool = True

    @classmethod
    def started(cls, plan: GradingPlan, attempt: _Attempt) -> _PoolWorker:
        pipe, its_end = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_run_worker, args=(its_end, plan), daemon=False)
        process.start()
        its_end.close()
        worker = cls(process, pipe, attempt)
        worker.begin(attempt)
        return worker

    def begin(self, attempt: _Attempt) -> None:
        self.attempt = _Attempt(attempt.task, attempt.tries + 1)
        try:
            self.pipe.send(attempt.task)
        except OSError:
            self.is_alive = False  # it died between two tasks; reading the pipe will fail, too

    def outcome(self) -> tuple[TaskResult | None, _Attempt | None]:
        """The result of the task, or the attempt to be repeated."""
        try:
            return self.pipe.recv(), None
        except (EOFError, OSError):
            self.is_alive = False
            self.process.join()
        if self.attempt.tries < TRIES:
            return None, self.attempt
        ended = _ending(self.process.exitcode or 0)
        return TaskResult(
            self.attempt.task, None, f"The process that graded it {ended}, twice."
        ), None

    def end(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join()
        self.process.close()


def _ready(pool: list[_PoolWorker]) -> list[_PoolWorker]:
    pipes = wait([worker.pipe for worker in pool])
    return [worker for worker in pool if worker.pipe in pipes]


def _ending(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def _run_worker(pipe: Connection[TaskResult, Task], plan: GradingPlan) -> None:
    """Grade the tasks that the pipe delivers, until it is closed or the parent ends."""
    # Ctrl+C reaches all processes of a terminal; the parent ends this one when it is time. Not
    # SIG_IGN: what is started from here would inherit it.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(plan(task))


def _end_with_parent() -> None:
    """End this process when the parent ends, however it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


PATIENCE: Final = 30.0
"""Seconds that a scheduler and its first worker have to answer."""
AHEAD: Final = 4
"""Pending tasks per thread of the cluster: no thread idles, and few tasks are in memory."""
FETCHED: Final = 60
"""Seconds to fetch a finished result; after that it was lost with its worker."""


class ClusterError(Complaint, ConnectionError):
    """A cluster does not answer; the message says what to try."""


def grade_on_cluster(
    tasks: Iterable[Task], plan: GradingPlan, address: str, *, patience: float = PATIENCE
) -> Iterator[TaskResult]:
    """Grade on the workers of a Dask scheduler, in the order in which they are done.

    A task whose worker dies is given to another one; one that takes several with it has no result.
    """
    from distributed import Client, as_completed

    with _connected(Client, address, patience) as client:
        remaining = iter(tasks)
        pending = as_completed(loop=client.loop)
        tasks_of: dict[str, Task] = {}
        try:
            _submit_tasks(
                client, islice(remaining, AHEAD * _threads(client)), plan, tasks_of, pending
            )
            for future in pending:
                task = tasks_of.pop(future.key)
                try:
                    done = _outcome(future, task)
                except TimeoutError:  # the result was lost with its worker, without an error
                    future.release()
                    _submit_tasks(client, [task], plan, tasks_of, pending, retry=True)
                    continue
                yield done
                _submit_tasks(client, islice(remaining, 1), plan, tasks_of, pending)
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


def _submit_tasks(
    client: Client, tasks: Iterable[Task], plan: GradingPlan, tasks_of: dict[str, Task],
    pending: Any, *, retry: bool = False,
) -> None:  # fmt: skip
    for task in tasks:
        # The key names the result: two requests for it at once are computed once.
        key = f"grade-{plan.version}-{task.submission.digest}" + "-again" * retry
        tasks_of[key] = task
        pending.add(client.submit(plan, task, key=key))


def _outcome(future: Future, task: Task) -> TaskResult:
    error = future.exception(timeout=FETCHED)
    if error is None:
        done: TaskResult = future.result(timeout=FETCHED)
        return done
    if isinstance(error, CancelledError):
        raise error
    return TaskResult(
        task, None, f"The workers that graded it ended ({type(error).__name__}): {error}"
    )
