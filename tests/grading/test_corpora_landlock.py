"""Attacks earn no more than their due and honest work loses nothing: held by landlock."""

import pytest

from tests.grading.corpora import Case, corpus
from tests.grading.corpora_run import attacked, honestly

HELD_BY = "landlock"


def _named(case: Case) -> str:
    return case.name


@pytest.mark.thorough
@pytest.mark.parametrize("case", corpus("attacks"), ids=_named)
def test_an_attack_earns_no_more_than_its_due(case, tmp_path, listening):
    result = attacked(case, HELD_BY, tmp_path, listening.port)
    assert result.points <= case.due
    assert result.sandbox == HELD_BY
    assert listening.calls() == 0


@pytest.mark.thorough
@pytest.mark.parametrize("case", corpus("honest"), ids=_named)
def test_an_honest_submission_loses_no_point(case, tmp_path):
    result = honestly(case, HELD_BY, tmp_path)
    lost = [each for exercise in result.exercises for each in exercise.checks
            if each.points < each.of and exercise.exercise != "3"]  # fmt: skip
    assert lost == []
