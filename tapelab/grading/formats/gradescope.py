"""Gradescope: a result as `results.json`, and an autograder archive that grades with tapelab there.

`run_autograder` of the archive runs `python -P -m tapelab.grading.formats.gradescope ROOT`. ROOT is
/autograder, with source/, submission/, results/ and submission_metadata.json.
"""

from __future__ import annotations

import io
import json
import sys
import time
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tapelab.authoring.work import Work
from tapelab.exercises.exercise_file import SCRIPT
from tapelab.exercises.registry import LESSONS
from tapelab.grading.assignment import Assignment
from tapelab.grading.grading_plan import plan_for
from tapelab.grading.reader import Reader
from tapelab.grading.result import CheckResult, ExerciseResult, Result, Status, Visibility
from tapelab.grading.runners import Task, grade_in_processes
from tapelab.grading.sandbox.backends import AUTO
from tapelab.grading.submission import UnreadableSubmission
from tapelab.recording.atomic_write import write
from tapelab.version import __version__

VISIBILITY: Final = {
    Visibility.PUBLIC: "visible",
    Visibility.HIDDEN: "visible",
    Visibility.PRIVATE: "hidden",
}
"""A hidden check may be run by the learner, who sees whether it passed; a private one is not seen.

While anything is hidden, Gradescope shows learners no sum either.
"""
_PASSED: Final = frozenset({Status.PASSED})


def results(result: Result, *, seconds: float | None = None) -> dict[str, Any]:
    """What Gradescope's autograder specification calls results.json.

    Notes are for the teacher: they go to the log of the grading, which stays hidden.
    """
    report: dict[str, Any] = {
        "score": _rounded(result.points),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "output_format": "text",
        "output": "" if result.exercises else "This assignment has no exercises.",
        "extra_data": {
            "tapelab": {
                "submission": result.submission, "version": result.version,
                "sandbox": result.sandbox, "seed": result.seed,
            },
        },
        "tests": [
            _test(at, nth, exercise, check)
            for at, exercise in enumerate(result.exercises, 1)
            for nth, check in enumerate(exercise.checks, 1)
        ],
    }  # fmt: skip
    return report if seconds is None else {**report, "execution_time": round(seconds, 3)}


def failure(what: str) -> dict[str, Any]:
    """What to show where nothing could be graded; the learner reads why, and has 0 points."""
    return {"score": 0, "output": what, "output_format": "text", "stdout_visibility": "hidden"}


def results_text(result: Result, *, seconds: float | None = None) -> str:
    """`results` as the text of the file."""
    return json.dumps(results(result, seconds=seconds), ensure_ascii=False, indent=1)


def _test(at: int, nth: int, exercise: ExerciseResult, check: CheckResult) -> dict[str, Any]:
    return {
        "number": f"{at}.{nth}",
        "name": f"{exercise.exercise} {exercise.title}: {check.title}",
        "name_format": "text",
        "score": _rounded(check.points),
        "max_score": _rounded(check.of),
        "status": "passed" if check.status in _PASSED else "failed",
        "visibility": VISIBILITY[check.visibility],
        "output": _message(check),
        "output_format": "text",
        "tags": [exercise.exercise, *([check.code] if check.code else [])],
    }


def _message(check: CheckResult) -> str:
    """The message of a check; the expected value of a hidden check stays secret."""
    lines = [check.text]
    if check.visibility is not Visibility.HIDDEN:
        lines += [f"Expected: {check.expected}" if check.expected else "",
                  f"Yours: {check.got}" if check.got else ""]  # fmt: skip
    return "\n".join(filter(None, lines))


def _rounded(points: float) -> float:
    """Points rounded to five digits; integral ones as int."""
    short = round(points, 5)
    return int(short) if short == int(short) else short


CONFIG: Final = "tapelab.json"
FOLDER: Final = "assignment"
_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that an archive can store: the same files make the same archive."""
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
exec "$python" -P -m tapelab.grading.formats.gradescope "$root"
"""


def autograder(source: str | Path, *, sandbox: str = "auto", wheel: Path | None = None) -> bytes:
    """The archive for a shipped lesson, by its number, or for a teacher's folder.

    With a `wheel` that tapelab is installed; else the release of this version. The archive holds
    private checks: only the teacher may have it.
    """
    packages = f"'tapelab[grading]=={__version__}'"
    files: dict[str, bytes] = {}
    if wheel is not None:
        files[wheel.name] = wheel.read_bytes()
        packages = f'"$root/source/{wheel.name}[grading]"'
    lesson = str(source) if str(source) in LESSONS else ""
    if not lesson:
        own = _work_files(Path(source))
        files |= {f"{FOLDER}/{name}": content for name, content in own.items()}
    config = {"assignment": lesson or FOLDER, "name": lesson or Path(source).resolve().name,
              "sandbox": sandbox}  # fmt: skip
    files[CONFIG] = (json.dumps(config, indent=1) + "\n").encode()
    files["setup.sh"] = _SETUP.format(packages=packages).encode()
    files["run_autograder"] = _RUN.encode()
    return _zip_files(files)


def export(source: str | Path, archive: Path, *, sandbox: str = "auto",
           wheel: Path | None = None) -> Path:  # fmt: skip
    """Write the archive."""
    return write(archive, autograder(source, sandbox=sandbox, wheel=wheel))


def _work_files(folder: Path) -> dict[str, bytes]:
    work = Work.read(folder)
    return {SCRIPT: work.script.encode(), **work.files}


def _zip_files(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            runs = name in {"setup.sh", "run_autograder"}
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return out.getvalue()


def main(root: Path) -> None:
    """Grade what lies in submission/, and write results/results.json whatever happens."""
    try:
        _write(root, graded(root))
    except UnreadableSubmission as error:
        _write(root, failure(str(error)))
    except Exception:
        _write(root, failure("The autograder could not grade this. Please tell your teacher."))
        raise


def _write(root: Path, results_data: Mapping[str, Any]) -> None:
    place = root / "results"
    place.mkdir(exist_ok=True)
    text = json.dumps(results_data, ensure_ascii=False, indent=1)
    write(place / "results.json", text.encode("utf-8"))


def graded(root: Path) -> dict[str, Any]:
    """The results of the submission."""
    started = time.monotonic()
    config = json.loads((root / "source" / CONFIG).read_text("utf-8"))
    source = config["assignment"]
    folder = root / "source" / source
    source = str(folder) if folder.is_dir() else source
    handed_in = root / "submission"
    plan = plan_for(Assignment.load(source), source, handed_in, sandbox=config.get("sandbox", AUTO))
    with closing(Reader(plan.untrusted)) as reader:
        task = Task.of(reader.read(handed_in, _student(root)))
    [done] = grade_in_processes([task], plan)
    if done.result is None:
        raise RuntimeError(done.why)
    for note in done.result.notes:
        print(note)
    return results(done.result, seconds=time.monotonic() - started)


def _student(root: Path) -> str:
    """Who handed it in, as far as Gradescope says; a group has several."""
    try:
        message_of: Any = json.loads((root / "submission_metadata.json").read_text("utf-8"))
        return ", ".join(str(_name(each)) for each in message_of["users"]) or "unknown"
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown"


def _name(user: Mapping[str, Any]) -> Any:
    return user.get("email") or user.get("name") or user.get("id")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
