"""A pitfall that is put into a healthy program at random is found, with its code and its line."""

import random

import pytest

from tests.pitfalls.healthy import HEALTHY
from tests.pitfalls.mutating import judging
from tests.pitfalls.mutating.__main__ import JUDGED, collected, table
from tests.pitfalls.mutating.text import HERE, Mutant, Program, meant

MUTANTS, SEED = 130, 20
FUNCTION = """\
def double(v):
    return v + v

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    h = double(x)
    y = h * x
g = tape.gradient(y, [x])
"""
PROGRAM = Program("first_steps: a square", HEALTHY["first_steps: a square"])


@pytest.fixture(scope="module")
def sample():
    return collected(MUTANTS, SEED)


def outcome(old, new, code="STOPPED"):
    text = PROGRAM.text.replace(old, new)
    assert text != PROGRAM.text
    return judging.judged(PROGRAM, Mutant("by hand", code, text)).outcome


def test_nearly_all_are_found_at_their_lines(sample):
    failures = [each for each in sample if each.outcome in ("missed", "alarm")]
    assert len(failures) <= 0.02 * MUTANTS, "\n".join(map(str, failures))


def test_nearly_all_kinds_are_among_them(sample):
    judged = {each.kind for each in sample if each.outcome in JUDGED}
    assert len(judged) >= 0.8 * len(judging.KINDS)


def test_the_table_counts_each_kind(sample):
    last = table(sample).split("\n")[-1].split()
    assert last[0] == "all"
    assert sum(map(int, last[2:5])) == MUTANTS


def test_the_same_seed_draws_the_same_mutants():
    texts = []
    for _ in range(2):
        draw = random.Random(SEED)
        texts.append([mutate(PROGRAM, draw) for mutate in judging.KINDS.values()])
    assert texts[0] == texts[1]


def test_a_pitfall_at_the_marked_line_counts_as_found():
    assert outcome("= x * x", f"= tf.stop_gradient(x * x){HERE}") == "found"


def test_a_pitfall_at_another_line_counts_as_missed():
    changed = f"= tf.stop_gradient(x * x)\n    k = x{HERE}"
    assert outcome("= x * x", changed) == "missed"


def test_another_code_counts_as_missed():
    assert outcome("= x * x", f"= tf.stop_gradient(x * x){HERE}", "LEFT_ENGINE") == "missed"


def test_a_mutant_with_the_same_gradient_is_no_mutant():
    assert outcome("= x * x", f"= x * x{HERE}") == "unchanged"


def test_a_mutant_that_raises_is_no_mutant():
    assert outcome("= x * x", f"= x * nothing{HERE}") == "raised"


def test_a_marked_call_means_the_function_too():
    assert meant(FUNCTION.replace("double(x)", f"double(x){HERE}")) == {1, 2, 6}


def test_statements_and_settings_are_not_wrapped():
    program = Program("function", FUNCTION)
    texts = sorted(map(program.text_of, program.expressions))
    assert texts == ["double(x)", "h", "h * x", "v", "v", "v + v", "x", "x"]


def test_the_table_has_the_share_of_what_was_found():
    rows = table([judging.Verdict("round", each) for each in ("found", "missed", "raised")])
    assert "50.0%" in rows
