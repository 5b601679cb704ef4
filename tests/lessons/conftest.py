"""Run a notebook in a real kernel, and read its verdicts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
LESSONS = tuple(path.stem for path in sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb")))

_TELL = """
import json
print(json.dumps([[e.id, v.points if v else None, e.points]
                  for e, v in tf.progress("{lesson}").about.verdicts]))
"""


@dataclass(frozen=True)
class Finished:
    """A notebook that has run: its cells, and what each exercise earned out of how much."""

    cells: list
    points: dict[str, tuple[int | None, int]]

    def outputs(self):
        return [output for cell in self.cells for output in cell.get("outputs", ())]


def finish(path: Path) -> Finished:
    """Run all cells of a notebook; an error in a cell is an error of the test."""
    notebook = nbformat.read(path, as_version=4)
    lesson = notebook.metadata["tapelab"]["lesson"]
    notebook.cells.append(nbformat.v4.new_code_cell(_TELL.format(lesson=lesson)))
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    *cells, last = notebook.cells
    verdicts = json.loads(last.outputs[-1]["text"])
    return Finished(cells, {number: (earned, of) for number, earned, of in verdicts})


@pytest.fixture(scope="module", params=LESSONS)
def shipped(request):
    """A lesson as a learner gets it, run from top to bottom."""
    return finish(NOTEBOOKS / f"{request.param}.ipynb")


@pytest.fixture(scope="module", params=LESSONS)
def solved(request):
    """The same, solved."""
    return finish(NOTEBOOKS / "solutions" / f"{request.param}.ipynb")
