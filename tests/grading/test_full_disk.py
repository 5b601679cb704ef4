"""On a disk that is really full a batch ends in words, and what was graded before is kept."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import suppress
from itertools import islice

import pytest

from tapelab.grading.batch import Batch
from tapelab.grading.collection import find_submissions
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.gradebook_errors import DiskFullError
from tapelab.grading.runners import GradingPlan, grade_in_processes
from tests.fixtures import cheap_grading
from tests.fixtures.cheap_grading import NAME, hand_in


@pytest.fixture
def small_disk(tmp_path):
    """Mount a disk of 900 kB; only root may, and only where a container lets root."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=900k", "tmpfs", str(place)]
    if (
        not shutil.which("mount")
        or subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode
    ):
        pytest.skip("a small disk cannot be mounted here: that takes root, and a kernel that obeys")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def grade_all(place, folder):
    with Gradebook.open(place) as book:
        assignment = cheap_grading.load(NAME)
        book.put_assignment(assignment)
        work = GradingPlan(cheap_grading.grade, cheap_grading.load, NAME, NAME, assignment.version)
        yield from Batch(book, work, find_submissions(folder)).run(grade_in_processes)


def results(place):
    with Gradebook.open(place) as book:
        return {each.handed.student: each.result.points for each in book.results(NAME)}


@pytest.mark.slow
def test_a_full_disk_ends_a_batch_in_words_and_with_room_it_goes_on(small_disk, tmp_path):
    folder, place = tmp_path / "submissions", small_disk / "course.db"
    for number in range(8):
        hand_in(folder, f"s{number}", points=number / 4)
    batch = grade_all(place, folder)
    message = list(islice(batch, 3))
    fill(small_disk)
    with pytest.raises(DiskFullError, match=r"is full\. What was recorded before is kept"):
        message.extend(batch)
    said = command("gradebook", "comment", "s0", NAME, "x" * 50_000, "--gradebook", place)
    assert (said.returncode, said.stderr.count("\n")) == (2, 1)
    assert "full" in said.stderr
    (small_disk / "ballast").unlink()
    assert results(place) == {each.student: each.result.points for each in message}
    endings = [str(each.ending) for each in grade_all(place, folder)]
    assert endings.count("known") == len(message) >= 3
    assert results(place) == {f"s{number}": number / 4 for number in range(8)}


def fill(disk):
    """Leave not one byte."""
    with (disk / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
        while ballast.write(bytes(4096)):
            pass
    assert shutil.disk_usage(disk).free == 0


def command(*arguments):
    run = [sys.executable, "-m", "tapelab.cli", *map(str, arguments)]
    return subprocess.run(run, capture_output=True, text=True, check=False)
