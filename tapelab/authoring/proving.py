"""Run a notebook in a kernel of its own, in a folder of its own, and read its verdicts."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tapelab.authoring.work import WorkError
from tapelab.exercises.keeping import JUPYTER

SECONDS: Final = 120
"""A cell that takes longer is taken for one without an end."""

_TELL: Final = """
import json
from tapelab.exercises.session import SESSION
print(json.dumps([
    [exercise.id, verdict and [[each.title, each.outcome.points, each.of, each.outcome.ending]
                               for each in verdict.judged]]
    for exercise, verdict in SESSION.progress({lesson!r}).verdicts]))
"""


@dataclass(frozen=True)
class Checked:
    """What one check gave in the run."""

    exercise: str
    title: str
    points: float
    of: float
    ending: str


@dataclass(frozen=True)
class Run:
    """A notebook that was run: its verdicts, the exercises without one, and what stopped it."""

    checks: tuple[Checked, ...] = ()
    unchecked: tuple[str, ...] = ()
    error: str = ""


def run(files: Mapping[str, bytes], notebook: str, lesson: str) -> Run:
    """Run a notebook among some files, from top to bottom, in a new kernel and a new folder."""
    with tempfile.TemporaryDirectory(prefix="tapelab-") as name:
        folder = Path(name)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        return _executed(folder, notebook, lesson)


def _executed(folder: Path, notebook: str, lesson: str) -> Run:
    try:
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    except ImportError:
        raise WorkError(
            "A kernel to run the notebook in is not installed. Try: pip install 'tapelab[lab]'"
        ) from None
    read = nbformat.reads(notebook, as_version=4)
    asking = nbformat.v4.new_code_cell(_TELL.format(lesson=lesson))
    read.cells.append(asking)
    client = NotebookClient(read, timeout=SECONDS, kernel_name="python3",
                            resources={"metadata": {"path": os.fspath(folder)}})  # fmt: skip
    try:
        own = {name: value for name, value in os.environ.items() if name != JUPYTER}
        client.execute(stderr=subprocess.DEVNULL, env=own)  # errors of the kernel, not of its cells
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        return Run(error=str(error).strip().splitlines()[-1])
    # A busy kernel sends one line in several parts.
    said = "".join(each.get("text", "") for each in read.cells[-1].outputs)
    return _told(json.loads(said))


def _told(verdicts: list[tuple[str, list[tuple[str, float, float, str]] | None]]) -> Run:
    return Run(
        tuple(Checked(number, *each) for number, checks in verdicts for each in checks or ()),
        tuple(number for number, checks in verdicts if checks is None),
    )
