"""What make says where it cannot begin, and what it can do."""

from __future__ import annotations

import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]


def test_a_python_too_old_is_reported_with_what_was_found(tmp_path):
    old = tmp_path / "python-old"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2\n[ "$1" = --version ]\n')
    old.chmod(0o755)
    completed = subprocess.run(
        [CHECKOUT / "tools" / "find_python.sh"],
        env={"PYTHON": str(old), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 1
    assert completed.stderr == (
        "tapelab needs Python 3.11 or newer, and found:\n"
        f"  {old} is Python 3.9.2\n"
        "Install a newer Python, or name one, as in: make lab PYTHON=/path/to/python3.12\n"
    )


def test_make_alone_lists_what_it_can_do():
    completed = subprocess.run(["make"], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    for target in ("lab", "test", "check", "clean"):
        assert f"make {target} " in completed.stdout
