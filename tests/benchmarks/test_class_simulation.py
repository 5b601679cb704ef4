"""A small class is graded exactly once by two graders, of which something is killed meanwhile."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from benchmarks.class_simulation import (
    adopting_orphans,
    children,
    cpu_of_ended,
    is_exactly_once,
    simulate,
    wait_for_children,
)
from benchmarks.grading import hand_in
from tapelab.grading.sandbox import NoSandboxError, choose_sandbox

COMPUTES = """
import os, time
ended, alive = os.pipe()
done, doing = os.pipe()
if os.fork() == 0:
    os.close(alive)
    while time.process_time() < 0.5:
        pass
    os.write(doing, b".")
    os.read(ended, 1)
    os._exit(0)
os.read(done, 1)
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux gives orphans another parent.")
def test_processor_time_counts_whose_parent_was_killed_before_it_waited():
    others, used = children(), cpu_of_ended()
    with adopting_orphans():
        subprocess.run([sys.executable, "-S", "-c", COMPUTES], check=False)
        assert cpu_of_ended() - used < 0.5
        wait_for_children(except_for=others)
    assert cpu_of_ended() - used >= 0.5


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
    assert outcome.cpu > 0
    assert is_exactly_once(outcome), outcome
    assert not is_exactly_once(replace(outcome, results=outcome.results + Counter(["student000"])))
    assert not is_exactly_once(replace(outcome, students=9))
