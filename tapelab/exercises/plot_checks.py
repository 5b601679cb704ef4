"""Checks of plots: what is drawn, what the axes say, and how they are scaled.

The learner's function returns the figure, or its axes; only what it shows is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tapelab.exercises.answer import Answer, Where
from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.checks import TOLERANCE
from tapelab.exercises.figure_data import Axes, Plot, Series
from tapelab.exercises.plain import close
from tapelab.exercises.value_text import kind_text, listed, spelled
from tapelab.exercises.values import Unreadable, Value
from tapelab.locales import say


def _check(
    title: str, points: float, where: Where, axes: int, look: Callable[[Axes], Outcome | None]
) -> Check:
    """A check that sees one coordinate system; None from `look` means full points."""

    def judge(answer: Answer) -> Outcome:
        plot = _plot(answer.part(where))
        if len(plot.axes) <= axes:
            return Outcome(0, say("There are too few axes."), str(axes + 1), str(len(plot.axes)))
        return look(plot.axes[axes]) or check.full()

    check = Check(title, points, judge)
    return check


def _plot(value: Value) -> Plot:
    """The figure; the first one of a list, as `plt.plot` and `plt.subplots` return."""
    if type(value) is Plot:
        return value
    if type(value) in (list, tuple):
        plots = [each for each in value if type(each) is Plot]
        if plots:
            return plots[0]
    raise Unreadable(
        say("Return the figure, as in `return plt.gcf()`; this is {kind}.", kind=kind_text(value))
    )


def draws(
    title: str, points: float, x: ArrayLike, y: ArrayLike, *, label: str = "", axes: int = 0,
    where: Where = (), tolerance: float = TOLERANCE,
) -> Check:  # fmt: skip
    """A line, points or bars go through these numbers, in any order of x."""
    right = np.asarray(x, float), np.asarray(y, float)

    def look(axes: Axes) -> Outcome | None:
        if not axes.series:
            return Outcome(0, say("Nothing is drawn yet."))
        best = [each for each in axes.series if not label or label.lower() in each.label.lower()]
        if not best:
            known = listed([each.label for each in axes.series if each.label])
            return Outcome(0, say("Nothing is labelled `{label}`.", label=label), label, known)
        if any(_through(each, *right, tolerance) for each in best):
            return None
        return _missed(best[0], *right, points, tolerance)

    return _check(title, points, where, axes, look)


def _through(series: Series, x: NDArray[Any], y: NDArray[Any], tolerance: float) -> bool:
    order, wanted = np.argsort(series.x, kind="stable"), np.argsort(x, kind="stable")
    return close(series.x[order], x[wanted], tolerance) and close(
        series.y[order], y[wanted], tolerance
    )


def _missed(
    series: Series, x: NDArray[Any], y: NDArray[Any], points: float, tolerance: float
) -> Outcome:
    outcome = Outcome(0, "", spelled(y), spelled(series.y))
    if _through(series, y, x, tolerance):
        return replace(outcome, points=points // 2, text=say("x and y are swapped."))
    if series.y.shape != y.shape:
        text = say("It has {got} points, {right} are expected.", got=len(series.y), right=len(y))
        return replace(outcome, text=text, expected="", got="")
    return replace(outcome, arrays=(y, series.y))


def labelled(
    title: str, points: float, *, x: str = "", y: str = "", heading: str = "",
    axes: int = 0, where: Where = (),
) -> Check:  # fmt: skip
    """The axes say these words, beside others and in any case; each earns its part."""
    wanted = {"x_label": x, "y_label": y, "title": heading}
    wanted = {name: word for name, word in wanted.items() if word}

    def look(axes: Axes) -> Outcome | None:
        said = {name: getattr(axes, name) for name in wanted}
        missing = [name for name in wanted if wanted[name].lower() not in said[name].lower()]
        if not missing:
            return None
        if not any(said.values()):
            text = say("The axes say nothing yet: try `plt.xlabel`, `plt.ylabel` and `plt.title`.")
            return Outcome(0, text)
        text = say("Still missing: {names}.", names=listed([wanted[name] for name in missing]))
        if x and y and x.lower() in axes.y_label.lower() and y.lower() in axes.x_label.lower():
            text = say("The labels of x and y are swapped.")
        return Outcome(round(points * (1 - len(missing) / len(wanted)), 2), text)

    return _check(title, points, where, axes, look)


def scaled(
    title: str, points: float, *, x: str = "linear", y: str = "linear", axes: int = 0,
    where: Where = (),
) -> Check:  # fmt: skip
    """The axes are scaled so, as in `y="log"`."""

    def look(axes: Axes) -> Outcome | None:
        wanted, got = (x, y), (axes.x_scale, axes.y_scale)
        scales = " and ".join(wanted), " and ".join(got)
        return (
            None if wanted == got else Outcome(0, say("Of x and y, these are the scales."), *scales)
        )

    return _check(title, points, where, axes, look)


def legend(
    title: str, points: float, *labels: str, axes: int = 0, where: Where = ()
) -> Check:  # fmt: skip
    """A legend is shown and names these, beside others."""

    def look(axes: Axes) -> Outcome | None:
        shown = " ".join(axes.legend).lower()
        missing = [each for each in labels if each.lower() not in shown]
        if axes.legend and not missing:
            return None
        if not axes.legend:
            return Outcome(
                0, say("There is no legend yet: label what you draw, call `plt.legend()`.")
            )
        return Outcome(0, say("Still missing: {names}.", names=listed(missing)))

    return _check(title, points, where, axes, look)
