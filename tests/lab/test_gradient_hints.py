"""The line under a cell when a gradient looks wrong: in a shell of this process."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tapelab as tf
from tapelab import lab
from tapelab.lab import gradient_hints

SETUP = "import numpy as np\nimport tapelab as tf\nx = tf.Variable(3.0)"
TAPED = "with tf.GradientTape() as tape:\n    y = {}\n{}"
GRADIENT_CALL = "g = tape.gradient(y, x)"


@pytest.fixture
def said(fresh, capsys, monkeypatch):
    """Run cells; the hints that the last of them got."""
    monkeypatch.setattr(gradient_hints.HINTS, "on", True)
    monkeypatch.setenv("TAPELAB_LANGUAGE", "")

    def run(*cells):
        for cell in (SETUP, *cells):
            capsys.readouterr()
            result = fresh.run_cell(cell, store_history=True)
            assert result.success
        assert gradient_hints.failures == []
        return [line for line in capsys.readouterr().out.split("\n") if "tf.why()" in line]

    return run


def taped(expression, gradient_call=GRADIENT_CALL):
    return TAPED.format(expression, gradient_call)


def test_a_gradient_that_is_none_gets_a_line_with_its_reason(said):
    cell = taped("tf.sqrt(np.float32(x * x))")
    (line,) = said(cell)
    assert line.startswith("dy/dx is None: ")
    assert line.endswith("(line 2) · tf.why()")


def test_a_rebound_variable_is_named_with_its_line(said):
    (line,) = said("x = x + 1.0\n" + taped("x * x"))
    assert line == "dy/dx is None: x is a tensor now, no longer the variable (line 1) · tf.why()"


def test_a_nan_gets_a_line(said):
    (line,) = said(taped("tf.where(x > 5.0, tf.math.log(x - 3.0), 1.0)"))
    assert line.startswith("dy/dx is NaN: ")


def test_a_zero_without_a_path_gets_a_line(said):
    gradient_call = "g = tape.gradient(y, x, unconnected_gradients='zero')"
    (line,) = said(taped("tf.round(x)", gradient_call))
    assert line.startswith("dy/dx is 0: ")


def test_a_part_that_left_the_tape_gets_a_line(said):
    (line,) = said(taped("x * x + np.square(x)"))
    assert line.startswith("dy/dx is only a part: ")


def test_a_part_that_was_stopped_on_purpose_gets_none(said):
    assert said(taped("x * tf.stop_gradient(x)")) == []


def test_a_healthy_cell_gets_none(said):
    assert said(taped("x * x")) == []


def test_a_later_cell_gets_no_second_hint(said):
    assert said(taped("tf.round(x)"), "1 + 1") == []


def test_a_loop_gets_one_hint(said):
    body = taped("tf.round(x)").replace("\n", "\n    ")
    assert len(said(f"for _ in range(5):\n    {body}")) == 1


def test_one_setting_turns_them_off(said):
    assert said("tf.hints(False)", taped("tf.round(x)")) == []
    assert tf.hints() is False


def test_the_magic_has_an_option_for_one_cell(said):
    cell = "%%tape --no-hints\n" + taped("tf.round(x)")
    assert said(cell) == []
    assert len(said(cell, taped("tf.round(x)"))) == 1


def test_a_hint_that_fails_says_nothing(said, monkeypatch):
    monkeypatch.setattr(gradient_hints, "_lines", lambda since: 1 / 0)
    gradient_hints.HINTS.finish()
    assert isinstance(gradient_hints.failures.pop(), ZeroDivisionError)


def test_attaching_twice_hints_once(ipython, said):
    lab.attach(ipython)
    assert len(said(taped("tf.round(x)"))) == 1


def test_plain_python_says_nothing():
    code = f"{SETUP}\n{taped('tf.round(x)')}\nimport sys; assert 'IPython' not in sys.modules"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout + ran.stderr == ""
