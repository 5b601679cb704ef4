"""Checks of answers that are picked or measured: one of several, some of several, with a unit."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from tapelab.exercises.answer import Answer, Where
from tapelab.exercises.check import Check, Outcome, Slip
from tapelab.exercises.plain import NotPlain, plain
from tapelab.exercises.value_text import listed
from tapelab.exercises.values import Unreadable, Unsolved, Value
from tapelab.locales import paragraph, say, translated

UNITS: Final[Mapping[str, tuple[str, float]]] = {
    "": ("", 1.0), "%": ("", 0.01),
    "b": ("byte", 1.0), "byte": ("byte", 1.0), "bytes": ("byte", 1.0),
    "kb": ("byte", 1e3), "mb": ("byte", 1e6), "gb": ("byte", 1e9),
    "kib": ("byte", 2.0**10), "mib": ("byte", 2.0**20), "gib": ("byte", 2.0**30),
    "s": ("second", 1.0), "ms": ("second", 1e-3), "µs": ("second", 1e-6), "us": ("second", 1e-6),
    "ns": ("second", 1e-9), "min": ("second", 60.0),
}  # fmt: skip
"""What each unit measures, and how much it is of the unit of that."""

_QUANTITY: Final = re.compile(
    r"\s*+([-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?)\s*+([^\d\s]*+)\s*+"
)
"""Possessive, so that it takes linear time for any answer."""


def choice(
    title: str, points: float, right: str, options: Sequence[str], *, where: Where = (),
    because: str = "", slips: Mapping[str, str] | None = None,
) -> Check:  # fmt: skip
    """One option is picked, and it is the right one; `slips` say what is wrong with another."""
    _known([right, *(slips or {})], options, title)

    def judge(answer: Answer) -> Outcome:
        got = _picked(answer.part(where), options)
        if got == right:
            return check.full()
        return Outcome(0, (slips or {}).get(got, because), got=got)

    foreseen = tuple(Slip(each, text) for each, text in (slips or {}).items())
    check = Check(title, points, judge, slips=foreseen, where=where)
    return check


def choices(
    title: str, points: float, right: Collection[str], options: Sequence[str], *,
    where: Where = (), because: str = "", slips: Mapping[str, str] | None = None,
) -> Check:  # fmt: skip
    """Exactly these options are picked, in any order; each one too many takes away a right one."""
    _known([*right, *(slips or {})], options, title)

    def judge(answer: Answer) -> Outcome:
        got = {_picked(each, options) for each in _each(answer.part(where))}
        if got == set(right):
            return check.full()
        extra = sorted(got - set(right), key=list(options).index)
        share = max(len(got & set(right)) - len(extra), 0) / max(len(right), 1)
        said = [(slips or {}).get(each, "") for each in extra]
        text = paragraph(*map(translated, (*said, because)))
        return Outcome(round(points * share, 2), text, got=listed(sorted(got)))

    foreseen = tuple(Slip([each], text) for each, text in (slips or {}).items())
    check = Check(title, points, judge, slips=foreseen, where=where)
    return check


def quantity(
    title: str, points: float, expected: float, unit: str = "", *, where: Where = (),
    tolerance: float = 0.01, slips: Sequence[Slip] = (),
) -> Check:  # fmt: skip
    """A number with its unit, as in "1.5 kB", (1.5, "kB") or 1500 where the unit is clear."""
    kind, scale = UNITS[unit.lower()]

    def judge(answer: Answer) -> Outcome:
        number, given = _measured(answer.part(where))
        measures, times = UNITS.get(given.lower(), (None, 1.0))
        values = f"{expected:g} {unit}".strip(), f"{number:g} {given}".strip()
        if given and measures != kind:
            return Outcome(0, say("That unit measures something else."), *values)
        got = number * times if given else number * scale
        if math.isclose(got, expected * scale, rel_tol=tolerance, abs_tol=1e-12):
            return check.full()
        for slip in slips:
            if math.isclose(got, slip.value * scale, rel_tol=tolerance, abs_tol=1e-12):
                return Outcome(slip.points, slip.text, *values)
        return Outcome(0, "", *values)

    check = Check(title, points, judge, slips=tuple(slips), where=where)
    return check


def _known(named: Sequence[str], options: Sequence[str], title: str) -> None:
    unknown = [each for each in named if each not in options]
    if unknown:
        raise ValueError(f"The check {title!r} speaks of {listed(unknown)}, which is no option.")


def _picked(value: Value, options: Sequence[str]) -> str:
    """The option that is meant; upper and lower case and spaces around do not matter."""
    if value is ...:
        raise Unsolved(say("Nothing here yet."))
    meant = {each.strip().lower(): each for each in options}
    text = value.strip().lower() if type(value) is str else ""
    if text not in meant:
        raise Unreadable(say("Answer with one of {options}, in quotes.", options=listed(options)))
    return meant[text]


def _each(value: Value) -> Sequence[Any]:
    """The picked options; one alone stands for a list of it, and a text may list several."""
    if type(value) is str:
        return [each for each in re.split(r"[,;]", value) if each.strip()]
    if type(value) not in (list, tuple):
        raise Unreadable(say("Answer with a list of options, each in quotes."))
    return list(value)


def _measured(value: Value) -> tuple[float, str]:
    """A number and its unit; an empty unit where none is given."""
    if type(value) is str:
        match = _QUANTITY.fullmatch(value)
        if match is None:
            raise Unreadable(say('Answer with a number and its unit, as in "1.5 kB".'))
        return float(match[1]), match[2]
    if type(value) in (list, tuple) and len(value) == 2 and type(value[1]) is str:
        return _number(value[0]), value[1].strip()
    return _number(value), ""


def _number(value: Value) -> float:
    array = plain(value)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise NotPlain(say("One number is asked for."))
    return float(array.ravel()[0])
