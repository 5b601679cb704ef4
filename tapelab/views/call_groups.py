"""The calls in which the nodes of a graph ran, and the blocks of other tapes among them.

The same groups as in `extension/src/core/groups.ts`.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from itertools import takewhile
from typing import Final

from tapelab.recording import Recording
from tapelab.recording import events as e
from tapelab.recording.schema import Group
from tapelab.views.tape_graph import Graph, NodeKind

TAPE: Final = "tape"
"""The kind of a group that is the block of another tape."""


class CallGroups:
    """The groups of a recording in `rows`, and the innermost of each node, or -1."""

    def __init__(self, recording: Recording, graph: Graph) -> None:
        self.rows = list(recording.groups)
        self.of_node = [-1] * len(graph.nodes)
        self._graph = graph
        self._ran = [number for number, node in enumerate(graph.nodes) if node.event >= 0]
        for number in self._ran:
            event = recording.located[graph.nodes[number].event].event
            if isinstance(event, e.Ran):
                self.of_node[number] = event.group
        for tape in recording.nested:
            closed = tape.closed if tape.closed >= 0 else len(recording)
            self._enclose(tape.name, tape.opened, closed)

    def depth(self, group: int) -> int:
        """How many groups are around a group."""
        parent = self.rows[group].parent
        return 0 if parent < 0 else 1 + self.depth(parent)

    def _path(self, node: int) -> list[int]:
        """The groups around a node, the outermost first."""
        path: list[int] = []
        group = self.of_node[node]
        while group >= 0:
            path.insert(0, group)
            group = self.rows[group].parent
        return path

    def _enclose(self, name: str, opened: int, closed: int) -> None:
        """Make a group of what ran in the block of another tape, unless it cuts through a call."""
        nodes, ran = self._graph.nodes, self._ran
        start, end = (bisect_left(ran, at, key=lambda node: nodes[node].event)
                      for at in (opened, closed))  # fmt: skip
        inside = ran[start:end]
        outside = (*ran[:start], *ran[end:])
        if len(inside) < 2 or not any(nodes[each].kind is NodeKind.OP for each in outside):
            return
        first = self._path(inside[0])
        for node in inside:
            pairs = zip(first, self._path(node), strict=False)
            first = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
        depth = len(first)

        def call_at(node: int) -> list[int]:
            return self._path(node)[depth : depth + 1]

        edges = [(ran[start - 1], inside[0])] if start else []
        edges += [(ran[end], inside[-1])] if end < len(ran) else []
        if any(call_at(inner) and call_at(outer) == call_at(inner) for outer, inner in edges):
            return
        block = len(self.rows)
        self.rows.append(Group(name, first[-1] if first else -1, -1, TAPE))
        for node in inside:
            call = call_at(node)
            if not call:
                self.of_node[node] = block
            elif call[0] != block:
                self.rows[call[0]] = replace(self.rows[call[0]], parent=block)
