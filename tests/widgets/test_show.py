from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

import tapelab as tf
from tapelab.core.log import thread
from tapelab.errors import RecordingError
from tapelab.recorder import training_log
from tapelab.recording import Recording, to_bytes
from tapelab.widgets.show import Picture, show
from tests.fixtures.record import FOLDER


@pytest.fixture
def x():
    return tf.Variable(3.0, name="x")


@pytest.fixture
def taped(x):
    with tf.GradientTape() as tape:
        y = x * x
    return tape, y


def test_outside_of_a_notebook_the_picture_is_printed(taped, capsys):
    shown = show(*taped)
    assert capsys.readouterr().out == str(shown)
    assert "x  6.0000" in str(shown)


def test_showing_does_not_use_the_tape_up(taped, x):
    tape, y = taped
    show(tape, y)
    assert tape.gradient(y, x).numpy() == 6.0
    show(tape, y)


def test_a_tape_shows_itself_without_a_target_too(taped):
    assert "gradient of" not in str(show(taped[0]))


def test_only_the_wanted_sources_are_differentiated():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        c = a * b
    text = str(show(tape, c, b))
    assert "gradient of c\n  b  1.0000\n" in text


def test_where_the_gradient_is_none_the_picture_says_why():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        loss = tf.sqrt(np.mean(x))
    shown = show(tape, loss)
    assert shown.explanation.findings[0].code == "LEFT_ENGINE"
    assert str(shown.explanation) in str(shown)


def test_where_every_gradient_arrives_there_is_nothing_to_explain(taped):
    assert show(*taped).explanation is None


def test_what_ails_a_gradient_that_arrives_is_explained_as_well():
    x = tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.where(x > 0, tf.math.log(x), 0.0))
    explanation = show(tape, loss).explanation
    assert explanation.connected
    assert explanation.findings[0].code == "ZERO_TIMES_INF"


def test_a_tape_that_never_recorded_shows_the_empty_state():
    assert "Nothing on the tape yet" in str(show(tf.GradientTape()))


def test_a_picture_that_begins_with_a_question_says_so_in_every_form(taped):
    predicting, shown = show(*taped, predict=True), show(*taped)
    for predict, picture in ((True, predicting), (False, shown)):
        html = picture._repr_mimebundle_()["text/html"]
        assert (" data-predict data-ops" in picture.to_html()) == predict
        assert (" data-predict data-ops" in html) == predict
    assert predicting.widget().predict
    assert not shown.widget().predict


def test_the_step_to_begin_with_is_shown(taped):
    assert "step 2 of 5: forward →, × y" in str(show(*taped, step=2))


def test_a_picture_can_be_saved_and_shown_again(taped, tmp_path):
    before = show(*taped)
    path = before.save(tmp_path / "square.tape")
    for again in (show(path), show(str(path)), show(path.read_bytes()), show(before)):
        assert again.recording == before.recording
    assert isinstance(show(before.recording).recording, Recording)


def test_saving_under_a_name_of_a_page_writes_the_page(taped, tmp_path):
    page = show(*taped).save(tmp_path / "square.html")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_picture_can_be_exported(taped, tmp_path):
    page = show(*taped).export(tmp_path / "square.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")


def test_a_notebook_gets_html_and_text_and_both_outlive_the_kernel(taped):
    shown = show(*taped, step=3)
    bundle = shown._repr_mimebundle_()
    assert bundle.keys() == {"text/html", "text/plain"}
    assert bundle["text/plain"] == str(shown)
    assert "data-step=&quot;3&quot;" in bundle["text/html"]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (None, "NoneType: None"),
        (3, "int: 3"),
        ([1, 2], r"list: \[1, 2\]"),
        (np.ones(2), r"ndarray: array\(\[1\., 1\.\]\)"),
    ],
)
def test_what_is_no_tape_is_named_in_the_error(wrong, named, monkeypatch):
    monkeypatch.setattr(thread, "recent_calls", [])  # nothing was asked before
    monkeypatch.setattr(training_log, "_latest", [])
    with pytest.raises(TypeError, match=rf"show\(\) needs a tape.*got {named}"):
        show(wrong)


def test_a_tensor_is_no_tape(x):
    with pytest.raises(TypeError, match=r"show\(\) needs a tape.*got EagerTensor"):
        show(x * x)


def test_a_numpy_array_is_no_target(taped):
    with pytest.raises(AttributeError, match="the target must be a tensor or a variable"):
        show(taped[0], np.ones(3))
    show(*taped)
    with pytest.raises(AttributeError, match="the target must be a tensor or a variable"):
        show(taped[0], np.ones(3))


def test_a_source_needs_a_target(taped, x):
    with pytest.raises(TypeError, match="a source without a target"):
        show(taped[0], None, x)


def test_a_spent_tape_that_kept_no_numbers_says_so():
    x = tf.Variable([1.0] * 300)
    with tf.GradientTape() as tape:
        y = x * x
        z = y * x
    tape.gradient(y, x)
    shown = show(tape, z, x)
    assert "x  not known: the tape has released its values" in str(shown)
    assert shown.explanation is None


@pytest.mark.parametrize(
    ("file", "message"),
    [("wrong_magic", "not a recording"), ("newer", "schema 99"), ("cut_short", "damaged")],
)
def test_an_unreadable_recording_is_refused(file, message):
    with pytest.raises(RecordingError, match=message):
        show(FOLDER / "bad" / f"{file}.tape")


def test_a_recording_takes_no_other_target(taped):
    with pytest.raises(TypeError, match="pass the tape itself"):
        show(to_bytes(taped[0].recording()), taped[1])


def test_a_missing_file_is_missing():
    with pytest.raises(FileNotFoundError):
        show("nowhere.tape")


def test_a_short_repr_names_the_tape(taped):
    assert repr(Picture(taped[0].recording())) == (
        "<picture of tape: 6 events; print() shows it as text>"
    )


def test_marimo_shows_what_a_cell_ends_in_and_nothing_is_printed(taped, monkeypatch, capsys):
    marimo = ModuleType("marimo")
    marimo.running_in_notebook = lambda: True
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    assert "backward pass" in str(show(*taped))
    assert capsys.readouterr().out == ""


def test_printing_a_picture_needs_no_notebook_software():
    code = (
        "import sys, tapelab as tf\n"
        "x = tf.Variable(2.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x\n"
        "tf.show(tape, y)\n"
        "heavy = {'IPython', 'ipywidgets', 'anywidget', 'matplotlib', 'graphviz', 'numba'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "4.0000    1.0000" in completed.stdout
    assert completed.stdout.endswith("[]\n")


@pytest.mark.slow
def test_a_chain_of_100_000_ops_is_shown_in_every_form(tmp_path):
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape() as tape:
        y = x
        for _ in range(100_000):
            y = y * 1.0
    shown = show(tape, y)
    assert "tape: 100\u202f000 ops, 1 variable" in str(shown)
    assert "x  1.0000" in str(shown)
    assert len(shown._repr_mimebundle_()["text/html"]) < 6_000_000
    assert show(shown.save(tmp_path / "long.tape")).recording == shown.recording
