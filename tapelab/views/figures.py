"""Still figures of a recording, drawn with Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tapelab.views.graph import EdgeKind, NodeKind
from tapelab.views.still import HEIGHT, WIDTH, Card, Road, Still, still
from tapelab.views.svg import Piece, labels, lane

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tapelab.recording import Recording

VALUE: Final = "#0072B2"
GRADIENT: Final = "#D55E00"
INK: Final = "#212121"
FRAMES: Final = {
    NodeKind.VARIABLE: ("#00875F", 2.0, "-", 12.0),
    NodeKind.CONSTANT: ("#909090", 1.25, "-", 1.5),
    NodeKind.OP: ("#909090", 1.25, "-", 6.0),
    NodeKind.OFF: ("#909090", 1.25, "--", 1.5),
}
"""Colour, width, dash and corner of a card's outline."""
ROADS: Final = {EdgeKind.TAPED: (VALUE, "-"), EdgeKind.OFF: ("#909090", "--")}
CUT: Final = ("#B5478C", "--")
SLOTS: Final = {"none": "#8F2A66", "nonezero": "#8F2A66", "nan": INK}
POINTS: Final = 72 / 96
"""What a pixel of the screen is in points."""


def figure(recording: Recording) -> Figure:
    """The graph as a figure: values on their way forwards, gradients on their way back."""
    from matplotlib.figure import Figure

    shown = still(recording)
    width, height = shown.size
    drawn = Figure(figsize=((width + 24) / 96, (height + 40) / 96))
    axes = drawn.add_axes((0, 0, 1, 1))
    axes.set_xlim(-12, width + 12)
    axes.set_ylim(height + 28, -12)
    draw_graph(axes, shown)
    return drawn


def draw_graph(axes: Axes, shown: Still) -> None:
    """Cards and roads in the pixels of the screen, and below them what is left out."""
    axes.set_axis_off()
    for road in shown.roads:
        _draw_road(axes, shown, road)
    for card, (x, y) in zip(shown.cards, shown.places, strict=True):
        _draw_card(axes, card, x, y)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    for told, x, y in labels(shown):
        _write(axes, x, y - 5, told, "#A33F00", ha="center", bbox=box)
    axes.text(0, shown.size[1] + 20, shown.note, fontsize=12 * POINTS, color="#686868")


def _draw_road(axes: Axes, shown: Still, road: Road) -> None:
    """The lane of the value, and that of the gradient where one came back."""
    _draw_lane(axes, lane(shown, road, back=False), *ROADS.get(road.kind, CUT))
    if road.back is not None:
        pieces = reversed(lane(shown, road, back=True))
        _draw_lane(axes, [(x, y, at, to) for at, to, x, y in pieces], GRADIENT, "-")


def _draw_lane(axes: Axes, pieces: list[Piece], colour: str, dash: str) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    points = [pieces[0][:2]]
    for x, y, to_x, to_y in pieces:
        middle = (x + to_x) / 2
        points += [(middle, y), (middle, to_y), (to_x, to_y)]
    curve = Path(points, [Path.MOVETO] + [Path.CURVE4] * (len(points) - 1))
    style = {"arrowstyle": "-|>", "mutation_scale": 8, "linewidth": 1.5 * POINTS}
    axes.add_patch(FancyArrowPatch(path=curve, color=colour, linestyle=dash, **style))  # type: ignore[arg-type]  # settings of several types


def _draw_card(axes: Axes, card: Card, x: float, y: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    colour, line, dash, corner = FRAMES[card.kind]
    for shift in (6, 3, 0) if card.size else (0,):
        box = FancyBboxPatch(
            (x + shift + corner, y + shift + corner),
            WIDTH - 2 * corner,
            HEIGHT - 2 * corner,
            boxstyle=f"round,pad={corner}",
            facecolor="white",
            edgecolor=colour,
            linewidth=line * POINTS,
            linestyle=dash,
        )
        axes.add_patch(box)
    title = f"{card.pill}  {card.name}" if card.pill else card.name
    _write(axes, x + 12, y + 16, title if len(title) <= 17 else f"{title[:16]}…", INK)
    _write(axes, x + WIDTH - 12, y + 40, card.value, "#075A99", ha="right")
    shade = SLOTS.get(card.state, "#A33F00")
    _write(axes, x + WIDTH - 12, y + 62, card.gradient, shade, ha="right")


def _write(axes: Axes, x: float, y: float, text: str, colour: str, **more: Any) -> None:
    size, shown = 11.5 * POINTS, text.replace("$", r"\$")
    axes.text(x, y, shown, color=colour, fontsize=size, family="monospace", va="center", **more)
