"""The short way for ops that run most often: on tensors of ordinary floats.

What such an op does and writes down is what `dispatch.run` does: this file is only about speed.
Every test that is not passed leads to the long way. A result is followed without a look into the
sets of the tapes where an input bears the mark of all tapes that listen (`log._marks_of`), and a
place in the learner's code that was met before is taken from a table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy import float32, float64, ndarray

from tapelab.engine.log import PAIRED, SINGLE, Origin, next_id, origin_here, small, thread
from tapelab.engine.op import Op
from tapelab.engine.tensor import Tensor
from tapelab.recording.facts import KEPT_ELEMENTS

Method = Callable[..., Any]

_SINGLE: Final = np.dtype(float32)
_DOUBLE: Final = np.dtype(float64)
_EXACT: Final = 2**24
"""Up to here every whole number is a float32."""
_frame: Final = sys._getframe
_new: Final = object.__new__


def paired(
    op: Op, apply: Callable[[Any, Any], Any], long_way: Method, *, mirrored: bool = False
) -> Method:
    """The operator `x ∘ y`, or `y ∘ x`, of tensors: `apply` on their values, or the long way."""
    places: dict[int, Origin] = {}

    def operator(self: Any, other: Any) -> Any:
        if type(self) is not Tensor:
            return long_way(self, other)
        state = thread.__dict__
        marks = state["marks"]
        x = self._value
        if type(other) is Tensor:
            if marks and self._tapes is not marks and other._tapes is not marks:
                return long_way(self, other)
            y, one, number = other._value, self._id, other._id
            if (type(x) is not float32 or type(y) is not float32) and not _alike(x, y):
                return long_way(self, other)
        elif (type(other) is float or type(other) is int) and -_EXACT < other < _EXACT:
            dtype, log = x.dtype, state["log"]
            if (marks and self._tapes is not marks) or (log is not None and log.exits):
                return long_way(self, other)
            if dtype is not _SINGLE and dtype is not _DOUBLE:
                return long_way(self, other)
            y, one, number = dtype.type(other), self._id, next_id()
        else:
            return long_way(self, other)
        if mirrored:
            x, y, one, number = y, x, number, one
        try:
            z = apply(x, y)
        except ValueError:
            return long_way(self, other)
        value = z
        if type(z) is ndarray:
            z.setflags(False)  # type: ignore[call-arg]  # the keyword costs time
            if z.size > KEPT_ELEMENTS:
                x, y, z = _large(state, x, y, z)
        frame = _frame(1)
        origin = places.get(frame.f_lasti)
        if origin is None or origin[1] is not frame.f_code or origin[3] is not state["scope"]:
            origin = _place(op, places)
        made = _new(Tensor)
        made._value = value
        made._id = serial = next_id()
        made._origin = origin
        made._tapes = marks
        state["records"].append(
            (PAIRED, serial, state["number"], origin, one, number, x, y, z, marks)
        )
        return made

    return operator


def single(op: Op, long_way: Method) -> Method:
    """The function `y = f(x, name=None)` of a tensor: the kernel on its value, or the long way."""
    places: dict[int, Origin] = {}
    kernel = op.kernel

    def function(x: Any, name: str | None = None) -> Any:
        state = thread.__dict__
        marks = state["marks"]
        if type(x) is not Tensor or (marks and x._tapes is not marks):
            return long_way(x)
        given = x._value
        if not _alike(given, given):
            return long_way(x)
        try:
            y = value = kernel(given)
        except ValueError:
            return long_way(x)
        if not _alike(given, y):
            return long_way(x)
        if type(y) is ndarray:
            y.setflags(False)  # type: ignore[call-arg]  # the keyword costs time
            if y.size > KEPT_ELEMENTS:
                given, y = _large(state, given, y)
        frame = _frame(1)
        origin = places.get(frame.f_lasti)
        if origin is None or origin[1] is not frame.f_code or origin[3] is not state["scope"]:
            origin = _place(op, places)
        made = _new(Tensor)
        made._value = value
        made._id = serial = next_id()
        made._origin = origin
        made._tapes = marks
        state["records"].append((SINGLE, serial, state["number"], origin, x._id, given, y, marks))
        return made

    return function


def _alike(x: Any, y: Any) -> bool:
    """Whether two values are ordinary floats of one dtype."""
    kind = type(x)
    if kind is not ndarray and kind is type(y):
        return kind is float32 or kind is float64
    dtype = x.dtype
    return dtype is y.dtype and (dtype is _SINGLE or dtype is _DOUBLE)


def _large(state: dict[str, Any], *values: Any) -> tuple[Any, ...]:
    """What the log keeps of large values: all that a way back will take, else only small ones."""
    if not state["marks"]:
        return tuple(map(small, values))
    state["log"].heed()
    return values


def _place(op: Op, places: dict[int, Origin]) -> Origin:
    """Where the learner's code called an operator, kept if that very code called it."""
    origin = origin_here(op)
    if thread.here is not None:
        return origin
    caller = _frame(2)
    if origin[1] is caller.f_code and origin[3] is None:
        places[caller.f_lasti] = origin
    return origin
