"""`tapelab doctor` finds what grading lacks, and names the one command that mends it."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import subprocess
import sys
import sysconfig
import venv
from contextlib import closing
from importlib import metadata
from pathlib import Path

import pytest

from tapelab.cli import grading_checkup
from tapelab.cli.checkup import State
from tapelab.installation import CHECKOUT, extra_command, pip_command, repair_command

MISSING = {"alembic": "grading", "distributed": "cluster", "PyJWT": "lti"}


def checks(place="gradebook.db", key=Path("lti.pem")):
    return {each.title: each for each in grading_checkup.grading_checks(str(place), key)}


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """The Python of an environment that has all that ours has, but not what is MISSING."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    [packages] = folder.glob("lib/*/site-packages")
    own = {Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")}
    left_out = {
        file.parts[0] for name in MISSING for file in metadata.distribution(name).files or ()
    }
    for entry in (entry for place in own for entry in place.iterdir()):
        if entry.name not in left_out:
            (packages / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


def run(python, folder, *arguments, **environment):
    return subprocess.run(
        [python, "-P", "-m", "tapelab.cli", *map(str, arguments)],
        capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "HOME": str(folder), **environment},
    )  # fmt: skip


@pytest.mark.slow
def test_an_extra_that_is_not_installed_is_named_with_the_command_that_installs_it(
    without, tmp_path
):
    output = run(without, tmp_path, "doctor", "--json")
    shown = {each["title"]: each for each in json.loads(output.stdout)["checks"]}
    titles = {extra: shown[title] for extra, title in grading_checkup.EXTRAS.items()}
    for package, extra in MISSING.items():
        assert titles[extra]["state"] == "poor"
        assert package.lower() in titles[extra]["found"]
        assert shlex.split(titles[extra]["cure"]) == [
            str(without), "-m", "pip", "install", "--editable", f"{CHECKOUT}[{extra}]",
        ]  # fmt: skip
    assert "gradebook" not in shown
    # What is not there is not needed to learn.
    assert output.returncode == 0
    command = run(without, tmp_path, "gradebook", "init")
    assert command.returncode == 2
    assert command.stderr.startswith("tapelab: This needs alembic. Try: ")
    assert command.stderr.endswith(f"{titles['grading']['cure']}\n")


@pytest.mark.parametrize("command", [extra_command("lab"), repair_command(), pip_command("x[y]>1")])
def test_a_command_survives_a_shell_and_names_the_python_that_runs(command):
    words = shlex.split(command)
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    assert ("[" in command) == ("'" in command)


def test_a_gradebook_that_can_be_written_is_good_and_nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert checks()["gradebook"].found == "gradebook.db can be created"
    assert list(tmp_path.iterdir()) == []
    assert "key for LTI" not in checks()


def test_a_file_that_is_no_gradebook_is_reported_and_left_as_it_is(tmp_path):
    (tmp_path / "notes.db").write_text("nothing of the kind" * 100)
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE apples (number)")
    for name, words in (("notes.db", "not a database"), ("other.db", "holds something else")):
        before = (tmp_path / name).read_bytes()
        check = checks(tmp_path / name)["gradebook"]
        assert check.state is State.POOR
        assert words in check.found
        assert "export TAPELAB_GRADEBOOK=" in check.cure
        assert (tmp_path / name).read_bytes() == before


def test_a_server_that_does_not_answer_is_reported():
    check = checks("postgresql://grace@127.0.0.1:9/course")["gradebook"]
    assert check.state is State.POOR
    assert "does not answer" in check.found


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_may_not_be_written_is_reported_with_the_command(tmp_path):
    tmp_path.chmod(0o500)
    assert checks(tmp_path / "x.db")["gradebook"].cure == f"chmod u+w {tmp_path}"
    tmp_path.chmod(0o700)


def test_a_key_for_lti_is_private_and_a_key(tmp_path, tapelab):
    key = tmp_path / "lti.pem"
    tapelab("gradebook", "lti-key", key)
    assert checks(key=key)["key for LTI"].state is State.GOOD
    key.chmod(0o644)
    check = checks(key=key)["key for LTI"]
    assert check.cure == f"chmod 600 {key}"
    subprocess.run(shlex.split(check.cure), check=True)
    assert checks(key=key)["key for LTI"].state is State.GOOD
    key.write_text("no key")
    check = checks(key=key)["key for LTI"]
    assert "not an RSA key" in check.found
    assert check.cure == f"mv {key} {key}.old && tapelab gradebook lti-key {key}"


@pytest.mark.parametrize(
    ("name", "value", "cure"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1",
         "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        ("user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"),
        ("kernel/unprivileged_userns_clone", "1", "bubblewrap"),
    ],
)  # fmt: skip
def test_a_setting_of_the_system_that_forbids_sandboxes_is_named(tmp_path, name, value, cure):
    file = tmp_path / name
    file.parent.mkdir()
    file.write_text(f"{value}\n")
    assert grading_checkup._install_sandbox(tmp_path).endswith(cure)


WITHOUT_LANDLOCK = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
# Load the number of the system call; the one that begins Landlock fails, all others pass.
program = b"".join(struct.pack("HBBI", *line) for line in [
    (0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50026), (0x06, 0, 0, 0x7FFF0000)])
lines = ctypes.create_string_buffer(program)
filter = struct.pack("HL", 4, ctypes.addressof(lines))
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, filter, 0, 0):
    sys.exit(os.strerror(ctypes.get_errno()))
os.execv(sys.executable, [sys.executable, "-m", "tapelab.cli", "doctor"])
"""
"""Run doctor with a kernel that has no Landlock, as far as it can see."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a filter of Linux")
def test_where_no_sandbox_starts_the_reasons_stand_beside_the_cure(tmp_path):
    output = subprocess.run(
        [sys.executable, "-c", WITHOUT_LANDLOCK],
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env={**os.environ, "PATH": str(tmp_path)},
    ).stdout  # fmt: skip
    reasons = "(bubblewrap: bwrap is not installed; landlock: the kernel has no Landlock)"
    assert f"! sandbox for grading: nothing here can hold a learner's code {reasons}" in output
    assert output.splitlines()[-3].endswith("Try: Install bubblewrap.")
