"""What a learner predicted in the Explorer, as data, and the check that counts it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final

from tapelab.exercises.answer import Answer, Unreadable
from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.values import Numbers, Picture
from tapelab.views.card import DATA
from tapelab.words import say

ADJOINTS: Final = {"way": "backward"}
"""Questions about gradients; `{"way": "forward"}` are those about values and ops."""


@dataclass(frozen=True)
class Prediction:
    """An answer to what the picture asked before it showed the step.

    `way` is `forward` or `backward`; it `asks` for a `number`, a `vector`, a `shape` or the next
    `op`, `of` what is called so in the learner's code. `said` and `truth` are as written on screen.
    """

    step: int
    way: str
    asks: str
    of: str
    said: str
    truth: str
    right: bool


def predictions(given: Any) -> tuple[Prediction, ...]:
    """What was predicted, in the order in which it was: of a live picture, or in a saved notebook.

    `given` is the widget of `tf.show(tape, target).widget()`, its `predictions`, or the path of a
    notebook, whose kernel may be gone. An answer that was taken back is not among them.
    """
    if isinstance(given, str | PathLike):
        found = list(_saved(json.loads(Path(given).read_text("utf-8"))))
    else:
        found = getattr(given, "predictions", given)
    try:
        return tuple(each if isinstance(each, Prediction) else Prediction(**each) for each in found)
    except TypeError:
        raise TypeError(
            f"predictions() reads a live picture, its predictions or a saved notebook, got "
            f"{type(given).__name__}. Try predictions(widget) with widget = "
            "tf.show(tape, target).widget()."
        ) from None


def _saved(notebook: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The records that live pictures left in the outputs of a notebook."""
    for cell in notebook.get("cells", ()):
        for output in cell.get("outputs", ()):
            yield from output.get("data", {}).get(DATA, {}).get("predictions", ())


def predicted(
    title: str, points: int, *, least: int, of: Mapping[str, str] = ADJOINTS,
    where: tuple[Any, ...] = (),
) -> Check:  # fmt: skip
    """At least so many steps were predicted correctly; fewer earn their part of the points.

    A step counts once, with the first answer to it. The learner's answer returns the widget.
    """

    def judge(answer: Answer) -> Outcome:
        right = _steps_right(_read(answer.part(where)), of)
        if right >= least:
            return check.full()
        told = say("Predict {least} steps, with Predict or `p` in the picture.", least=least)
        return Outcome(points * right // least, told, str(least), str(right))

    check = Check(title, points, judge)
    return check


def _read(given: Any) -> tuple[Prediction, ...]:
    if type(given) is Picture:
        return given.predictions
    given = given if type(given) in (list, tuple) else [given]
    try:
        return tuple(Prediction(**{key: _field(each) for key, each in one.items()})
                     for one in given)  # fmt: skip
    except (AttributeError, TypeError):
        raise Unreadable(
            say(
                "Return the live picture that you predicted in: `widget = "
                "tf.show(tape, target).widget()` in a cell of its own."
            )
        ) from None


def _field(value: Any) -> Any:
    return value.array.item() if type(value) is Numbers else value


def _steps_right(found: Sequence[Prediction], of: Mapping[str, str]) -> int:
    """How many steps were answered correctly at the first attempt."""
    first: dict[int, Prediction] = {}
    for each in found:
        first.setdefault(each.step, each)
    asked = [each for each in first.values() if all(getattr(each, k) == v for k, v in of.items())]
    return sum(each.right for each in asked)
