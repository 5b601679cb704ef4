"""The steps of one training as plain data: losses, norms of gradients, epochs.

A `TrainingSeries` is to a training what a `Recording` is to one tape. It holds at most MOST_ROWS
rows of at most MOST_VARIABLES norms, whatever the length of the training; the step at which the
gradient of a variable first became None, NaN or infinite is never left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from tapelab.recording.drawable import Pictured

MOST_ROWS: Final = 1_000
MOST_VARIABLES: Final = 64
VANISHED: Final = 1e-7
"""Smaller than this in the root mean square, a gradient no longer moves a weight near 1."""
Norm: TypeAlias = float | Literal["none"] | None
"""A norm, NaN and infinity included; "none" where the gradient is None; None where unknown."""
State: TypeAlias = Literal["gradient", "vanished", "zero", "nan", "none", "unknown"]


class Row(NamedTuple):
    """A step, its loss, and the norms in the order of the variables; later ones may be missing."""

    step: int
    loss: float | None
    norms: tuple[Norm, ...]


class SeriesVariable(NamedTuple):
    """A variable: its name in the model, and how many elements it has."""

    name: str
    size: int


@dataclass(frozen=True)
class TrainingSeries(Pictured):
    """Losses and gradient norms by step, and the first step of each epoch."""

    target: str
    variables: tuple[SeriesVariable, ...]
    rows: tuple[Row, ...]
    epochs: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    """The steps whose tapes can be opened."""

    def epoch_of(self, step: int) -> int:
        """The number of the epoch of a step, from 1; 0 where epochs are unknown."""
        return sum(first <= step for first in self.epochs)

    def to_json(self) -> dict[str, Any]:
        """The series as JSON values; numbers that are not finite are words."""
        rows = [
            [row.step, json_number(row.loss), [json_number(norm) for norm in row.norms]]
            for row in self.rows
        ]
        return {
            "target": self.target,
            "variables": [list(variable) for variable in self.variables],
            "rows": rows,
            "epochs": list(self.epochs),
            "kept": list(self.kept),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> TrainingSeries:
        """The series from what `to_json` returned."""
        return cls(
            data["target"],
            tuple(SeriesVariable(name, size) for name, size in data["variables"]),
            tuple(
                Row(step, _loss(loss), tuple(map(_norm, norms)))
                for step, loss, norms in data["rows"]
            ),
            tuple(data["epochs"]),
            tuple(data["kept"]),
        )


def json_number(number: Norm) -> float | str | None:
    """A number as JSON can carry it."""
    if not isinstance(number, float) or math.isfinite(number):
        return number
    return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"


def _norm(number: float | str | None) -> Norm:
    if number is None or number == "none":
        return number  # type: ignore[return-value]  # the word itself
    return float(number)


def _loss(number: float | str | None) -> float | None:
    return None if number is None else float(number)


def state_of(norm: Norm, size: int) -> State:
    """How a gradient of so many elements looks, in a word."""
    if norm is None:
        return "unknown"
    if norm == "none":
        return "none"
    if not math.isfinite(norm):
        return "nan"
    if norm == 0:
        return "zero"
    return "vanished" if norm < least_norm(size) else "gradient"


def least_norm(size: int) -> float:
    """The norm below which a gradient of so many elements has vanished."""
    return VANISHED * math.sqrt(size)


def thinned(rows: Sequence[Row], kept_steps: Iterable[int]) -> list[Row]:
    """Every second row, the newest, and those of some steps."""
    wanted = set(kept_steps)
    last = len(rows) - 1
    return [row for at, row in enumerate(rows) if (last - at) % 2 == 0 or row.step in wanted]
