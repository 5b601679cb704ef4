"""A notebook does in the sandbox what it does in a Jupyter kernel: names, outputs, errors, points.

Each runs once in a real kernel and once in the grader's sandbox, with the same two cells around it
that note what it leaves behind. Where a cell asks for what this host does not have (a package, a
program, a keyboard), the kernel stops and the worker goes on: such sections are named here.
THOROUGH=1 runs all of them, every run of the tests some.
"""

from __future__ import annotations

import json
import re
import shutil
from contextlib import closing
from dataclasses import replace

import nbformat
import pytest
from nbclient import NotebookClient

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.verdict import outcome
from tapelab.grading.assignment import Assignment, Limits
from tapelab.grading.grader import RemoteAnswer
from tapelab.grading.sandbox import choose_sandbox
from tapelab.grading.submission import Submission
from tapelab.grading.worker_session import WorkerSession
from tests.grading.corpora import COURSE, SQUARE, TAPE, corpus, course, notebook
from tests.grading.corpora_run import named

NOTEBOOKS = [*corpus("honest"), *corpus("notebooks")]
EVERY = 10
"""One of so many runs in every run of the tests."""
GRADED = ("1", "2")
REGISTRY = """
import json
import pathlib
import tapelab

answers = {}


def exercise(number, *_, **__):
    return lambda function: answers.__setitem__(str(number), function) or function


def keep(folder, course):
    from tapelab.exercises.local_answer import LocalAnswer
    from tapelab.exercises.verdict import outcome
    from tapelab.grading.assignment import Assignment

    report = json.loads(answers["report"]())
    report["points"] = {
        each.id: sum(outcome(check, LocalAnswer(answers.get(each.id))).points
                     for check in each.checks)
        for each in Assignment.load(course).exercises
    }
    pathlib.Path(folder, "report.json").write_text(json.dumps(report))


tapelab.exercise = exercise
tapelab.check = tapelab.hint = tapelab.progress = lambda *_, **__: None
"""
STARTUP = "__import__('sys').path.append({folder!r}); __import__('answer_registry')"
KEEP = "import answer_registry; answer_registry.keep({folder!r}, {course!r})"
REPORT = '''
"""What a notebook prints, returns and leaves behind, cell by cell."""

import json
import sys

shell = None
printed = {}


class Tee:
    def __init__(self, stream):
        self._stream = stream

    def write(self, text):
        before = printed.get(shell.execution_count, "")
        if len(before) < 4000:  # much output is the same output
            printed[shell.execution_count] = (before + text)[:4000]
        return self._stream.write(text)

    def writelines(self, lines):
        for each in lines:
            self.write(each)

    def __getattr__(self, name):
        return getattr(self._stream, name)


def begin(of):
    global shell
    shell, sys.stdout = of, Tee(sys.stdout)


def end():
    import tapelab

    names = {
        name: "function" if callable(value) else type(value).__name__
        for name, value in shell.user_ns.items()
        if not name.startswith("_") and name not in shell.user_ns_hidden
    }
    results = {at: repr(value)[:4000] for at, value in shell.user_ns.get("Out", {}).items()}
    report = {"names": names, "results": results, "printed": printed}
    text = json.dumps(report)
    tapelab.exercise("report")(lambda: text)
'''
BEGIN = "__import__('notebook_report').begin(get_ipython())\n"
END = "import notebook_report; notebook_report.end()"
ONLY_THERE = {
    "Magics of packages that only the learner has": {1: "ModuleNotFoundError"},
    "Input from an empty keyboard": {1: "StdinNotImplementedError"},
}
ONLY_HERE = {"Input from an empty keyboard": {1: "EOFError"}}
WITHOUT_POINTS = {
    "Words to stderr": "a kernel's stdout has no buffer",
    "Awaiting": "in a kernel, a cell that checks an answer runs in a loop already",
    "Magics of packages that only the learner has": "the kernel stopped there",
}
"""Where the answer earns its points in the sandbox alone, and why."""
OTHER_OUTPUT = {
    "Lines for the shell": "pip says more where it may install",
    "Looking things up": "each shell has magics that the other has not",
    "A question mark, help and history": "the kernel shows help in a pane",
    "Magics of packages that only the learner has": "the kernel stopped there",
    "Input from an empty keyboard": "a kernel has no keyboard at all",
    "A name asked for": "a kernel has no keyboard at all",
    "The shell imported": "its class has another name",
}
"""Where what is printed or returned differs, and why."""


def prepared(case, folder):
    """The case in a folder, complete, with the cells around it."""
    other = SQUARE if case.name.startswith("TAPE") else TAPE
    first, *rest = case.cells
    begins_alone = first.startswith("%%") or "__future__" in first
    cells = (*([BEGIN, first] if begins_alone else [BEGIN + first]), *rest, other, END)
    texts = ("", *case.texts) if begins_alone else case.texts
    files = (*case.files, ("notebook_report.py", REPORT))
    folder.mkdir()
    replace(case, cells=cells, texts=texts, files=files).written(folder)


def run_in_kernel(case, folder):
    """What a notebook does in a real kernel: the names of its errors, and its report."""
    home, place = folder / "home", folder / "kernel"
    startup = home / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (home / "answer_registry.py").write_text(REGISTRY)
    (startup / "00-answers.py").write_text(STARTUP.format(folder=str(home)))
    content = nbformat.read(place / "handed in.ipynb", 4)
    keep = KEEP.format(folder=str(home), course=str(COURSE))
    content.cells += nbformat.from_dict(notebook([keep])).cells
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(home / "ipython"))
        resources = {"metadata": {"path": str(place)}}
        NotebookClient(content, allow_errors=True, resources=resources).execute()
    code = [each for each in content.cells if each.cell_type == "code"]
    errors = {
        at: output.ename
        for at, cell in enumerate(code, 1)
        for output in cell.outputs
        if output.output_type == "error"
    }
    return errors, json.loads((home / "report.json").read_text())


def run_in_sandbox(folder):
    """The same in a worker in the sandbox of this host."""
    graded = tuple(each for each in course().exercises if each.id in GRADED)
    report = Exercise("report", "Report", "", ())
    assignment = Assignment.of("agreement", (*graded, report), limits=Limits(seconds=120.0))
    session = WorkerSession(Submission.read(folder), assignment, choose_sandbox(), 0)
    with closing(session):
        answers = {each.id: RemoteAnswer(each, session) for each in assignment.exercises}
        found = json.loads(answers["report"].result())
        found["points"] = {
            each.id: sum(outcome(check, answers[each.id]).points for check in each.checks)
            for each in graded
        }
        notes = [re.match(r"Cell (\d+): (?:line \d+: )?(\w+)", note) for note in session.notes()]
    return {int(each[1]): each[2] for each in notes}, found


UNSTABLE = re.compile(
    r"0x[0-9a-f]+|(CPU times|Wall time):.*|.* per loop.*|<TimeitResult.*|in [\d.]+s"
    r"|<(bound method|function) .*?>|\d+ bytes"
)
"""Addresses, times, and what exercises are decorated by, which differ from run to run."""


def differences(there, here, folder):
    """What two reports say differently, cell by cell or name by name."""
    for what in ("names", "results", "printed"):
        for key in sorted(there[what].keys() | here[what].keys()):
            pair = [str(each[what].get(key)).replace("\r\n", "\n") for each in (there, here)]
            pair[0] = pair[0].replace(str(folder), "FOLDER")
            pair[1] = re.sub(r"/tmp/tapelab-grading-\w+", "FOLDER", pair[1])
            kernel, sandbox = (UNSTABLE.sub("#", each) for each in pair)
            if kernel != sandbox:
                yield what, key, kernel, sandbox


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.thorough] if at % EVERY else [], id=named(case))
     for at, case in enumerate(NOTEBOOKS)],
)  # fmt: skip
def test_a_notebook_does_the_same_in_the_sandbox_as_in_a_kernel(case, tmp_path):
    prepared(case, tmp_path / "handed")
    shutil.copytree(tmp_path / "handed", tmp_path / "kernel")
    there_only, here_only = ONLY_THERE.get(case.name, {}), ONLY_HERE.get(case.name, {})
    there, said = run_in_kernel(case, tmp_path)
    here, found = run_in_sandbox(tmp_path / "handed")
    assert there_only.items() <= there.items()
    assert here == {at: name for at, name in there.items() if at not in there_only} | here_only
    full = {"1": 10, "2": 10}
    assert found["points"] == full
    points = {each: said["points"][each] for each in GRADED}
    assert points == (full | {"1": 0} if case.name in WITHOUT_POINTS else full)
    if case.name not in OTHER_OUTPUT:
        assert list(differences(said, found, tmp_path / "kernel")) == []


def test_there_are_a_hundred_notebooks():
    assert len({case.name for case in NOTEBOOKS}) == len(NOTEBOOKS) >= 100
