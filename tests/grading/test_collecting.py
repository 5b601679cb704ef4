"""Submissions are found in the layouts that course systems leave."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest

from tapelab.grading.batch import PatternError, found


@pytest.fixture
def folder(tmp_path):
    def make(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return tmp_path

    return make


@pytest.mark.parametrize(
    ("pattern", "names", "whose"),
    [
        ("{student}", ["ada.ipynb", "bob/03.ipynb", "eve.py", "zoe.zip"], "ada bob eve zoe"),
        ("{student}", ["Zoë Ångström.ipynb", "j.r.r.ipynb"], "Zoë Ångström|j.r.r"),
        ("{student}", ["ada.txt", ".hidden.ipynb", "__MACOSX/x.ipynb", "grades.csv"], ""),
        ("{student}/03", ["ada/03/x.ipynb", "ada/04/x.ipynb", "bob/04/x.ipynb"], "ada"),
        ("{student}/*.ipynb", ["ada/x.ipynb", "bob/y.ipynb", "bob/notes.txt"], "ada bob"),
        ("{student}_*_assignsubmission_file", ["Ada L_123_assignsubmission_file/x.ipynb"], "Ada L"),
        ("{student}_*", ["lovelaceada_LATE_12_34_03.ipynb"], "lovelaceada"),
        ("hw-{student}.ipynb", ["hw-ada.ipynb", "hw-bob.py", "eve.ipynb"], "ada"),
    ],
)
def test_the_pattern_says_whose_a_submission_is(folder, pattern, names, whose):
    expected = whose.split("|") if "|" in whose or " L" in whose else whose.split()
    assert sorted(each.student for each in found(folder(*names), pattern)) == sorted(expected)


@pytest.mark.parametrize("pattern", ["*.ipynb", "{student}/{student}", ""])
def test_a_pattern_without_a_student_is_refused(tmp_path, pattern):
    with pytest.raises(PatternError, match=r"name \{student\} once"):
        found(tmp_path, pattern)


def test_it_came_when_its_newest_file_was_written(folder):
    place = folder("ada/x.ipynb", "ada/y.csv")
    os.utime(place / "ada/x.ipynb", (5, 5))
    os.utime(place / "ada/y.csv", (9, 9))
    assert found(place)[0].received == datetime.fromtimestamp(9, UTC)


def test_it_came_when_nbgrader_says_so(folder):
    place = folder("ada/03/x.ipynb")
    (place / "ada/03/timestamp.txt").write_text("2026-03-01 12:00:00.5 UTC\n")
    (one,) = found(place, "{student}/03")
    assert one.received == datetime(2026, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC)
