"""The cell magic `%%predict`: the learner says what a gradient will be before it is shown."""

from __future__ import annotations

import math
from typing import Any, Final

from tapelab.lab.magics import record_cell
from tapelab.locales import say
from tapelab.recording import Recording
from tapelab.views.answers import last_question, name
from tapelab.views.numbers import format_number
from tapelab.widgets.show import Picture, show

RELATIVE: Final = 0.01
ABSOLUTE: Final = 0.002
"""A prediction may be so far off, of the number itself or in all, as in the Explorer."""
MOST: Final = 5
"""So many gradients are asked about."""


def predict_cell(line: str, cell: str) -> Picture:
    """Run a cell as `%%predict` does."""
    __tracebackhide__ = True
    return record_cell(line, cell, magic="%%predict", present=_ask_and_show)


def _ask_and_show(tape: Any, target: Any = None, sources: Any = None) -> Picture:
    __tracebackhide__ = True
    asked = questions(tape.recording(target, sources))
    if not asked:
        print(say("There is no gradient of a single number here to predict."))
    for gradient, truth in asked[:MOST]:
        try:
            said = input(f"{gradient} = ")
        except (EOFError, NotImplementedError):
            print(say("Nothing can be typed here: the picture asks."))
            return show(tape, target, sources, predict=True)
        print(verdict(said, truth))
    return show(tape, target, sources)


def questions(recording: Recording) -> list[tuple[str, float | None]]:
    """The gradients of the last question that are one number, or None, by their names."""
    asked = last_question(recording)
    if asked is None or len(asked.targets) != 1:
        return []
    target, found = name(recording, asked.targets[0]), []
    for source, result in zip(asked.sources, asked.results, strict=True):
        value = recording.tensor(result).value if result >= 0 else None
        if result < 0 or (value is not None and value.size == 1 and value.dtype.kind == "f"):
            truth = None if value is None else float(value.reshape(()))
            found.append((f"d{target}/d{name(recording, source)}", truth))
    return found


def verdict(said: str, truth: float | None) -> str:
    """What to say of a prediction."""
    told = "None" if truth is None else format_number(truth)
    if not said.strip():
        return say("It is {truth}.", truth=told)
    if said.strip().lower() == "none" or truth is None:
        right = said.strip().lower() == told.lower()
    else:
        number = read(said)
        if number is None:
            return say("`{said}` is no number. It is {truth}.", said=said.strip(), truth=told)
        right = math.isclose(number, truth, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return say("Right.") if right else say("Not quite: it is {truth}.", truth=told)


def read(said: str) -> float | None:
    """A number such as `-1.5`, `−1,5` or `3/4`; None for anything else."""
    over, slash, under = said.strip().replace("−", "-").replace(",", ".").partition("/")
    try:
        return float(over) / (float(under) if slash else 1.0)
    except (ValueError, ZeroDivisionError):
        return None
