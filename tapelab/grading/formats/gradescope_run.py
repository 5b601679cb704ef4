"""What `run_autograder` runs on Gradescope: python -m tapelab.grading.formats.gradescope_run ROOT.

ROOT is /autograder there, with source/, submission/, results/ and submission_metadata.json.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tapelab.grading.assignment import Assignment
from tapelab.grading.formats.gradescope import failure, results
from tapelab.grading.formats.gradescope_zip import CONFIG
from tapelab.grading.grade import grade
from tapelab.grading.submission import Submission, UnreadableSubmission
from tapelab.recording.atomic_write import write


def main(root: Path) -> None:
    """Grade what lies in submission/, and write results/results.json whatever happens."""
    try:
        _write(root, graded(root))
    except UnreadableSubmission as error:
        _write(root, failure(str(error)))
    except Exception:
        _write(root, failure("The autograder could not grade this. Please tell your teacher."))
        raise


def _write(root: Path, told: Mapping[str, Any]) -> None:
    place = root / "results"
    place.mkdir(exist_ok=True)
    text = json.dumps(told, ensure_ascii=False, indent=1)
    write(place / "results.json", text.encode("utf-8"))


def graded(root: Path) -> dict[str, Any]:
    """The results of the submission."""
    started = time.monotonic()
    config = json.loads((root / "source" / CONFIG).read_text("utf-8"))
    source = config["assignment"]
    folder = root / "source" / source
    assignment = Assignment.load(folder if folder.is_dir() else source)
    submission = Submission.read(root / "submission", _student(root))
    result = grade(submission, assignment, sandbox=config.get("sandbox", "auto"))
    for note in result.notes:
        print(note)
    return results(result, seconds=time.monotonic() - started)


def _student(root: Path) -> str:
    """Who handed it in, as far as Gradescope says; a group has several."""
    try:
        said: Any = json.loads((root / "submission_metadata.json").read_text("utf-8"))
        return ", ".join(str(_name(each)) for each in said["users"]) or "unknown"
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown"


def _name(user: Mapping[str, Any]) -> Any:
    return user.get("email") or user.get("name") or user.get("id")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
