"""The line under a cell when a gradient looks wrong: in a shell of this process, in a kernel."""

from __future__ import annotations

import subprocess
import sys

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient
from traitlets.config import Config

import tapelab as tf
from tapelab import lab
from tapelab.lab import hints
from tapelab.recording import source

SETUP = "import numpy as np\nimport tapelab as tf\nx = tf.Variable(3.0)"
TAPED = "with tf.GradientTape() as tape:\n    y = {}\n{}"
ASKED = "g = tape.gradient(y, x)"


@pytest.fixture(scope="module")
def ipython(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    lab.attach(shell)
    yield shell
    InteractiveShell.clear_instance()
    source.titles.remove(lab.title_of_cell)
    patch.undo()


@pytest.fixture
def said(ipython, capsys, monkeypatch):
    """Run cells; the hints that the last of them got."""
    monkeypatch.setattr(hints.HINTS, "on", True)
    monkeypatch.setenv("TAPELAB_LANGUAGE", "")

    def run(*cells):
        ipython.reset(new_session=False)
        for cell in (SETUP, *cells):
            capsys.readouterr()
            result = ipython.run_cell(cell, store_history=True)
            assert result.success
        assert hints.failures == []
        return [line for line in capsys.readouterr().out.split("\n") if "tf.why()" in line]

    return run


def taped(expression, asked=ASKED):
    return TAPED.format(expression, asked)


def test_a_gradient_that_is_none_gets_a_line_with_its_reason(said):
    cell = taped("tf.sqrt(np.float32(x * x))")
    (line,) = said(cell)
    assert line.startswith("dy/dx is None: ")
    assert line.endswith("(line 2) · tf.why()")


def test_a_rebound_variable_is_told_by_its_line(said):
    (line,) = said("x = x + 1.0\n" + taped("x * x"))
    assert line == "dy/dx is None: x is a tensor now, no longer the variable (line 1) · tf.why()"


def test_a_nan_gets_a_line(said):
    (line,) = said(taped("tf.where(x > 5.0, tf.math.log(x - 3.0), 1.0)"))
    assert line.startswith("dy/dx is NaN: ")


def test_a_zero_without_a_path_gets_a_line(said):
    asked = "g = tape.gradient(y, x, unconnected_gradients='zero')"
    (line,) = said(taped("tf.round(x)", asked))
    assert line.startswith("dy/dx is 0: ")


def test_a_part_that_left_the_tape_gets_a_line(said):
    (line,) = said(taped("x * x + np.square(x)"))
    assert line.startswith("dy/dx is only a part: ")


def test_a_part_that_was_stopped_on_purpose_gets_none(said):
    assert said(taped("x * tf.stop_gradient(x)")) == []


def test_a_healthy_cell_gets_none(said):
    assert said(taped("x * x")) == []


def test_a_later_cell_is_not_told_again(said):
    assert said(taped("tf.round(x)"), "1 + 1") == []


def test_a_loop_is_told_once(said):
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
    monkeypatch.setattr(hints, "_lines", lambda since: 1 / 0)
    hints.HINTS.finish()
    assert isinstance(hints.failures.pop(), ZeroDivisionError)


def test_attaching_twice_hints_once(ipython, said):
    lab.attach(ipython)
    assert len(said(taped("tf.round(x)"))) == 1


def test_plain_python_says_nothing():
    code = f"{SETUP}\n{taped('tf.round(x)')}\nimport sys; assert 'IPython' not in sys.modules"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout + ran.stderr == ""


def test_in_a_real_kernel_the_line_stands_under_the_output(tmp_path, monkeypatch):
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("TAPELAB_LANGUAGE", "")
    cells = [SETUP, taped("tf.round(x)") + "\n7"]
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=str(tmp_path))
    value, hint = notebook.cells[1].outputs
    assert value.data["text/plain"] == "7"
    assert hint.data["text/plain"].startswith("dy/dx is None: ")
    assert 'class="tapelab-hint"' in hint.data["text/html"]
