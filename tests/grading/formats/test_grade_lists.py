"""Lists of grades as nbgrader, Canvas and Moodle have them, there and back."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tapelab.grading.formats.csv_tables import Grade, Learner, UnreadableFormat, format_points
from tapelab.grading.formats.grade_lists import READERS, WRITERS, learners_in

DUE = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
EMMY = Learner("emmy", "Emmy", "Noether", "emmy@math.example")
MING = Learner("ming", "明", "李", "ming@math.example")
GRADES = (
    Grade(EMMY, "Lesson 03", 7.5, 10, 0.5, DUE, datetime(2026, 11, 30, 13, 0, tzinfo=UTC)),
    Grade(EMMY, "Lesson 05", 3, 10),
    Grade(MING, "Lesson 03", None, 10, due=DUE),
    Grade(MING, "Lesson 05", 10 / 3, 10),
)


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def scores(grades):
    return {(g.learner.last_name, g.assignment): round(g.score or 0, 4) for g in grades}


@pytest.mark.parametrize("kind", list(WRITERS))
def test_scores_come_back_from_every_list(kind):
    assert scores(READERS[kind](WRITERS[kind](GRADES))) == scores(GRADES)


def test_our_own_list_keeps_everything():
    exact = tuple(replace(g, points=None if g.points is None else round(g.points, 5))
                  for g in GRADES)  # fmt: skip
    assert READERS["csv"](WRITERS["csv"](GRADES)) == exact


def test_nothing_handed_in_is_not_zero_points_in_the_list_of_nbgrader():
    back = READERS["nbgrader"](WRITERS["nbgrader"](GRADES))
    assert [g.points is None for g in back] == [False, False, True, False]


def test_nbgrader_gets_times_in_utc_and_the_columns_of_its_own_export():
    first = rows(WRITERS["nbgrader"](GRADES))[1]
    assert first == ["Lesson 03", "2026-11-30 12:00:00", "2026-11-30 13:00:00", "emmy", "Noether",
                     "Emmy", "emmy@math.example", "7.5", "0.5", "7.0", "10.0"]  # fmt: skip


def test_canvas_gets_a_row_of_points_possible_and_one_row_a_learner():
    assert rows(WRITERS["canvas"](GRADES)) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lesson 03", "Lesson 05"],
        ["Points Possible", "", "", "", "", "10", "10"],
        ["Noether, Emmy", "", "", "emmy", "", "7", "3"],
        ["李, 明", "", "", "ming", "", "", "3.33333"],
    ]


def test_canvas_refuses_a_title_that_it_would_pass_over():
    with pytest.raises(ValueError, match="'Final Grade project'"):
        WRITERS["canvas"]([Grade(EMMY, "Final Grade project", 1, 2)])


def test_an_export_of_canvas_gives_its_numbers_to_the_learners():
    text = (
        "Student,ID,SIS User ID,SIS Login ID,Section,Lesson 03 (4711),Current Score,Final Grade\n"
        ",,,,,Manual Posting,,\n"
        "    Points Possible,,,,,10.00,(read only),(read only)\n"
        '"Noether, Emmy",17,s-1,emmy,Algebra,7.00,70,C\n'
        '"李, 明",18,s-2,ming,Algebra,N/A,,\n'
    )
    grades = READERS["canvas"](text)
    assert [(g.assignment, g.points, g.of) for g in grades] == [
        ("Lesson 03", 7.0, 10.0), ("Lesson 03", None, 10.0),
    ]  # fmt: skip
    back = rows(WRITERS["canvas"](grades))[2]
    assert back == ["Noether, Emmy", "17", "s-1", "emmy", "Algebra", "7"]


def test_moodle_gets_a_dash_for_no_grade_and_the_feedback_beside():
    message = [replace(GRADES[0], feedback="Look at 03.2,\nplease"), GRADES[2]]
    assert rows(WRITERS["moodle"](message)) == [
        ["First name", "Last name", "ID number", "Username", "Email address", "Lesson 03",
         "Lesson 03 (Feedback)"],
        ["Emmy", "Noether", "", "emmy", "emmy@math.example", "7", "Look at 03.2, please"],
        ["明", "李", "", "ming", "ming@math.example", "-", ""],
    ]  # fmt: skip


def test_an_export_of_moodle_is_read_with_its_own_titles():
    text = (
        "\ufeffFirst name,Surname,ID number,Institution,Department,Email address,"
        "Assignment: Lesson 03 (Real),Assignment: Lesson 03 (Feedback),Course total (Real),"
        "Last downloaded from this course\n"
        "Emmy,Noether,17,,,emmy@math.example,7.00,Well done,7.00,1790000000\n"
    )
    (grade,) = READERS["moodle"](text)
    assert (grade.assignment, grade.points, grade.feedback) == ("Lesson 03", 7.0, "Well done")
    assert grade.learner == Learner(
        "emmy@math.example", "Emmy", "Noether", "emmy@math.example", (("ID number", "17"),)
    )


@pytest.mark.parametrize("kind", list(WRITERS))
def test_a_name_that_is_a_formula_computes_nothing_and_comes_back(kind):
    mallory = Learner("mallory", "=HYPERLINK(1)", "=cmd|'/C calc'!A0", "mallory@x.example")
    text = WRITERS[kind]([Grade(mallory, "=1+1", 1, 2)])
    assert not [cell for row in rows(text) for cell in row if cell[:1] in "=+@" and cell]
    (back,) = READERS[kind](text)
    assert (back.assignment, back.points) == ("=1+1", 1)
    assert back.learner.last_name == mallory.last_name


@pytest.mark.parametrize("kind", ["canvas", "moodle"])
def test_two_grades_of_one_learner_in_one_assignment_are_refused(kind):
    with pytest.raises(ValueError, match="emmy has two grades in 'Lesson 03'"):
        WRITERS[kind]([GRADES[0], GRADES[0]])


@pytest.mark.parametrize("kind", list(READERS))
def test_another_table_is_reported_by_the_column_it_lacks(kind):
    with pytest.raises(UnreadableFormat, match=r"is missing\. There are: fruit"):
        READERS[kind]("fruit,colour\napple,red\n")


def test_a_word_in_place_of_a_number_says_whose_and_where():
    text = WRITERS["csv"](GRADES).replace("7.5", "seven")
    with pytest.raises(UnreadableFormat, match="emmy says 'seven' where 'points' has a number"):
        READERS["csv"](text)


def test_a_roster_is_the_learners_of_a_list_each_once():
    assert [one.id for one in learners_in(GRADES)] == ["emmy", "ming"]


@pytest.mark.parametrize(
    ("points", "said"), [(0.1 + 0.2, "0.3"), (10, "10"), (0.0, "0"), (None, ""), (100, "100")]
)
def test_points_have_no_zeros_at_their_end(points, said):
    assert format_points(points) == said
