"""What the lessons' solutions do, as far as they mean it well: some also break gradients."""

import ast
import json
from pathlib import Path

ILL = {"12", "13", "14"}
"""Lessons whose pictures show kinks, numbers that are none, and gradients that vanish."""
SOLUTIONS = Path(__file__).parents[3] / "notebooks" / "solutions"


def _cells(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"])


def _shown(text):
    """A cell that shows its tape, asking what it shows."""
    lines = text.rstrip().split("\n")
    call = lines[-1].removeprefix("tf.show(tape, ").removesuffix(")")
    made = [line.split(" = ")[0] for line in lines if "tf.Variable(" in line]
    is_requested = "tape.gradient(" in text or "," in call
    if not lines[-1].startswith("tf.show(tape, ") or not made or is_requested:
        return None
    return "\n".join([*lines[:-1], f"g = tape.gradient({call}, [{', '.join(made)}])"])


def _answered(text):
    """An exercise that returns a mended tape, asking it."""
    if "return cause, tape, y, x" not in text:
        return None
    tree = ast.parse(text)
    (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    function.decorator_list = []
    called = f"cause, tape, y, x = {function.name}()\ng = tape.gradient(y, [x])"
    return f"{ast.unparse(function)}\n\n{called}"


def _programs():
    for path in sorted(SOLUTIONS.glob("*.ipynb")):
        lesson = path.stem[:2]
        if lesson in ILL:
            continue
        for number, text in enumerate(_cells(path)):
            program = _answered(text) if lesson == "05" else _shown(text)
            if program:
                yield f"{lesson}, cell {number}", program


PROGRAMS = dict(_programs())
