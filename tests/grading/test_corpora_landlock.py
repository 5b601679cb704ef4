"""Attacks earn no more than their due and honest work loses nothing: held by landlock."""

import pytest

from tests.grading.corpora_run import ATTACKS, HONEST, attack, be_honest

HELD_BY = "landlock"


@pytest.mark.thorough
@pytest.mark.parametrize("case", ATTACKS)
def test_an_attack_earns_no_more_than_its_due(case, tmp_path, attack_server):
    attack(case, HELD_BY, tmp_path, attack_server)


@pytest.mark.thorough
@pytest.mark.parametrize("case", HONEST)
def test_an_honest_submission_loses_no_point(case, tmp_path):
    be_honest(case, HELD_BY, tmp_path)
