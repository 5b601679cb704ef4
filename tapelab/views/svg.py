"""The graph of a recording as one SVG, to print or to put into a paper."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import pairwise, repeat, starmap
from typing import Final
from zlib import crc32

from tapelab.locales import say
from tapelab.recording import Recording
from tapelab.views.number_format import shortened
from tapelab.views.static_figure import (
    HEIGHT,
    WIDTH,
    FigureEdge,
    FigureNode,
    StaticFigure,
    static_figure,
)
from tapelab.views.tape_graph import EdgeKind, NodeKind

MARGIN: Final = 12
VALUE_ROW: Final = 43
GRADIENT_ROW: Final = 65
FITS: Final = 10
FITS_SLOT: Final = 7
"""So many letters of a value, and of a gradient, leave room for the word before it."""
LETTER: Final = 7.3
"""About so wide is a letter of the names and numbers."""
STYLE: Final = """
text{font:12px menlo,consolas,"DejaVu Sans Mono",monospace;fill:#212121}
.t{font-weight:600}.l{font:11.5px system-ui,"Noto Sans",sans-serif;fill:#686868}
.v{fill:#075a99;font-weight:600}.g{fill:#a33f00;font-weight:600}.n{fill:#8f2a66;font-weight:600}
.card{fill:#fff;stroke:#909090;stroke-width:1.25}.variable{stroke:#00875f;stroke-width:2}
.off{stroke-dasharray:5 4}.pill{fill:#f7f7f7;stroke:#909090}.hair{stroke:#e2e2e2}
.value,.part{fill:#f9e8db}.zero{fill:none;stroke:#d55e00;stroke-width:1.5}
.none,.nonezero{fill:none;stroke:#b5478c;stroke-width:1.5;stroke-dasharray:5 3}
.nan{fill:#212121}.white{fill:#fff;font-weight:600}
.pending{fill:none;stroke:#909090;stroke-dasharray:1.5 3}
.ed{fill:none;stroke:#0072b2;stroke-width:1.5}.beside{stroke:#909090;stroke-dasharray:5 4}
.cut{stroke:#b5478c;stroke-width:2;stroke-dasharray:5 4}.back{stroke:#d55e00;stroke-width:2}
.knock{paint-order:stroke;stroke:#fff;stroke-width:5px;stroke-linejoin:round}
"""
DARK: Final = """
@media (prefers-color-scheme:dark){
text,.nan{fill:#f0f0f0}.l{fill:#aeaeae}.v{fill:#8cc8f7}.g{fill:#ffb27a}.n{fill:#f0aed5}
.card{fill:#212121;stroke:#898989}.variable{stroke:#2fb98d}.pill{fill:#282828;stroke:#898989}
.hair{stroke:#3c3c3c}.value,.part{fill:#4a3627}.zero{stroke:#f0883e}.none,.nonezero{stroke:#db7db5}
.white{fill:#212121}.ed{stroke:#56b4e9}.pending,.beside{stroke:#898989}
.cut{stroke:#db7db5}.back{stroke:#f0883e}.knock{stroke:#212121}
[fill="#0072b2"]{fill:#56b4e9}[fill="#d55e00"]{fill:#f0883e}[fill="#909090"]{fill:#898989}
}
"""
"""The same in the dark, for an image on a page that may be either; paper is always light."""
ALONG: Final = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9)
"""Where along its curve a number may stand, the middle first."""
WIDEST: Final = 1400
"""A wider figure is cut into strips: as wide as a page, it could not be read."""
BEFORE: Final = 16
"""So far before a column it is cut: its arrowheads belong to it."""
LABEL: Final = 16
"""Below a curve, the number that stands there."""
Box = tuple[float, float, float, float]
"""Left, top, width and height."""
Piece = tuple[float, float, float, float]
"""A curve from one point to another."""
_EDGES: Final = {EdgeKind.TAPED: "ed", EdgeKind.OFF: "ed beside", EdgeKind.CUT: "ed cut"}
_CORNERS: Final = {NodeKind.VARIABLE: 12, NodeKind.OP: 6}
_TONES: Final = {"none": "n", "nonezero": "n", "nan": "white"}


def svg(recording: Recording, *, adapts: bool = False) -> str:
    """The static figure as one SVG: values of the forward pass in blue, gradients in orange.

    It is light, for paper, or `adapts` to the colour scheme of its page.
    """
    shown = static_figure(recording)
    width, height = (side + 2 * MARGIN for side in shown.size)
    edges = "".join(_edge(shown, edge) for edge in shown.edges)
    texts = "".join(starmap(_label, labels(shown)))
    nodes = "".join(_node(node, *at) for node, at in zip(shown.nodes, shown.places, strict=True))
    drawn = edges + nodes + texts
    if width > WIDEST:
        drawn, width, height = _in_strips(drawn, strips(shown))
    note = ""
    if shown.note:
        note = f'<text class="l" x="0" y="{height - 4:g}">{escape(shown.note)}</text>'
        height += 16
    style = STYLE + DARK if adapts else STYLE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:g}" height="{height:g}" '
        f'viewBox="{-MARGIN} {-MARGIN} {width:g} {height:g}"><title>{escape(shown.title)}</title>'
        f"<style>{style}</style>{drawn}{note}</svg>\n"
    )


def strips(shown: StaticFigure) -> list[Box]:
    """The parts of a wide figure, each of as many whole columns as a page is wide."""
    starts = sorted({x for x, _ in shown.places})
    cuts: list[float] = [-MARGIN]
    for start in starts[1:]:
        if start + WIDTH - cuts[-1] > WIDEST:
            cuts.append(start - BEFORE)
    pieces = [
        piece
        for edge in shown.edges
        for back in (False, True)
        for piece in edge_route(shown, edge, back=back)
    ]
    parts: list[Box] = []
    for left, right in pairwise([*cuts, shown.size[0] + MARGIN]):
        tops = [y for x, y in shown.places if left <= x < right]
        ends = [y for x, y, to_x, to_y in pieces if x < right and to_x > left for y in (y, to_y)]
        top = min([*tops, *ends]) - MARGIN
        bottom = max([*(y + HEIGHT for y in tops), *(y + LABEL for y in ends)]) + MARGIN
        parts.append((left, top, right - left, bottom - top))
    return parts


def _in_strips(drawn: str, parts: list[Box]) -> tuple[str, float, float]:
    """A drawing in parts, one below the other as the staves of a score; and its size."""
    rows, y = "", float(-MARGIN)
    name = f"whole-{crc32(drawn.encode()):x}"
    for left, top, width, height in parts:
        rows += (
            f'<svg x="{-MARGIN}" y="{y:g}" width="{width:g}" height="{height:g}" '
            f'viewBox="{left:g} {top:g} {width:g} {height:g}"><use href="#{name}"/></svg>'
        )
        y += height + MARGIN
    width = max(width for _, _, width, _ in parts)
    return f'<defs><g id="{name}">{drawn}</g></defs>{rows}', width, y


def edge_route(shown: StaticFigure, edge: FigureEdge, *, back: bool) -> list[Piece]:
    """The curve pieces of an edge, from the earlier node to the later one."""
    (x, y), (to_x, to_y) = shown.places[edge.start], shown.places[edge.end]
    row, high = (GRADIENT_ROW - 4, 28) if back else (VALUE_ROW - 4, 6)
    stops = [(x + WIDTH, y + row)]
    for left, top in shown.routes.get((edge.start, edge.end), ()):
        stops += [(left, top + high), (left + WIDTH, top + high)]
    return [(*one, *other) for one, other in pairwise([*stops, (to_x, to_y + row)])]


def _edge(shown: StaticFigure, edge: FigureEdge) -> str:
    drawn = _route_path(edge_route(shown, edge, back=False), _EDGES[edge.kind], forward=True)
    if edge.gradient_text is not None:
        drawn += _route_path(edge_route(shown, edge, back=True), "ed back", forward=False)
    return drawn


def _route_path(pieces: list[Piece], look: str, *, forward: bool) -> str:
    """Curves with horizontal ends, and an arrow at the end where they arrive."""
    path = "M{:g} {:g}".format(*pieces[0])
    for x, y, to_x, to_y in pieces:
        middle = (x + to_x) / 2
        path += f"C{middle:g} {y:g} {middle:g} {to_y:g} {to_x:g} {to_y:g}"
    colour = {"ed back": "#d55e00", "ed": "#0072b2"}.get(look, "#909090")
    at, to, turn = (*pieces[-1][2:], -8) if forward else (*pieces[0][:2], 8)
    head = f'<path fill="{colour}" d="M{at:g} {to:g}l{turn} -4.5v9z"/>'
    return f'<path class="{look}" d="{path}"/>{head}'


def _label(text: str, x: float, y: float) -> str:
    at = f'x="{x:g}" y="{y:g}"'
    return f'<text class="g knock" text-anchor="middle" {at}>{escape(text)}</text>'


def labels(shown: StaticFigure) -> Iterator[tuple[str, float, float]]:
    """The contributions, each below its curve where it covers no node and no other number."""
    taken = [(x, y, x + WIDTH, y + HEIGHT) for x, y in shown.places]
    for edge in shown.edges:
        if not edge.gradient_text:
            continue
        half, pieces = LETTER * len(edge.gradient_text) / 2, edge_route(shown, edge, back=True)
        spots = [(x, y + 14) for part in ALONG for x, y in (_along(each, part) for each in pieces)]
        boxes = [(x - half, y - 11, x + half, y + 2) for x, y in spots]
        best = min(range(len(spots)), key=lambda at: sum(map(_meets, repeat(boxes[at]), taken)))
        taken.append(boxes[best])
        yield edge.gradient_text, *spots[best]


def _along(piece: Piece, t: float) -> tuple[float, float]:
    """A point of a curve as `_route_path` draws it."""
    x, y, to_x, to_y = piece
    u = 1 - t
    return x + (to_x - x) * (1.5 * t * u + t**3), y + (to_y - y) * (3 * t * t * u + t**3)


def _meets(box: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two boxes have a point in common."""
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def _node(node: FigureNode, x: float, y: float) -> str:
    corner = _CORNERS.get(node.kind, 1.5)
    box = f'width="{WIDTH}" height="{HEIGHT}" rx="{corner}"'
    look = f"card {node.kind.value}"
    behind = "".join(f'<rect class="{look}" x="{d}" y="{d}" {box}/>' for d in (6, 3) if node.size)
    return (
        f'<g transform="translate({x:g} {y:g})">{behind}<rect class="{look}" {box}/>{_title(node)}'
        f'<path class="hair" d="M0 28.5H{WIDTH}"/><text class="l" x="12" y="{VALUE_ROW}">'
        f'{say("value") if len(node.value) <= FITS else ""}</text><text class="v" x="{WIDTH - 12}" '
        f'y="{VALUE_ROW}" text-anchor="end">{escape(node.value)}</text>{_slot(node)}</g>'
    )


def _title(node: FigureNode) -> str:
    at, pill = 12.0, ""
    if node.pill:
        wide = max(20, len(node.pill) * 7 + 10)
        pill = (
            f'<rect class="pill" x="8" y="5" width="{wide}" height="19" rx="9.5"/><text class="t" '
            f'text-anchor="middle" x="{8 + wide / 2:g}" y="18.5">{escape(node.pill)}</text>'
        )
        at = wide + 16
    room = max(2, int((WIDTH - at - 6) / LETTER))
    return f'{pill}<text class="t" x="{at:g}" y="19">{escape(shortened(node.name, room))}</text>'


def _slot(node: FigureNode) -> str:
    """The gradient: its outline says where it comes from, its number what it is."""
    if not node.state:
        return f'<text class="l" x="12" y="{GRADIENT_ROW}">{say("not recorded")}</text>'
    wide = max(28.0, len(node.gradient) * LETTER + 10)
    tone = _TONES.get(node.state, "g")
    word = say("gradient") if len(node.gradient) <= FITS_SLOT else ""
    return (
        f'<text class="l" x="12" y="{GRADIENT_ROW}">{word}</text>'
        f'<rect class="{node.state}" '
        f'x="{WIDTH - 6 - wide:g}" y="{GRADIENT_ROW - 13}" width="{wide:g}" height="18" rx="4"/>'
        f'<text class="{tone}" x="{WIDTH - 11}" y="{GRADIENT_ROW}" text-anchor="end">'
        f"{escape(node.gradient)}</text>"
    )
