"""An autograder for Gradescope: an archive whose `run_autograder` grades with tapelab."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tapelab.authoring.work import Work
from tapelab.exercises.beside import SCRIPT
from tapelab.exercises.registry import LESSONS
from tapelab.recording.atomic_write import write
from tapelab.version import __version__

CONFIG: Final = "tapelab.json"
FOLDER: Final = "assignment"
_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
"""The first time that an archive can tell: the same files make the same archive."""
_SETUP: Final = """#!/usr/bin/env bash
# Run once, by Gradescope, while it builds the image in which submissions are graded.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y bubblewrap || true  # without it, the kernel's own means hold the code
found=""
for version in 3.13 3.12 3.11; do
  if apt-get install -y "python$version" "python$version-venv"; then
    found="python$version"
    break
  fi
done
if [ -z "$found" ]; then
  echo "tapelab needs Python 3.11 or newer; choose a newer base image for this autograder." >&2
  exit 1
fi
root="$(cd "$(dirname "${{BASH_SOURCE[0]}}")/.." && pwd)"
"$found" -m venv "$root/environment"
"$root/environment/bin/python" -m pip install {packages}
"""
_RUN: Final = """#!/usr/bin/env bash
# Run for each submission; the outcome goes to results/results.json.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
python="$root/environment/bin/python"
[ -x "$python" ] || python="python3"
exec "$python" -m tapelab.grading.formats.gradescope_run "$root"
"""


def autograder(source: str | Path, *, sandbox: str = "auto", wheel: Path | None = None) -> bytes:
    """The archive for a shipped lesson, by its number, or for a teacher's folder.

    With a `wheel` that tapelab is installed; else the release of this version. The archive holds
    private checks: it is for the teacher to upload, and for nobody else.
    """
    packages = f"'tapelab[grading]=={__version__}'"
    files: dict[str, bytes] = {}
    if wheel is not None:
        files[wheel.name] = wheel.read_bytes()
        packages = f'"$root/source/{wheel.name}[grading]"'
    lesson = str(source) if str(source) in LESSONS else ""
    if not lesson:
        files |= {f"{FOLDER}/{name}": content for name, content in _of_work(Path(source)).items()}
    config = {"assignment": lesson or FOLDER, "name": lesson or Path(source).resolve().name,
              "sandbox": sandbox}  # fmt: skip
    files[CONFIG] = (json.dumps(config, indent=1) + "\n").encode()
    files["setup.sh"] = _SETUP.format(packages=packages).encode()
    files["run_autograder"] = _RUN.encode()
    return _packed(files)


def export(source: str | Path, archive: Path, *, sandbox: str = "auto",
           wheel: Path | None = None) -> Path:  # fmt: skip
    """Write the archive."""
    return write(archive, autograder(source, sandbox=sandbox, wheel=wheel))


def _of_work(folder: Path) -> dict[str, bytes]:
    work = Work.read(folder)
    return {SCRIPT: work.script.encode(), **work.files}


def _packed(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            runs = name in {"setup.sh", "run_autograder"}
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return out.getvalue()
