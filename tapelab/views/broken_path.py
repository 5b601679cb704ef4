"""The mini graph of a finding: the way from source to target, and where it is cut."""

from __future__ import annotations

from collections import deque
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from tapelab.locales import say
from tapelab.recording import Recording
from tapelab.recording import events as e
from tapelab.views.number_format import format_brief, shortened
from tapelab.views.tape_graph import EdgeKind, NodeKind
from tapelab.views.timeline import Model

if TYPE_CHECKING:
    from tapelab.diagnosis.finding import Explanation, Finding

WIDTH: Final = 132
HEIGHT: Final = 70
GAP: Final = 68
TOP: Final = 12
ROOM: Final = 16
KEPT: Final = 5
"""Of a longer way the ends and the cut are drawn."""


class Way(NamedTuple):
    """Nodes from the source to the target; the way is cut behind `nodes[cut]`."""

    nodes: tuple[int, ...]
    cut: int


def cut_graph(recording: Recording, explanation: Explanation, finding: Finding) -> str:
    """The way as SVG; empty where nothing is cut."""
    if explanation.connected and not explanation.partial:
        return ""
    model = Model.of(recording)
    way = _way(model, explanation, finding)
    return _drawn(model, _shortened(way)) if way else ""


def _way(model: Model, explanation: Explanation, finding: Finding) -> Way | None:
    """From the source by what the finding rests on to the target."""
    ends = _ends(model, explanation)
    if ends is None or ends[0] == ends[1]:
        return None
    source, target = ends
    graph = model.graph
    after: dict[int, list[int]] = {}
    for edge in graph.edges:
        after.setdefault(edge.start, []).append(edge.end)
    culprits = [graph.of_event[each] for each in finding.evidence if each in graph.of_event]
    for culprit in [*reversed(culprits), source]:
        ahead, behind = _path(after, source, culprit), _path(after, culprit, target)
        if ahead and behind:
            nodes = (*ahead, *behind[1:])
            cut = _cut(model, nodes, culprit)
            return Way(nodes, cut) if cut is not None else None
    return None if explanation.connected else Way((source, target), 0)


def _ends(model: Model, explanation: Explanation) -> tuple[int, int] | None:
    """The nodes of the source and the target, by the names that the explanation calls them."""
    of_tensor = model.graph.of_tensor
    for each in reversed(model.recording.located):
        if not isinstance(each.event, e.Asked):
            continue
        sources = [of_tensor[tensor] for tensor in each.event.sources if tensor in of_tensor]
        targets = [of_tensor[tensor] for tensor in each.event.targets if tensor in of_tensor]
        named = [node for node in sources if model.label(node) == explanation.source]
        if targets and (named or len(sources) == 1):
            return (named or sources)[0], targets[0]
    return None


def _path(after: dict[int, list[int]], start: int, end: int) -> list[int]:
    """The shortest way along the edges; empty for none."""
    came: dict[int, int] = {start: start}
    waiting = deque([start])
    while waiting and end not in came:
        here = waiting.popleft()
        for node in after.get(here, ()):
            if node not in came:
                came[node] = here
                waiting.append(node)
    if end not in came:
        return []
    way = [end]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]


def _cut(model: Model, nodes: tuple[int, ...], culprit: int) -> int | None:
    """Where the way leaves the tape first, or else where it enters the culprit."""
    kinds = {(edge.start, edge.end): edge.kind for edge in model.graph.edges}
    for at, pair in enumerate(pairwise(nodes)):
        if kinds[pair] is not EdgeKind.TAPED or pair[1] == culprit:
            return at
    return None


def _shortened(way: Way) -> Way:
    """At most five nodes; -1 stands for those left out."""
    nodes, cut = way
    if len(nodes) <= KEPT:
        return way
    ahead, behind = nodes[: cut + 1], nodes[cut + 1 :]
    ahead = ahead if len(ahead) <= 2 else (ahead[0], -1, ahead[-1])
    behind = behind if len(behind) <= 2 else (behind[0], -1, behind[-1])
    return Way((*ahead, *behind), len(ahead) - 1)


def _drawn(model: Model, way: Way) -> str:
    x, drawn, names = 6, [], []
    for at, node in enumerate(way.nodes):
        width = WIDTH if node >= 0 else 20
        if node >= 0:
            drawn.append(_node(model, node, x, halo=at == way.cut + 1))
            names.append(model.label(node) or model.tag(model.graph.nodes[node].frame))
        else:
            drawn.append(f'<text class="small" x="{x + 4}" y="{TOP + HEIGHT / 2}">⋯</text>')
        if at + 1 < len(way.nodes):
            drawn.append(_edge(x + width, at, way.cut))
        x += width + GAP
    label = say(
        "The way from {source} to {target} is cut between {start} and {end}.",
        source=names[0],
        target=names[-1],
        start=_label(model, way.nodes[way.cut]),
        end=_label(model, way.nodes[way.cut + 1]),
    )
    width, height = x - GAP + 8, HEIGHT + 2 * TOP
    return (
        f'<div class="graph" tabindex="0" role="group" aria-label="{escape(label)}">'
        f'<svg role="img" aria-label="{escape(label)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(drawn)}</svg></div>'
    )


def _label(model: Model, node: int) -> str:
    return model.label(node) if node >= 0 else "…"


def _node(model: Model, node: int, x: int, *, halo: bool) -> str:
    """A card: what it is called, what made it, its value, its gradient."""
    facts, kind = model.tensor(node), model.graph.nodes[node].kind
    look, radius = {
        NodeKind.VARIABLE: ("variable", 12),
        NodeKind.OFF: ("off", 1.5),
        NodeKind.CONSTANT: ("", 1.5),
        NodeKind.OP: ("", 6),
    }[kind]
    value = format_brief(facts, ROOM) if facts else ""
    op = model.op(node)
    tag = op.glyph if op else ""
    slot = model.slot_text(model.slot(node), ROOM)
    ring = f'<rect class="halo" x="{x - 4.5}" y="{TOP - 4.5}" width="{WIDTH + 9}" '
    ring += f'height="{HEIGHT + 9}" rx="{radius + 4}"/>'
    name, end = model.label(node), x + WIDTH - 10
    return (
        f'{ring if halo else ""}<rect class="card {look}" x="{x}" y="{TOP}" width="{WIDTH}" '
        f'height="{HEIGHT}" rx="{radius}"/>'
        f'<text x="{x + 10}" y="{TOP + 20}" font-weight="600">'
        f"{escape(shortened(name, ROOM - len(tag)))}</text>"
        f'<text class="small" x="{end}" y="{TOP + 20}" text-anchor="end">{escape(tag)}</text>'
        f'<text class="value" x="{end}" y="{TOP + 41}" text-anchor="end">{escape(value)}</text>'
        f"{_slot(slot, end)}"
    )


def _slot(slot: str, end: int) -> str:
    if slot != "None":
        at = f'x="{end}" y="{TOP + 60}" text-anchor="end"'
        return f'<text class="small" {at}>{escape(slot)}</text>'
    box = f'<rect class="dashed" x="{end - 36}" y="{TOP + 48}" width="40" height="17" rx="4"/>'
    return f'{box}<text class="none" x="{end}" y="{TOP + 60}" text-anchor="end">None</text>'


def _edge(x: int, at: int, cut: int) -> str:
    """A line to the next card; the cut one has a cross in a circle."""
    y, end, middle = TOP + HEIGHT // 2, x + GAP, x + GAP // 2
    if at == cut:
        return (
            f'<path class="cut" d="M{x} {y}H{middle - 15}M{middle + 15} {y}H{end - 6}"/>'
            f'<circle class="stop" cx="{middle}" cy="{y}" r="14"/>'
            f'<path class="cross" d="M{middle - 5} {y - 5}l10 10m0 -10l-10 10"/>'
        )
    if at > cut:
        return f'<path class="untaped" d="M{x} {y}H{end}"/>'
    tip = f'<path class="tip" d="M{end} {y}l-8 -4v8z"/>'
    return f'<path class="taped" d="M{x} {y}H{end - 8}"/>{tip}'
