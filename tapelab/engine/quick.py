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

from tapelab.engine.cell import read
from tapelab.engine.log import Origin, next_id, origin_here, thread
from tapelab.engine.op import Op
from tapelab.engine.records import PAIRED, SINGLE, small
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable
from tapelab.kernels.elements import LARGE
from tapelab.recording.facts import KEPT_ELEMENTS

Method = Callable[..., Any]
Kernel = Callable[[Any, Any], Any]

_SINGLE: Final = np.dtype(float32)
_DOUBLE: Final = np.dtype(float64)
_EXACT: Final = 2**24
"""Up to here every whole number is a float32."""
_WAY_BACK: Final = -1
"""Stands for an instruction where a rule called the operator, on a way back that is recorded."""
_frame: Final = sys._getframe
_new: Final = object.__new__


def paired(
    op: Op, apply: Kernel, on_arrays: Kernel, long_way: Method, *, mirrored: bool = False
) -> Method:
    """The operator `x ∘ y`, `y ∘ x` or function of two tensors, or of tensors and numbers.

    `apply` is what it is on two scalars, `on_arrays` what it is where one is an array.
    """
    places: dict[int, Origin] = {}

    def function(x: Any, y: Any, name: str | None = None) -> Any:
        if type(x) is not Tensor:
            if type(x) is not Variable:
                return long_way(x, y)
            x = read(x)
        if type(y) is Variable:
            y = read(y)
        state = thread.__dict__
        marks = state["marks"]
        a = x._value
        if type(y) is Tensor:
            if marks and x._tapes is not marks and y._tapes is not marks:
                return long_way(x, y)
            b, one, other = y._value, x._id, y._id
            scalars = type(a) is float32 and type(b) is float32
            if not scalars and not _alike(a, b):
                return long_way(x, y)
        elif (type(y) is float or type(y) is int) and -_EXACT < y < _EXACT:
            dtype, log = a.dtype, state["log"]
            if (marks and x._tapes is not marks) or (log is not None and log.exits):
                return long_way(x, y)
            if dtype is not _SINGLE and dtype is not _DOUBLE:
                return long_way(x, y)
            b, one, other = dtype.type(y), x._id, next_id()
            scalars = type(a) is not ndarray
            if not scalars and a.size >= LARGE:
                return long_way(x, y)
        else:
            return long_way(x, y)
        if mirrored:
            a, b, one, other = b, a, other, one
        try:
            c = apply(a, b) if scalars else on_arrays(a, b)
        except ValueError:
            return long_way(x, y)
        value = c
        if type(c) is ndarray:
            c.setflags(False)  # type: ignore[call-arg]  # the keyword costs time
            if c.size > KEPT_ELEMENTS:
                a, b, c = _large(state, a, b, c)
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
            (PAIRED, serial, state["number"], origin, one, other, a, b, c, marks)
        )
        return made

    return function


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
    """Whether two values are ordinary floats of one dtype, the first of them not large.

    Large results are written into memory that is used again, which takes the long way.
    """
    kind = type(x)
    if kind is not ndarray and kind is type(y):
        return kind is float32 or kind is float64
    dtype = x.dtype
    return dtype is y.dtype and (dtype is _SINGLE or dtype is _DOUBLE) and x.size < LARGE


def _large(state: dict[str, Any], *values: Any) -> tuple[Any, ...]:
    """What the log keeps of large values: all that a way back will take, else only small ones."""
    if not state["marks"]:
        return tuple(map(small, values))
    state["log"].heed()
    return values


def _place(op: Op, places: dict[int, Origin]) -> Origin:
    """Where the learner's code called an operator, kept if that very code called it.

    So is the place of a whole way back, at which all ops in it stand.
    """
    here = thread.__dict__["here"]
    if here is not None:
        known = places.get(_WAY_BACK)
        if (
            known is None or known[1] is not here[1] or known[2] != here[2]
            or known[3] is not thread.scope
        ):  # fmt: skip
            known = places[_WAY_BACK] = origin_here(op)
        return known
    origin = origin_here(op)
    caller = _frame(2)
    if origin[1] is caller.f_code and origin[3] is None:
        places[caller.f_lasti] = origin
    return origin
