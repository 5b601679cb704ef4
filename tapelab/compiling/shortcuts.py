"""The short way into a program: for calls of which a glance tells that there is one.

Most calls of a function are like the one before: tensors and plain numbers, in the order of the
parameters. What such a call goes by (`Function._key`) need not be worked out each time.
"""

from __future__ import annotations

from typing import Any, Final

from tapelab.compiling.executing import Compiled, unheard
from tapelab.config import settings
from tapelab.engine.tensor import Tensor

MISSED: Final = object()
"""There is no short way for this call."""
_PLAIN: Final = frozenset({bool, int, float, str, bytes, type(None)})
_MOST: Final = 256


class Shortcuts:
    """The programs of one function by the shapes, dtypes and plain values of its arguments."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Compiled] = {}

    def result(self, args: tuple[Any, ...]) -> Any:
        """What a program returns for these arguments, or MISSED."""
        if not self._known or settings["run_functions_eagerly"] or not unheard():
            return MISSED
        tensors: list[Tensor] = []
        found = self._known.get(_kind(args, tensors))
        if found is None:
            return MISSED
        try:
            return found(tensors)
        except Exception:  # noqa: BLE001 - the long way meets it again, and tells it at its line
            return MISSED

    def learn(self, args: tuple[Any, ...], compiled: Any, inputs: list[Tensor]) -> None:
        """Remember the program of a call, if its inputs are the tensors of its arguments."""
        if type(compiled) is not Compiled or len(self._known) >= _MOST:
            return
        tensors: list[Tensor] = []
        kind = _kind(args, tensors)
        if kind is not None and list(map(id, tensors)) == list(map(id, inputs)):
            self._known[kind] = compiled


def _kind(args: tuple[Any, ...], tensors: list[Tensor]) -> Any:
    """What two calls have in common that go the same short way; None where there is none."""
    kind: list[Any] = []
    for each in args:
        if type(each) is Tensor:
            value = each._value
            tensors.append(each)
            kind += (value.shape, value.dtype)
        elif type(each) in _PLAIN:
            kind += (type(each), each)
        else:
            return None
    return tuple(kind)
