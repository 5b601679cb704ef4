"""A tape that the gradebook keeps costs a view no more than its bounds allow, whoever forged it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import tapelab as tf
from tapelab.errors import RecordingError
from tapelab.grading.judge import Judge, JudgeLimits
from tapelab.grading.stored_tapes import LARGEST_COLUMNS, MOST_EVENTS, from_stored, to_stored
from tapelab.recording import to_bytes
from tapelab.views import html
from tapelab.views.svg import svg

LIMITS = JudgeLimits(cpu=60, wall=600.0, memory=128 << 20)
"""Its memory is what a view may take beside Python; before there were bounds, one took 1.1 GiB."""


@pytest.fixture(scope="module")
def long_recording():
    """Record almost as many events as may be kept."""
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x
        for step in range(21_000):
            y = tf.sin(y) if step % 3 else y * x
    recording = tape.recording(y)
    assert 0.9 * MOST_EVENTS < len(recording) <= MOST_EVENTS
    return recording


def padded(recording, size):
    """A recording with one more column, so that all have so many bytes: steps, which pack well."""
    rest = size - sum(each.nbytes for each in recording.columns.values())
    steps = np.arange(rest // 4, dtype="<i4")
    return dataclasses.replace(recording, columns={**recording.columns, "more": steps})


@dataclasses.dataclass
class View:
    """Drawing a stored tape, as the server and the feedback pages do it."""

    tape: bytes

    def __call__(self, _send):
        """The length of both pictures."""
        return len(html.page(from_stored(self.tape))) + len(svg(from_stored(self.tape)))


@pytest.mark.slow
def test_a_view_of_the_largest_tape_stays_within_its_memory(long_recording):
    tape = to_stored(padded(long_recording, LARGEST_COLUMNS))
    judge = Judge(LIMITS)
    try:
        judge.send(View(tape))
        assert judge.receive() > 10_000
    finally:
        judge.end()


def test_a_tape_of_larger_columns_is_neither_kept_nor_read(long_recording):
    larger = padded(long_recording, LARGEST_COLUMNS + 4)
    assert to_stored(larger) is None
    content = to_bytes(larger)
    assert len(content) < 1 << 20
    with pytest.raises(RecordingError, match="more than"):
        from_stored(content)


def test_a_tape_of_more_events_is_neither_kept_nor_read(long_recording, monkeypatch):
    monkeypatch.setattr("tapelab.grading.stored_tapes.MOST_EVENTS", len(long_recording) - 1)
    assert to_stored(long_recording) is None
    with pytest.raises(RecordingError, match="events"):
        from_stored(to_bytes(long_recording))
