"""The result of a gradient check as plain data: each entry by its rule and by differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.diagnosis.finding import Finding
from tapelab.locales import language, say, say_many, sentence
from tapelab.recording.drawable import Pictured
from tapelab.views.card import plain
from tapelab.views.number_format import format_number

COMPLEX_STEP: Final = sentence("a complex step")
CENTRAL: Final = sentence("central differences")
DIRECTIONS: Final = sentence("central differences along random directions")
ON_KINK: Final = sentence(
    "The derivatives to the left and to the right of `{place}` differ, {left} and {right}: it is "
    "at a kink, where finite differences cannot check a gradient. Try another point."
)


@dataclass(frozen=True)
class Entry:
    """One entry of a gradient, by its rule and by differences."""

    name: str
    index: tuple[int, ...]
    analytic: float | None
    numeric: float
    error: float

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(map(str, self.index))}]" if self.index else self.name


@dataclass(frozen=True, eq=False)
class Checked:
    """All entries of one input; `missing` where its gradient was None.

    Of a large input the entries are directions, and `forward` holds what a forward accumulator says
    of them, where it can.
    """

    name: str
    analytic: NDArray[np.float64]
    numeric: NDArray[np.float64]
    error: NDArray[np.float64]
    missing: bool = False
    forward: NDArray[np.float64] | None = None

    @property
    def worst(self) -> Entry | None:
        """The entry with the largest relative error; None of an empty input."""
        if not self.error.size:
            return None
        at = int(np.argmax(np.where(np.isnan(self.error), np.inf, self.error)))
        index = tuple(int(each) for each in np.unravel_index(at, self.error.shape))
        analytic = None if self.missing else float(self.analytic[index])
        return Entry(self.name, index, analytic, float(self.numeric[index]), self.errors[at])

    @property
    def errors(self) -> list[float]:
        """The relative errors in a row."""
        return [float(each) for each in self.error.reshape(-1)]

    def failures(self, tolerance: float) -> int:
        """How many entries are further apart than allowed; NaN is."""
        return int(np.sum(~(self.error <= tolerance)))


@dataclass(frozen=True, eq=False)
class GradientCheck(Pictured):
    """Whether the gradients of a function are those that differences show.

    A relative error is `|analytic − numeric| / max(|analytic|, |numeric|, floor)`, where nothing
    below the floor can be distinguished from rounding.
    """

    inputs: tuple[Checked, ...]
    method: str
    tolerance: float
    finding: Finding | None = None
    kink: tuple[float, float] | None = None

    @property
    def passed(self) -> bool:
        """Whether all entries agree."""
        return not any(each.failures(self.tolerance) for each in self.inputs)

    @property
    def worst(self) -> Entry | None:
        """The entry that agrees least; None where there is none at all."""
        entries = [each.worst for each in self.inputs if each.worst is not None]
        return max(entries, key=lambda each: (each.error != each.error, each.error), default=None)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def headline(self) -> str:
        """The result in one line."""
        total = sum(each.error.size for each in self.inputs)
        by = say(self.method)
        if self.passed:
            return say_many(
                "The gradient check passed: its {count} entry agrees with {method}.",
                "The gradient check passed: all {count} entries agree with {method}.",
                total,
                method=by,
            )
        return say_many(
            "The gradient check failed: {failed} of {count} entry disagrees with {method}.",
            "The gradient check failed: {failed} of {count} entries disagree with {method}.",
            total,
            failed=sum(each.failures(self.tolerance) for each in self.inputs),
            method=by,
        )

    def lines(self) -> list[str]:
        """One sentence for each input, and what explains a failure."""
        said = [_sentence(each) for each in self.inputs]
        said.append(
            say("A relative error of {tolerance} is allowed.", tolerance=_short(self.tolerance))
        )
        if self.kink and self.worst:
            left, right = map(format_number, self.kink)
            said.append(say(ON_KINK, place=self.worst, left=left, right=right))
        return said

    def to_json(self) -> dict[str, Any]:
        """The check as data."""
        return {
            "language": language(),
            "passed": self.passed,
            "headline": self.headline,
            "method": self.method,
            "tolerance": self.tolerance,
            "inputs": [_to_json(each) for each in self.inputs],
            "finding": self.finding and self.finding.to_json(),
        }

    def __str__(self) -> str:
        parts = [self.headline, *(f"  {plain(line)}" for line in self.lines())]
        return "\n".join([*parts, *(["", str(self.finding)] if self.finding else [])])

    __repr__ = __str__


def _sentence(checked: Checked) -> str:
    worst = checked.worst
    if worst is None:
        return say("`{name}` has no entries.", name=checked.name)
    if worst.analytic is None:
        return say(
            "The gradient for `{name}` is None, differences give {numeric}.",
            name=worst,
            numeric=format_number(worst.numeric),
        )
    return say(
        "`{name}`: analytic {analytic}, numeric {numeric}, the largest relative error {error}.",
        name=worst,
        analytic=format_number(worst.analytic),
        numeric=format_number(worst.numeric),
        error=_short(worst.error),
    )


def _short(value: float) -> str:
    """A relative error in a few digits."""
    if not 1e-3 > value > 0:
        return format_number(value) if value else "0"
    return f"{value:.1e}".replace("e-0", "e-").replace("-", "\u2212")


def _to_json(checked: Checked) -> dict[str, Any]:
    arrays = {name: getattr(checked, name) for name in ("analytic", "numeric", "error")}
    data: dict[str, Any] = {"name": checked.name, "shape": list(checked.error.shape)}
    data |= {name: [_finite(each) for each in array.flat] for name, array in arrays.items()}
    return data | {"missing": checked.missing}


def _finite(value: float) -> float | str:
    """A number as JSON can hold it."""
    return float(value) if np.isfinite(value) else str(float(value))
