"""`tapelab explain` runs a script as Python would and says what its last gradient lacks."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow  # a process each

FINE = """
import tapelab as tf
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    z = x * x
print(tape.gradient(z, x).numpy())
"""
BROKEN = """
import sys
import numpy as np
import tapelab as tf

def gradient():
    x = tf.Variable([1.0, 2.0], name="x")
    with tf.GradientTape() as tape:
        loss = tf.sqrt(np.mean(x))
    return tape.gradient(loss, x)

if __name__ == "__main__":
    print(gradient(), sys.argv[1:])
"""


def test_a_gradient_that_is_fine_ends_in_0(tapelab, script):
    output = tapelab("explain", script(FINE)).stdout
    assert output.startswith("6.0\n")
    assert "A path leads from z to x" in output


def test_a_gradient_that_is_none_ends_in_1_even_if_its_tape_is_gone(tapelab, script):
    output = tapelab("explain", script(BROKEN), code=1).stdout
    assert "The path ends at np.mean(x)" in output
    assert "tf.reduce_mean(x)" in output


def test_the_last_one_that_went_wrong_is_explained_also_when_a_good_one_follows(tapelab, script):
    output = tapelab("explain", script(BROKEN + FINE), code=1).stdout
    assert "The path ends at np.mean(x)" in output


def test_options_after_the_script_are_its_own(tapelab, script):
    output = tapelab("explain", script(BROKEN), "--json", "-h", "--rate", "3", code=1).stdout
    assert output.startswith("None ['--json', '-h', '--rate', '3']\n")


def test_json_is_all_that_the_output_stream_gets(tapelab, script):
    noisy = script("import os\nos.system('echo loud')\n" + BROKEN)
    output = tapelab("explain", "--json", noisy, code=1)
    read = json.loads(output.stdout)
    assert (read["status"], read["findings"][0]["code"]) == ("wrong", "LEFT_ENGINE")
    assert read["gradients"] == {"x": "None: no path leads there"}
    assert output.stderr.splitlines() == ["loud", "None []"]


def test_the_language_is_that_of_the_option(tapelab, script):
    assert "改写成" in tapelab("explain", "--language", "zh-CN", script(BROKEN), code=1).stdout


@pytest.mark.parametrize(
    "text",
    ["def f():\n    return 1 / 0\nf()\n", "a = (\n", "import nowhere_to_be_found\n"],
)
def test_an_error_of_the_script_is_shown_as_python_shows_it(tapelab, script, text):
    file = script(text)
    alone = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    output = tapelab("explain", file, code=2)
    assert output.stderr == alone.stderr
    assert output.stdout == ""


def test_of_an_error_that_tapelab_knows_the_cause_follows_its_traceback(tapelab, script):
    output = tapelab("explain", script(FINE + "tape.gradient(z, x)\n"), code=2).stderr
    assert output.startswith("Traceback")
    assert "persistent=True" in output.partition("RuntimeError")[2]


def test_an_error_is_data_for_programs(tapelab, script):
    read = json.loads(tapelab("explain", "--json", script("1 / 0"), code=2).stdout)
    assert (read["status"], read["error"]) == ("failed", "ZeroDivisionError")


def test_a_script_for_tensorflow_is_reported_what_to_write(tapelab, script):
    hidden = "import sys\nsys.modules.pop('tensorflow', None)\nsys.path[:] = sys.path[:1]\n"
    output = tapelab("explain", script(hidden + "import tensorflow as tf\n"), code=2).stderr
    assert output.endswith("To run this with tapelab, write: import tapelab as tf\n")


@pytest.mark.parametrize(("end", "code"), [("sys.exit()", 0), ("sys.exit(0)", 0)])
def test_a_script_that_ends_early_and_well_is_explained(tapelab, script, end, code):
    assert "A path leads" in tapelab("explain", script(f"{FINE}\nimport sys\n{end}")).stdout


@pytest.mark.parametrize(
    ("end", "said"), [("sys.exit(3)", ""), ("sys.exit('no data')", "no data\n")]
)
def test_a_script_that_says_that_it_failed_ends_in_2(tapelab, script, end, said):
    output = tapelab("explain", script(f"{FINE}\nimport sys\n{end}"), code=2)
    assert (output.stdout, output.stderr) == ("6.0\n", said)


def test_a_script_without_a_gradient_ends_in_2_and_says_what_is_meant(tapelab, script):
    output = tapelab("explain", script("print('hello')"), code=2)
    assert output.stderr.startswith(f"tapelab: {script('')} asked no tape for a gradient")


def test_what_is_no_script_is_refused(tapelab, script, tmp_path):
    (tmp_path / "a.ipynb").write_text("{}")
    assert (
        "is a notebook. Open it with: tapelab lab" in tapelab("explain", "a.ipynb", code=2).stderr
    )
    script(FINE)
    output = tapelab("explain", tmp_path, code=2).stderr
    assert output.endswith(f"is a folder. Name a Python script in it, such as {script(FINE)}.\n")
    assert tapelab("explain", "scrip.py", code=2).stderr == (
        "tapelab: There is no file scrip.py. Did you mean script.py?\n"
    )


def test_a_script_finds_its_neighbours_and_is_the_main_module(tapelab, script, tmp_path):
    (tmp_path / "neighbour.py").write_text("import __main__\nname = __main__.__file__\n")
    text = FINE + "import neighbour\nprint(neighbour.name, __name__)\n"
    output = tapelab("explain", script(text)).stdout
    assert f"{tmp_path / 'script.py'} __main__" in output
