"""The cells of a lesson on an engine of one's choice, without pictures and verdicts.

Run as a program in an environment with TensorFlow, it records what the solved lessons print there:

    PYTHONPATH=. python tests/lessons/engine_cells.py
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import io
import json
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

SOLVED = Path(__file__).parents[2] / "notebooks" / "solutions"
PRINTED = Path(__file__).parent / "printed"
OURS = {
    *("show", "explain", "why", "what_if", "check_gradients"),
    *("exercise", "check", "hint", "progress"),
}
"""What lessons call that TensorFlow does not have."""


class Engine:
    """What a lesson calls `tf`: all that TensorFlow has, and pictures that are not drawn."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf

    def __getattr__(self, name: str) -> Any:
        return _silent if name in OURS else getattr(self._tf, name)


def _silent(*_: Any, **__: Any) -> Any:
    return lambda function: function


def cells(path: Path) -> list[str]:
    """The code cells of a notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]


def printed(path: Path, tf: Any) -> list[str]:
    """What each code cell of a notebook prints on an engine."""
    names: dict[str, Any] = {"tf": Engine(tf)}
    return [_printed(cell, names) for cell in cells(path)]


def _printed(cell: str, names: dict[str, Any]) -> str:
    program = ast.parse(cell)
    program.body = [each for each in program.body if not _imports_tapelab(each)]
    with redirect_stdout(io.StringIO()) as said:
        exec(compile(program, "<cell>", "exec"), names)
    if plots := sys.modules.get("matplotlib.pyplot"):
        plots.close("all")  # as a notebook does when a cell has ended
    return said.getvalue()


def _imports_tapelab(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import) and statement.names[0].name == "tapelab"


def digest(path: Path) -> str:
    """Changes with the code of a notebook, and not with its text."""
    return hashlib.sha256("\n\n".join(cells(path)).encode()).hexdigest()[:16]


def main() -> None:
    """Record what every solved lesson prints on TensorFlow."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ["MPLBACKEND"] = "agg"
    tf = importlib.import_module("tensorflow")
    PRINTED.mkdir(exist_ok=True)
    for path in filter(cells, sorted(SOLVED.glob("*.ipynb"))):
        recorded = {"cells": digest(path), "printed": printed(path, tf)}
        text = json.dumps(recorded, indent=1, ensure_ascii=False) + "\n"
        (PRINTED / f"{path.stem}.json").write_text(text, encoding="utf-8")
        print(path.stem)


if __name__ == "__main__":
    main()
