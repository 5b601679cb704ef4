"""The corpora as notebooks: sections of Markdown, whose blocks of Python are cells.

A block with a name is a file beside the notebook; text between blocks is cells of Markdown.
"""

import json
import re
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tapelab.grading.assignment import Assignment
from tapelab.widgets.explorer import bundle
from tests.grading.handed_in_forms import FORMS

CORPUS = Path(__file__).parent / "corpus"
COURSE = CORPUS / "course"
SQUARE = """
import tapelab as tf
@tf.exercise("1")
def square(x): return x * x
"""
TAPE = """
import tapelab as tf
@tf.exercise("2")
def tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x + tf.sin(x)
    return tape, y, x
"""
LEFT = """
import tapelab as tf
@tf.exercise("4")
def left():
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = tf.constant(float(x)) ** 2
        middle = x * 2.0
        z = tf.sin(middle) + y
    return tape, y, x, tape, z, x
"""


@dataclass(frozen=True)
class Case:
    """A submission of a corpus; `due` is what its code earns."""

    name: str
    cells: tuple[str, ...]
    due: float
    line_end: str = "\n"
    said: tuple[dict[str, Any], ...] = ()
    """What the notebook says was predicted in a picture."""
    files: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = ()
    """What stands above each cell."""
    form: str = ""
    """How it is handed in, as handed_in_forms.py calls it; else as a plain notebook."""

    def written(self, folder: Path, names: dict[str, str] | None = None) -> Path:
        """The notebook in a file, the names in it, such as @COURSE@, filled in."""
        path = folder / "handed in.ipynb"
        made = notebook(self._filled(names or {}), self.texts)
        for name, content in self.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8")
        if self.said:
            output = {"output_type": "display_data", "metadata": {}, "data": bundle(self.said)}
            made["cells"][0]["outputs"] = [output]
        if self.form:
            return FORMS[self.form](folder, made)
        path.write_text(json.dumps(made), encoding="utf-8")
        return path

    def _filled(self, names: dict[str, str]) -> list[str]:
        cells = list(self.cells)
        for name, value in names.items():
            cells = [cell.replace(f"@{name}@", value) for cell in cells]
        return [cell.replace("\n", self.line_end) for cell in cells]


def notebook(cells: list[str], texts: tuple[str, ...] = ()) -> dict:
    """A notebook of these cells, with the text above each."""
    made = []
    for at, (cell, text) in enumerate(zip_longest(cells, texts[: len(cells)], fillvalue="")):
        if text:
            made.append({"cell_type": "markdown", "metadata": {}, "source": text, "id": f"t-{at}"})
        made.append({
            "cell_type": "code", "metadata": {}, "execution_count": None, "source": cell,
            "outputs": [], "id": f"cell-{at}",
        })  # fmt: skip
    return {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def corpus(name: str) -> list[Case]:
    """All sections of a corpus."""
    sections = re.split(r"^## ", (CORPUS / f"{name}.md").read_text("utf-8"), flags=re.MULTILINE)
    return [_case(section) for section in sections[1:]]


def _case(section: str) -> Case:
    title, _, text = section.partition("\n")
    cells = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    files = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    between = re.split(r"^```python\n.*?^```$", text, flags=re.MULTILINE | re.DOTALL)
    texts = [re.sub(r"^```.*?^```$", "", each, flags=re.MULTILINE | re.DOTALL) for each in between]
    due = re.search(r"^Due: (\S+)", text, re.MULTILINE)
    crlf = re.search(r"^Line ends: crlf", text, re.MULTILINE)
    points = float(due[1]) if due else 0.0
    said = re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in said for line in block.splitlines()]
    ends = "\r\n" if crlf else "\n"
    return Case(
        title.strip(), tuple(cells), points, ends, tuple(map(json.loads, lines)), tuple(files),
        tuple(map(str.strip, texts)),
    )  # fmt: skip


def course() -> Assignment:
    """The assignment of both corpora."""
    return Assignment.load(COURSE)
