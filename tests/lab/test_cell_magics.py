"""`%%tape` in an IPython shell of this process; test_kernel.py runs a real kernel."""

from __future__ import annotations

import ast

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import tapelab as tf
from tapelab import lab
from tapelab.lab import cell_magics
from tapelab.recording import source


def answers(picture):
    """The sources of the picture, with their gradients."""
    _, _, listed = str(picture).partition("gradient of ")
    return listed.partition("\n\n")[0]


def test_the_cell_is_recorded_and_shown_with_its_target(run):
    picture = run("%%tape z\nz = x * y + tf.sin(x)").result
    assert answers(picture) == "z\n  x  3.0100\n  y  3.0000"


def test_only_the_named_sources_are_differentiated(run):
    assert answers(run("%%tape z y\nz = x * y").result) == "z\n  y  3.0000"


def test_without_names_the_last_assignment_is_the_target(run):
    assert answers(run("%%tape\na = x * y\nb = a * a").result).startswith("b\n")
    assert answers(run("%%tape\na = x * y\nprint(a.shape)").result) == ""


def test_spans_stand_where_the_learner_sees_them(run):
    recording = run("%%tape z\nz = x * y").result.recording
    assert recording.sources[-1].text == "%%tape z\nz = x * y"
    product = next(each for each in recording if type(each.event).__name__ == "Ran")
    place = recording.span(product.span)
    assert (place.line, place.column, place.end_column) == (2, 4, 9)
    assert recording.text_at(product.span) == "x * y"


def test_a_cell_is_called_by_its_number(run, ipython):
    recording = run("%%tape z\nz = x * y").result.recording
    number = ipython.execution_count - 1
    assert [each.title for each in recording.sources] == [f"In [{number - 1}]", f"In [{number}]"]


def test_names_of_the_cell_stay_with_the_learner(run, ipython):
    run("%%tape z\nz = x * y")
    assert ipython.user_ns["z"].numpy() == 12.0
    assert not [name for name in ipython.user_ns if name.startswith("_tapelab")]


def test_the_value_of_a_last_expression_is_displayed(run, capsys):
    run("%%tape\nz = x * y\nz")
    assert "numpy=12.0" in capsys.readouterr().out


def test_magics_inside_the_cell_work(run):
    with np.printoptions():  # %precision changes them for the whole process
        picture = run("%%tape z\n%precision 3\nz = x * y").result
    assert "  3 │ z = x * y" in str(picture)


def test_of_a_cell_that_opens_tapes_the_last_is_shown(run):
    cell = "%%tape\nwith tf.GradientTape() as first:\n    a = x * x\n"
    picture = run(f"{cell}with tf.GradientTape() as second:\n    b = y * y").result
    assert picture.recording.tape.name == "second"
    assert answers(picture) == "b\n  y  8.0000"


def test_an_empty_cell_shows_the_empty_state(run):
    assert "Nothing on the tape yet" in str(run("%%tape\n# nothing").result)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("%%tape nope\nz = x * y", "there is no 'nope'"),
        ("%%tape x*y\nz = x * y", "%%tape takes names, got 'x*y'"),
        ("%%tape\nwith tf.GradientTape():\n    z = x * y", "a tape without a name"),
    ],
)
def test_a_wrong_line_gets_a_plain_sentence(run, capsys, cell, message):
    result = run(cell)
    assert not result.success
    printed = capsys.readouterr()
    assert message in printed.err
    assert "Traceback" not in printed.out + printed.err


def test_an_error_in_the_cell_is_the_learners_own(run, capsys, ipython):
    result = run("%%tape z\nz = x * y\n1 / 0")
    assert isinstance(result.error_in_exec, ZeroDivisionError)
    printed = capsys.readouterr().out
    assert "tapelab/lab" not in printed
    assert not [name for name in ipython.user_ns if name.startswith("_tapelab")]
    tape = tf.GradientTape()
    with tape:
        assert tape is not None


def test_a_syntax_error_says_where(run):
    result = run("%%tape z\nz = x *")
    assert isinstance(result.error_in_exec or result.error_before_exec, SyntaxError)


def test_load_ext_brings_the_magic(ipython):
    del ipython.magics_manager.magics["cell"]["tape"]
    ipython.run_cell("%load_ext tapelab")
    assert "tape" in ipython.magics_manager.magics["cell"]


def test_outside_of_ipython_nothing_is_attached():
    before = list(source.titles)
    InteractiveShell.clear_instance()
    lab.attach()
    assert source.titles == before


def parsed(code):
    return ast.parse(code)


@pytest.mark.parametrize(
    ("code", "tapes"),
    [
        ("z = x * y", []),
        ("with tf.GradientTape() as t:\n    z = x", ["t"]),
        ("with tf.GradientTape():\n    z = x", [""]),
        ("with tf.GradientTape() as a:\n    1\nwith GradientTape(True) as b:\n    2", ["a", "b"]),
        ("with tf.GradientTape() as o:\n    with tf.GradientTape() as i:\n        1", ["o"]),
        ("for i in y:\n    with tf.GradientTape() as t:\n        1", ["t"]),
        ("with open('f') as f, tf.GradientTape() as t:\n    1", ["t"]),
        ("with open('f') as f:\n    1", []),
    ],
)
def test_the_outermost_tapes_of_a_cell_are_found_in_order(code, tapes):
    assert list(cell_magics.tapes_opened(parsed(code))) == tapes


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("y = 1\nz = x * y", "z"),
        ("z: float = x", "z"),
        ("z += x", "z"),
        ("z = 1\nz", "z"),
        ("with t:\n    z = 1", "z"),
        ("print(z)", ""),
        ("a, b = 1, 2", ""),
        ("", ""),
    ],
)
def test_the_result_of_a_cell_is_what_its_last_line_names(code, name):
    assert cell_magics.result_of(parsed(code).body) == name


def test_a_cell_on_a_tape_keeps_its_lines_and_columns():
    code = parsed("\nz = x * y")
    whole = cell_magics.on_a_tape(code, "%%tape z")
    product = whole.body[0].body[0].value
    assert (product.lineno, product.col_offset, product.end_col_offset) == (2, 4, 9)
    opened = whole.body[0].items[0].context_expr
    assert (opened.lineno, opened.col_offset, opened.end_col_offset) == (1, 0, 8)
    compile(whole, "cell", "exec")


def test_an_empty_cell_can_stand_on_a_tape():
    compile(cell_magics.on_a_tape(parsed(""), "%%tape"), "cell", "exec")


def test_the_value_of_a_last_expression_is_kept():
    code, space = parsed("1 + 1\n2 + 3"), {}
    cell_magics.keep_last_value(code)
    exec(compile(code, "cell", "exec"), space)
    assert space[cell_magics.VALUE] == 5


def test_a_last_statement_has_no_value():
    code = parsed("x = 1")
    cell_magics.keep_last_value(code)
    assert cell_magics.VALUE not in ast.unparse(code)


def test_the_call_names_the_tape_the_target_and_the_sources():
    def called(names):
        return ast.unparse(cell_magics.showing("tape", names, "%%tape"))

    assert called([]) == f"{cell_magics.SHOW}(tape)"
    assert called(["z"]) == f"{cell_magics.SHOW}(tape, z)"
    assert called(["z", "x", "y"]) == f"{cell_magics.SHOW}(tape, z, [x, y])"
