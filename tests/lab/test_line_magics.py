"""`%tape on` and `%tape off`, `%why` and `%%predict`, in an IPython shell of this process."""

from __future__ import annotations

import pytest
from IPython.core.completer import provisionalcompleter

import tapelab as tf
from tapelab.lab import cell_magics, line_magics

ON, OFF = "%tape on", "%tape off"


@pytest.fixture
def run(run, fresh):
    yield run
    if line_magics._is_on():
        fresh.run_cell(OFF)


def answers(picture):
    """The sources of the picture, with their gradients."""
    _, _, listed = str(picture).partition("gradient of ")
    return listed.partition("\n\n")[0]


def test_cells_between_on_and_off_are_recorded_and_shown(run):
    picture = run(ON, "a = x * y", "b = a * a", "%tape off b x").result
    assert answers(picture) == "b\n  x  96.0000"
    sources = [each.text for each in picture.recording.sources]
    assert "a = x * y" in sources
    assert "b = a * a" in sources


def test_what_was_recorded_stands_in_cells_and_nowhere_else(run):
    recording = run(ON, "a = x * y", "%tape off a").result.recording
    assert all(each.title.startswith("In [") for each in recording.sources)


def test_after_off_nothing_is_recorded_any_more(run):
    run(ON, "a = x * y", OFF)
    assert not tf.GradientTape()._recording
    assert line_magics.thread.tapes == []


def test_without_names_the_tape_is_shown_as_it_is(run):
    assert answers(run(ON, "a = x * y", OFF).result) == ""


def test_the_learners_own_tapes_work_in_between(run, fresh):
    taped = "with tf.GradientTape() as t:\n    a = x * x\ng = t.gradient(a, x)"
    run(ON, taped, OFF)
    assert fresh.user_ns["g"].numpy() == 6.0


def test_alone_it_says_whether_it_records(run, capsys):
    run("%tape")
    assert "No tape records. Write `%tape on`" in capsys.readouterr().out
    run(ON, "%tape")
    assert "A tape records." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([OFF], "%tape is not on. Write `%tape on`"),
        ([ON, ON], "%tape is on already."),
        (["%tape maybe"], "%tape takes `on` or `off`, got 'maybe'."),
        (["%tape on z"], "%tape takes `on` or `off`, got 'on z'."),
        ([ON, "%tape off nope"], "there is no 'nope' in this notebook"),
        ([ON, "n = 3", "%tape off n"], "'n' is neither a tensor nor a variable, it is of type int"),
        (["%why nope"], "there is no 'nope' in this notebook"),
        (["%why x"], "%why found no tape in this notebook"),
        (["%%predict 3\nz = x * y"], "%%predict takes names, got '3'"),
        (["%%predict nope\nz = x * y"], "as in `%%predict z` for `z = x * y`"),
    ],
)
def test_a_wrong_line_gets_a_plain_sentence(run, capsys, cells, message):
    assert not run(*cells).success
    printed = capsys.readouterr()
    assert message in printed.err
    assert "Traceback" not in printed.out + printed.err


def test_a_wrong_name_does_not_stop_the_tape(run):
    picture = run(ON, "a = x * y", "%tape off nope", "%tape off a").result
    assert answers(picture).startswith("a\n")


ROUNDED = "with tf.GradientTape() as tape:\n    z = tf.round(x) * y\ng = tape.gradient(z, [x, y])"


def test_why_explains_the_last_gradient(run):
    explained = run(ROUNDED, "%why").result
    assert explained.findings[0].code == tf.why().findings[0].code


def test_why_takes_a_target_and_sources(run):
    assert run(ROUNDED, "%why z y").result.findings == ()
    assert run(ROUNDED, "%why z x").result.findings[0].where.text == "tf.round(x)"


def test_why_without_sources_asks_about_all_that_is_watched(run):
    assert [part.source for part in run(ROUNDED, "%why z").result.parts] == ["x", "y"]


@pytest.fixture
def typed(monkeypatch):
    """What the learner types, line by line; the prompts that were read."""

    def type_in(*lines):
        waiting, prompts = iter(lines), []
        monkeypatch.setattr(
            "builtins.input", lambda prompt: (prompts.append(prompt), next(waiting))[1]
        )
        return prompts

    return type_in


def test_predictions_are_read_one_by_one_and_judged(run, typed, capsys):
    prompts = typed("4", "3.5")
    picture = run("%%predict z\nz = x * y").result
    assert prompts == ["dz/dx = ", "dz/dy = "]
    printed = capsys.readouterr().out
    assert printed.index("Right.") < printed.index("Not quite: it is 3.0000.")
    assert answers(picture) == "z\n  x  4.0000\n  y  3.0000"


def test_where_nothing_can_be_typed_the_picture_asks(run, monkeypatch, capsys):
    def refuse(prompt):
        raise EOFError

    monkeypatch.setattr("builtins.input", refuse)
    picture = run("%%predict z x\nz = x * y").result
    assert "Nothing can be typed here:" in capsys.readouterr().out
    assert answers(picture) == "z\n  x  4.0000"
    assert picture.predict


def test_a_cell_without_a_single_number_says_so(run, typed, capsys):
    typed()
    run("v = tf.Variable([1.0, 2.0])", "%%predict s\ns = tf.reduce_sum(v * v)")
    assert "There is no gradient of a single number here" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "truth", "judgement"),
    [
        ("0.755", 0.75, "Right."),
        ("3/4", 0.75, "Right."),
        ("−0,75", -0.75, "Right."),
        ("0.001", 0.0, "Right."),
        ("0.9", 0.75, "Not quite: it is 0.7500."),
        ("none", None, "Right."),
        ("0", None, "Not quite: it is None."),
        ("None", 0.0, "Not quite: it is 0.0000."),
        ("1/0", 1.0, "`1/0` is no number. It is 1.0000."),
        ("", 2.0, "It is 2.0000."),
    ],
)
def test_a_prediction_is_judged_as_the_explorer_does(said, truth, judgement):
    assert cell_magics.verdict(said, truth) == judgement


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("%tape o", {"on", "off"}),
        ("%tape off ", {"x", "y"}),
        ("%%tape ", {"--no-hints", "x", "y"}),
        ("%why x ", {"y"}),
        ("%%predict ", {"x", "y"}),
    ],
)
def test_the_tab_key_offers_words_and_names_of_tensors(run, fresh, line, offered):
    run()
    with provisionalcompleter():
        found = {each.text for each in fresh.Completer.completions(line, len(line))}
    assert offered <= found
    assert "tf" not in found


@pytest.mark.parametrize(
    ("magic", "usage"),
    [("%tape", "%tape off z x"), ("%why", "%why z x y"), ("%%predict", "%%predict z x y")],
)
def test_help_says_how_a_magic_is_written(ipython, magic, usage):
    assert usage in ipython.object_inspect_text(magic)
