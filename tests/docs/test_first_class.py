"""The page for a teacher's first class: each command prints what the page says, in a new home."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "first-class.md"
BLOCK = re.compile(r"(?ms)^```(console|diff)\n(.*?)^```$")
TEACHER = {"TZ": "UTC", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}


@pytest.fixture
def shell(tmp_path):
    """Run a command as a teacher with an empty home and no terminal; what it prints."""
    kept = {name: value for name, value in os.environ.items() if name in {"PYTHONPATH", "TMPDIR"}}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.defpath])
    environment = {**kept, **TEACHER, "HOME": str(tmp_path), "PATH": path}

    def run(command, folder):
        return subprocess.run(
            ["/bin/sh", "-c", command], cwd=folder, env=environment, text=True, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ).stdout  # fmt: skip

    return run


def is_as_shown(shown: list[str], printed: list[str]) -> bool:
    """Whether lines were printed; `…` stands for anything in a line, alone for any lines."""
    if not shown:
        return not printed
    if shown[0] == "…":
        return any(is_as_shown(shown[1:], printed[at:]) for at in range(len(printed) + 1))
    pattern = re.sub(r"\s*…\s*", ".*", re.escape(" ".join(shown[0].split())).replace("\\ ", " "))
    fits = printed and re.fullmatch(pattern, " ".join(printed[0].split()))
    return bool(fits) and is_as_shown(shown[1:], printed[1:])


def edit(file: Path, difference: str) -> None:
    """Change the file as the block shows."""
    old, new = (
        "".join(line[1:] for line in difference.splitlines(keepends=True) if line[0] == sign)
        for sign in "-+"
    )
    text = file.read_text("utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.slow
def test_the_path_of_a_teacher_is_as_the_page_says(shell, tmp_path):
    course = tmp_path / "tapelab-course"
    said = shell("tapelab teach --no-pages", tmp_path)
    assert "5 submissions: 5 graded" in said
    commands = 0
    for kind, text in BLOCK.findall(PAGE.read_text("utf-8")):
        if kind == "diff":
            edit(course / "gradients" / "exercises.py", text)
            continue
        for entry in text.removeprefix("$ ").split("\n$ "):
            command, *shown = entry.splitlines()
            printed = shell(command, course).splitlines()
            assert is_as_shown(shown, printed), "\n".join([command, *printed])
            commands += 1
    assert commands >= 10
    assert (course / "grades.csv").read_text("utf-8").count("\n") == 1 + 5
    assert len((course / "report.csv").read_text("utf-8").splitlines()) == 1 + 5
    assert len(list((course / "feedback").glob("*.html"))) == 5
    assert "stopped with an error" in (course / "feedback" / "leonhard.html").read_text("utf-8")
    assert "stopped with an error" not in (course / "feedback" / "ada.html").read_text("utf-8")
    before = {path: path.read_bytes() for path in course.rglob("*") if path.is_file()}
    assert "graded" not in shell("tapelab teach --no-pages", tmp_path)
    assert {path: path.read_bytes() for path in course.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        (["a …", "…", "z"], ["a  1 2", "b", "c", "z "], True),
        (["a"], ["a", "b"], False),
        (["a (…)"], ["a [1]"], False),
        (["…"], [], True),
        ([], ["a"], False),
    ],
)
def test_a_page_is_compared_line_by_line(shown, printed, fits):
    assert is_as_shown(shown, printed) is fits
