"""Run a notebook in a real kernel, and read its verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.docs.executing import executed

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
LESSONS = tuple(path.stem for path in sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb")))

VERDICT = "application/vnd.tapelab+json"
"""What a notebook keeps of a verdict, and of an explanation."""


@dataclass(frozen=True)
class Finished:
    """A notebook that has run: its cells, and what each exercise earned out of how much."""

    cells: list
    points: dict[str, tuple[int | None, int]]

    def outputs(self):
        return [output for cell in self.cells for output in cell.get("outputs", ())]


def finish(path: Path) -> Finished:
    """Run all cells of a notebook; an error in a cell is an error of the test."""
    notebook = executed(path)
    cells, exercises = notebook.cells, notebook.metadata["tapelab"]["exercises"]
    kept = [
        out["data"].get(VERDICT) for c in cells for out in c.get("outputs", ()) if "data" in out
    ]
    earned = {each["exercise"]: each["points"] for each in kept if each and "exercise" in each}
    return Finished(
        cells, {each["id"]: (earned.get(each["id"]), each["points"]) for each in exercises}
    )


@pytest.fixture(scope="module", params=LESSONS)
def shipped(request):
    """A lesson as a learner gets it, run from top to bottom."""
    return finish(NOTEBOOKS / f"{request.param}.ipynb")


@pytest.fixture(scope="module", params=LESSONS)
def solved(request):
    """The same, solved."""
    return finish(NOTEBOOKS / "solutions" / f"{request.param}.ipynb")
