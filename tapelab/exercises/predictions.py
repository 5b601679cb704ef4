"""What a learner predicted in the Explorer, as data, and the check that counts it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final

from tapelab.exercises.answer import Answer
from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.questions import Question, question
from tapelab.exercises.ungradable import Unreadable
from tapelab.exercises.values import Numbers, Picture, Prediction
from tapelab.locales import say
from tapelab.recording import Recording
from tapelab.views.card import DATA
from tapelab.views.timeline import Model

ADJOINTS: Final = {"way": "backward"}
"""Questions about gradients; `{"way": "forward"}` are those about values and ops."""


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
    title: str, points: int, *, least: int, program: Callable[[], Recording],
    of: Mapping[str, str] = ADJOINTS, where: tuple[Any, ...] = (),
) -> Check:  # fmt: skip
    """At least so many steps were predicted correctly; fewer earn their part of the points.

    A step counts once, with the first answer to it. The learner's answer returns the widget, a
    picture of the `program` that the text gives. What is right is found by whoever gives points:
    `program` runs there, and returns `tape.recording(target)`. What the widget or a saved notebook
    says is right counts for nothing.
    """

    def judge(answer: Answer) -> Outcome:
        right = _steps_right(_read(answer.part(where)), of, Model.of(program()))
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


def _steps_right(found: Sequence[Prediction], of: Mapping[str, str], model: Model) -> int:
    """How many steps were answered correctly at the first attempt."""
    first: dict[int, Prediction] = {}
    for each in found:
        if type(each.step) is int:
            first.setdefault(each.step, each)
    return sum(_is_right(each, of, question(model, step)) for step, each in first.items())


def _is_right(said: Prediction, of: Mapping[str, str], asked: Question | None) -> bool:
    """Whether this is what was asked for, and the answer to it."""
    if asked is None:
        return False
    about = {"step": said.step, "way": asked.way, "asks": said.asks, "of": asked.of}
    wanted = all(about.get(name) == value for name, value in of.items())
    return wanted and asked.is_right(str(said.asks), str(said.said))
