"""A small class is graded exactly once by two graders, of which something is killed meanwhile."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from benchmarks.class_simulation import is_exactly_once, simulate
from benchmarks.grading import hand_in
from tapelab.grading.sandbox import NoSandboxError, choose_sandbox


@pytest.mark.slow
def test_two_graders_that_are_killed_leave_each_result_once(tmp_path):
    try:
        choose_sandbox("auto")
    except NoSandboxError as error:
        pytest.skip(str(error))
    folder = tmp_path / "submissions"
    hand_in(folder, "03", 8)
    outcome = simulate(
        str(tmp_path / "course.db"), folder, lesson="03", graders=2, kills=2, random=Random(5)
    )
    assert outcome.kills.total() == 2
    assert is_exactly_once(outcome), outcome
    assert not is_exactly_once(replace(outcome, results=outcome.results + Counter(["student000"])))
    assert not is_exactly_once(replace(outcome, students=9))
