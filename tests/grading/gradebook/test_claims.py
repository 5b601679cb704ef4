"""A submission has one grader at a time, until its lease ends or the grader does."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tapelab.grading.gradebook import Gradebook, claims
from tapelab.grading.gradebook.claims import Claim, is_abandoned, new_holder
from tapelab.grading.gradebook.entities import Listed, Student
from tapelab.grading.gradebook.tables import ClaimRow
from tests.fixtures.cheap_grading import NAME, result

NOW = datetime.now(UTC)


@pytest.fixture
def course(book):
    book.add_student(Student("ada"))
    book.put_assignment(Listed(NAME, "Sums", "v1"))
    return book


def claim(book, holder, digest="d1", **options):
    return book.claim(NAME, digest, "v1", holder, **({"since": NOW} | options))


def test_a_claim_keeps_others_away_until_it_is_released(course):
    one, other = new_holder(), new_holder()
    assert claim(course, one) is Claim.GRANTED
    assert claim(course, other) is Claim.TAKEN
    assert claim(course, other, "d2") is Claim.GRANTED
    assert claim(course, one) is Claim.GRANTED
    course.release_claims(one)
    assert claim(course, other) is Claim.GRANTED


def test_a_lease_that_has_ended_is_free_and_one_that_is_renewed_is_not(course, monkeypatch):
    one, other = new_holder(), new_holder()
    with monkeypatch.context() as ended:
        ended.setattr(claims, "LEASE_SECONDS", -1.0)
        assert claim(course, one) is Claim.GRANTED
        assert claim(course, one, "d2") is Claim.GRANTED
    assert claim(course, other) is Claim.GRANTED
    course.renew_claims(one)
    assert claim(course, other, "d2") is Claim.TAKEN
    assert claim(course, one) is Claim.TAKEN


def test_claims_are_renewed_while_they_are_held_and_end_with_the_block(course, monkeypatch):
    monkeypatch.setattr(claims, "LEASE_SECONDS", 0.04)
    with course.holding_claims() as holder:
        claim(course, holder)
        with course._reading() as session:
            before = session.scalar(select(ClaimRow.until))
        deadline = datetime.now(UTC) + timedelta(seconds=20)
        until = before
        while until == before and datetime.now(UTC) < deadline:
            with course._reading() as session:
                until = session.scalar(select(ClaimRow.until))
        assert until > before
    with course._reading() as session:
        assert session.scalar(select(ClaimRow.until)) is None


@pytest.mark.slow
def test_the_claims_of_a_process_that_ended_are_free_at_once(course):
    code = "from tapelab.grading.gradebook.claims import new_holder; print(new_holder())"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[3],
    )  # fmt: skip
    dead = ran.stdout.strip()
    assert is_abandoned(dead)
    assert not is_abandoned(new_holder())
    assert not is_abandoned(f"elsewhere {dead}")
    assert claim(course, dead) is Claim.GRANTED
    assert claim(course, new_holder()) is Claim.GRANTED


def test_what_has_a_result_is_not_claimed_unless_it_is_graded_again(course):
    holder, other = new_holder(), new_holder()
    claim(course, holder)
    course.record(result("d1", "ada", 1))
    assert claim(course, other) is Claim.GRADED
    assert claim(course, other, again=True) is Claim.GRANTED


def test_what_failed_meanwhile_is_not_tried_again_and_what_failed_before_is(course):
    holder, other = new_holder(), new_holder()
    claim(course, holder)
    course.fail(NAME, "d1", "v1", "oh")
    assert claim(course, other) is Claim.FAILED
    assert course.why_failed(NAME, "d1", "v1") == "oh"
    assert claim(course, other, since=datetime.now(UTC)) is Claim.GRANTED


def test_graders_that_claim_at_once_share_the_work(course, place):
    digests = [f"d{number}" for number in range(25)]

    def work(book):
        holder = new_holder()
        return [each for each in digests if claim(book, holder, each) is Claim.GRANTED]

    with ExitStack() as stack, ThreadPoolExecutor(4) as threads:
        books = [stack.enter_context(Gradebook.open(place)) for _ in range(4)]
        granted = list(threads.map(work, books))
    assert Counter(each for group in granted for each in group) == Counter(digests)
