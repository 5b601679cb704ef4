"""The autograder for Gradescope, run in a folder that is laid out as theirs is."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from grading.formats.conftest import WORK

from tapelab.authoring.release import solved
from tapelab.authoring.work import Work
from tapelab.grading.formats.gradescope import autograder, export


@pytest.fixture
def image(tmp_path, work) -> Path:
    """What Gradescope makes of an archive: source/, and run_autograder at the top."""
    root = tmp_path / "autograder"
    export(work, tmp_path / "autograder.zip", sandbox="unsafe")
    subprocess.run([sys.executable, "-m", "zipfile", "-e", tmp_path / "autograder.zip",
                    root / "source"], check=True)  # fmt: skip
    (root / "run_autograder").write_bytes((root / "source" / "run_autograder").read_bytes())
    (root / "run_autograder").chmod(0o755)
    for name in ("submission", "results"):
        (root / name).mkdir()
    users = {"users": [{"email": "emmy@math.example", "id": 1, "name": "Emmy Noether"}]}
    (root / "submission_metadata.json").write_text(json.dumps(users))
    return root


def run(root: Path) -> dict:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    checkout = str(Path(__file__).parents[3])
    message = subprocess.run([root / "run_autograder"], cwd=root, check=False, capture_output=True,
                          env={**os.environ, "PATH": path, "PYTHONPATH": checkout})  # fmt: skip
    assert message.returncode == 0, message.stderr.decode()
    return json.loads((root / "results" / "results.json").read_text("utf-8"))


@pytest.mark.slow
def test_the_solution_earns_all_points_test_by_test(image, work):
    (image / "submission" / "mine.ipynb").write_bytes(solved(Work.read(work))["work.ipynb"])
    message = run(image)
    assert message["score"] == 4.5
    assert [(t["score"], t["max_score"], t["visibility"]) for t in message["tests"]] == [
        (2, 2, "visible"), (1.5, 1.5, "visible"), (1, 1, "hidden"),
    ]  # fmt: skip
    assert message["execution_time"] > 0


def test_what_is_no_notebook_has_no_points_and_is_reported_why(image):
    (image / "submission" / "mine.ipynb").write_text("{")
    message = run(image)
    assert message["score"] == 0
    assert "mine.ipynb is no notebook" in message["output"]


def test_the_two_scripts_stand_at_the_top_and_one_may_be_run(work):
    with zipfile.ZipFile(io.BytesIO(autograder(work))) as archive:
        modes = {each.filename: each.external_attr >> 16 & 0o777 for each in archive.infolist()}
    assert modes["setup.sh"] == modes["run_autograder"] == 0o755
    assert modes["assignment/exercises.py"] == 0o644


def test_the_same_assignment_makes_the_same_archive(work):
    assert autograder(work) == autograder(work)


def test_a_shipped_lesson_is_named_by_its_number():
    with zipfile.ZipFile(io.BytesIO(autograder("03"))) as archive:
        config = json.loads(archive.read("tapelab.json"))
        assert "assignment/exercises.py" not in archive.namelist()
    assert config == {"assignment": "03", "name": "03", "sandbox": "auto"}


def test_a_wheel_travels_with_it(work, tmp_path):
    (tmp_path / "tapelab-1-py3-none-any.whl").write_bytes(b"wheel")
    packed = autograder(work, wheel=tmp_path / "tapelab-1-py3-none-any.whl")
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.read("tapelab-1-py3-none-any.whl") == b"wheel"
        assert b"$root/source/tapelab-1-py3-none-any.whl[grading]" in archive.read("setup.sh")


def test_the_scripts_are_shell(work, tmp_path):
    with zipfile.ZipFile(io.BytesIO(autograder(work))) as archive:
        for name in ("setup.sh", "run_autograder"):
            (tmp_path / name).write_bytes(archive.read(name))
            subprocess.run(["bash", "-n", tmp_path / name], check=True)


def test_the_work_is_one_that_could_be_released():
    assert "private()" in WORK["exercises.py"]
