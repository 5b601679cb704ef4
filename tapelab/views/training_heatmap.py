"""The film of a training: a heat map of gradient norms, steps across and variables down.

The same model as in `extension/src/core/film.ts`; the golden films hold both to it. A column shows
the newest of its steps, unless one of them is NaN or None. Of more than MOST_LINES variables, those
of one layer share a line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, Literal, TypeAlias

from tapelab.locales import say
from tapelab.recording.training_series import Norm, Row, SeriesVariable, TrainingSeries
from tapelab.views.number_format import MINUS

Cell: TypeAlias = int | Literal["nan", "none", "zero", ""]
"""A level of the scale, a state that is no level, or "" where unknown."""

LEVELS: Final = 9
MOST_LINES: Final = 24
LOWEST: Final = -12
HIGHEST: Final = 6
DECADES: Final = 3
"""The scale spans at least so many powers of ten."""
COLUMNS: Final = 120
LINE: Final = 14
LABEL: Final = 12.5
"""The height of a line, and about the width of two letters of a label, in pixels."""
WIDTH: Final = 640
RAMP: Final = (
    "#fae9de", "#f6dbc7", "#f1ccaf", "#ecbb95", "#e7a980", "#e19665", "#db7a34", "#d55e00",
    "#a84f08",
)  # fmt: skip
"""The tints of a gradient from pale to dark, as film.css mixes them on paper."""
STYLE: Final = """
text{font:11px menlo,consolas,"DejaVu Sans Mono",monospace;fill:#212121}
.l{fill:#686868}.nan{fill:#212121}.ground{fill:#f7f7f7}.epoch{stroke:#909090;stroke-dasharray:1 3}
.none,.zero{fill:none;stroke:#d55e00;stroke-width:2}.none{stroke:#b5478c;stroke-dasharray:2 2}
path{shape-rendering:crispEdges}
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A variable, or a layer, through all columns."""

    name: str
    size: int
    norms: tuple[Norm, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Heatmap:
    """The cells of the film; `columns` are their last steps, `low` and `high` powers of ten."""

    columns: tuple[int, ...]
    lines: tuple[Line, ...]
    low: int
    high: int


def heatmap(series: TrainingSeries, most_columns: int = COLUMNS) -> Heatmap:
    """The film of a series, in at most so many columns."""
    groups = _groups(series.rows, most_columns)
    drawn = [
        (name, members, tuple(_norm_of_column(rows, members) for rows in groups))
        for name, members in _lines(series.variables).items()
    ]
    low, high = _scale(norm for _, _, norms in drawn for norm in norms)
    lines = tuple(
        Line(
            name,
            sum(series.variables[at].size for at in members),
            norms,
            tuple(_level(norm, low, high) for norm in norms),
        )
        for name, members, norms in drawn
    )
    return Heatmap(tuple(rows[-1].step for rows in groups), lines, low, high)


def _groups(rows: Sequence[Row], most: int) -> list[Sequence[Row]]:
    """Rows in at most so many groups of equal size; the oldest may be smaller."""
    size = max(1, -(-len(rows) // most))
    first = len(rows) % size
    starts = ([0] if first else []) + list(range(first, len(rows), size))
    return [rows[start : first if start < first else start + size] for start in starts]


def _short_names(variables: Sequence[SeriesVariable]) -> list[str]:
    """The names without the component that begins all of them."""
    names = [variable.name for variable in variables]
    begin = names[0].partition("/")[0] + "/" if names else ""
    shared = len(names) > 1 and all(name.startswith(begin) for name in names)
    return [name.removeprefix(begin) for name in names] if shared else names


def _lines(variables: Sequence[SeriesVariable]) -> dict[str, list[int]]:
    """Which variables stand in each line: one, or all of a layer."""
    names = _short_names(variables)
    lines: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        layer = name.rpartition("/")[0] if len(names) > MOST_LINES else ""
        lines.setdefault(layer or name, []).append(at)
    return lines


def _is_number(norm: Norm) -> bool:
    return isinstance(norm, float | int) and math.isfinite(norm)


def _worst(norms: Sequence[Norm]) -> Norm:
    """The first that is not finite, else None of the gradient; None where all are numbers."""
    broken = (norm for norm in norms if isinstance(norm, float) and not math.isfinite(norm))
    return next(broken, "none" if "none" in norms else None)


def _norm_of_column(rows: Sequence[Row], members: Sequence[int]) -> Norm:
    """The norm of the newest of some steps, unless one of them is NaN or None."""
    steps = [_together([_norm(row, at) for at in members]) for row in rows]
    numbers = [norm for norm in steps if _is_number(norm)]
    worst = _worst(steps)
    return worst if worst is not None else numbers[-1] if numbers else None


def _norm(row: Row, at: int) -> Norm:
    return row.norms[at] if at < len(row.norms) else None


def _together(norms: Sequence[Norm]) -> Norm:
    """The norm of several gradients together; NaN and None win over numbers."""
    numbers = [norm for norm in norms if isinstance(norm, float) and math.isfinite(norm)]
    worst = _worst(norms)
    return worst if worst is not None else math.hypot(*numbers) if numbers else None


def _scale(norms: Iterable[Norm]) -> tuple[int, int]:
    """The powers of ten between which the norms lie."""
    logs = [math.log10(norm) for norm in norms if isinstance(norm, float) and 0 < norm < math.inf]
    if not logs:
        return -DECADES, 0
    high = max(LOWEST, min(HIGHEST, math.ceil(max(logs))))
    return min(max(LOWEST, min(HIGHEST, math.floor(min(logs)))), high - DECADES), high


def _level(norm: Norm, low: int, high: int) -> Cell:
    if norm is None:
        return ""
    if isinstance(norm, str):
        return "none"
    if not math.isfinite(norm):
        return "nan"
    if norm == 0:
        return "zero"
    share = (math.log10(norm) - low) / (high - low)
    return max(0, min(LEVELS - 1, math.floor(share * LEVELS)))


def svg(series: TrainingSeries) -> str:
    """The film as one SVG, to print or to put into a paper, with its legend."""
    film = heatmap(series)
    wide, high = len(film.columns) or 1, len(film.lines)
    left = 8 + LABEL / 2 * 1.1 * max((len(line.name) for line in film.lines), default=0)
    cell = max(3.0, min(18.0, (WIDTH - left) / wide))
    right, bottom = left + cell * wide, high * LINE
    title = say("Gradient norms by step")
    names = "".join(
        f'<text x="{left - 8:g}" y="{at * LINE + 11}" text-anchor="end">{escape(line.name)}</text>'
        for at, line in enumerate(film.lines)
    )
    looks: tuple[Cell, ...] = (*range(LEVELS), "nan", "none", "zero")
    cells = "".join(_cells(film, look, left, cell) for look in looks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{right + 24:g}" '
        f'height="{bottom + 68:g}" viewBox="-12 -12 {right + 24:g} {bottom + 68:g}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
        f'<rect class="ground" x="{left:g}" y="0" width="{cell * wide:g}" height="{bottom}"/>'
        f"{names}{cells}{_epochs(film, series, left, cell)}{_axis(film, left, right, bottom)}"
        f"{_legend(film, left, bottom + 34)}</svg>\n"
    )


def _cells(film: Heatmap, look: Cell, left: float, wide: float) -> str:
    """One path for all cells that look alike."""
    path = ""
    for row, line in enumerate(film.lines):
        for column, cell in enumerate(line.cells):
            if cell == look and cell != "":
                path += _mark(look, left + column * wide, row * LINE, wide)
    return f'<path {_paint(look)} d="{path}"/>' if path else ""


def _mark(look: Cell, x: float, y: float, wide: float) -> str:
    """A filled cell; of None and zero a line through its middle."""
    if look in ("none", "zero"):
        return f"M{x:g} {y + LINE / 2:g}h{wide:g}"
    return f"M{x:g} {y:g}h{wide:g}v{LINE}h{-wide:g}z"


def _paint(look: Cell) -> str:
    return f'fill="{RAMP[look]}"' if isinstance(look, int) else f'class="{look}"'


def _epochs(film: Heatmap, series: TrainingSeries, left: float, wide: float) -> str:
    """A dotted line before the first column of each epoch but the first."""
    starts = [
        next((at for at, step in enumerate(film.columns) if step >= first), 0)
        for first in series.epochs
    ]
    if len(series.epochs) * 4 > len(film.columns):
        return ""
    high = len(film.lines) * LINE
    path = "".join(f"M{left + at * wide:g} 0v{high}" for at in starts if at)
    return f'<path class="epoch" d="{path}"/>' if path else ""


def _axis(film: Heatmap, left: float, right: float, bottom: float) -> str:
    if not film.columns:
        return ""
    first, last = film.columns[0], film.columns[-1]
    return (
        f'<text class="l" x="{left:g}" y="{bottom + 14:g}">{say("step {step}", step=first)}</text>'
        f'<text class="l" x="{right:g}" y="{bottom + 14:g}" text-anchor="end">{last}</text>'
    )


def _legend(film: Heatmap, left: float, top: float) -> str:
    """The scale from its lower to its upper power of ten, and the states that occur."""
    low, high = (f"1e{power}".replace("-", MINUS) for power in (film.low, film.high))
    start = left + 7 * len(low) + 4
    drawn = f'<text class="l" x="{left:g}" y="{top + 10:g}">{low}</text>'
    for level in range(LEVELS):
        path = f"M{start + level * 12:g} {top:g}h12v12h-12z"
        drawn += f'<path {_paint(level)} d="{path}"/>'
    x = start + LEVELS * 12 + 6
    drawn += f'<text class="l" x="{x:g}" y="{top + 10:g}">{high}</text>'
    x += 7 * len(high) + 18
    for look, name in (("nan", "NaN, ∞"), ("none", "None"), ("zero", "0")):
        if not any(look in line.cells for line in film.lines):
            continue
        path = f"M{x:g} {top + 6:g}h12" if look != "nan" else f"M{x:g} {top:g}h12v12h-12z"
        drawn += (
            f'<path class="{look}" d="{path}"/>'
            f'<text class="l" x="{x + 18:g}" y="{top + 10:g}">{name}</text>'
        )
        x += 18 + 7 * len(name) + 18
    return drawn


BLOCKS: Final = "▁▂▃▄▅▆▇█"
TEXT_COLUMNS: Final = 48


def text(series: TrainingSeries) -> str:
    """The film for a terminal: a row of blocks for each variable, the higher the larger."""
    film = heatmap(series, TEXT_COLUMNS)
    if not film.columns:
        return say("No step of this training was measured.")
    room = max(len(line.name) for line in film.lines)
    rows = [f"{line.name:<{room}}  {''.join(map(_block, line.cells))}" for line in film.lines]
    low, high = (f"1e{power}".replace("-", MINUS) for power in (film.low, film.high))
    scale = say(
        "Gradient norms from {low} ▁ to {high} █ in steps {first} to {last}; N is NaN or "
        "infinite, ∅ None, 0 zero.",
        low=low, high=high, first=film.columns[0], last=film.columns[-1],
    )  # fmt: skip
    return "\n".join([*rows, "", scale])


def _block(cell: Cell) -> str:
    if isinstance(cell, int):
        return BLOCKS[min(cell, len(BLOCKS) - 1)]
    return {"nan": "N", "none": "∅", "zero": "0", "": " "}[cell]
