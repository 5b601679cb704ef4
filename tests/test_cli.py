"""The `tapelab` command does what it says, and says clearly what it cannot do."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tapelab import launch
from tapelab.lessons import START_PAGE
from tapelab.version import __version__

CHECKOUT = Path(__file__).parents[1]


def tapelab(*arguments, **environment):
    command = [sys.executable, "-m", "tapelab.cli", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment or None, timeout=60
    )


def test_the_version_is_printed():
    assert tapelab("--version").stdout == f"tapelab {__version__}\n"


def test_lessons_copies_and_tells_what_it_added(tmp_path):
    told = tapelab("lessons", tmp_path / "mine")
    assert told.returncode == 0
    assert told.stdout.startswith(f"Added to {tmp_path / 'mine'}: {START_PAGE}")
    assert (tmp_path / "mine" / START_PAGE).is_file()


def test_a_folder_that_cannot_be_written_ends_in_one_sentence_and_no_traceback(tmp_path):
    (tmp_path / "file").write_text("")
    told = tapelab("lessons", tmp_path / "file" / "mine")
    assert told.returncode == 1
    assert told.stderr.startswith("tapelab: The lessons cannot be copied to ")
    assert "Traceback" not in told.stderr


def test_warmup_tells_how_many_kernels_are_compiled():
    told = tapelab("warmup")
    assert told.returncode == 0, told.stderr
    assert re.search(r"^\d\d kernels are compiled\.$", told.stdout, re.MULTILINE)
    assert told.stdout.endswith("What tf.function needs is compiled.\n")


@pytest.mark.parametrize("port", [-1, 0, 65536, 99999])
def test_a_number_that_is_no_port_is_told_the_range(tmp_path, port):
    told = tapelab("lab", tmp_path, "--port", port)
    assert told.returncode == 1
    assert told.stderr == (
        f"tapelab: {port} is no port: ports go from 1 to 65535. Try --port 8888.\n"
    )


def test_a_port_in_use_is_told_before_anything_starts(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = tapelab("lab", tmp_path, "--port", port)
    assert told.returncode == 1
    assert told.stderr == (
        f"tapelab: Port {port} cannot be used: Address already in use. "
        "Leave --port out, and the first free port from 8888 on is taken.\n"
    )


def test_a_missing_jupyterlab_is_told_with_the_command_that_installs_it(monkeypatch, tmp_path):
    monkeypatch.setattr(launch.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(launch.LaunchError, match=re.escape("pip install 'tapelab[lab]'")):
        launch.become_jupyterlab(tmp_path, START_PAGE, port=None, browser=False)


def test_a_missing_command_line_library_is_told_with_the_command_that_installs_it():
    without_typer = "import sys; sys.modules['typer'] = None; import tapelab.cli"
    told = subprocess.run(
        [sys.executable, "-c", without_typer], capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    assert "Try: pip install 'tapelab[lab]'" in told.stderr
    assert "Traceback" not in told.stderr


def test_jupyterlab_opens_on_the_start_page_of_the_folder(tmp_path):
    command = launch.jupyterlab_command(tmp_path, START_PAGE, port=None, browser=False)
    assert "--LabApp.default_url=/lab/tree/Start%20here.ipynb" in command
    assert f"--ServerApp.root_dir={tmp_path}" in command
    assert "--ServerApp.open_browser=False" in command


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_no_browser_is_opened(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not launch.has_browser()


def test_a_python_too_old_is_told_with_what_was_found(tmp_path):
    old = tmp_path / "python-old"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2\n[ "$1" = --version ]\n')
    old.chmod(0o755)
    told = subprocess.run(
        [CHECKOUT / "tools" / "find_python.sh"],
        env={"PYTHON": str(old), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert told.stderr == (
        "tapelab needs Python 3.11 or newer, and found:\n"
        f"  {old} is Python 3.9.2\n"
        "Install a newer Python, or name one, as in: make lab PYTHON=/path/to/python3.12\n"
    )


def test_make_alone_lists_what_it_can_do():
    told = subprocess.run(["make"], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    for target in ("lab", "test", "check", "clean"):
        assert f"make {target} " in told.stdout
