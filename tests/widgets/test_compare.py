from __future__ import annotations

import pytest

import tapelab as tf
from tapelab.widgets.compare import compare


@pytest.fixture(scope="module")
def tapes():
    def run(scale):
        x = tf.Variable(2.0, name="x")
        with tf.GradientTape() as tape:
            y = x * x * scale
        return tape, y, x

    return [run(scale) for scale in (1.0, 3.0)]


@pytest.fixture(scope="module")
def found(tapes):
    return compare(*(tape.recording(y, [x]) for tape, y, x in tapes))


def test_tapes_and_recordings_are_compared(tapes, found):
    assert found.differences > 0
    assert compare(tapes[0][0], tapes[0][0]).differences == 0


def test_what_is_no_tape_is_refused():
    with pytest.raises(TypeError, match=r"compare\(\) needs a tape.*tf\.compare\(before, after\)"):
        compare(1, 2)


def test_the_export_holds_both_recordings_and_the_steps_between_them(found, tmp_path):
    page = found.export(tmp_path / "both.html").read_text("utf-8")
    assert page.count('class="tapelab-recording"') == 2
    assert 'class="tapelab-pair">[[0,1,' in page


def test_in_the_widget_one_side_follows_the_other(found):
    sides = found.widget()
    left, right = sides.before, sides.after
    left.step = 2
    assert right.step == 2
    right.step = 3
    assert left.step == 3


def test_a_rich_output_is_a_card_and_text(found):
    bundle = found._repr_mimebundle_()
    assert bundle["text/html"].startswith("<style>")
    assert bundle["text/plain"] == str(found)
    assert "tapes" in repr(found)
