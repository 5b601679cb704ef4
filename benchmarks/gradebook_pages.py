"""How long each page of the gradebook takes for a large class.

`python -m benchmarks.gradebook_pages` enters 10,000 students with a result of 100 exercises each,
straight into the tables, and requests every page over HTTP, each several times; the best counts, by
the clock and by the processor time of this process, which sends the request and answers it. `first`
is what the first request took of the processor.
`--database` takes the URL of an empty PostgreSQL database; by default it is a file of SQLite.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from typing import Any, Final

from sqlalchemy import create_engine, insert, select
from sqlalchemy.orm import Session

from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.database import to_url
from tapelab.grading.gradebook.entities import Listed, Part
from tapelab.grading.gradebook.grade_rows import update_grades
from tapelab.grading.gradebook.tables import (
    AssignmentRow,
    HistoryRow,
    ResultRow,
    StudentRow,
    SubmissionRow,
)
from tapelab.grading.gradebook.transactions import assignment_row
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility
from tests.fixtures.taught_course import serving

MONDAY: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)
CHUNK: Final = 500
PAGES: Final = (
    "/", "/roster", "/roster?number=100", "/assignment?name=big",
    "/assignment?name=big&sort=points&order=down&number=7",
    "/assignment?name=big&sort=e050:1", "/submission?assignment=big&student=s00042",
    "/feedback?assignment=big&student=s00042", "/report?name=big",
    "/grades?name=big", "/grades?name=big&as=json", "/export?name=big&as=csv",
    "/export?name=big&as=json",
)  # fmt: skip


def main() -> None:
    """Fill a gradebook, and print what each page takes."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--students", type=int, default=10_000)
    options.add_argument("--exercises", type=int, default=100)
    options.add_argument("--checks", type=int, default=2, help="of each exercise")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--database", default="")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = given.database or str(Path(folder) / "course.db")
        with Gradebook.open(place) as book:
            started = time.perf_counter()
            fill(place, given.students, given.exercises, given.checks)
            print(f"filled in {time.perf_counter() - started:.0f} s")
            print("  clock  processor    first        size")
            for each in times(book, given.rounds):
                clock, best, first = (f"{1000 * s:6.0f} ms" for s in (
                    each.clock, min(each.processor), each.processor[0]))  # fmt: skip
                print(f"{clock} {best} {first} {each.size >> 10:6d} KiB  {each.page}")


def fill(place: str, students: int, exercises: int, checks: int) -> None:
    """Enter a class whose students each have one result, without the sandbox that gave it."""
    parts = tuple(Part(f"e{n:03}", f"Exercise {n}", checks) for n in range(exercises))
    with Gradebook.open(place) as book:
        book.put_assignment(Listed("big", "A large class", "v1", parts))
    random, engine = Random(0), create_engine(to_url(place))
    with Session(engine) as session, session.begin():
        row = session.scalars(select(AssignmentRow)).one()
        for first in range(0, students, CHUNK):
            names = [f"s{n:05}" for n in range(first, min(first + CHUNK, students))]
            people = [{"login": each, "name": f"Student {each}", "email": "", "ids": {}}
                      for each in names]  # fmt: skip
            ids = session.scalars(
                insert(StudentRow).returning(StudentRow.id, sort_by_parameter_order=True), people
            ).all()
            results = [result(each, parts, checks, random) for each in names]
            key = {"assignment_id": row.id}
            session.execute(insert(SubmissionRow), [
                key | {"student_id": number, "digest": each, "path": f"{each}.ipynb",
                       "received": MONDAY + timedelta(minutes=random.randrange(9999))}
                for number, each in zip(ids, names, strict=True)
            ])  # fmt: skip
            session.execute(insert(ResultRow), [
                key | {"digest": each.submission, "version": "v1", "points": each.points,
                       "of": each.of, "json": each.to_json(), "at": MONDAY}
                for each in results
            ])  # fmt: skip
            session.execute(insert(HistoryRow), [
                {"at": MONDAY, "who": "grader", "what": "result", "about": f"big/{each}",
                 "before": "", "after": "{}"} for each in names
            ])  # fmt: skip
    with Session(engine) as session, session.begin():
        update_grades(session, assignment_row(session, "big", locked=True))
    engine.dispose()


def result(student: str, parts: tuple[Part, ...], checks: int, random: Random) -> Result:
    """A result in which each check gave its point or did not."""
    return Result(student, student, "big", "v1", 1, "bubblewrap", tuple(
        ExerciseResult(part.exercise, part.title, tuple(
            _check(part.exercise, number, random) for number in range(checks)
        )) for part in parts
    ))  # fmt: skip


def _check(exercise: str, number: int, random: Random) -> CheckResult:
    points = random.choice((0.0, 1.0, 1.0))
    status = Status.PASSED if points else Status.FAILED
    code = "outside-tape" if not points and random.random() < 0.1 else ""
    return CheckResult(
        f"{exercise} {number}", "h", f"Check {number} of {exercise}", Visibility.PUBLIC, points, 1,
        status, "" if points else "The value differs.", "1.0", str(points), code,
    )  # fmt: skip


@dataclass
class PageTimes:
    """A page, the seconds of its requests, the fastest by the clock, and its bytes."""

    page: str
    clock: float
    processor: list[float]
    size: int


def times(book: Gradebook, rounds: int) -> Iterator[PageTimes]:
    """What each page takes."""
    with serving(book) as server:
        cookie = ""
        for page in (f"/?token={server.access.token}", *PAGES):
            of_page = PageTimes(page, float("inf"), [], 0)
            for _ in range(rounds if cookie else 1):
                connection = HTTPConnection("127.0.0.1", server.port, timeout=600)
                started, used = time.perf_counter(), time.process_time()
                connection.request("GET", page, headers={"Cookie": cookie})
                reply: Any = connection.getresponse()
                content = reply.read()
                of_page.clock = min(of_page.clock, time.perf_counter() - started)
                of_page.processor.append(time.process_time() - used)
                of_page.size = len(content)
                assert reply.status == 200, content
                cookie = cookie or re.split(";", reply.headers["Set-Cookie"])[0]
                connection.close()
            if not page.startswith("/?token"):
                yield of_page


if __name__ == "__main__":
    main()
