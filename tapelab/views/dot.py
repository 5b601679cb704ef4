"""The graph of a recording for Graphviz, to print or to put into a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tapelab.views.static_figure import FigureNode, StaticFigure, static_figure
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

    shown = static_figure(recording)
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
            _fill(cluster, static_figure(recording), title)
    return drawn


def _empty(title: str) -> graphviz.Digraph:
    import graphviz

    drawn = graphviz.Digraph(title)
    drawn.attr(rankdir="LR", fontname="sans-serif")
    drawn.attr("node", shape="box", fontname="monospace", fontsize="11")
    drawn.attr("edge", fontname="monospace", fontsize="10")
    return drawn


def _fill(drawn: graphviz.Digraph, shown: StaticFigure, prefix: str = "") -> None:
    for number, node in enumerate(shown.nodes):
        more = {"peripheries": "2"} if node.size else {}
        drawn.node(f"{prefix}{number}", _label(node), **SHAPES[node.kind], **more)
    for edge in shown.edges:
        drawn.edge(f"{prefix}{edge.start}", f"{prefix}{edge.end}", **EDGES[edge.kind])


def _label(node: FigureNode) -> str:
    """The op and the name, the value, and the gradient if one was computed."""
    import graphviz

    lines = [f"{node.pill}  {node.name}" if node.pill else node.name]
    if node.value:
        lines.append(node.value)
    if node.gradient:
        lines.append(f"gradient {node.gradient}")
    return "\\n".join(map(graphviz.escape, lines))
