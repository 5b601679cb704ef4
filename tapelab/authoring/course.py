"""An example course: an assignment, a roster, and what five students handed in, ready to grade.

The submissions show what a teacher meets in every class: a solved notebook, one with an expected
mistake that came late, one with a SyntaxError, one with an endless loop, and an untouched one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tapelab.authoring.release import released, solved, write_all
from tapelab.authoring.work import Work, WorkError, begin

ASSIGNMENT: Final = "gradients"
"""The folder of the assignment, and so its name."""
HANDED_IN: Final = "handed-in"
ROSTER: Final = "roster.csv"
TIMES: Final = "received.csv"
_STUDENTS: Final = {
    "ada": ("Ada Lovelace", "2026-03-01T10:12"),
    "emmy": ("Emmy Noether", "2026-03-02T09:30"),
    "leonhard": ("Leonhard Euler", "2026-03-01T21:40"),
    "sofja": ("Софья Ковалевская", "2026-03-01T18:03"),
    "hua": ("华罗庚", "2026-03-01T08:00"),
}
"""Their names, and when the learning system received what they handed in."""
_MISTAKE: Final = """\
@tf.exercise("gradients.1")
def derivative(value):
    x = tf.Variable(value)
    return x * x * x

tf.check("gradients.1")
"""
_SYNTAX_ERROR: Final = """\
@tf.exercise("gradients.1")
def derivative(value):
    x = tf.Variable(value)
    with tf.GradientTape() as tape
        cube = x * x * x
    return tape.gradient(cube, x)

tf.check("gradients.1")
"""
_ENDLESS_LOOP: Final = """\
@tf.exercise("gradients.1")
def derivative(value):
    step = 0.1
    while step > 0:
        estimate = ((value + step) ** 3 - value**3) / step
    return estimate

tf.check("gradients.1")
"""
_INSTEAD: Final = {"emmy": _MISTAKE, "leonhard": _SYNTAX_ERROR, "sofja": _ENDLESS_LOOP}
"""The first answer of those who did not solve it; hua handed in the notebook as it was."""


def begin_course(folder: Path) -> tuple[Path, ...]:
    """Write the example into a folder, which is new or empty; the files written."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WorkError(f"{folder} is there already. Choose another name, or empty it first.")
    assignment = begin(folder / ASSIGNMENT)
    return (*assignment, *write_all(dict(_files(Work.read(folder / ASSIGNMENT))), folder))


def _files(work: Work) -> Iterator[tuple[str, bytes]]:
    name = f"{ASSIGNMENT}.ipynb"
    solution = json.loads(solved(work)[name])
    for login in _STUDENTS:
        if login == "hua":
            content = released(work)[name]
        else:
            content = json.dumps(_with_first_answer(solution, _INSTEAD.get(login))).encode()
        yield f"{HANDED_IN}/{login}.ipynb", content
    rows = [(login, *about) for login, about in _STUDENTS.items()]
    yield ROSTER, _table("login,name", [row[:2] for row in rows])
    yield TIMES, _table("login,received", [(row[0], row[2]) for row in rows])


def _with_first_answer(notebook: Mapping[str, Any], answer: str | None) -> Mapping[str, Any]:
    """The notebook with another source of the cell that answers the first exercise."""
    if answer is None:
        return notebook
    marker = answer.partition("\n")[0]
    cells = [
        {**cell, "source": answer} if marker in "".join(cell["source"]) else cell
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": cells}


def _table(head: str, rows: list[tuple[str, ...]]) -> bytes:
    return "\n".join([head, *(",".join(row) for row in rows), ""]).encode()
