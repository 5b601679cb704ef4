"""Values that left for NumPy or Python, were computed with, and came back as another object.

The log matches an array that comes back unchanged. If it was computed with, only the code shows the
connection: a constant belongs to an exit if the expression that made it names what the exit was
assigned to. `Trail` collects these names.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from tapelab.diagnosis.source_code import Code, Codes, Extent
from tapelab.recording import events as e
from tapelab.recording.schema import Role

if TYPE_CHECKING:
    from tapelab.recording import Recording


SILENT: Final = {"bool()", "pickle"}
"""Exits that leave no number to compute with."""


def unmatched_returns(recording: Recording, codes: Codes) -> list[tuple[int, int]]:
    """Pairs of an exit (its event) and a constant that was computed from what left there."""
    exits = _exits(recording)
    if not exits:
        return []
    trails = {index: _trail(codes, span) for index, span in exits}
    return [
        (index, tensor)
        for event, tensor, span in _constants(recording)
        for index, _ in exits
        if index < event and _leads(codes, trails[index], span)
    ]


def _exits(recording: Recording) -> list[tuple[int, int]]:
    """The values that left and did not come back as they were: the events, and their spans."""
    back = (place.event for place in recording.placed(e.Returned))
    returned = {event.value for event in back if isinstance(event, e.Returned)}
    return [
        (place.index, place.span)
        for place in recording.placed(e.Left)
        if isinstance(place.event, e.Left)
        and recording.strings[place.event.how] not in SILENT
        and (place.event.result < 0 or place.event.result not in returned)
    ]


def _constants(recording: Recording) -> list[tuple[int, int, int]]:
    """Constants that came from nowhere: the event that shows them first, and its span."""
    constants: dict[int, tuple[int, int, int]] = {}
    explained: set[int] = set()
    for place in recording.placed(e.Made, e.Ran, e.Returned, e.Watched):
        match place.event:
            case e.Made(tensor=tensor):
                shown: tuple[int, ...] = (tensor,)
            case e.Ran(inputs=shown):
                pass
            case e.Returned(tensor=tensor) | e.Watched(tensor=tensor):
                explained.add(tensor)
                continue
            case _:
                continue
        for tensor in shown:
            if int(recording.columns["tensor.role"][tensor]) == Role.CONSTANT:
                constants.setdefault(tensor, (place.index, tensor, place.span))
    return [each for tensor, each in constants.items() if tensor not in explained]


class Trail:
    """The names that carry what left at some places of a cell or file."""

    def __init__(self, code: Code, *left: Extent) -> None:
        self.code = code
        self.left = left
        self.names: set[str] = set()
        known = -1
        while known != len(self.names):
            known = len(self.names)
            for statement in code.statements():
                self._follow(statement)

    def touches(self, node: ast.AST) -> bool:
        """Whether a statement or an expression holds the exit or names what came of it."""
        if isinstance(node, (ast.stmt, ast.expr)):
            extent = self.code.extent(node)
            if any(extent.holds(each) for each in self.left):
                return True
        named = (each for each in ast.walk(node) if isinstance(each, ast.Name))
        return any(each.id in self.names for each in named)

    def _follow(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value) if self.touches(value):
                self._carry(targets)
            case ast.AnnAssign(target=target, value=ast.expr() as value) if self.touches(value):
                self._carry([target])
            case ast.AugAssign(target=target, value=value) if self.touches(value):
                self._carry([target])
            case ast.For(target=target, iter=value) if self.touches(value):
                self._carry([target])
            case ast.Return(value=ast.expr() as value) if self.touches(value):
                self.names.add(getattr(self.code.scope(statement), "name", ""))

    def _carry(self, targets: list[ast.expr]) -> None:
        for target in targets:
            nodes = ast.walk(target)
            self.names.update(node.id for node in nodes if isinstance(node, ast.Name))


def _trail(codes: Codes, span: int) -> Trail | None:
    code, left = codes.of(span), codes.extent(span)
    return Trail(code, left) if code and left else None


def _leads(codes: Codes, trail: Trail | None, span: int) -> bool:
    """Whether the expression of a span holds the exit, or a name that carries what left there."""
    code, node = codes.of(span), codes.expression(span)
    if trail is None or node is None or code is None:
        return False
    if code is not trail.code:
        named = (each.id for each in ast.walk(node) if isinstance(each, ast.Name))
        return any(name in trail.names for name in named)
    return trail.touches(node)
