from __future__ import annotations

import re

import pytest

import tapelab as tf
from tapelab.views.text_view import picture
from tests.fixtures.record import SCENES

SCENE_A = """\
tape: 3 ops, 2 variables

In [1]
  4 │     z = x * y + tf.sin(x)
    │         ─────   ─────────
    │         12.0000 0.1411

                         value  gradient
  1  watch  x           3.0000    3.0100
  2  watch  y           4.0000    3.0000
  3  ×      x * y      12.0000    1.0000
  4  sin    tf.sin(x)   0.1411    1.0000
  5  +      z          12.1411    1.0000

gradient of z
  x  3.0100
  y  3.0000

backward pass
  start  to z          1.0000
  +      to x * y      1.0000 × 1.0000   = 1.0000
  +      to tf.sin(x)  1.0000 × 1.0000   = 1.0000
  sin    to x          1.0000 × −0.9900  = −0.9900  sum so far −0.9900
  ×      to x          1.0000 × 4.0000   = 4.0000   sum so far 3.0100
  ×      to y          1.0000 × 3.0000   = 3.0000
"""


def test_the_whole_picture_reads_like_the_screen(golden):
    assert picture(golden("scene_a")) == SCENE_A


def test_at_a_step_only_that_expression_carries_its_value(golden):
    text = picture(golden("scene_a"), step=4)
    assert "step 4 of 11: forward →, sin tf.sin(x)" in text
    assert "  4 │     z = x * y + tf.sin(x)\n    │                 ─────────\n" in text
    assert "> 4  sin" in text
    assert "not run yet" in text
    assert "gradient of z" not in text


def test_on_the_way_back_the_gradient_stands_under_the_expression(golden):
    text = picture(golden("scene_a"), step=10)
    assert "step 10 of 11: ← backward through × to x" in text
    assert text.rstrip().endswith("= 4.0000   sum so far 3.0100")


def test_none_zero_and_shown_as_zero_have_words_of_their_own(golden):
    assert "x  None: no path leads there" in picture(golden("numpy_detour"))
    assert "y  [0. 0.]  (no path, shown as zero)" in picture(golden("unconnected_zero"))
    assert "gradient of z\n  x  0.0000\n" in picture(golden("zero"))


def test_a_rule_that_passes_nothing_says_why(golden):
    assert "holds the gradient back" in picture(golden("stop_gradient"))


def test_what_is_off_the_tape_is_said_to_be(golden):
    assert "np.mean  m         4.6667  off the tape" in picture(golden("numpy_detour"))


def test_frames_are_counted_on_the_tape_alone(golden):
    shown = picture(golden("before_tape"))
    assert "     ⋮      1 op before the tape" in shown
    assert "\n  1  watch  x" in shown


def test_an_empty_tape_says_so_and_what_to_do(golden):
    text = picture(golden("empty"))
    assert "Nothing on the tape yet." in text
    assert "with tf.GradientTape() as tape:" in text


def test_large_values_are_shown_by_shape(golden):
    assert "float32 (300,)" in picture(golden("not_kept"))


def test_of_a_long_tape_both_ends_are_shown(golden):
    text = picture(golden("chain"))
    assert len(text.splitlines()) < 110
    assert "1\u202f961 frames more" in text


def test_a_very_long_tape_is_shown_by_its_results(golden, monkeypatch):
    monkeypatch.setattr("tapelab.views.text_view.LONG", 10)
    text = picture(golden("scene_a"))
    assert text.startswith("tape: 3 ops, 2 variables\n\nToo long to be listed.")
    assert text.endswith("gradient of z\n  x  3.0100\n  y  3.0000\n")
    assert "step 4 of 11" in picture(golden("scene_a"), step=4)


def test_the_explanation_stands_at_the_end(golden):
    assert picture(golden("numpy_detour"), explanation="Because.").endswith("\n\nBecause.\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(SCENES) - {"chain"}))
def test_every_step_of_every_recording_can_be_shown(golden, name):
    recording = golden(name)
    steps = 3 * len(recording)
    texts = {picture(recording, step=number) for number in range(1, steps)}
    assert all(text.startswith(recording.tape.name) for text in texts)


def test_two_values_that_would_collide_stand_in_two_rows():
    a = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        z = a * a + a * a
    under = picture(tape.recording(z)).split("a * a + a * a\n")[1].split("\n\n")[0]
    assert [line.partition("│")[2].split() for line in under.splitlines()] == [
        ["─────", "─────"],
        ["[1.", "4.", "9.", "16.]"],
        ["[1.", "4.", "9.", "16.]"],
    ]


def test_code_that_cannot_be_found_is_left_out():
    space = {"tf": tf}
    exec("x = tf.Variable(2.0)\nwith tf.GradientTape() as tape: y = x * x", space)
    text = picture(space["tape"].recording(space["y"]))
    assert "│" not in text
    assert "4.0000    1.0000" in text


@pytest.fixture
def spoken(monkeypatch):
    """Speak a language for one test."""

    def speak(name):
        monkeypatch.setenv("TAPELAB_LANGUAGE", name)

    return speak


@pytest.mark.parametrize("name", ["zh-CN", "he"])
def test_in_another_language_only_code_numbers_and_names_of_ops_stay_in_latin_letters(
    golden, spoken, name
):
    spoken(name)
    text = picture(golden("scene_a"), step=10)
    latin = set(re.findall(r"[A-Za-z.]{3,}", text))
    assert latin <= {"tape", "tf.sin", "watch", "sin"}


def test_columns_stand_below_each_other_where_letters_are_twice_as_wide(golden, spoken):
    spoken("zh-CN")
    rows = picture(golden("scene_a")).split("\n\n")[2].split("\n")
    assert rows[0].endswith("值    梯度")
    assert {len(row) + sum("\u4e00" <= letter <= "\u9fff" for letter in row) for row in rows} == {
        len(rows[1])
    }


def test_why_an_op_passes_nothing_is_said_in_the_chosen_language(golden, spoken):
    spoken("zh-CN")
    assert "stop_gradient 让值通过，拦住梯度。" in picture(golden("stop_gradient"))


def test_a_row_names_the_function_that_its_op_ran_in():
    def squeezed(x):
        return tf.tanh(x)

    with tf.GradientTape() as tape:
        x = tf.Variable(0.0)
        y = squeezed(x) * 2.0
    assert re.search(r"^.* tanh .* squeezed$", picture(tape.recording(y)), re.MULTILINE)
