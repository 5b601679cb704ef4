"""A notebook does in the worker what it does in a Jupyter kernel: the same errors, the same values.

Where a cell asks for what this host does not have (a package, a program, the net), the kernel
stops and the worker goes on: such sections are named here, with what only the kernel says.
"""

from __future__ import annotations

import re
from dataclasses import replace

import nbformat
import pytest
from nbclient import NotebookClient

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.values import Unreadable
from tapelab.grading.assignment import Assignment, Limits
from tapelab.grading.grader import RemoteAnswer
from tapelab.grading.sandbox.backends import BACKENDS
from tapelab.grading.submission import Submission
from tapelab.grading.worker_session import WorkerSession
from tests.grading.corpora import SQUARE, Case, corpus, notebook
from tests.grading.corpora_run import named

REGISTRY = """
import pathlib
import tapelab

answers = {}


def exercise(number, *_, **__):
    return lambda function: answers.__setitem__(str(number), function) or function


def keep(folder):
    value = complex(answers["1"](3.0))
    pathlib.Path(folder, "value.txt").write_text(str(value))


tapelab.exercise = exercise
tapelab.check = tapelab.hint = tapelab.progress = lambda *_, **__: None
"""
STARTUP = "import sys; sys.path.append({folder!r}); import answer_registry"
ASK = "import answer_registry; answer_registry.keep({folder!r})"
ONLY_THERE = {
    "Magics of packages that only the learner has": {1: "ModuleNotFoundError"},
    "Input from an empty keyboard": {1: "StdinNotImplementedError"},
}
ONLY_HERE = {"Input from an empty keyboard": {1: "EOFError"}}


@pytest.fixture
def kernel_home(tmp_path, monkeypatch):
    """Give a kernel a profile in which exercises register their answers."""
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (tmp_path / "answer_registry.py").write_text(REGISTRY)
    (startup / "00-answers.py").write_text(STARTUP.format(folder=str(tmp_path)))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    return tmp_path


def run_in_kernel(cells, folder):
    """Run cells in a real kernel: the name of the error of each that stopped, and the answer."""
    content = nbformat.from_dict(notebook([*cells, ASK.format(folder=str(folder))]))
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(content, allow_errors=True, resources=resources).execute()
    errors = {
        at: output.ename
        for at, cell in enumerate(content.cells[:-1], 1)
        for output in cell.outputs
        if output.output_type == "error"
    }
    kept = folder / "value.txt"
    return errors, complex(kept.read_text()) if kept.exists() else None


def run_in_worker(cells, folder):
    """Run cells in a worker: the name of the error of each that stopped, and the answer."""
    exercise = Exercise("1", "Square", "", ())
    assignment = Assignment.of("agreement", (exercise,), limits=Limits(seconds=120.0))
    submission = Submission.read(Case("ada", tuple(cells), 0).written(folder))
    session = WorkerSession(submission, assignment, BACKENDS[-1], 0)
    try:
        value = complex(RemoteAnswer(exercise, session).result(3.0).array)
    except Unreadable:
        value = None
    finally:
        notes = session.notes()
        session.close()
    found = (re.match(r"Cell (\d+): (?:line \d+: )?(\w+)", note) for note in notes)
    return {int(each[1]): each[2] for each in found}, value


@pytest.mark.slow
@pytest.mark.parametrize("case", corpus("honest"), ids=named)
def test_a_notebook_does_the_same_in_the_worker_as_in_a_kernel(case, kernel_home):
    cells = replace(case, cells=(*case.cells, SQUARE)).cells if "TAPE" in case.name else case.cells
    errors, value = run_in_kernel(cells, kernel_home)
    there, here = ONLY_THERE.get(case.name, {}), ONLY_HERE.get(case.name, {})
    assert there.items() <= errors.items()
    found, got = run_in_worker(cells, kernel_home)
    assert found == {at: name for at, name in errors.items() if at not in there} | here
    assert value in (None, got)
