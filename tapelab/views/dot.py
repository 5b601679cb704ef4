"""The graph of a recording for Graphviz, to print or to put into a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tapelab.views.frame import Model
from tapelab.views.graph import EdgeKind, NodeKind
from tapelab.views.numbers import format_brief

if TYPE_CHECKING:
    import graphviz

    from tapelab.recording import Recording

ROOM: Final = 20
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
    """The values on their way forwards, each node with its value and its gradient."""
    import graphviz

    model = Model.of(recording)
    drawn = graphviz.Digraph(recording.tape.name or "tape")
    drawn.attr(rankdir="LR")
    drawn.attr("node", shape="box", fontname="monospace", fontsize="11")
    drawn.attr("edge", fontname="monospace", fontsize="10")
    for number, node in enumerate(model.graph.nodes):
        drawn.node(str(number), _label(model, number), **SHAPES[node.kind])
    for edge in model.graph.edges:
        drawn.edge(str(edge.start), str(edge.end), **EDGES[edge.kind])
    return drawn


def _label(model: Model, node: int) -> str:
    """The op and the name, the value, and the gradient if one was asked for."""
    import graphviz

    op, tensor = model.op(node), model.tensor(node)
    lines = [f"{op.glyph}  {model.label(node)}" if op else model.label(node)]
    if tensor is not None:
        lines.append(format_brief(tensor, ROOM))
    gradient: Any = model.slot_text(model.slot(node), ROOM)
    if gradient:
        lines.append(f"gradient {gradient}")
    return "\\n".join(map(graphviz.escape, lines))
