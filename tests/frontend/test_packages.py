"""The front-end's packages are installed once, however many processes ask for them."""

from __future__ import annotations

import os
import subprocess
import threading
import time

import pytest

from tools import node


@pytest.fixture
def installs(tmp_path, monkeypatch):
    """A folder whose packages are missing, and each `npm ci` that ran in it."""
    (tmp_path / "package-lock.json").touch()
    ran = []

    def npm(command, **_):
        ran.append((command[1], (tmp_path / ".installing").exists()))
        time.sleep(0.1)
        done = tmp_path / "node_modules/.package-lock.json"
        done.parent.mkdir(exist_ok=True)
        done.touch()
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(node, "EXTENSION", tmp_path)
    monkeypatch.setattr(node.subprocess, "run", npm)
    return ran


def test_of_two_that_need_packages_at_once_one_installs_and_the_other_waits(installs):
    threads = [threading.Thread(target=node.ensure_packages) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert installs == [("ci", True)]
    assert not (node.EXTENSION / ".installing").exists()


def test_a_lock_of_a_process_that_was_killed_is_forgotten(installs):
    lock = node.EXTENSION / ".installing"
    lock.touch()
    long_ago = time.time() - node.PATIENCE - 1
    os.utime(lock, (long_ago, long_ago))
    node.ensure_packages()
    assert installs == [("ci", True)]


def test_installing_that_fails_leaves_no_lock(installs, monkeypatch):
    failing = subprocess.CompletedProcess([], 1)
    monkeypatch.setattr(node.subprocess, "run", lambda *_, **__: failing)
    with pytest.raises(SystemExit, match="npm ci failed"):
        node.ensure_packages()
    assert not (node.EXTENSION / ".installing").exists()
    assert installs == []
