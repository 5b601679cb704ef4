"""Every restored snippet of the founding tutorials prints what its tutorial shows.

A tutorial is a text of cells, as in a notebook: a `python` block runs, and the blocks that follow
it say what appears: `text` on the standard output, `stderr` (where tf.print writes), and how each
warning begins that is `logged`. The cells below one heading share their names.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from tapelab.core.op_declaration import REGISTERED

BLOCK = re.compile(r"^```(python|text|stderr|logged)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """The code of a cell, and what it must bring forth, by the kind of block."""

    code: str
    expected: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """Cells that run one after the other in one namespace."""

    name: str
    cells: list[Cell]


def sections(path: Path) -> list[Section]:
    """Read the sections of a tutorial."""
    _, *parts = HEADING.split(path.read_text(encoding="utf-8"))
    return [
        Section(f"{path.stem}: {title}", cells_of(body))
        for title, body in zip(parts[::2], parts[1::2], strict=True)
    ]


def cells_of(body: str) -> list[Cell]:
    cells: list[Cell] = []
    for kind, text in BLOCK.findall(body):
        if kind == "python":
            cells.append(Cell(text))
        else:
            cells[-1].expected[kind] = text
    return cells


def run_cell(code: str, names: dict[str, object]) -> None:
    """Run a cell as a notebook does: the value of its last line is shown."""
    program = ast.parse(code)
    last = program.body[-1]
    if isinstance(last, ast.Expr):
        program.body.pop()
    exec(compile(program, "<cell>", "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
        if value is not None:
            print(repr(value))


SECTIONS = [s for path in sorted(Path(__file__).parent.glob("*.md")) for s in sections(path)]


@pytest.fixture(autouse=True)
def _registered():
    """Take back the gradients that a section registers."""
    before = dict(REGISTERED)
    yield
    REGISTERED.clear()
    REGISTERED.update(before)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_a_section_prints_what_its_tutorial_shows(tf, section, capfd, logged):
    names: dict[str, object] = {"tf": tf, "np": np}
    capfd.readouterr()
    for cell in section.cells:
        logged.clear()
        run_cell(cell.code, names)
        out, err = capfd.readouterr()
        assert out == cell.expected.get("text", "")
        if "stderr" in cell.expected:
            assert err == cell.expected["stderr"]
        beginnings = cell.expected.get("logged", "").splitlines()
        assert len(logged) == len(beginnings), logged
        assert all(map(str.startswith, logged, beginnings)), logged


def test_all_five_tutorials_are_restored():
    assert {s.name.partition(":")[0] for s in SECTIONS} == {f"tutorial_{n}" for n in range(5)}
    assert all(cell.code for section in SECTIONS for cell in section.cells)


def test_a_wrong_output_is_seen(tf, capfd, logged):
    wrong = Section("wrong", [Cell("print(tf.constant(5.0))\n", {"text": "5.0\n"})])
    with pytest.raises(AssertionError):
        test_a_section_prints_what_its_tutorial_shows(tf, wrong, capfd, logged)
