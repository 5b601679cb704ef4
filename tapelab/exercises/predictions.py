"""What a learner predicted in the Explorer, as data, and the check that grades it.

The Explorer asks before it shows a step: which op runs next, or which value or gradient arrives.
The same questions are derived here from the recording, so that points do not depend on what a
browser reports as right. `extension/src/core/predict.ts` has the same rules.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab.exercises.answer import Answer
from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.values import Numbers, Picture, Prediction, Unreadable, Value
from tapelab.locales import say
from tapelab.recording import Recording
from tapelab.recording.schema import TensorFacts
from tapelab.views.card import DATA
from tapelab.views.timeline import BACKWARD, FORWARD, Model, Step

RELATIVE: Final = 0.01
WRITTEN: Final = 0.002
"""An answer may be off by a part of the number, and by what is lost in writing it down."""
SMALL: Final = 0.01
"""Numbers smaller than that are not rounded to 0."""
TYPED: Final = 6
"""So many numbers can be typed; of more, the shape is asked for."""
Floats = Sequence[float]
_NUMBER: Final = re.compile(r"[-+]?(\d++\.?\d*+|\.\d++)(e[-+]?\d++)?|[-+]?Infinity", re.IGNORECASE)


@dataclass(frozen=True)
class Question:
    """What can be asked about a step: its `truth`, None where nothing arrives, and its `op`."""

    step: int
    way: str
    of: str
    op: str
    asks: str = ""
    """A number, a vector or a shape; empty where only the op can be asked for."""
    truth: Floats | None = None

    def is_right(self, asks: str, said: str) -> bool:
        """Whether an answer is right, with some tolerance for rounding."""
        if asks == "op":
            return said.strip() == self.op
        if asks != self.asks:
            return False
        none = said.strip().lower() == "none"
        if self.truth is None or none:
            return none and self.truth is None
        return _JUDGES[asks](said, self.truth)


def question(model: Model, step: int) -> Question | None:
    """What is asked about a step; None where there is nothing to find out."""
    if not 1 <= step <= len(model):
        return None
    shown = model.at(step)
    return _back(model, shown) if shown.phase == BACKWARD else _ahead(model, shown)


def _ahead(model: Model, step: Step) -> Question | None:
    """About the op that runs next: which it is, or what it makes."""
    tensor = model.tensor(step.node)
    if tensor is None or model.op(step.node) is None or model.is_off(step.frame):
        return None
    asks, truth = _question_about(tensor)
    op = _op_name(model, step.node)
    return Question(step.number, FORWARD, model.label(step.node), op, asks, truth)


def _back(model: Model, step: Step) -> Question | None:
    """About what comes back next: how much arrives, or through which op."""
    if step.flow is None or step.through < 0:
        return None
    asks, truth = "number", None
    if step.flow.contribution >= 0:
        asks, truth = _question_about(model.recording.tensor(step.flow.contribution))
    op = _op_name(model, step.through)
    return Question(step.number, BACKWARD, model.label(step.node), op, asks, truth)


def _question_about(tensor: TensorFacts) -> tuple[str, Floats | None]:
    """What to ask of a tensor, and what is right."""
    if tensor.value is None:
        return ("shape", tensor.shape) if tensor.shape else ("", None)
    numbers = np.asarray(tensor.value).real.astype(float).ravel().tolist()
    if not tensor.shape:
        return "number", numbers
    few = len(tensor.shape) == 1 and len(numbers) <= TYPED
    return ("vector", numbers) if few else ("shape", tensor.shape)


def _op_name(model: Model, node: int) -> str:
    """An op as it stands among those to choose from."""
    op, label = model.op(node), model.label(node)
    glyph = op.glyph if op else ""
    return f"{glyph} {label}" if glyph and glyph != label else label


def _parse_number(said: str) -> float:
    """`−1.5`, `1,5`, `3/4` as a number; NaN for anything else."""
    plain = said.strip().replace("−", "-").replace(",", ".").replace("∞", "Infinity")
    parts = [each.strip() for each in plain.split("/")]
    if not 1 <= len(parts) <= 2 or not all(map(_NUMBER.fullmatch, parts)):
        return math.nan
    top, bottom = float(parts[0]), float(parts[-1]) if len(parts) > 1 else 1.0
    return top / bottom if bottom else math.nan


def _is_number(said: str, truth: float) -> bool:
    if math.isnan(truth):
        return said.strip().lower() == "nan"
    if math.isinf(truth):
        return _parse_number(said) == truth
    size = abs(truth)
    written = 0.0 if 0 < size < SMALL else WRITTEN
    return abs(_parse_number(said) - truth) <= RELATIVE * size + written


def _parts(said: str) -> list[str]:
    """`[1, 2, 3]`, `1 2 3` or `1,2,3` one by one."""
    inside = re.sub(r"[\[\]()]", " ", said).strip()
    return re.split(r",?\s+|\s*;\s*" if re.search(r"[\s;]", inside) else ",", inside)


def _is_vector(said: str, truth: Floats) -> bool:
    """Whether so many numbers are right; one stands for all where they are alike."""
    parts = _parts(said)
    if len(parts) == 1:
        parts *= len(truth)
    return len(parts) == len(truth) and all(map(_is_number, parts, truth))


def _is_shape(said: str, truth: Floats) -> bool:
    sizes = [each.lstrip("0") or "0" for each in re.findall(r"\d+", said, re.ASCII)]
    return sizes == [str(int(each)) for each in truth]


_JUDGES: Final[dict[str, Callable[[str, Floats], bool]]] = {
    "number": lambda said, truth: _is_number(said, truth[0]),
    "vector": _is_vector,
    "shape": _is_shape,
}


GRADIENT_QUESTIONS: Final = {"way": "backward"}
"""Questions about gradients; `{"way": "forward"}` are those about values and ops."""


def predictions(given: Value) -> tuple[Prediction, ...]:
    """What was predicted, in the order in which it was: of a live picture, or in a saved notebook.

    `given` is the widget of `tf.show(tape, target).widget()`, its `predictions`, or the path of a
    notebook, whose kernel may be gone. An answer that was taken back is not among them.
    """
    if isinstance(given, str | PathLike):
        answers: Value = list(_saved(json.loads(Path(given).read_text("utf-8"))))
    else:
        answers = getattr(given, "predictions", given)
    try:
        return tuple(
            each if isinstance(each, Prediction) else Prediction(**each) for each in answers
        )
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
    of: Mapping[str, str] = GRADIENT_QUESTIONS, where: tuple[Any, ...] = (),
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
        parts = say("Predict {least} steps, with Predict or `p` in the picture.", least=least)
        return Outcome(points * right // least, parts, str(least), str(right))

    check = Check(title, points, judge)
    return check


def _read(given: Value) -> tuple[Prediction, ...]:
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


def _field(value: object) -> Any:
    return value.array.item() if type(value) is Numbers else value


def _steps_right(answers: Sequence[Prediction], of: Mapping[str, str], model: Model) -> int:
    """How many steps were answered correctly at the first attempt."""
    first: dict[int, Prediction] = {}
    for each in answers:
        if type(each.step) is int:
            first.setdefault(each.step, each)
    return sum(_is_right(each, of, question(model, step)) for step, each in first.items())


def _is_right(said: Prediction, of: Mapping[str, str], expected: Question | None) -> bool:
    """Whether this is what was asked for, and the answer to it."""
    if expected is None:
        return False
    about = {"step": said.step, "way": expected.way, "asks": said.asks, "of": expected.of}
    wanted = all(about.get(name) == value for name, value in of.items())
    return wanted and expected.is_right(str(said.asks), str(said.said))
