"""The catalogue is complete: every code has a trigger, apart from those that are yet to come."""

from tapelab.diagnosis.codes import CODES
from tests.pitfalls.catalogue import PITFALLS

NOT_YET = {
    "ALIASED_MEMORY",
    "TRACE_TIME_CONSTANT",
}
"""Whoever adds a trigger takes its code out of here."""


def test_every_code_has_a_trigger():
    assert set(CODES) - {pitfall.code for pitfall in PITFALLS} == NOT_YET


def test_every_trigger_has_a_code_of_the_table():
    assert {pitfall.code for pitfall in PITFALLS} <= set(CODES)


def test_a_trigger_is_known_by_its_name():
    names = [str(pitfall) for pitfall in PITFALLS]
    assert len(set(names)) == len(names)
