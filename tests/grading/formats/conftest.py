"""A course of nbgrader and an assignment of Otter, as a teacher would have written them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tapelab.exercises.check import Check
from tapelab.exercises.exercise import Exercise
from tapelab.grading.formats.imported_assignment import Imported, ImportedExercise
from tapelab.grading.formats.nbgrader_cells import Role, with_role
from tapelab.grading.formats.notebook_format import code, markdown, raw, save

SLOPE = '''def slope(x):
    """The slope of x squared."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION'''
PUBLIC = '"""The slope at a few points"""\nassert slope(3) == 6\nassert slope(0) == 0'
HIDDEN = '''"""The slope everywhere"""
assert slope(1) == 2
### BEGIN HIDDEN TESTS
for x in range(-5, 5):
    assert slope(x) == 2 * x, f"not at {x}"
### END HIDDEN TESTS'''
PARTIAL = "right = sum(area(r) == r * r for r in (1, 2, 3, 4))\nright / 2"
SOURCE = (
    with_role(markdown("# Slopes\n\nHow steep is it?"), Role("intro", locked=True)),
    with_role(code(SLOPE), Role("slope", solution=True)),
    with_role(code(PUBLIC), Role("slope-public", grade=True, locked=True, points=1)),
    with_role(code(HIDDEN), Role("slope-hidden", grade=True, locked=True, points=2.5)),
    markdown("And the area of a square?"),
    with_role(code("area = ...  # a function of the side"), Role("area", solution=True)),
    with_role(code(PARTIAL), Role("area-parts", grade=True, locked=True, points=2)),
    with_role(markdown("Because it is."), Role("why", grade=True, solution=True, points=3)),
    with_role(
        markdown("Draw it.\n### BEGIN MARK SCHEME\n4 for a curve\n### END MARK SCHEME"),
        Role("draw", task=True, locked=True, points=4),
    ),
)


@pytest.fixture
def course(tmp_path) -> Path:
    """The folder of a course with one assignment of one notebook."""
    save(tmp_path / "source" / "hw1" / "slopes.ipynb", SOURCE)
    return tmp_path


WORK = {
    "exercises.py": """from tapelab.exercises import Exercise
from tapelab.exercises.check import Slip
from tapelab.exercises.checks import value

TITLE = "Squares"
EXERCISES = (
    Exercise(
        id="squares.1",
        title="Square",
        prompt="Square it.",
        checks=(
            value("At three", 2, 9.0, at=((3.0,),), slips=(Slip(6.0, "That is twice x.", 1),)),
            value("At four", 1.5, 16.0, at=((4.0,),)).hidden(),
            value("Top secret", 1, 25.0, at=((5.0,),)).private(),
        ),
        hints=("Multiply x by itself.",),
    ),
)
""",
    "notebook.py": """# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
#   tapelab:
#     lesson: squares
# ---

# %% [markdown]
# # Squares

# %%
import tapelab as tf

# %%
@tf.exercise("squares.1")
def square(x):
    ### BEGIN SOLUTION
    return x * x
    ### INSTEAD
    return ...
    ### END SOLUTION

# %%
tf.check("squares.1")
""",
}


@pytest.fixture
def work(tmp_path) -> Path:
    """A teacher's folder of ours."""
    folder = tmp_path / "work"
    folder.mkdir()
    for name, text in WORK.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


MASTER = (
    raw("# ASSIGNMENT CONFIG\nname: lab-1\nexport_cell: false\ngenerate: false\nrun_tests: false"),
    markdown("# Cubes"),
    raw("# BEGIN QUESTION\nname: cube\npoints: 4"),
    markdown("**Cube it.**"),
    raw("# BEGIN SOLUTION"),
    code("def cube(x):\n    return x ** 3  # SOLUTION"),
    raw("# END SOLUTION"),
    raw("# BEGIN TESTS"),
    code('""" # BEGIN TEST CONFIG\npoints: 1\n""" # END TEST CONFIG\nassert cube(2) == 8'),
    code('""" # BEGIN TEST CONFIG\npoints: 2.5\nhidden: true\n""" # END TEST CONFIG\n'
         "assert cube(-3) == -27"),
    code("# HIDDEN\nassert [cube(x) for x in range(3)] == [0, 1, 8]"),
    raw("# END TESTS"),
    raw("# END QUESTION"),
    raw("# BEGIN QUESTION\nname: power\npoints: 2\nall_or_nothing: true"),
    markdown("Any power."),
    raw("# BEGIN SOLUTION"),
    code("# BEGIN SOLUTION NO PROMPT\ndef power(x, n):\n    return x ** n\n# END SOLUTION\n"
         '""" # BEGIN PROMPT\ndef power(x, n):\n    ...\n"""; # END PROMPT'),
    raw("# END SOLUTION"),
    raw("# BEGIN TESTS"),
    code("assert power(2, 5) == 32"),
    code("# HIDDEN\nassert power(2, 0) == 1"),
    raw("# END TESTS"),
    raw("# END QUESTION"),
    raw("# BEGIN QUESTION\nname: why\nmanual: true\npoints: 3"),
    markdown("Why is that?"),
    raw("# BEGIN SOLUTION"),
    markdown("Because it is."),
    raw("# END SOLUTION"),
    raw("# END QUESTION"),
)  # fmt: skip


def loaded(exercise: ImportedExercise) -> Exercise:
    """The exercise as a teacher's `exercises.py` with its text gives it."""
    names: dict[str, Any] = {}
    exec(Imported("hw", "hw", "a grader", (exercise,), ()).script(), names)
    (one,) = names["EXERCISES"]
    return one


def checks_of(exercise: ImportedExercise) -> tuple[Check, ...]:
    return loaded(exercise).checks
