"""What a cell is to nbgrader, in all versions of its metadata."""

from __future__ import annotations

import pytest

from tapelab.grading.formats.csv_tables import UnreadableFormat
from tapelab.grading.formats.nbgrader_cells import Role, checksum, role_of, roles_of, with_role
from tapelab.grading.formats.notebook_format import Cell, code, markdown


@pytest.mark.parametrize(
    ("cell", "role"),
    [
        (code("assert f() == 1"), Role("test", grade=True, locked=True, points=1.5)),
        (code("f = ..."), Role("f", solution=True)),
        (markdown("Why?"), Role("why", grade=True, solution=True, points=2.0)),
        (markdown("Draw"), Role("draw", task=True, locked=True, points=4.0)),
        (markdown("Read this"), Role("read", locked=True)),
    ],
)
def test_a_role_comes_back_from_the_metadata_of_its_cell(cell, role):
    assert role_of(with_role(cell, role)) == role


def test_a_cell_without_a_role_is_the_students_own():
    assert role_of(code("1 + 1")) is None


def test_the_oldest_metadata_have_no_version_and_points_as_text():
    old = {"grade": True, "grade_id": "a", "points": "", "solution": False}
    assert role_of(code("assert True", nbgrader=old)) == Role("a", grade=True)
    assert role_of(code("x", nbgrader={"grade": False, "solution": False})) is None


def test_the_checksum_is_the_one_that_nbgrader_computes():
    # Seen on nbgrader 0.9.6: nbgrader.utils.compute_checksum of these cells.
    test = Role("test", grade=True, locked=True, points=1)
    assert checksum(code("assert f() == 1"), test) == "e0bee53cfdaa71843d5e8e329a5ea852"
    assert checksum(markdown("Ä"), Role("why", grade=True, solution=True, points=2.5)) == (
        "e81df22bbaf487ad08208f5949fd87ac"
    )


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (code("", nbgrader="x"), "have to be a dict"),
        (code("", nbgrader={"schema_version": 4, "grade": True}), "version 4"),
        (code("", nbgrader={"schema_version": 3, "grade": True, "grade_id": "a b"}), "'a b'"),
        (code("", nbgrader={"schema_version": 3, "grade": True}), "the grade_id ''"),
        (code("", nbgrader={"grade": True, "grade_id": "a", "points": -1}), "-1 for its points"),
        (code("", nbgrader={"grade": True, "grade_id": "a", "points": [1]}), "for its points"),
        (code("", nbgrader={"task": True, "grade_id": "a"}), "has to be a cell of text"),
        (markdown("", nbgrader={"solution": True, "grade_id": "a"}), "is text"),
    ],
)
def test_metadata_that_are_wrong_say_why(cell, said):
    with pytest.raises(UnreadableFormat, match=said):
        role_of(cell)


def test_two_cells_of_one_name_are_refused():
    cell = with_role(code("f = ..."), Role("f", solution=True))
    with pytest.raises(UnreadableFormat, match="'f'; a cell was copied"):
        roles_of([cell, Cell("markdown", "between"), cell])
