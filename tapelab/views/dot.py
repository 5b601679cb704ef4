"""The graph of a recording for Graphviz, to print or to put into a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tapelab.views.static_figure import Card, Still, still
from tapelab.views.tape_graph import EdgeKind, NodeKind

if TYPE_CHECKING:
    import graphviz

    from tapelab.recording import Recording

SHAPES: Final = {
    NodeKind.VARIABLE: {"style": "rounded,bold", "color": "#00875F"},
    NodeKind.CONSTANT: {},
    NodeKind.OP: {"style": "rounded"},
    NodeKind.OFF: {"style": "dashed"},
}
EDGES: Final = {
    EdgeKind.TAPED: {"color": "#0072B2"},
    EdgeKind.OFF: {"style": "dashed", "color": "#909090"},
    EdgeKind.CUT: {"style": "dashed", "color": "#B5478C", "label": "×", "fontcolor": "#8F2A66"},
}


def digraph(recording: Recording) -> graphviz.Digraph:
    """The values on their way forwards, each node with its value and its gradient.

    Composites and loops of a long tape are folded; a note below says how much is shown.
    """
    import graphviz

    shown = still(recording)
    drawn = _empty(shown.title)
    drawn.attr(label=graphviz.escape(shown.note))
    _fill(drawn, shown)
    return drawn


def pair(before: Recording, after: Recording) -> graphviz.Digraph:
    """Two graphs as clusters of one."""
    drawn = _empty("before and after")
    for title, recording in (("before", before), ("after", after)):
        with drawn.subgraph(name=f"cluster_{title}") as cluster:
            cluster.attr(label=title, fontname="sans-serif", color="#909090")
            _fill(cluster, still(recording), title)
    return drawn


def _empty(title: str) -> graphviz.Digraph:
    import graphviz

    drawn = graphviz.Digraph(title)
    drawn.attr(rankdir="LR", fontname="sans-serif")
    drawn.attr("node", shape="box", fontname="monospace", fontsize="11")
    drawn.attr("edge", fontname="monospace", fontsize="10")
    return drawn


def _fill(drawn: graphviz.Digraph, shown: Still, prefix: str = "") -> None:
    for number, card in enumerate(shown.cards):
        more = {"peripheries": "2"} if card.size else {}
        drawn.node(f"{prefix}{number}", _label(card), **SHAPES[card.kind], **more)
    for road in shown.roads:
        drawn.edge(f"{prefix}{road.start}", f"{prefix}{road.end}", **EDGES[road.kind])


def _label(card: Card) -> str:
    """The op and the name, the value, and the gradient if one was asked for."""
    import graphviz

    lines = [f"{card.pill}  {card.name}" if card.pill else card.name]
    if card.value:
        lines.append(card.value)
    if card.gradient:
        lines.append(f"gradient {card.gradient}")
    return "\\n".join(map(graphviz.escape, lines))
