"""The points of a learner, read from what their notebook shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tapelab.views.card import DATA


@dataclass(frozen=True)
class Points:
    """What a notebook has earned, out of what its lesson is worth."""

    earned: float
    of: float


def points_in(notebook: Path) -> Points | None:
    """The points in a saved notebook, the last verdict of each exercise; None where none is."""
    from tapelab.exercises.registry import lesson  # which knows how exercises are checked

    try:
        verdicts = {each["exercise"]: each for each in _verdicts(notebook)}
        numbers = {each["lesson"] for each in verdicts.values()}
        worth = sum(each.points for number in numbers for each in lesson(number))
        return Points(sum(each["points"] for each in verdicts.values()), worth) if worth else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None  # no copy, or no notebook: the list of lessons is no place to complain


def _verdicts(notebook: Path) -> Iterator[dict[str, Any]]:
    for cell in json.loads(notebook.read_bytes())["cells"]:
        for output in cell.get("outputs", ()):
            told = output.get("data", {}).get(DATA, {})
            if "exercise" in told:
                yield told
