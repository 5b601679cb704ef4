"""Small helpers: one check judged on one answer."""

from __future__ import annotations

import pytest

from tapelab.exercises.local_answer import LocalAnswer
from tapelab.exercises.verdict import outcome


@pytest.fixture
def found():
    """Judge what a function returns with one check."""
    return lambda check, function: outcome(check, LocalAnswer(function))


@pytest.fixture
def returned(found):
    """Judge one value with one check."""
    return lambda check, value: found(check, lambda *_: value)
