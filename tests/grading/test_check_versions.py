"""The version of a check changes with all that it reaches, and is the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tapelab.exercises.registry import LESSONS
from tapelab.grading.assignment import Assignment
from tapelab.grading.check_versions import has_unknown_reach

CHECKOUT = Path(__file__).parents[2]
EXERCISES = """
{setting}
from tapelab.exercises import Check, Exercise, Outcome

{helper}

def judge(answer):
    {body}

EXERCISES = (Exercise("1", "One", "", (Check("It", 1, judge),), ()),)
"""


@pytest.fixture
def version(tmp_path, monkeypatch):
    """The version of the check in exercises.py, whose folder has modules of the teacher's."""
    numbers = iter(range(1000))

    def of(setting="", helper="", body="return Outcome(1)", **modules):
        folder = tmp_path / str(next(numbers)) / "course"
        folder.mkdir(parents=True)
        for name, text in modules.items():
            (folder / f"{name}.py").write_text(text)
        text = EXERCISES.format(setting=setting, helper=helper, body=body)
        (folder / "exercises.py").write_text(text)
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str(folder))
            for name in modules:
                patch.delitem(sys.modules, name, raising=False)
            assignment = Assignment.load(folder)
            for name in modules:
                patch.delitem(sys.modules, name, raising=False)
        [(_, found)] = assignment.keys(assignment.exercises[0])
        assert has_unknown_reach(assignment.version) == has_unknown_reach(found)
        return found

    return of


USES = {"body": "return Outcome(points(answer))"}
REACHED = {
    "its own constant": ({"body": "return Outcome(1)"}, {"body": "return Outcome(0)"}),
    "a helper": ({**USES, "helper": "def points(answer): return 1"},
                 {**USES, "helper": "def points(answer): return 0"}),
    "a constant": ({"body": "return Outcome(MOST)", "helper": "MOST = 1"},
                   {"body": "return Outcome(MOST)", "helper": "MOST = 2"}),
    "a constant of a helper": (
        {**USES, "helper": "MOST = 1\ndef points(answer): return MOST"},
        {**USES, "helper": "MOST = 2\ndef points(answer): return MOST"}),
    "a name within a function within": (
        {"body": "return Outcome(sum(MOST for _ in [1]))", "helper": "MOST = 1"},
        {"body": "return Outcome(sum(MOST for _ in [1]))", "helper": "MOST = 2"}),
    "numbers": ({"body": "return Outcome(N[0])", "setting": "import numpy as np\nN = np.eye(99)"},
                {"body": "return Outcome(N[0])",
                 "setting": "import numpy as np\nN = np.eye(99)\nN[50, 50] = 2"}),
    "a tensor": ({"body": "return T", "setting": "import tapelab as tf\nT = tf.zeros(2000)"},
                 {"body": "return T", "setting":
                  "import tapelab as tf\nT = tf.one_hot(999, 2000)"}),
    "a method": ({"body": "return Rule()", "helper": "class Rule:\n  def points(self): return 1"},
                 {"body": "return Rule()", "helper": "class Rule:\n  def points(self): return 2"}),
    "a function of a module": (
        {**USES, "setting": "from helpers import points", "helpers": "def points(a): return 1"},
        {**USES, "setting": "from helpers import points", "helpers": "def points(a): return 2"}),
    "a constant of a module": (
        {"body": "return helpers.MOST", "setting": "import helpers", "helpers": "MOST = 1"},
        {"body": "return helpers.MOST", "setting": "import helpers", "helpers": "MOST = 2"}),
    "a module of a module": (
        {"body": "return Outcome(helpers.inner.MOST)", "setting": "import helpers",
         "helpers": "import inner", "inner": "MOST = 1"},
        {"body": "return Outcome(helpers.inner.MOST)", "setting": "import helpers",
         "helpers": "import inner", "inner": "MOST = 2"}),
    "a default": ({**USES, "helper": "def points(answer, most=1): return most"},
                  {**USES, "helper": "def points(answer, most=2): return most"}),
    "a wrapped helper": (
        {**USES, "setting": "from functools import cache",
         "helper": "@cache\ndef points(answer): return 1"},
        {**USES, "setting": "from functools import cache",
         "helper": "@cache\ndef points(answer): return 2"}),
}  # fmt: skip


@pytest.mark.parametrize("name", REACHED)
def test_a_check_has_another_version_where_what_it_reaches_changed(version, name):
    one, other = REACHED[name]
    versions = version(**one), version(**one), version(**other)
    assert versions[0] == versions[1] != versions[2]
    assert not any(map(has_unknown_reach, versions))


def test_what_a_check_does_not_reach_leaves_its_version(version):
    assert version(helper="def other(): return 1") == version(helper="def other(): return 2")


@pytest.mark.parametrize(
    "body",
    [
        "return Outcome(len(open('points.txt').read()))", "return eval('Outcome(1)')",
        "import elsewhere; return elsewhere.judge(answer)", "return Outcome(RANDOM.integers(2))",
        "from pathlib import Path; return Outcome(len(Path('points').read_text()))",
    ],
)  # fmt: skip
def test_a_reach_that_cannot_be_known_says_so(version, body):
    assert has_unknown_reach(
        version(setting="import numpy as np\nRANDOM = np.random.default_rng(1)", body=body)
    )


PRINT = """
from tapelab.exercises.registry import LESSONS
from tapelab.grading.assignment import Assignment
print({number: Assignment.load(number).version for number in LESSONS})
"""


@pytest.mark.slow
def test_the_lessons_have_the_same_versions_in_every_process():
    here = {number: Assignment.load(number).version for number in LESSONS}
    for seed in ("1", "2"):
        there = subprocess.run(
            [sys.executable, "-c", PRINT], capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONPATH": str(CHECKOUT), "PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert there.stdout == f"{here}\n"


def test_the_reach_of_every_lesson_is_known():
    assert [n for n in LESSONS if has_unknown_reach(Assignment.load(n).version)] == []
