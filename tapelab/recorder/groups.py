"""The groups of a recording: composites, calls of the user's functions, before and after the tape.

The log says which calls were entered and when (`core.helper_calls`), not when they returned: an op
after a call belongs to it if it stands in the code of the called function, and else to one of the
calls around it. Composites have scopes; a call at the very place of a scope, such as that of
`call` by a layer, is the same call and no group of its own, nor is one that goes on in the class
above.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from types import CodeType
from typing import TYPE_CHECKING, Final

from tapelab.core.helper_calls import HelperCall, is_comprehension
from tapelab.core.origin import ModuleScope, Origin, Scope
from tapelab.recorder.interning import Spans
from tapelab.recording.events import Cause
from tapelab.recording.schema import Group, GroupKind

if TYPE_CHECKING:
    from tapelab.core.tape import GradientTape

NO_CALL: Final = -1
OUTSIDE: Final = {Cause.BEFORE: GroupKind.BEFORE, Cause.AFTER: GroupKind.AFTER}
"""The causes whose ops lie in a group of their own."""
CALLS: Final = frozenset({"call", "__call__"})
"""The methods that are run by a call of their object."""
LONGEST: Final = 48
"""The arguments of longer calls are not said."""
ELLIPSIS: Final = "…"


def _with_comprehensions(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and that of the comprehensions in it, which are part of it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType) and is_comprehension(part):
            yield from _with_comprehensions(part)


class Groups:
    """The groups, each entered when the first op in it is met."""

    def __init__(self, tape: GradientTape, spans: Spans) -> None:
        self.rows: list[Group] = []
        self.calls, self._callers = _calls_of(tape)
        self._thread = tape._thread
        self._serials = [call.serial for call in self.calls]
        self._functions = {
            id(part): call.code for call in self.calls for part in _with_comprehensions(call.code)
        }
        self._spans = spans
        self._placed: dict[tuple[int, int], int] = {}
        self._known: dict[tuple[int, int, GroupKind], int] = {}
        self._of_call: dict[tuple[int, int], int] = {}
        self._of_scope: dict[tuple[int, int], int] = {}
        self._alive: list[Origin | Scope | None] = []
        opened = self.call_at(tape._opened, tape._thread, tape._origin) if self.calls else NO_CALL
        self._around = {opened, *self.callers(opened)}

    def callers(self, call: int) -> Iterator[int]:
        """The calls around one, the innermost first, and last that of none."""
        while call != NO_CALL:
            call = self.caller(call)
            yield call

    def caller(self, call: int) -> int:
        """The call around one, or that of none."""
        return self._callers[call]

    def call_at(self, serial: int, thread: int, origin: Origin) -> int:
        """The call of a function in which something happened, by its id and its place."""
        last = bisect_right(self._serials, serial) - 1
        if last < 0 or thread != self._thread:
            return NO_CALL
        call = self._placed.get((last, id(origin)))
        if call is None:
            self._alive.append(origin)
            call = self._placed[last, id(origin)] = self._innermost(last, origin)
        return call

    def _innermost(self, last: int, origin: Origin) -> int:
        """The innermost of some calls whose code an op, or a scope around it, stands in."""
        place: Origin | Scope | None = origin
        while place is not None:
            function = self._functions.get(id(place.code))
            for call in (last, *self.callers(last)) if function else ():
                if call != NO_CALL and self.calls[call].code is function:
                    return call
            place = place.scope if isinstance(place, Origin) else place.outer
        return NO_CALL

    def of(self, call: int, scope: Scope | None, cause: Cause) -> int:
        """The group of an op that ran in a call and in a scope; -1 for none."""
        outside = OUTSIDE.get(cause, GroupKind.COMPOSITE)
        key = call, id(scope), outside
        group = self._known.get(key)
        if group is None:
            self._alive.append(scope)
            group = self._known[key] = self._enter(call, scope, outside)
        return group

    def _enter(self, call: int, scope: Scope | None, outside: GroupKind) -> int:
        group = NO_CALL if outside is GroupKind.COMPOSITE else self._outside(outside)
        scopes = _outermost_first(scope)
        chain = [each for each in (call, *self.callers(call)) if each not in self._around]
        functions = [self.calls[each].code for each in reversed(chain)]
        sites: set[tuple[CodeType, int]] = set()
        for at, each in enumerate([NO_CALL, *reversed(chain)]):
            if each != NO_CALL:
                called = self.calls[each]
                goes_on = self._written(each)[0].startswith("super")
                if (called.site, called.instruction) not in sites and not goes_on:
                    group, sites = self._call(each, group), set()
            while scopes and self._functions.get(id(scopes[0].code)) not in functions[at:]:
                here = scopes.pop(0)
                sites.add((here.code, here.instruction))
                group = self._scope(here, group)
        return group

    def _outside(self, kind: GroupKind) -> int:
        for number, row in enumerate(self.rows):
            if row.kind == kind:
                return number
        return self._add(Group(kind.value, -1, -1, kind))

    def _call(self, call: int, outer: int) -> int:
        group = self._of_call.get((call, outer))
        if group is None:
            name, arguments = self._written(call)
            row = Group(name, outer, self.site(call), GroupKind.CALL, arguments)
            group = self._of_call[call, outer] = self._add(row)
        return group

    def site(self, call: int) -> int:
        """The span of a call."""
        return self._spans.of(self.calls[call].site, self.calls[call].instruction)

    def title(self, call: int) -> str:
        """A call as the user wrote it; only its function where that is long or not written."""
        name, arguments = self._written(call)
        return Group(name, NO_CALL, NO_CALL, GroupKind.CALL, arguments).title

    def _written(self, call: int) -> tuple[str, str]:
        """The function of a call and its arguments as the user wrote them."""
        code, text = self.calls[call].code, self._spans.whole_text(self.site(call))
        name = code.co_qualname.rsplit(".<locals>.", 1)[-1]
        called, bracket, arguments = text.partition("(")
        by_name = self.calls[call].direct or called.rpartition(".")[2] == code.co_name
        if not text or not (by_name or code.co_name in CALLS):
            return name.strip("<>"), ELLIPSIS
        if not bracket or not text.endswith(")"):
            return text, ""
        return called, arguments[:-1] if len(text) <= LONGEST else ELLIPSIS

    def _scope(self, scope: Scope, outer: int) -> int:
        group = self._of_scope.get((id(scope), outer))
        if group is None:
            self._alive.append(scope)
            span = self._spans.of(scope.code, scope.instruction)
            kind = GroupKind.MODULE if isinstance(scope, ModuleScope) else GroupKind.COMPOSITE
            group = self._of_scope[id(scope), outer] = self._add(
                Group(scope.name, outer, span, kind)
            )
        return group

    def _add(self, row: Group) -> int:
        self.rows.append(row)
        return len(self.rows) - 1


def _calls_of(tape: GradientTape) -> tuple[list[HelperCall], list[int]]:
    """The calls in the logs of a tape, and for each the position of its caller among them.

    A comprehension is part of the function around it.
    """
    logs = {id(log): log for log, _, _ in tape._windows}.values()
    calls: list[HelperCall] = []
    callers: list[int] = []
    places: dict[HelperCall | None, int] = {None: NO_CALL}
    for call in [call for log in logs for call in log.calls]:
        caller = places[call.caller]
        if is_comprehension(call.code):
            places[call] = caller
        else:
            places[call] = len(calls)
            calls.append(call)
            callers.append(caller)
    return calls, callers


def _outermost_first(scope: Scope | None) -> list[Scope]:
    scopes = []
    while scope is not None:
        scopes.append(scope)
        scope = scope.outer
    return scopes[::-1]
