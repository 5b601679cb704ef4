"""A file belongs to the same student, however the name in it was written on their computer."""

from __future__ import annotations

import os
import unicodedata

import pytest

from tapelab.grading.student_names import canonical_name, logins_by_name

ROSTER = ("Zoë Åström", "ada", "O'Hara", "İpek", unicodedata.normalize("NFD", "José"))


@pytest.mark.parametrize(
    "written",
    [
        "Zoë Åström",
        unicodedata.normalize("NFD", "Zoë Åström"),
        "Zoë\N{NO-BREAK SPACE}Åström",
        "Zoë\N{NARROW NO-BREAK SPACE}Åström ",
        "Zoë  Åström",
        os.fsdecode("Zoë Åström".encode("latin-1")),
    ],
)
def test_the_name_of_a_file_means_the_student_of_the_roster(written):
    assert logins_by_name(ROSTER)[canonical_name(written)] == "Zoë Åström"


def test_a_roster_in_decomposed_letters_is_matched_too():
    assert logins_by_name(ROSTER)["José"] == ROSTER[-1]


@pytest.mark.parametrize("written", ["Zoe Astrom", "Ada", "ada2", "Ipek", "Zoë\nÅström"])
def test_another_name_is_another_student(written):
    assert canonical_name(written) not in logins_by_name(ROSTER)
