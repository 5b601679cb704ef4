"""Rules are applied from the page, after it has shown what they do to each grade."""

from __future__ import annotations

import pytest

from tapelab.grading.gradebook import Counts, Policy

TYPED = {"name": "03", "due": "2025-03-02T10:00", "per_day": "10", "grace": "15", "cutoff": "",
         "counts": "last"}  # fmt: skip
QUERY = "/rules?" + "&".join(f"{name}={value}" for name, value in TYPED.items())
WARNING = "This rule takes all points from 3 of 4 submissions: check the due date."


def test_the_effect_is_shown_before_anything_changes(teacher, book):
    before = book.assignment("03")
    page = teacher.get(QUERY).text
    assert WARNING in page
    assert "4 of 4 are late. 3 grades change." in page
    assert 'value="2025-03-02T10:00"' in page
    assert book.assignment("03") == before


def test_rules_are_applied_by_a_form_of_the_session_alone_and_can_be_taken_back(teacher, book):
    assert teacher.post("/rules", **TYPED).status == 403
    assert book.assignment("03").due is None
    form = {"form": teacher.form_token()}
    said = teacher.post("/rules", **form, **TYPED)
    assert said.status == 303
    assert "The rules hold" in teacher.get(said.headers["Location"]).text
    known = book.assignment("03")
    assert known.policy == Policy(per_day=10, grace=15, counts=Counts.LAST)
    assert known.due.astimezone().isoformat()[:16] == TYPED["due"]
    assert 'value="2025-03-02T10:00"' in teacher.get("/rules?name=03").text
    assert "late" in teacher.get("/assignment?name=03&sort=late").text
    nothing = {"due": "", "per_day": "", "grace": "", "counts": "best"}
    assert teacher.post("/rules", **form, **(TYPED | nothing)).status == 303
    assert (book.assignment("03").due, book.assignment("03").policy) == (None, Policy())


@pytest.mark.parametrize("wrong", [
    {"due": "soon"}, {"due": "9999-12-31T23:59-23:59"}, {"per_day": "1e999"}, {"per_day": "ten"},
    {"per_day": "101"}, {"cutoff": "-1"}, {"counts": "worst"},
])  # fmt: skip
def test_rules_that_cannot_be_meant_are_refused_on_both_ways(teacher, book, wrong):
    before = book.assignment("03")
    typed = TYPED | wrong
    query = "&".join(f"{name}={value}" for name, value in typed.items())
    assert teacher.get(f"/rules?{query}").status == 400
    assert teacher.post("/rules", form=teacher.form_token(), **typed).status == 400
    assert book.assignment("03") == before
