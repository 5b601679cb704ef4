"""The short way into a trace: for calls of which a glance tells which one they take.

Most calls of a function are like the one before: tensors and plain numbers, in the order of the
parameters. What such a call goes by (`Function._key`) need not be worked out each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from tapelab.compile.abstract_evaluation import world_here
from tapelab.compile.compiled_program import Compiled
from tapelab.compile.execution import unheard
from tapelab.compile.guards import OtherWayError, Ways
from tapelab.compile.taped_call import NOT_HEARD, heard_by_one
from tapelab.config import settings
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor

MISSED: Final = object()
"""There is no short way for this call."""
_PLAIN: Final = frozenset({bool, int, float, str, bytes, type(None)})
_MOST: Final = 256


class Way(NamedTuple):
    """How calls of one kind are run: by a replay, or by a program if there is or may be one.

    Under a tape it is `direct` if the results can be taken as they are; see `concrete.connected`.
    """

    replay: Callable[[Sequence[Tensor]], Any]
    program: Compiled | Ways[Compiled] | None
    may_have_one: bool
    direct: bool


class Shortcuts:
    """The traces of one function by the shapes, dtypes and plain values of its arguments."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Way] = {}
        self._last: tuple[tuple[Any, ...], Way | None] = (), None
        """The way of the last call of tensors alone, by their shapes and dtypes."""

    def result(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a call with these arguments returns, or MISSED."""
        if not self._known or settings["run_functions_eagerly"]:
            return MISSED
        kinds, last = self._last
        if last is not None and not kwargs and len(args) == len(kinds):
            for each, (shape, dtype) in zip(args, kinds):  # noqa: B905 - strict costs time
                if type(each) is not Tensor:
                    break
                value = each._array
                if value.dtype is not dtype or value.shape != shape:
                    break
            else:
                return _taken(last, args)
        tensors: list[Tensor] = []
        way = self._known.get(_kind(args, kwargs, tensors))
        if way is None:
            return MISSED
        if not kwargs and len(tensors) == len(args):
            self._last = tuple([(x._array.shape, x._array.dtype) for x in tensors]), way
        return _taken(way, tensors)

    def learn(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], way: Way | None, inputs: list[Tensor]
    ) -> None:
        """Remember the way of a call, if its inputs are just the tensors of its arguments."""
        if way is None or len(self._known) >= _MOST:
            return
        tensors: list[Tensor] = []
        kind = _kind(args, kwargs, tensors)
        if kind is not None and list(map(id, tensors)) == list(map(id, inputs)):
            self._known[kind] = way
            self._last = (), None


def _taken(way: Way, tensors: Sequence[Tensor]) -> Any:
    """What a call returns that goes such a way, or MISSED."""
    if not way.may_have_one or not unheard():
        inside = thread.trace is not None or world_here() is not None
        return MISSED if inside or not way.direct else _heard(way, tensors)
    if way.program is None:
        return MISSED
    try:
        return way.program.call(tensors)
    except Exception:  # noqa: BLE001 - the long way meets it again, and tells it at its line
        return MISSED


def _heard(way: Way, tensors: Sequence[Tensor]) -> Any:
    """The results of a call while somebody listens: by the program if one tape does."""
    if not heard_by_one():
        return way.replay(tensors)
    if way.program is None:
        return MISSED if way.may_have_one else way.replay(tensors)
    try:
        found = way.program.heard(tensors)
    except OtherWayError:
        return MISSED
    except Exception:  # noqa: BLE001 - the replay meets it again, and tells it at its line
        return way.replay(tensors)
    return way.replay(tensors) if found is NOT_HEARD else found


def _kind(args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[Tensor]) -> Any:
    """What two calls have in common that go the same short way; None where there is none."""
    kind: list[Any] = list(kwargs)
    for each in (*args, *kwargs.values()) if kwargs else args:
        if type(each) is Tensor:
            value = each._array
            tensors.append(each)
            kind += (value.shape, value.dtype)
        elif type(each) in _PLAIN:
            kind += (type(each), each)
        else:
            return None
    return tuple(kind)
