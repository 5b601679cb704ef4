"""How many submissions a second are graded, and what a second process brings.

`python -m benchmarks.grading` grades the solution of a lesson many times, each copy with other
files so that nothing is graded once for all. One process and two take turns; the best round of each
counts, since a busy machine only ever adds time. Where cores are shared with others, the processor
time of a submission says more than the clock. A sandbox that ends with its namespace hides what ran
in it: `--sandbox unsafe` shows that, too.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Final

from tapelab.grading.assignment import Assignment
from tapelab.grading.batch import Batch
from tapelab.grading.collection import find_submissions
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.grading_plan import plan_for
from tapelab.grading.runners import grade_in_processes

NOTEBOOKS: Final = Path(__file__).parents[1] / "notebooks" / "solutions"
JOBS: Final = (1, 2)


def main() -> None:
    """Measure, and print what came out."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lesson", default="03")
    options.add_argument("--count", type=int, default=16, help="submissions in each round")
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--sandbox", default="auto")
    given = options.parse_args()
    best = dict.fromkeys(JOBS, (float("inf"), float("inf")))
    for _ in range(given.rounds):
        for jobs in JOBS:
            took = seconds(given.lesson, given.count, jobs, given.sandbox)
            best[jobs] = (min(best[jobs][0], took[0]), min(best[jobs][1], took[1]))
    report(given.count, best)


def seconds(lesson: str, count: int, jobs: int, sandbox: str) -> tuple[float, float]:
    """What a batch takes by the clock and of the processor, to the last result in the gradebook."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "submissions"
        hand_in(folder, lesson, count)
        assignment = Assignment.load(lesson)
        work = plan_for(assignment, lesson, folder, sandbox=sandbox)
        with Gradebook.open(Path(place) / "course.db") as book:
            book.put_assignment(assignment)
            started, used = time.perf_counter(), processor()
            reports = list(
                Batch(book, work, find_submissions(folder)).run(
                    partial(grade_in_processes, jobs=jobs)
                )
            )
            took = time.perf_counter() - started, processor() - used
    assert all(each.result and each.result.points == each.result.of for each in reports)
    return took


def processor() -> float:
    """Seconds of this process and of all that it has waited for."""
    return sum(os.times()[:4])


def hand_in(folder: Path, lesson: str, count: int) -> None:
    """Write copies of the solution that differ in their files, not in what they compute."""
    folder.mkdir()
    (solution,) = NOTEBOOKS.glob(f"{lesson}-*.ipynb")
    notebook = json.loads(solution.read_text("utf-8"))
    for number in range(count):
        notebook["metadata"]["copy"] = number
        text = json.dumps(notebook)
        (folder / f"student{number:03}.ipynb").write_text(text, encoding="utf-8")


def report(count: int, best: dict[int, tuple[float, float]]) -> None:
    """Print submissions per second and core, and the efficiency of two processes."""
    pace = {jobs: count / clock for jobs, (clock, _) in best.items()}
    for jobs, each in pace.items():
        cpu = best[jobs][1] / count
        print(
            f"{jobs} processes: {each:.2f} submissions/s, {each / jobs:.2f} per core; "
            f"{cpu:.2f} s of processor time each"
        )
    first, *others = pace
    for jobs in others:
        efficiency = pace[jobs] / pace[first] / jobs
        print(f"parallel efficiency on {jobs} cores: {efficiency:.0%}")


if __name__ == "__main__":
    main()
