"""Where submissions are graded: in judges on this machine, or on a Dask cluster.

A runner takes tasks and gives one outcome for each, in the order in which they finish. It may be
stopped at any moment: tasks are taken one by one as workers become free, so few are in memory.
A judge or a cluster worker that is killed costs no points: its task is tried once more, then
reported as failed. Where what a submission holds ends its judge, the check at which it happened is
refused, and the others are graded by a new judge. Checks are functions and cannot be sent, so each
process loads the assignment by its name and verifies that its version is the same everywhere.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice
from multiprocessing.connection import wait
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Protocol

from tapelab.errors import Complaint
from tapelab.grading.gradebook.gradebook_errors import GradebookError
from tapelab.grading.judge import DEFAULT_LIMITS, Judge, JudgeEnded, JudgeLimits
from tapelab.grading.result import EVERY_CHECK, Result
from tapelab.grading.stored_tapes import to_stored
from tapelab.grading.worker_session import TOTAL_FACTOR
from tapelab.recording import Recording

if TYPE_CHECKING:
    from distributed import Client, Future

    from tapelab.grading.assignment import Assignment
    from tapelab.grading.submission import Submission


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
        refused: Mapping[str, str],
        began: Callable[[str], None],
    ) -> Result:
        """Grade a submission."""
        ...


@dataclass(frozen=True)
class Task:
    """A submission, and an earlier result whose unchanged checks are kept."""

    submission: Submission
    earlier: Result | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    """By the key of a check, or EVERY_CHECK, why judges ended that ran it on this submission."""

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


def judge_limits(assignment: Assignment) -> JudgeLimits:
    """The limits of a judge, whose clock goes on while the sandbox uses all its time."""
    seconds = max([assignment.limits.seconds, *map(assignment.seconds, assignment.exercises)])
    return replace(DEFAULT_LIMITS, wall=DEFAULT_LIMITS.wall + 2 * TOTAL_FACTOR * seconds)


@dataclass(frozen=True)
class GradingPlan:
    """How every task of a batch is graded; sent to judges, unlike the assignment.

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
    limits: JudgeLimits = DEFAULT_LIMITS
    untrusted: str = ""
    """The folder of the submissions, from which nothing is imported."""
    start_sandbox: Callable[[str], object] | None = None
    """What is called with the name of the sandbox before it is needed, for all submissions."""

    def prepare(self) -> None:
        """Load and start what all tasks need; what fails here fails for each of them, and says."""
        with suppress(Exception):
            _load_cached(self.load, self.source)
            if self.start_sandbox is not None:
                self.start_sandbox(self.sandbox)

    def __call__(self, task: Task, began: Callable[[str], None]) -> TaskResult:
        """Grade one submission; whatever goes wrong is an outcome of it alone.

        `began` is called with the key of each check before it runs.
        """
        try:
            tapes: dict[str, bytes] = {}
            result = self._result(task, tapes, began)
            return TaskResult(task, result, tapes=tapes)
        except MemoryError:
            raise  # the judge is at its limit
        except Exception as error:  # noqa: BLE001 - reported, and the batch goes on
            return TaskResult(task, None, f"{type(error).__name__}: {error}")

    def _result(self, task: Task, tapes: dict[str, bytes], began: Callable[[str], None]) -> Result:
        assignment = _load_cached(self.load, self.source)
        if assignment.version != self.version:
            raise RuntimeError(
                f"this process has another version of {self.assignment} ({assignment.version}, "
                f"not {self.version}). Give all of them the same files and the same tapelab."
            )
        result = self.grade(
            task.submission, assignment, seed=self.seed, sandbox=self.sandbox,
            earlier=task.earlier, keep=partial(_keep_recording, tapes), refused=task.refused,
            began=began,
        )  # fmt: skip
        key = (result.submission, result.version)
        if key != (task.submission.digest, self.version):
            raise RuntimeError(f"the result is of something else: {key}")
        return result


def _keep_recording(tapes: dict[str, bytes], exercise: str, recording: Recording) -> None:
    """Keep the first recording of an exercise, for pictures, unless it is very large."""
    if exercise not in tapes:
        content = to_stored(recording)
        if content is not None:
            tapes[exercise] = content


@lru_cache(maxsize=8)
def _load_cached(load: Callable[[str], Assignment], name: str) -> Assignment:
    return load(name)


TRIES: Final = 2
"""Attempts for a task whose judge ends by itself, or is killed."""
STOPPING: Final = 0.25
"""Seconds after which a batch that may be stopped looks whether it shall."""
MOST_REFUSED: Final = 2
"""Checks of a submission that may end their judge; at the next one all the others are refused."""


def grade_in_processes(
    tasks: Iterable[Task], plan: GradingPlan, jobs: int = 1, stop: threading.Event | None = None
) -> Iterator[TaskResult]:
    """Grade in `jobs` judges at once, in the order in which they are done.

    Tasks are taken as judges become free, so that few are in memory. Leaving ends all judges;
    so does `stop`, which another thread may set.
    """
    patience = STOPPING if stop else float("inf")
    remaining = iter(tasks)
    pool: list[_PoolWorker] = []
    try:
        while not (stop and stop.is_set()):
            while len(pool) < jobs and (task := next(remaining, None)) is not None:
                pool.append(_PoolWorker(plan))
                pool[-1].begin(task)
            if not pool:
                return
            for worker in _ready(pool, patience):
                done = worker.outcome()
                if done is None:
                    continue
                yield done
                following = next(remaining, None)
                if following is not None:
                    worker.begin(following)
                else:
                    worker.end()
                    pool.remove(worker)
    finally:
        for worker in pool:
            worker.end()


_OF_THREAD: Final = threading.local()
"""The template of judges that stays for the next task of a thread, as those of a Dask worker."""


def grade_in_judge(plan: GradingPlan, task: Task) -> TaskResult:
    """Grade one task in a judge."""
    worker: _PoolWorker | None = getattr(_OF_THREAD, "worker", None)
    if worker is None or worker.plan != plan:
        if worker is not None:
            worker.end()
        worker = _OF_THREAD.worker = _PoolWorker(plan)
        atexit.register(worker.end)
    worker.begin(task)
    while (done := worker.outcome()) is None:
        pass
    return done


class _PoolWorker:
    """A judge of the pool and its current task; a judge that ended is replaced."""

    def __init__(self, plan: GradingPlan) -> None:
        self.plan = plan
        self.judge = self._new_judge()

    def _new_judge(self) -> Judge:
        return Judge(self.plan.limits, self.plan.untrusted, self.plan.prepare)

    def begin(self, task: Task) -> None:
        self._task, self._tries = task, 0
        self._ask()

    def _ask(self) -> None:
        self._check = EVERY_CHECK
        self.judge.send(partial(self.plan, self._task))

    def outcome(self) -> TaskResult | None:
        """The result of the task; None if it is not there yet, or has to be tried again."""
        try:
            message = self.judge.receive()
        except JudgeEnded as ended:
            return self._result_after(ended)
        if isinstance(message, TaskResult):
            return message
        self._check = str(message)
        return None

    def _result_after(self, ended: JudgeEnded) -> TaskResult | None:
        """Refuse the check whose judge ended; with a reason from outside, try all of it again."""
        self.judge = self._new_judge()
        refused = self._task.refused
        if not ended.caused:
            self._tries += 1
            if self._tries == TRIES:
                return TaskResult(self._task, None, f"The process that graded it {ended}, twice.")
        elif EVERY_CHECK in refused:
            return TaskResult(self._task, None, f"The grader gave up: {ended}.")
        else:
            check = self._check if len(refused) < MOST_REFUSED else EVERY_CHECK
            self._task = replace(self._task, refused={**refused, check: str(ended)})
        self._ask()
        return None

    def end(self) -> None:
        self.judge.end()


def _ready(pool: list[_PoolWorker], patience: float) -> list[_PoolWorker]:
    """The workers that have sent something, or whose time is over."""
    first = min(worker.judge.deadline for worker in pool)
    remaining = min(max(0.0, first - time.monotonic()), patience)
    pipes = wait([worker.judge.pipe for worker in pool], remaining)
    now = time.monotonic()
    return [each for each in pool if each.judge.pipe in pipes or each.judge.deadline <= now]


PATIENCE: Final = 30.0
"""Seconds that a scheduler and its first worker have to answer."""
AHEAD: Final = 4
"""Pending tasks per thread of the cluster: no thread idles, and few tasks are in memory."""
FETCHED: Final = 60
"""Seconds to fetch a finished result; after that it was lost with its worker."""
WATCHED: Final = 2.0
"""Seconds after which is looked whether the cluster has workers, while nothing is done."""


class ClusterError(Complaint, ConnectionError):
    """A cluster does not answer; the message says what to try."""


def grade_on_cluster(
    tasks: Iterable[Task], plan: GradingPlan, address: str, *, patience: float = PATIENCE,
    notify: Callable[[str], None] = lambda sentence: None,
) -> Iterator[TaskResult]:  # fmt: skip
    """Grade on the workers of a Dask scheduler, in the order in which they are done.

    A task whose worker dies is given to another one; one that takes several with it has no result.
    Where no worker is left, `notify` is called with a sentence, and grading goes on when one comes.
    """
    from distributed import Client

    with _connected(Client, address, patience) as client:
        remaining = iter(tasks)
        pending = _Pending(client, plan, _WorkerWatch(client, address, notify))
        try:
            pending.submit(islice(remaining, AHEAD * _threads(client)))
            while pending.tasks:
                if (done := pending.next_result()) is not None:
                    yield done
                    pending.submit(islice(remaining, 1))
        except GradebookError:
            raise  # the tasks come from a gradebook, whose full disk is an OSError, too
        except (CancelledError, OSError) as error:
            raise ClusterError(
                f"The cluster at {address} went away. What was graded is kept. Start it "
                "again, then run the same command; it goes on where it stopped."
            ) from error


class _WorkerWatch:
    """Says when a cluster has no worker left, and when one comes."""

    def __init__(self, client: Client, address: str, notify: Callable[[str], None]) -> None:
        self._client, self._address, self._notify = client, address, notify
        self.any_left = True

    def look(self) -> None:
        """Look how many workers there are."""
        any_left = bool(self._client.nthreads())
        if any_left is not self.any_left:
            self.any_left = any_left
            self._notify(
                "A worker came; grading goes on." if any_left else
                f"The cluster at {self._address} has no worker left. Grading goes on when one "
                f"comes. Start one with: dask worker {self._address} --nthreads 1"
            )  # fmt: skip


class _Pending:
    """The tasks that a cluster works on."""

    def __init__(self, client: Client, plan: GradingPlan, watch: _WorkerWatch) -> None:
        self._client, self._plan, self._watch = client, plan, watch
        self._done: SimpleQueue[Future] = SimpleQueue()
        self.tasks: dict[str, Task] = {}

    def submit(self, tasks: Iterable[Task], *, retry: bool = False) -> None:
        """Give tasks to the cluster."""
        for task in tasks:
            # The key names the result: two requests for it at once are computed once.
            key = f"grade-{self._plan.version}-{task.submission.digest}" + "-again" * retry
            self.tasks[key] = task
            future = self._client.submit(grade_in_judge, self._plan, task, key=key)
            future.add_done_callback(self._done.put)

    def next_result(self) -> TaskResult | None:
        """The result of a task that is done; None where there is none yet, or where it was lost."""
        try:
            future = self._done.get(timeout=WATCHED)
        except Empty:
            self._watch.look()
            return None
        if not self._watch.any_left:
            self._watch.look()
        task = self.tasks.pop(future.key)
        try:
            return _outcome(future, task, self._watch)
        except TimeoutError:  # the result was lost with its worker, without an error
            future.release()
            self.submit([task], retry=True)
            return None


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


def _outcome(future: Future, task: Task, watch: _WorkerWatch) -> TaskResult:
    error = _fetched(future.exception, watch)
    if error is None:
        done: TaskResult = _fetched(future.result, watch)
        return done
    if isinstance(error, CancelledError):
        raise error
    return TaskResult(
        task, None, f"The workers that graded it ended ({type(error).__name__}): {error}"
    )


def _fetched(fetch: Callable[[float], Any], watch: _WorkerWatch) -> Any:
    """What a worker has; TimeoutError if it does not come."""
    deadline = time.monotonic() + FETCHED
    while True:
        try:
            return fetch(WATCHED)
        except TimeoutError:
            watch.look()
            if time.monotonic() >= deadline:
                raise
