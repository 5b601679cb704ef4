"""What `graph.as_graph_def()` returns: the calls of a graph by name, and what each one takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tapelab.compile.call_graph import Node, Slot
from tapelab.compile.pytree import leaves


@dataclass(frozen=True)
class NodeDef:
    """A call: its name, the op that it is of, and the names of the calls whose results it takes."""

    name: str
    op: str
    input: list[str]


@dataclass(frozen=True)
class GraphDef:
    """The calls of a graph, its inputs first."""

    node: list[NodeDef]


def graph_def(names: Sequence[str], inputs: Sequence[Slot], calls: Iterable[Node]) -> GraphDef:
    """The description of a graph with so many named inputs."""
    names_of = {slot.number: name for slot, name in zip(inputs, names, strict=False)}
    nodes = [NodeDef(name, "Placeholder", []) for name in names]
    for call in calls:
        taken = (leaf for leaf in leaves((call.args, call.kwargs)) if type(leaf) is Slot)
        nodes.append(
            NodeDef(
                call.name, call.kind, [names_of[s.number] for s in taken if s.number in names_of]
            )
        )
        names_of |= {slot.number: call.name for slot in call.results if slot is not None}
    return GraphDef(nodes)
