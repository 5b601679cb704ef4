"""The catalogue is complete: nothing of the 82 pitfalls is left out, apart from what cannot be."""

import pytest

from tapelab.diagnosis.families import declarations
from tests.pitfalls.catalogue import NEAR_MISSES, PITFALLS

NUMBERS = [f"P{number:02}" for number in range(1, 83)]
IMPOSSIBLE = {
    "P70": "Tensors copy what they are made of and hand out: see tests/core/test_aliasing.py.",
}
"""Pitfalls that cannot happen, by construction, and why."""
CODES = {each.code for each in declarations()}
WITHOUT_A_LINE = {
    "no line is at fault: something has to be thought of": [
        "unused", "used elsewhere", "P22 the other part of a dict", "P46", "P41 a list",
    ],
    "the data are to be mended, not the code": [
        "P50 NaN in the data", "P55 the logarithm of what is below 0",
    ],
    "no function nearby has a derivative": [
        "P35 shape", "P35 an attribute", "P32 one hot", "P33 argsort", "P36 stateless",
        "P36 stateless binomial", "P37 asked why",
    ],
    "another loss is needed, which depends on what is meant": [
        "P30 accuracy", "P36 a reward", "P57 sigmoid", "P57 softmax on the wrong class",
    ],
    "another design is needed: of a model, a loop, a thread, a function": [
        "P13 a closure", "P49 a loop inside", "P49 a loop inside, its last gradient used", "P25",
        "P10 in a step, before its tape", "P02 forgotten by a reset", "P60 down to 0", "P76",
        "P82 while_loop", "P80 a statement", "P81",
    ],
    "what to write stands in another line than the one that was looked at": [
        "P22 one part of a dict",
    ],
}  # fmt: skip
"""Triggers whose finding has no line to write instead, by the reason."""
POSSIBLE = [number for number in NUMBERS if number not in IMPOSSIBLE]


@pytest.fixture(params=POSSIBLE)
def number(request):
    return request.param


def triggers_of(number):
    return [pitfall for pitfall in PITFALLS if pitfall.number.split()[0] == number]


def test_every_declaration_has_a_trigger_and_a_near_miss():
    for each in declarations():
        assert each.example, each.code
        assert each.example.program, each.code
        assert each.example.near_miss, each.code


def test_every_declaration_says_what_happened_and_which_lesson_teaches_it():
    for each in declarations():
        assert each.what.endswith("."), each.code
        assert len(each.lesson) == 2, each.code


def test_every_trigger_has_a_declared_code():
    assert {pitfall.code for pitfall in PITFALLS} == CODES


def test_a_trigger_is_known_by_its_name():
    names = [str(pitfall) for pitfall in PITFALLS]
    assert len(set(names)) == len(names)


def test_it_has_a_trigger_whose_columns_are_known(number):
    assert any(pitfall.culprit for pitfall in triggers_of(number))


def test_it_has_a_trigger_that_the_line_to_write_instead_cures(number):
    """`test_triggers.py` writes that line into the code and looks at the gradient."""
    cured = [p for p in triggers_of(number) if p.culprit and p.fix]
    assert cured


def test_a_finding_without_a_line_to_write_has_a_reason():
    known = [name for names in WITHOUT_A_LINE.values() for name in names]
    assert sorted(known) == sorted(each.number for each in PITFALLS if not each.fix)


def test_it_has_a_near_miss_that_stays_silent(number):
    assert any(name.split()[0] == number for name in NEAR_MISSES)


@pytest.mark.parametrize("number", IMPOSSIBLE)
def test_what_cannot_happen_has_no_trigger(number):
    assert not triggers_of(number)
