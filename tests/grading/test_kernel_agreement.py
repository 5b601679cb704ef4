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

STARTUP = """
import tapelab

answers = {}


def exercise(number, *_, **__):
    return lambda function: answers.__setitem__(str(number), function) or function


tapelab.exercise = exercise
tapelab.check = tapelab.hint = tapelab.progress = lambda *_, **__: None
"""
ASK = 'print("value", float(answers["1"](3.0)))'
ONLY_THERE = {
    "Magics of packages that only the learner has": {1: "ModuleNotFoundError", 2: "NameError"},
    "Exits in a cell": {},
    "A cell magic that is missing": {},
}


@pytest.fixture
def kernel_home(tmp_path, monkeypatch):
    """Give a kernel a profile in which exercises register their answers."""
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-answers.py").write_text(STARTUP)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    return tmp_path


def run_in_kernel(cells, folder):
    """Run cells in a real kernel: the name of the error of each that stopped, and the answer."""
    content = nbformat.from_dict(notebook([*cells, ASK]))
    client = NotebookClient(content, allow_errors=True, resources={"metadata": {"path": folder}})
    client.execute()
    errors = {
        at: output.ename
        for at, cell in enumerate(content.cells, 1)
        for output in cell.outputs
        if output.output_type == "error"
    }
    printed = "".join(each.get("text", "") for each in content.cells[-1].outputs)
    value = re.search(r"value (\S+)", printed)
    return errors, float(value[1]) if value else None


def run_in_worker(cells, folder):
    """Run cells in a worker: the name of the error of each that stopped, and the answer."""
    exercise = Exercise("1", "Square", "", ())
    assignment = Assignment.of("agreement", (exercise,), limits=Limits(seconds=120.0))
    submission = Submission.read(Case("ada", tuple(cells), 0).written(folder))
    session = WorkerSession(submission, assignment, BACKENDS[-1], 0)
    try:
        value = float(RemoteAnswer(exercise, session).result(3.0).array)
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
    errors, value = run_in_kernel(cells, str(kernel_home))
    expected = {at: name for at, name in errors.items()
                if ONLY_THERE.get(case.name, {}).get(at) != name}  # fmt: skip
    found, got = run_in_worker(cells, kernel_home)
    assert found == expected
    assert got == value or case.name in ONLY_THERE
