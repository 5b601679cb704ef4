"""Workers compute side by side or one alone, and whoever ends lets the others go on."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tapelab.grading.sandbox import host_lock
from tapelab.grading.sandbox.host_lock import alone, beside_others, lock_folder

BEGIN = """
import sys
from pathlib import Path
from tapelab.grading.sandbox import host_lock
host_lock.LONGEST_WAIT = 1e6
with host_lock.beside_others(Path(sys.argv[1])):
    print("began")
"""
HOLD = """
import sys
from pathlib import Path
from tapelab.grading.sandbox import host_lock
with host_lock.alone(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def impatient(monkeypatch):
    """Let no process wait for the lock."""
    monkeypatch.setattr(host_lock, "LONGEST_WAIT", 0.0)


def test_many_compute_side_by_side_and_one_is_alone_after_them(tmp_path, impatient):
    with beside_others(tmp_path), beside_others(tmp_path), alone(tmp_path) as is_alone:
        assert not is_alone
    with alone(tmp_path) as is_alone:
        assert is_alone


def test_none_begins_beside_one_that_is_alone_or_waits_to_be(tmp_path, impatient):
    command = [sys.executable, "-c", BEGIN, str(tmp_path)]
    with beside_others(tmp_path), alone(tmp_path) as is_alone:
        assert not is_alone
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as later:
            with pytest.raises(subprocess.TimeoutExpired):
                later.wait(1.0)
            later.kill()
            assert later.communicate()[0] == ""


def test_a_process_that_is_killed_lets_the_others_go_on(tmp_path, impatient):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        with alone(tmp_path) as is_alone:
            assert not is_alone
        holder.kill()
        holder.wait()
        with alone(tmp_path) as is_alone:
            assert is_alone


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a folder to another user")
def test_a_folder_of_another_user_is_not_used(tmp_path):
    os.chown(tmp_path, 12345, 12345)
    with alone(tmp_path) as is_alone:
        assert not is_alone
    assert list(tmp_path.iterdir()) == []


def test_the_lock_is_this_users_own():
    assert lock_folder().name.endswith(str(os.getuid()))
