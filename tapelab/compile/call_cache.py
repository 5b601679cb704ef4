"""The fast path into a trace: calls of tensors and plain values of kinds that were seen before.

Most calls of a function are like the one before it: tensors and plain numbers, in the order of the
parameters. For these the key of the arguments (`signature.key_of`) is not computed. Shapes, dtypes
and plain values lead directly to the program or the replay that ran such a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from tapelab.compile.abstract_evaluation import current_environment
from tapelab.compile.compiled_program import Compiled
from tapelab.compile.execution import is_unobserved
from tapelab.compile.guards import GuardedPrograms, OtherWayError
from tapelab.compile.taped_call import NOT_TAPED, has_one_simple_tape
from tapelab.config import settings
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor

MISSED: Final = object()
"""The cache has no target for a call."""
_PLAIN: Final = frozenset({bool, int, float, str, bytes, type(None)})
_MOST: Final = 256


class CallTarget(NamedTuple):
    """How calls of one kind are run: by a replay, or by a program if there is or may be one.

    Under a tape, `connect` joins the results if it has to (`concrete_function.connected`).
    """

    replay: Callable[[Sequence[Tensor]], Any]
    program: Compiled | GuardedPrograms[Compiled] | None
    may_have_one: bool
    connect: Callable[[Any, Sequence[Tensor]], Any] | None


class CallCache:
    """The call targets of one function, by the shapes, dtypes and plain values of arguments."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], CallTarget] = {}
        self._last: tuple[tuple[Any, ...], CallTarget | None] = (), None
        """The target of the last call of tensors alone, by their shapes and dtypes."""

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
        target = self._known.get(_kind(args, kwargs, tensors))
        if target is None:
            return MISSED
        if not kwargs and len(tensors) == len(args):
            self._last = tuple([(x._array.shape, x._array.dtype) for x in tensors]), target
        return _taken(target, tensors)

    def learn(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        target: CallTarget | None,
        inputs: list[Tensor],
    ) -> None:
        """Remember the target of a call, if its inputs are just the tensors of its arguments."""
        if target is None or len(self._known) >= _MOST:
            return
        tensors: list[Tensor] = []
        kind = _kind(args, kwargs, tensors)
        if kind is not None and list(map(id, tensors)) == list(map(id, inputs)):
            self._known[kind] = target
            self._last = (), None


def _taken(target: CallTarget, tensors: Sequence[Tensor]) -> Any:
    """The results of a call of a target, or MISSED."""
    if not target.may_have_one or not is_unobserved():
        inside = thread.trace is not None or current_environment() is not None
        result = MISSED if inside else _result_under_tapes(target, tensors)
        if target.connect is None or result is MISSED:
            return result
        return target.connect(result, tensors)
    if target.program is None:
        return MISSED
    try:
        return target.program.call(tensors)
    except Exception:  # noqa: BLE001 - the slow path raises it again, at its line
        return MISSED


def _result_under_tapes(target: CallTarget, tensors: Sequence[Tensor]) -> Any:
    """The results of a call under tapes: by the program if one simple tape is active."""
    if not has_one_simple_tape():
        return target.replay(tensors)
    if target.program is None:
        return MISSED if target.may_have_one else target.replay(tensors)
    try:
        results = target.program.run_taped(tensors)
    except OtherWayError:
        return MISSED
    except Exception:  # noqa: BLE001 - the replay raises it again, at its line
        return target.replay(tensors)
    return target.replay(tensors) if results is NOT_TAPED else results


def _kind(args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[Tensor]) -> Any:
    """The key of a call in the cache; None if it has arguments of other types."""
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
