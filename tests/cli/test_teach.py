"""`tapelab teach` leaves what is there alone; its course is that of test_first_class.py."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

from tapelab.cli.teach_command import activation


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


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="not in a virtual environment")
def test_where_the_command_is_not_found_it_is_said_how_it_is(monkeypatch):
    assert activation() == ""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    command = activation().strip().partition("begin with: ")[2]
    found = subprocess.run(["/bin/sh", "-c", f"{command} && command -v tapelab"],
                           capture_output=True, text=True, check=True)  # fmt: skip
    assert found.stdout.startswith(shlex.split(command)[1].removesuffix("activate"))
