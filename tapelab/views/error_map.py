"""The picture of a gradient check: the relative error of each entry, as cells or as bars."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.locales import say, say_many, sentence
from tapelab.views.card import card as framed
from tapelab.views.card import prose
from tapelab.views.explanation_card import finding_html

if TYPE_CHECKING:
    from tapelab.diagnosis.gradient_check import Checked, GradientCheck

CELL: Final = 20
MOST: Final = 16
"""So many rows or columns at most; where there are more, a cell shows the worst of several."""
HEIGHT: Final = 64
LOWEST: Final = -17.0
"""The exponent of an error that is drawn as none."""
PASSED: Final = sentence("passed")
FAILED: Final = sentence("failed")

Errors = NDArray[np.float64]


def card(check: GradientCheck) -> str:
    """The whole check: its result, a picture for each input, and what explains a failure."""
    look, word = ("good", PASSED) if check.passed else ("", FAILED)
    head = (
        f'<div class="head"><h3>{prose(check.headline)}</h3>'
        f'<span class="chip {look}">{say(word)}</span></div>'
    )
    pictures = "".join(
        f'<div class="input"><p>{prose(line)}</p>{_picture(each, check.tolerance)}</div>'
        for each, line in zip(check.inputs, check.lines(), strict=False)
    )
    rest = "".join(
        f'<div class="input muted"><p>{prose(line)}</p></div>'
        for line in check.lines()[len(check.inputs) :]
    )
    return framed(check.headline, head + pictures + rest + _explained(check))


def _explained(check: GradientCheck) -> str:
    return finding_html(check.finding, None) if check.finding else ""


def _picture(checked: Checked, tolerance: float) -> str:
    errors = np.atleast_1d(checked.error)
    if not errors.size:
        return ""
    grid = errors.reshape(-1, errors.shape[-1])
    shrunk = _worst_of(grid)
    size, drawn = _bars(shrunk[0], tolerance) if len(grid) == 1 else _cells(shrunk, tolerance)
    failed = checked.failures(tolerance)
    label = say_many(
        "Relative errors of {name}: {failed} of {count} entry fails.",
        "Relative errors of {name}: {failed} of {count} entries fail.",
        errors.size,
        name=checked.name,
        failed=failed,
    )
    width, height = size
    return (
        f'<svg role="img" aria-label="{escape(label)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="margin-top:8px">{drawn}</svg>'
    )


def _worst_of(grid: Errors) -> Errors:
    """A grid of at most 16 × 16 cells, each the worst of those that fall together."""
    for axis in (0, 1):
        parts = np.array_split(grid, min(MOST, grid.shape[axis]), axis)
        grid = np.stack([np.max(part, axis) for part in parts], axis)
    return grid


def _level(error: float) -> float:
    """How large an error looks, from 0 to 1: by its power of ten."""
    if error == 0:
        return 0.0
    return 1.0 if not math.isfinite(error) else min(1.0, max(0.0, 1 - math.log10(error) / LOWEST))


def _cells(grid: Errors, tolerance: float) -> tuple[tuple[int, int], str]:
    """A cell for each entry: the darker, the further apart; one that fails has a cross."""
    drawn = []
    for row, column in np.ndindex(*grid.shape):
        error = float(grid[row, column])
        good = error <= tolerance
        x, y = column * CELL, row * CELL
        at = f'x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{CELL - 2}" rx="2"'
        strength = 1.0 if not good else 0.15 + 0.6 * _level(error)
        drawn.append(
            f'<rect class="empty" {at}/><rect class="{"good" if good else "bad"}" {at} '
            f'fill-opacity="{strength:.2f}"><title>{error:.1e}</title></rect>'
        )
        if not good:
            cross = f"M{x + 6} {y + 6}l8 8m0 -8l-8 8"
            drawn.append(f'<path d="{cross}" style="stroke:var(--surface);stroke-width:2"/>')
    return (grid.shape[1] * CELL, grid.shape[0] * CELL), "".join(drawn)


def _bars(row: Errors, tolerance: float) -> tuple[tuple[int, int], str]:
    """A bar for each entry, as high as its power of ten; the dashed line is what is allowed."""
    width, drawn = max(len(row) * CELL, 3 * CELL), []
    for at, each in enumerate(row):
        error = float(each)
        look, high = "good" if error <= tolerance else "bad", max(2.0, HEIGHT * _level(error))
        drawn.append(
            f'<rect class="{look}" x="{at * CELL + 3}" y="{HEIGHT - high:.1f}" width="{CELL - 6}" '
            f'height="{high:.1f}" rx="1.5"><title>{error:.1e}</title></rect>'
        )
    limit = HEIGHT * (1 - _level(tolerance))
    drawn.append(f'<path class="limit" d="M0 {limit:.1f}H{width}"/>')
    drawn.append(f'<path d="M0 {HEIGHT}H{width}" style="stroke:var(--mark)"/>')
    return (width, HEIGHT + 1), "".join(drawn)
