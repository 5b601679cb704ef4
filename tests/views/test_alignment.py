from __future__ import annotations

import numpy as np
import pytest

import tapelab as tf
from tapelab.views.alignment import aligned, counterparts
from tapelab.views.tape_comparison import compared, html, rows, text


def recorded(compute, value=(1.0, 2.0, 3.0)):
    x = tf.Variable(value, name="x")
    with tf.GradientTape() as tape:
        loss = compute(x)
    return tape.recording(loss, [x])


def detour(x):
    h = tf.square(x)
    m = np.mean(h)
    return tf.sqrt(m)


def mended(x):
    h = tf.square(x)
    m = tf.reduce_mean(h)
    return tf.sqrt(m)


def longer(x):
    h = tf.square(x)
    k = tf.sin(h)
    m = tf.reduce_mean(k)
    return tf.sqrt(m)


def chained(x, extra=False):
    for at in range(40):
        x = x * 1.01
        if extra and at == 20:
            x = tf.exp(x)
    return tf.reduce_sum(x)


@pytest.fixture(scope="module")
def fixed():
    return compared(recorded(detour), recorded(mended))


def test_a_tape_is_like_itself():
    found = compared(recorded(mended), recorded(mended))
    assert found.differences == 0
    assert text(found).startswith("Both tapes are alike.")


def test_an_op_that_took_the_place_of_another_stands_beside_it(fixed):
    changes = {pair.before: set(pair.changes) for pair in fixed.pairs}
    assert changes[0] == {"gradient"}
    assert changes[2] == {"op", "taped", "gradient"}
    assert [pair.after for pair in fixed.pairs] == [0, 1, 2, 3]


def test_the_other_way_round_it_has_left_the_tape():
    found = compared(recorded(mended), recorded(detour))
    assert "untaped" in found.pairs[2].changes


def test_an_op_that_came_new_stands_alone():
    _, _, pairs = aligned(recorded(mended), recorded(longer))
    alone = [pair for pair in pairs if pair.before < 0]
    assert [set(pair.changes) for pair in alone] == [{"new"}]
    assert len(pairs) == 5


def test_other_numbers_are_another_value():
    found = compared(recorded(mended), recorded(mended, value=(1.0, 2.0, 4.0)))
    assert all("value" in pair.changes for pair in found.pairs)


def test_of_a_long_tape_only_what_differs_is_shown_with_what_is_around_it():
    found = compared(recorded(chained), recorded(lambda x: chained(x, extra=True)))
    shown = rows(found)
    assert sum(row.left_out for row in shown) + sum(not row.left_out for row in shown) == len(
        found.pairs
    )
    assert any("new" in row.changes for row in shown)


def test_the_text_shows_code_gradients_and_frames(fixed):
    shown = text(fixed)
    assert "  − m = np.mean(h)\n  + m = tf.reduce_mean(h)" in shown
    assert "None: no path leads there  →  [0.1543 0.3086 0.4629]" in shown
    assert "another op, now on the tape, another gradient" in shown


def test_the_card_is_html_without_script_and_without_addresses(fixed):
    card = html(fixed)
    assert "<script" not in card
    assert "http" not in card
    assert 'class="row del"' in card
    assert 'class="row ins"' in card


def test_a_step_has_its_counterpart_forwards_and_back():
    old, new, pairs = aligned(recorded(mended), recorded(longer))
    there = counterparts(old, new, pairs)
    assert there[1] == 1
    assert new.label(new.at(there[4]).node) == old.label(old.at(4).node)
    last_back = new.at(there[len(old)])
    assert (last_back.phase, new.label(last_back.node)) == ("backward", "x")


def test_an_empty_tape_can_be_compared(golden):
    assert "frames differ" in text(compared(golden("empty"), golden("scene_a")))
