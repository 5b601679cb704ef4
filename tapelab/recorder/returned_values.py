"""What the calls of the user's functions returned, by the names that their callers give to it.

The log does not say what a call returned. Its `return` statements do: the value of an op that
stands there, the last value of a name, or what a call that stands there returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tapelab.recorder.groups import Groups
from tapelab.recording.source import Extent

if TYPE_CHECKING:
    from tapelab.recorder.interning import Spans

Part = str | Extent
"""A returned name, or the place of a returned expression."""


class ReturnedValue(NamedTuple):
    """A tensor that a call returned, and what the caller calls it; `named` as for tensors."""

    tensor: int
    name: str
    named: bool


class ReturnedValues:
    """Collects what ops in calls computed, and finds what was returned of it."""

    def __init__(self, groups: Groups, spans: Spans) -> None:
        self._groups, self._spans = groups, spans
        self._computed: dict[int, dict[Part, int]] = {}

    def note(self, call: int, span: int, tensors: Sequence[int]) -> None:
        """Note the results of an op at a place in a call."""
        names = self._spans.targets(span) or (self._spans.name(span),)
        self._keep(call, self._spans.extent(span), tensors[-1:])
        for name, tensor in zip(names, tensors, strict=False):
            self._keep(call, name, (tensor,))

    def _keep(self, call: int, part: Part, tensors: Sequence[int]) -> None:
        computed = self._computed.setdefault(call, {})
        for tensor in tensors if part else ():
            computed[part] = max(tensor, computed.get(part, -1))

    def found(self) -> Iterator[ReturnedValue]:
        """The returned values, those of the inner calls first."""
        for call in reversed(range(len(self._groups.calls))):
            if call in self._computed:
                yield from self._of(call)

    def _of(self, call: int) -> Iterator[ReturnedValue]:
        site, caller = self._groups.site(call), self._groups.caller(call)
        returned = self._returned(call)
        names = self._spans.targets(site) or (self._spans.name(site),)
        if len(returned) == 1:
            self._keep(caller, self._spans.extent(site), returned)
        for name, tensor in zip(names, returned, strict=False):
            if tensor >= 0 and name:
                self._keep(caller, name, (tensor,))
                yield ReturnedValue(tensor, name, named=True)
            elif tensor >= 0:
                yield ReturnedValue(tensor, self._groups.title(call), named=False)

    def _returned(self, call: int) -> tuple[int, ...]:
        """The tensors of the `return` that ran last; -1 for what no op of the call computed."""
        computed = self._computed[call]
        returns = self._spans.returns(self._groups.calls[call].code)
        values = [tuple([computed.get(part, -1) for part in parts]) for parts in returns]
        return max(values, key=lambda tensors: max(tensors, default=-1), default=())
