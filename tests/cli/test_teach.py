"""`tapelab teach` leaves what is there alone; its course is that of test_first_class.py."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tapelab.cli.teach_command import activation

CHECKOUT = Path(__file__).parents[2]


def test_a_course_that_is_there_is_left_as_it_is(main, tmp_path):
    main("gradebook", "init")
    before = (tmp_path / "gradebook.db").read_bytes()
    assert main("teach", ".", "--no-pages").stdout == ""
    assert [each.name for each in tmp_path.iterdir()] == ["gradebook.db"]
    assert (tmp_path / "gradebook.db").read_bytes() == before


def test_a_folder_with_other_things_is_not_taken(main, tmp_path):
    (tmp_path / "thesis.tex").touch()
    assert "is there already" in main("teach", ".", "--no-pages", code=2).stderr
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.tex"]


def test_the_pages_grade_the_course_wherever_the_command_was_started(main, tmp_path):
    course, elsewhere = tmp_path / "course", tmp_path / "clone"
    (course / "sums").mkdir(parents=True)
    (course / "sums" / "exercises.py").touch()
    elsewhere.mkdir()
    main("gradebook", "init", "-g", str(course / "gradebook.db"))
    command = [sys.executable, "-m", "tapelab.cli", "teach", str(course), "--port", "0",
               "--no-browser"]  # fmt: skip
    with subprocess.Popen(
        command, cwd=elsewhere, env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.PIPE, text=True,
    ) as run:  # fmt: skip
        address = next(line.strip() for line in run.stdout if "http://" in line)
        session = build_opener(HTTPCookieProcessor())
        session.open(address, timeout=20).close()
        with session.open(address.partition("?")[0] + "grading", timeout=20) as page:
            text = page.read().decode()
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=20)
    assert f"<code>{course}</code>" in text
    assert '<option value="sums">' in text


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="not in a virtual environment")
def test_where_the_command_is_not_found_it_is_said_how_it_is(monkeypatch):
    assert activation() == ""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    command = activation().strip().partition("begin with: ")[2]
    found = subprocess.run(["/bin/sh", "-c", f"{command} && command -v tapelab"],
                           capture_output=True, text=True, check=True)  # fmt: skip
    assert found.stdout.startswith(shlex.split(command)[1].removesuffix("activate"))
