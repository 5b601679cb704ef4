"""A class graded by several graders at once that share a gradebook and are killed at random.

`python -m benchmarks.class_simulation` generates submissions, starts `tapelab grade` several times
on the same folder and the same gradebook, and meanwhile kills graders, their judges, and
connections of the database. Graders that ended are started again, as a teacher or a service manager
does. At the end each submission must have its result exactly once, with the points that a grader
gives to which nothing happened. Then it grades without kills with 1, 2 and 4 graders, and prints
what 1,000 students cost. `--database postgresql` starts a server of its own.

Processor time is that of all processes that a grader started, those that were killed among them:
what loses its parent becomes a child of the simulation, which waits for it, and the kernel adds up.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

import psycopg

from benchmarks.grading import hand_in
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.sandbox.kernel_filters import check, libc
from tools import postgresql

GRADERS: Final = (1, 2, 4)
POLL: Final = 0.1
"""Seconds between two looks at the graders."""
_SET_CHILD_SUBREAPER: Final = 36
MOST_STARTS: Final = 20
"""Starts of each grader, so that a fault that comes back ends the simulation."""


@dataclass
class Grader:
    """`tapelab grade`, started again as often as it ends before all is graded."""

    command: list[str]
    starts: int = 0
    _process: subprocess.Popen[bytes] | None = field(default=None)

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it."""
        if self.starts == MOST_STARTS:
            raise RuntimeError(f"{self.command} ended {MOST_STARTS} times.")
        self.starts += 1
        self._process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def is_done(self) -> bool:
        """Whether it ended with a result for each submission; one that ended else starts again."""
        assert self._process is not None
        code = self._process.poll()
        if code not in (None, 0):
            self.start()
        return code == 0

    def kill(self) -> None:
        """End it as the system does where memory is short."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()


@dataclass(frozen=True)
class Outcome:
    """What a simulation came to."""

    students: int
    seconds: float
    cpu: float
    results: Counter[str]
    """By student, how often the history has a result of theirs."""
    points: Counter[float]
    kills: Counter[str]


def simulate(
    place: str, folder: Path, *, lesson: str, graders: int, kills: int, random: Random,
) -> Outcome:  # fmt: skip
    """Grade a folder with so many graders, of which things are killed so many times."""
    students = len(list(folder.iterdir()))
    command = [sys.executable, "-m", "tapelab.cli", "grade", str(folder), "-a", lesson, "-g", place]
    Gradebook.open(place).close()
    workers = [Grader(command) for _ in range(graders)]
    killed: Counter[str] = Counter()
    others, used, started = children(), cpu_of_ended(), time.monotonic()
    with adopting_orphans():
        try:
            for each in workers:
                each.start()
            _watch(workers, place, kills, killed, students, random)
            seconds = time.monotonic() - started
        finally:
            for each in workers:
                each.kill()
            wait_for_children(except_for=others)
    with Gradebook.open(place) as book:
        (known,) = book.assignments()
        noted = Counter(
            event.about.rpartition("/")[2] for event in book.history(f"{known.name}/")
            if event.what == "result"
        )  # fmt: skip
        points = Counter(each.result.points / each.result.of for each in book.results(known.name))
    return Outcome(students, seconds, cpu_of_ended() - used, noted, points, killed)


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Be the parent of each descendant that loses its own."""
    check(libc().prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper")
    try:
        yield
    finally:
        check(libc().prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0), "subreaper")


def children(process: int | None = None) -> set[int]:
    """The process numbers of the children of a process, by default this one."""
    numbers: set[int] = set()
    for file in Path("/proc", str(process or os.getpid()), "task").glob("*/children"):
        with suppress(OSError):  # the thread ended
            numbers |= set(map(int, file.read_text().split()))
    return numbers


def wait_for_children(*, except_for: set[int]) -> None:
    """Wait for all children, and for those that become children meanwhile."""
    while waited_for := children() - except_for:
        for each in waited_for:
            os.waitpid(each, 0)


def cpu_of_ended() -> float:
    """Seconds of processor time of all children waited for, and of all that they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(
    workers: list[Grader], place: str, kills: int, killed: Counter[str], students: int,
    random: Random,
) -> None:  # fmt: skip
    """Wait until all graders are done; kill something each time another part has a result."""
    done: set[int] = set()
    while len(done) < len(workers):
        for number, each in enumerate(workers):
            if number not in done and each.is_done():
                done.add(number)
        if kills > killed.total() and _results(place) * (kills + 1) > students * killed.total():
            running = [each for number, each in enumerate(workers) if number not in done]
            if running:
                killed[_kill_something(random.choice(running), place, random)] += 1
        time.sleep(POLL)


def _results(place: str) -> int:
    with suppress(Exception), Gradebook.open(place) as book:  # a server that recovers
        return sum(len(book.results(each.name)) for each in book.assignments())
    return 0


def _kill_something(grader: Grader, place: str, random: Random) -> str:
    """Kill the grader, a judge of its own, or a connection of its database; what it was."""
    below = sorted(children(grader.pid))
    choices = ["grader"] + ["judge"] * bool(below) + ["database"] * ("://" in place)
    kind = random.choice(choices)
    if kind == "grader":
        grader.kill()
    for number in random.sample(below, 1) if kind == "judge" else []:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    if kind == "database":
        # A backend that is killed makes the server end all others, and recover.
        with suppress(psycopg.Error), psycopg.connect(place) as connection:
            query = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
            (number,) = random.choice(connection.execute(query).fetchall())
            os.kill(number, signal.SIGKILL)
    return kind


def is_exactly_once(outcome: Outcome) -> bool:
    """Whether each student has one result, and all points."""
    return (
        len(outcome.results) == outcome.students
        and set(outcome.results.values()) == {1}
        and outcome.points == {1.0: outcome.students}
    )


def cost(outcome: Outcome) -> str:
    """What 1,000 students cost at this pace."""
    pace = outcome.students / outcome.seconds
    cpu = outcome.cpu / outcome.students
    return (
        f"{pace:.2f} submissions/s, {cpu:.2f} s of processor time each; 1,000 students: "
        f"{1000 / pace / 60:.1f} min, {1000 * cpu / 3600:.2f} core hours"
    )


@contextmanager
def new_place(database: str) -> Iterator[str]:
    """An empty gradebook: a file, or a database on a server of our own."""
    if database == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield str(Path(folder) / "course.db")
        return
    programs = postgresql.find()
    if programs is None:
        sys.exit("PostgreSQL is not here.")
    with postgresql.server(programs) as url:
        yield url.format(database="postgres")


def main() -> None:
    """Simulate, and print what came out; exit code 1 where a result is missing or twice."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lesson", default="03")
    options.add_argument("--students", type=int, default=200)
    options.add_argument("--graders", type=int, default=2)
    options.add_argument("--kills", type=int, default=12)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    given = options.parse_args()
    random, right = Random(given.seed), True
    for graders, kills in [(given.graders, given.kills), *((count, 0) for count in GRADERS)]:
        with tempfile.TemporaryDirectory() as place, new_place(given.database) as book:
            folder = Path(place) / "submissions"
            hand_in(folder, given.lesson, given.students)
            outcome = simulate(
                book, folder, lesson=given.lesson, graders=graders, kills=kills, random=random
            )
        right = right and is_exactly_once(outcome)
        killed = ", ".join(f"{count} × {kind}" for kind, count in outcome.kills.items()) or "-"
        verdict = "each result once" if is_exactly_once(outcome) else f"WRONG: {outcome}"
        print(f"{graders} graders, killed {killed}: {verdict}\n  {cost(outcome)}", flush=True)
    sys.exit(not right)


if __name__ == "__main__":
    main()
