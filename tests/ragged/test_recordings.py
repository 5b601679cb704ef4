"""What a tape sees of ragged tensors: ops on flat values, folded under the functions' names."""

from __future__ import annotations

import pytest

import tapelab as tl
from tapelab.views.text_view import picture


@pytest.fixture
def rows():
    return tl.ragged.constant([[1.0, 2.0], [], [3.0]])


def scopes_of(tape):
    """The names of the groups in which ops ran."""
    return {group.name for group in tape.recording().groups}


def test_functions_of_ragged_tensors_are_groups(rows):
    with tl.GradientTape() as tape:
        tape.watch(rows)
        joined = tl.concat([rows, rows], 1)
        tl.reduce_mean(joined, axis=1)
        joined.to_tensor()
        joined[:, :1]
    assert {"concat", "reduce_mean", "to_tensor", "item"} <= scopes_of(tape)


def test_a_picture_shows_the_backward_pass_through_rows(rows):
    w = tl.Variable([[2.0], [3.0], [4.0]], name="w")
    with tl.GradientTape() as tape:
        loss = tl.reduce_sum(rows * w)
    gradient = tape.gradient(loss, w)
    assert gradient.numpy().tolist() == [[3.0], [0.0], [3.0]]
    text = picture(tape.recording())
    assert "gather" in text
    assert "[[3.] [0.] [3.]]" in text


def test_a_question_about_a_ragged_source_is_explained(rows):
    with tl.GradientTape() as tape:
        y = tl.reduce_sum(rows * rows)
    why = str(tl.explain(tape, y, rows))
    assert "watch" in why


def test_a_question_about_a_watched_source_finds_nothing_wrong(rows):
    with tl.GradientTape() as tape:
        tape.watch(rows)
        y = tl.reduce_sum(rows * rows, axis=1)
    assert "The gradient of y with respect to rows is complete." in str(tl.explain(tape, y, rows))


def test_numpy_leaves_the_tape_and_is_noted(rows):
    with tl.GradientTape() as tape:
        tape.watch(rows)
        y = tl.constant(rows.numpy()[0]) * 2.0
    assert tape.gradient(y, rows) is None


def test_looking_at_rows_is_no_way_off_the_tape(rows):
    with tl.GradientTape() as tape:
        tape.watch(rows)
        before = len(tape.recording().located)
        repr(rows)
        assert len(tape.recording().located) == before


def test_equal_rows_meet_without_being_repeated(rows):
    with tl.GradientTape() as tape:
        tape.watch(rows)
        rows * (rows + 1.0)
    ran = [each.event.op for each in tape.recording().located if hasattr(each.event, "op")]
    names = [tape.recording().ops[at].name for at in ran]
    assert names == ["add", "multiply"]


def test_lists_of_rows_that_come_back_are_explained_by_an_edit(tmp_path):
    program = tmp_path / "lesson.py"
    program.write_text(
        "import tapelab as tf\n"
        "x = tf.ragged.constant([[1.0, 2.0], [3.0]])\n"
        "with tf.GradientTape() as tape:\n"
        "    tape.watch(x)\n"
        "    y = tf.reduce_sum(tf.ragged.constant((x * x).to_list()))\n"
        "why = str(tf.explain(tape, y, x))\n",
        encoding="utf-8",
    )
    names: dict[str, str] = {}
    exec(compile(program.read_text(encoding="utf-8"), str(program), "exec"), names)
    assert "took the value" in names["why"]
    assert "+ y = tf.reduce_sum(x * x)" in names["why"]
