"""No process of the grader imports what students handed in, wherever it was started.

Each entry point runs in the folder of the submissions, where files of Ada's have the names of
modules that Python and its packages import. Whoever imports one leaves a mark.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest

from tapelab.grading.assignment import Assignment
from tapelab.grading.batch import Batch
from tapelab.grading.collection import find_submissions
from tapelab.grading.formats import gradescope
from tapelab.grading.gradebook import Gradebook
from tapelab.grading.grader import grade
from tapelab.grading.runners import GradingPlan, grade_in_processes, grade_on_cluster
from tapelab.grading.sandbox import NoSandboxError, choose_sandbox
from tapelab.grading.submission import Submission
from tests.grading.corpora import COURSE, LEFT, SQUARE, TAPE, notebook
from tests.grading.test_runners import free_port

CHECKOUT = Path(__file__).parents[2]
MODULES = (
    *("pickle", "numpy", "sitecustomize", "usercustomize", "json", "multiprocessing", "copyreg"),
    *("typing", "struct", "socket", "subprocess", "sqlalchemy", "distributed", "exercises"),
)
FULL = 30
"""The points of plain answers, without the secret of the course and its live picture."""


@pytest.fixture
def sandbox():
    """The sandbox that this host has; a test of paths needs none."""
    try:
        choose_sandbox("auto")
    except NoSandboxError:
        return "unsafe"
    return "auto"


@pytest.fixture
def mark(tmp_path):
    return tmp_path / "mark"


@pytest.fixture
def folder(tmp_path, mark):
    """Honest work of Zoe and Eve, and modules of Ada's, in one folder and in her own."""
    folder = tmp_path / "submissions"
    hostile = f"import os\nopen({str(mark)!r}, 'a').write(__name__ + ' ')\n"
    for place in (folder, folder / "ada"):
        place.mkdir()
        for name in MODULES:
            (place / f"{name}.py").write_text(hostile)
    answers = json.dumps(notebook([SQUARE, TAPE, LEFT]))
    for student in ("ada", "eve", "zoe"):
        (folder / student).mkdir(exist_ok=True)
        (folder / student / "work.ipynb").write_text(answers + " " * len(student))
    (folder / "zoe" / "work.ipynb").write_text(answers + "   \n")
    return folder


@pytest.fixture
def script(tmp_path):
    """The command as installers write it: a script in a folder of its own."""
    file = tmp_path / "bin" / "tapelab"
    file.parent.mkdir()
    file.write_text("import sys\nfrom tapelab.cli import main\nsys.exit(main())\n")
    return [sys.executable, str(file)]


def environment():
    return os.environ | {"PYTHONPATH": str(CHECKOUT)}


def points(place):
    with Gradebook.open(place) as book:
        return {each.handed.student: each.result.points for each in book.results("course")}


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_command_imports_nothing(folder, mark, script, sandbox, tmp_path, jobs):
    book = tmp_path / "course.db"
    unsafe = ["--unsafe"] if sandbox == "unsafe" else []
    run = subprocess.run(
        [*script, "grade", ".", "-a", str(COURSE), "-g", str(book), "--jobs", str(jobs),
         "--pattern", "{student}/*.ipynb", *unsafe],
        cwd=folder, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    # Files beside the students' folders are listed as not graded, because of the pattern.
    assert run.returncode == 1, run.stderr
    assert all(f"{name}.py" in run.stdout for name in MODULES), run.stdout
    assert points(book) == dict.fromkeys(("ada", "eve", "zoe"), FULL)
    assert not mark.exists(), mark.read_text()


@pytest.mark.slow
def test_a_path_of_our_own_that_leads_there_is_left(folder, mark, sandbox, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", f":{folder}:{CHECKOUT}")
    run_batch(folder, tmp_path / "course.db", partial(grade_in_processes, jobs=2), sandbox)
    assert not mark.exists(), mark.read_text()


def run_batch(folder, place, runner, sandbox):
    assignment = Assignment.load(COURSE)
    plan = GradingPlan(
        grade, Assignment.load, str(COURSE), assignment.name, assignment.version,
        sandbox=sandbox, untrusted=str(folder),
    )  # fmt: skip
    with Gradebook.open(place) as book:
        book.put_assignment(assignment)
        batch = Batch(book, plan, find_submissions(folder, "{student}/*.ipynb"))
        assert [each.why for each in batch.run(runner)] == [""] * 3
    assert points(place) == dict.fromkeys(("ada", "eve", "zoe"), FULL)


@contextmanager
def cluster(folder):
    """A scheduler, and a worker as docs/howto/cluster.md starts it, in a folder of students."""
    port = free_port()
    safe = environment() | {"PYTHONSAFEPATH": "1"}
    quiet = {"cwd": folder, "env": safe, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    local = ["--host", "127.0.0.1", "--port", str(port), "--dashboard-address", ":0"]
    worker = ["worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1", "--dashboard-address", ":0"]
    with (
        subprocess.Popen([*dask, "scheduler", *local], **quiet) as scheduler,
        subprocess.Popen([*dask, *worker], **quiet) as working,
    ):
        try:
            yield f"tcp://127.0.0.1:{port}"
        finally:
            working.terminate()
            working.wait()
            scheduler.kill()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_worker_of_dask_imports_nothing(folder, mark, sandbox, tmp_path):
    pytest.importorskip("distributed")
    with cluster(folder) as address:
        runner = partial(grade_on_cluster, address=address)
        run_batch(folder, tmp_path / "course.db", runner, sandbox)
    assert not mark.exists(), mark.read_text()


@pytest.mark.slow
def test_the_server_imports_nothing(folder, mark, script, tmp_path):
    book = tmp_path / "course.db"
    Gradebook.open(str(book)).close()
    command = [*script, "gradebook", "serve", str(book), "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    ) as run:
        address = next(line.strip() for line in run.stdout if "http://" in line)
        with urlopen(address, timeout=20) as page:
            assert page.status == 200
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=20)
    assert not mark.exists(), mark.read_text()


@pytest.mark.slow
def test_the_autograder_imports_nothing(folder, mark, sandbox, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    settings = {"assignment": str(COURSE), "sandbox": sandbox}
    (source / gradescope.CONFIG).write_text(json.dumps(settings))
    (folder / "ada").rename(tmp_path / "submission")
    subprocess.run(
        [sys.executable, "-P", "-m", "tapelab.grading.formats.gradescope", str(tmp_path)],
        cwd=tmp_path / "submission", env=environment(), check=True,
    )  # fmt: skip
    report = json.loads((tmp_path / "results" / "results.json").read_text())
    assert report["score"] == FULL
    assert not mark.exists(), mark.read_text()


def test_a_worker_in_the_sandbox_keeps_what_it_imports_to_itself(folder, mark, sandbox):
    result = grade(Submission.read(folder / "ada"), Assignment.load(COURSE), sandbox=sandbox)
    assert result.points == FULL
    if sandbox != "unsafe":
        assert not mark.exists(), mark.read_text()
