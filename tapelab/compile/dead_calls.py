"""Dead calls of a graph: those that have no effect, and whose results are not used.

TensorFlow leaves them out of a function, so what would fail in them does not matter. A replay runs
them all the same, because recordings show them, and ignores their errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tapelab.compile.call_graph import Graph, Node, Slot
from tapelab.compile.pytree import Bundle, Tree, leaves


def bodies(node: Node) -> Iterator[Graph]:
    """The graphs that a call runs: of branches, of a loop, of a function."""
    for argument in node.args:
        for part in argument if isinstance(argument, list) else (argument,):
            if isinstance(part, Bundle):
                yield part.graph
    called = getattr(getattr(node.function, "__self__", None), "_graph", None)
    if isinstance(called, Graph):
        yield called


def dead_calls(nodes: Iterable[Node], outputs: Tree) -> frozenset[str]:
    """The names of the dead calls among those of a graph with such outputs."""
    needed, dead = set(_slots(outputs)), set()
    for node in reversed(list(nodes)):
        results = {slot.number for slot in node.results if slot is not None}
        if results and results.isdisjoint(needed) and _is_pure(node):
            dead.add(node.name)
        else:
            needed |= set(_slots((node.args, node.kwargs)))
    return frozenset(dead)


def _slots(tree: Tree) -> Iterator[int]:
    return (leaf.number for leaf in leaves(tree) if isinstance(leaf, Slot))


def _is_pure(node: Node) -> bool:
    """Whether a call does nothing but compute its results."""
    if node.replay_only or node.writes:
        return False
    inner = list(bodies(node))
    return all(_is_pure(each) for body in inner for each in body.nodes) if inner else not node.acts
