"""Every field of what arrives may say anything: it is read or refused, within time and memory.

Each case is read in a judge, whose limits would end it; THOROUGH=1 reads 10,000 of each kind.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from tapelab.grading.judge import Judge, JudgeLimits
from tests.fixtures import hostile_input

LIMITS = JudgeLimits(cpu=20, wall=600.0, memory=768 << 20, output=64 << 20)
AT_ONCE = 100
"""Cases that share the processor time of a judge's limits, and its memory."""
KINDS = {
    "messages": hostile_input.read_messages,
    "recordings": hostile_input.read_recordings,
    "archives": hostile_input.read_archives,
}


def endings_of(kind, count):
    """What became of so many cases; JudgeEnded where one of them took too much."""
    judge, endings = Judge(LIMITS), Counter()
    try:
        for start in range(0, count, AT_ONCE):
            judge.send(partial(KINDS[kind], range(start, start + AT_ONCE)))
            endings += judge.receive()
    finally:
        judge.end()
    return endings


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_input_is_read_or_refused_within_the_limits(kind):
    endings = endings_of(kind, 200)
    assert endings["accepted"] + endings["refused"] == 200
    assert min(endings["accepted"], endings["refused"]) > 10


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_hostile_inputs_are_read_or_refused_within_the_limits(kind):
    endings = endings_of(kind, 10_000)
    assert endings["accepted"] + endings["refused"] == 10_000
