"""The catalogue is complete: every code has a trigger, apart from what cannot happen."""

from tapelab.diagnosis.codes import CODES
from tests.pitfalls.catalogue import PITFALLS

IMPOSSIBLE = {"ALIASED_MEMORY"}
"""What cannot happen, by construction: see `tests/engine/test_aliasing.py`."""


def test_every_code_has_a_trigger():
    assert set(CODES) - {pitfall.code for pitfall in PITFALLS} == IMPOSSIBLE


def test_every_trigger_has_a_code_of_the_table():
    assert {pitfall.code for pitfall in PITFALLS} <= set(CODES)


def test_a_trigger_is_known_by_its_name():
    names = [str(pitfall) for pitfall in PITFALLS]
    assert len(set(names)) == len(names)
