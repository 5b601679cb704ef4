"""What a picture asks before it shows a step, and whether what was said is right.

The same as in `extension/src/core/predict.ts`, for whoever gives points: there, a learner's browser
judges.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tapelab.recording.schema import TensorFacts
from tapelab.views.timeline import BACKWARD, FORWARD, Model, Step

RELATIVE: Final = 0.01
WRITTEN: Final = 0.002
"""An answer may be off by a part of the number, and by what is lost in writing it down."""
SMALL: Final = 0.01
"""Numbers smaller than that are not rounded to 0."""
TYPED: Final = 6
"""So many numbers can be typed; of more, the shape is asked for."""
Numbers = Sequence[float]
_NUMBER: Final = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|[-+]?Infinity", re.IGNORECASE)


@dataclass(frozen=True)
class Question:
    """What can be asked about a step: its `truth`, None where nothing arrives, and its `op`."""

    step: int
    way: str
    of: str
    op: str
    asks: str = ""
    """A number, a vector or a shape; empty where only the op can be asked for."""
    truth: Numbers | None = None

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
    made = model.tensor(step.node)
    if made is None or model.op(step.node) is None or model.is_off(step.frame):
        return None
    asks, truth = _asked_of(made)
    op = _op_name(model, step.node)
    return Question(step.number, FORWARD, model.label(step.node), op, asks, truth)


def _back(model: Model, step: Step) -> Question | None:
    """About what comes back next: how much arrives, or through which op."""
    if step.flow is None or step.through < 0:
        return None
    asks, truth = "number", None
    if step.flow.contribution >= 0:
        asks, truth = _asked_of(model.recording.tensor(step.flow.contribution))
    op = _op_name(model, step.through)
    return Question(step.number, BACKWARD, model.label(step.node), op, asks, truth)


def _asked_of(tensor: TensorFacts) -> tuple[str, Numbers | None]:
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


def _read(said: str) -> float:
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
        return _read(said) == truth
    size = abs(truth)
    written = 0.0 if 0 < size < SMALL else WRITTEN
    return abs(_read(said) - truth) <= RELATIVE * size + written


def _parts(said: str) -> list[str]:
    """`[1, 2, 3]`, `1 2 3` or `1,2,3` one by one."""
    inside = re.sub(r"[\[\]()]", " ", said).strip()
    return re.split(r",?\s+|\s*;\s*" if re.search(r"[\s;]", inside) else ",", inside)


def _is_vector(said: str, truth: Numbers) -> bool:
    """Whether so many numbers are right; one stands for all where they are alike."""
    told = _parts(said)
    if len(told) == 1:
        told *= len(truth)
    return len(told) == len(truth) and all(map(_is_number, told, truth))


def _is_shape(said: str, truth: Numbers) -> bool:
    return [int(each) for each in re.findall(r"\d+", said, re.ASCII)] == list(truth)


_JUDGES: Final[dict[str, Callable[[str, Numbers], bool]]] = {
    "number": lambda said, truth: _is_number(said, truth[0]),
    "vector": _is_vector,
    "shape": _is_shape,
}
