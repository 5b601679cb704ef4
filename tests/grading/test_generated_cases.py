"""What is generated for the corpora is enough, and does what its name says."""

from __future__ import annotations

import pytest

from tapelab.grading.sandbox import NoSandboxError, choose_sandbox
from tests.grading.corpora import Case
from tests.grading.corpora_run import ATTACKS, HONEST, attacked
from tests.grading.generated_cases import PLACES, attack_cells

TOO_LATE = {"at the end", "in a child"}
"""Places from which no later answer can learn anything."""


@pytest.mark.parametrize("cases", [ATTACKS, HONEST])
def test_there_are_a_hundred_and_fifty_of_each(cases):
    assert len({each.id for each in cases}) == len(cases) >= 150


@pytest.mark.slow
@pytest.mark.parametrize("place", sorted(PLACES.keys() - TOO_LATE))
def test_an_attack_is_executed_in_its_place(place, tmp_path, attack_server):
    """One that knew the secret would earn its points from there, so that nothing else fails it."""
    try:
        sandbox = choose_sandbox().name
    except NoSandboxError as error:
        pytest.skip(str(error))
    case = Case(place, attack_cells("prize.append(80217.25)", place), 10.0)
    result = attacked(case, sandbox, tmp_path, attack_server.port)
    secret = next(each for each in result.exercises if each.exercise == "3")
    assert secret.points == 10
