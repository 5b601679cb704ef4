"""A folder for temporary files goes with its process, however that ended."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from tapelab.grading.scratch_folder import ScratchFolder

HOLD = (
    "import sys; from tapelab.grading.scratch_folder import ScratchFolder; "
    "print(ScratchFolder('tapelab-test-').path, flush=True); sys.stdin.read()"
)


@contextmanager
def holder(root):
    """Another process with a folder of its own; the process, and the folder."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"TMPDIR": str(root)},
    ) as process:  # fmt: skip
        yield process, Path(process.stdout.readline().strip())


def test_what_a_killed_process_left_is_deleted_and_what_a_living_one_uses_is_not(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    other = tmp_path / "tapelab-test-file"
    other.touch()
    with holder(tmp_path) as (living, used):
        with holder(tmp_path) as (killed, left):
            (left / "log").touch()
            killed.kill()
        assert sorted(tmp_path.iterdir()) == sorted([other, used, left])
        own = ScratchFolder("tapelab-test-")
        assert sorted(tmp_path.iterdir()) == sorted([other, used, own.path])
        living.stdin.close()
    own.remove()
    assert not own.path.exists()
