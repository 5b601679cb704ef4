"""`import tapelab` starts like NumPy: whatever is heavy waits until somebody asks for it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("numba", "llvmlite", "ipywidgets", "anywidget", "IPython", "matplotlib", "graphviz")

REPORT = """
import json, sys
before = set(sys.modules)
{statement}
loaded = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(json.dumps(sorted(loaded - set(sys.stdlib_module_names))))
"""


def third_party_loaded_by(statement: str) -> set[str]:
    """Run a statement in a fresh interpreter and list the third-party packages it loads."""
    command = [sys.executable, "-c", REPORT.format(statement=statement)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(answer.stdout))


def test_importing_tapelab_loads_numpy_and_nothing_else():
    assert third_party_loaded_by("import tapelab") == {"tapelab", "numpy"}


def test_recording_a_small_tape_and_its_gradient_stays_as_light():
    tape = "import tapelab as tf\nx = tf.Variable(3.0)\nwith tf.GradientTape() as t: y = x * x"
    assert third_party_loaded_by(f"{tape}\nt.gradient(y, x)") == {"tapelab", "numpy"}


def test_extending_tapelab_stays_as_light_and_loads_only_what_is_used():
    declared = "from tapelab.extend import Exercise, Finding, Rank, Recorder, check, finding, op"
    assert third_party_loaded_by(declared) == {"tapelab", "numpy"}
    alone = "import json, sys, tapelab\nbefore = set(sys.modules)\nimport tapelab.extend\n"
    command = [sys.executable, "-c", f"{alone}print(json.dumps([*set(sys.modules) - before]))"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout) == ["tapelab.extend"]


@pytest.mark.parametrize("name", HEAVY)
def test_the_check_would_notice(name):
    assert name in third_party_loaded_by(f"import {name}")
