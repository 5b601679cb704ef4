"""`tapelab grade` grades a folder into a gradebook, with the real judge, and goes on next time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tapelab.grading.gradebook import Gradebook
from tapelab.grading.sandbox import NoSandboxError, choose_sandbox

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@pytest.fixture
def folder(tmp_path):
    """The solution of a lesson, the lesson itself, and something that is no notebook."""
    folder = tmp_path / "handed-in"
    folder.mkdir()
    (solution,) = (NOTEBOOKS / "solutions").glob("05-*.ipynb")
    shutil.copy(solution, folder / "ada.ipynb")
    shutil.copy(NOTEBOOKS / solution.name, folder / "bob.ipynb")
    (folder / "eve.ipynb").write_text("{")
    return folder


@pytest.fixture
def held():
    """No option where this host can hold a learner's code, else the one that it then needs."""
    try:
        choose_sandbox("auto")
    except NoSandboxError:
        return ["--unsafe"]
    return []


@pytest.mark.slow
def test_a_folder_is_graded_and_the_next_time_only_what_has_no_result(main, folder, held, tmp_path):
    command = ["grade", folder, "-a", "05", *held]
    first = main(*command, "--feedback", "pages", code=1)
    assert "2 graded, 1 unreadable" in first.stdout
    assert "eve.ipynb is no notebook" in " ".join(first.stdout.split())
    assert "2 known, 1 unreadable" in main(*command, code=1).stdout
    with Gradebook.open(tmp_path / "gradebook.db") as book:
        finals = {grade.student: (grade.final, grade.of) for grade in book.grades("05")}
        (ada,) = (each for each in book.results("05") if each.handed.student == "ada")
        assert book.tapes("05", ada.handed.digest).keys() >= {"05.1", "05.2"}
    assert finals == {"ada": (90, 90), "bob": (0, 90), "eve": (0, 90)}
    assert "data:image/svg+xml" in (tmp_path / "pages" / "ada.html").read_text("utf-8")
    stats = json.loads(main("gradebook", "stats", "05", "--json").stdout)
    assert stats["pitfalls"]["NOT_WATCHED"] == 1
    is_close = main("gradebook", "similarity", "05", folder)
    assert "ada" not in is_close.stdout
    assert "eve is left out" in is_close.stderr
    changed = main(*command, "--regrade", "changed", code=1)
    assert "2 known" in changed.stdout
    late = "This rule takes all points from 1 of 2 submissions: check the due date."
    assert late not in changed.stderr
    rule = ["--due", "2026-03-01", "--cutoff", "7", "--yes"]
    main("gradebook", "rules", "05", *rule)
    (folder / "kim.ipynb").write_bytes((folder / "bob.ipynb").read_bytes() + b" ")
    again = main(*command, "--add-students", code=1).stderr
    assert late.replace("2", "3") in again


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-a", "99"], "no assignment '99'"),
        (["-a", "05", "--pattern", "*"], "has to name {student} once"),
        (["-a", "05", "--pattern", "hw/{student}"], "no submission that fits 'hw/{student}'"),
        (["-a", "05", "-g", "nowhere/x.db"], "unable to open database file"),
    ],
)
def test_what_cannot_be_done_is_reported_in_a_sentence(main, folder, held, arguments, words):
    assert words in main("grade", folder, *arguments, *held, code=2).stderr


def test_help_says_what_the_exit_codes_mean(main):
    output = " ".join(main("grade", "--help").stdout.split())
    assert "Exit codes: 0" in output
    assert "130" in output


DEAF = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"]
"""What starts a program as a background job does: it ignores Ctrl+C."""


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("start", "number", "jobs"),
    [([], signal.SIGINT, 1), ([], signal.SIGTERM, 2), (DEAF, signal.SIGTERM, 1)],
    ids=["interrupt", "terminate two", "terminate a background job"],
)
def test_it_stops_with_a_sentence_and_leaves_nothing_behind(
    folder, held, tmp_path, start, number, jobs
):
    for copy in range(30):
        text = (folder / "bob.ipynb").read_text("utf-8")
        (folder / f"s{copy:02}.ipynb").write_text(text + " " * copy, encoding="utf-8")
    (tmp_path / "scratch").mkdir()
    command = [*start, sys.executable, "-m", "tapelab.cli", "grade", str(folder), "-a", "05",
               "--jobs", str(jobs), *held]  # fmt: skip
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"TMPDIR": str(tmp_path / "scratch")},
    ) as grader:  # fmt: skip
        wait_for_a_result(grader, tmp_path / "gradebook.db")
        grader.send_signal(number)
        complaints = grader.communicate()[1]
    assert list((tmp_path / "scratch").iterdir()) == []
    assert grader.returncode == 130
    assert "Interrupted." in complaints
    assert "Traceback" not in complaints
    with Gradebook.open(tmp_path / "gradebook.db") as book:
        assert 1 <= len(book.results("05")) < 32


def wait_for_a_result(grader, place):
    while grader.poll() is None:
        if place.exists():
            with Gradebook.open(place) as book:
                if book.assignments() and book.results("05"):
                    return
    raise AssertionError(grader.stderr.read())
