"""Pictures in terminals: their width, their signs, their colours."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from tapelab.views import terminal
from tapelab.views.card import columns

CODE = """
import tapelab as tf
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    z = tf.reduce_sum(tf.round(x) * x)
tf.show(tape, z)
"""


@pytest.mark.parametrize(
    ("text", "encoding", "legible"),
    [
        ("2×3 → −1…", "utf-8", "2×3 → −1…"),
        ("2×3 → −1…", "ascii", "2x3 -> -1..."),
        ("2×3 → −1…", "latin-1", "2×3 -> -1..."),
        ("x² ½ ∂", "ascii", "x2 ? d"),
        ("图", "ascii", "?"),
    ],
)
def test_signs_that_a_terminal_does_not_know_have_others_in_their_place(text, encoding, legible):
    assert terminal.legible(text, encoding) == legible


def test_a_line_that_is_too_long_goes_on_in_the_next():
    line = "  ×      to x         1.0000 × 4.0000   = 4.0000   sum so far 3.0100"
    first, second = terminal.fitted(line, 50)
    assert first == "  ×      to x         1.0000 × 4.0000   = 4.0000"
    assert second == "      sum so far 3.0100"


@pytest.mark.parametrize("width", [40, 53, 80])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost(width):
    text = "\n".join(["one two  three " * 12, "x" * 200, "图表" * 60, "", "  short"])
    lines = terminal.fitted(text, width)
    assert max(map(columns, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_colours_repeat_what_the_text_says():
    line = "  1  watch  x   3.0000   None"
    assert terminal.coloured(line) == "  1  watch  x   3.0000   \x1b[35mNone\x1b[0m"
    assert terminal.coloured("    - z = np.sin(x)") == "\x1b[31m    - z = np.sin(x)\x1b[0m"
    assert terminal.coloured("> 1  None") == "\x1b[1m> 1  None\x1b[0m"
    assert terminal.coloured("  Nonetheless") == "  Nonetheless"


class Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def test_only_a_screen_gets_colours(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    screen, file = Screen(), io.StringIO()
    terminal.write("x  None", screen)
    terminal.write("x  None", file)
    assert (screen.getvalue(), file.getvalue()) == ("x  \x1b[35mNone\x1b[0m", "x  None")


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_whoever_wants_none_gets_none(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    screen = Screen()
    terminal.write("x  None", screen)
    assert screen.getvalue() == "x  None"


def _ran(*command, **environment):
    variables = {**os.environ, "TAPELAB_LANGUAGE": "", "IPYTHONDIR": "/nowhere", **environment}
    ran = subprocess.run(command, capture_output=True, check=True, env=variables)
    return ran.stdout


def test_python_prints_the_picture_once():
    printed = _ran(sys.executable, "-c", CODE, PYTHONIOENCODING="utf-8").decode()
    assert printed.count("gradient of ") == 1
    assert "\x1b[" not in printed


def test_a_terminal_of_plain_ascii_gets_a_picture():
    printed = _ran(sys.executable, "-c", CODE, PYTHONIOENCODING="ascii").decode("ascii")
    assert "1.0000 1.0000" in printed or "[1. 2.]" in printed


def test_ipython_in_a_terminal_prints_the_picture_once(tmp_path):
    ipython = (sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", CODE)
    printed = _ran(*ipython, IPYTHONDIR=str(tmp_path), PYTHONIOENCODING="ascii").decode("ascii")
    assert printed.count("gradient of z") == 1
    assert "<picture" not in printed
