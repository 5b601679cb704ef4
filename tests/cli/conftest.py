"""What a test of the command may ask for: the command as a process, and a recording in a file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tapelab.cli import app
from tests.fixtures.record import FOLDER

Command = Callable[..., subprocess.CompletedProcess[str]]
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "TAPELAB_LANGUAGE")


@pytest.fixture
def tapelab(tmp_path) -> Command:
    """Run the command in a folder of the test's own, on a machine without a display."""

    def run(*arguments, code: int = 0, **environment) -> subprocess.CompletedProcess[str]:
        quiet = {key: value for key, value in os.environ.items() if key not in DISPLAYS}
        output = subprocess.run(
            [sys.executable, "-m", "tapelab.cli", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=quiet | {"COLUMNS": "100", "HOME": str(tmp_path)} | environment,
            timeout=180,
        )
        assert output.returncode == code, output.stdout + output.stderr
        if code:
            assert "Traceback" not in output.stderr or arguments[0] == "explain"
        return output

    return run


@pytest.fixture
def main(monkeypatch, capsys, tmp_path) -> Command:
    """Run the command within this process, where many refusals are looked at in no time."""
    monkeypatch.chdir(tmp_path)
    for name in DISPLAYS:
        monkeypatch.delenv(name, raising=False)

    def run(*arguments, code: int = 0) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["tapelab", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            app.main()
        output = capsys.readouterr()
        assert ended.value.code == code, output.out + output.err
        return subprocess.CompletedProcess(arguments, code, output.out, output.err)

    return run


@pytest.fixture
def tape(tmp_path) -> Path:
    """A recording in a file, in whose gradient something is wrong."""
    return Path(shutil.copy(FOLDER / "numpy_detour.tape", tmp_path / "z.tape"))


@pytest.fixture
def script(tmp_path) -> Callable[[str], Path]:
    """Write a script; its tape asks for one gradient, after the lines that are given."""

    def write(text: str) -> Path:
        file = tmp_path / "script.py"
        file.write_text(text, encoding="utf-8")
        return file

    return write
