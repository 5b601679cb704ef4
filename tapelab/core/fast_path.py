"""The fast path of ops that run most often: on tensors of float32 or float64.

It computes and records what `execute.run` does; this file is only about speed. Where a test fails,
the call goes to the slow path. Two searches are saved: an input that bears the token of the active
tapes (`log.ThreadState`) is tracked by all of them, so that their sets are not consulted, and the
origin of a call site that was met before is taken from a table. Everything runs in one frame:
`a * b` crosses two calls of Python (`scalar` and `vector` of benchmarks/).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import numpy as np
from numpy import float32, float64, ndarray

from tapelab.core.cell import read
from tapelab.core.helper_calls import RESUMED, HelperCall, enter
from tapelab.core.large_values import truncated
from tapelab.core.log import TRACED, origin_here, thread
from tapelab.core.op_declaration import Op
from tapelab.core.origin import Origin, next_id
from tapelab.core.records import BinaryOpRun, OpRun, UnaryOpRun
from tapelab.core.tensor import Tensor
from tapelab.core.value_types import Nest, Value
from tapelab.core.variable import Variable
from tapelab.kernels.elementwise_kernels import LARGE
from tapelab.recording.facts import KEPT_ELEMENTS

Method = Callable[..., Any]
Kernel = Callable[[Any, Any], Any]
Settings = Callable[..., dict[str, Any] | None]

_SINGLE: Final = np.dtype(float32)
_DOUBLE: Final = np.dtype(float64)
_EXACT_INTEGERS: Final = 2**24
"""Every integer below this magnitude is a float32."""
_frame: Final = sys._getframe
_new: Final = object.__new__
_in_scope: Final = tuple.__new__


def binary_fast_path(
    op: Op, apply: Kernel, on_arrays: Kernel, slow_path: Method, *, mirrored: bool = False,
    up: int = 1,
) -> Method:  # fmt: skip
    """The operator `x ∘ y`, `y ∘ x` or function of two tensors, or of tensors and numbers.

    `apply` computes it on two scalars, `on_arrays` where one is an array. The user's code is `up`
    frames above it.
    """
    places: dict[int, Origin] = {}
    shrinks = _shrinks(op)

    def function(x: Value, y: Value, name: str | None = None) -> Any:
        if name is not None:
            return slow_path(x, y, name=name)
        state = thread.__dict__
        token = state["token"]
        if type(x) is not Tensor:
            if type(x) is not Variable or token is TRACED:
                return slow_path(x, y)
            x = read(x)
        if type(y) is Variable:
            if token is TRACED:
                return slow_path(x, y)
            y = read(y)
        a = x._array
        if type(y) is Tensor:
            if token and x._tapes is not token and y._tapes is not token:
                return slow_path(x, y)
            b, first, second = y._array, x._id, y._id
            scalars = type(a) is float32 and type(b) is float32
            if not scalars and not _are_floats_alike(a, b):
                return slow_path(x, y)
        elif (type(y) is float or type(y) is int) and -_EXACT_INTEGERS < y < _EXACT_INTEGERS:
            dtype, log = a.dtype, state["log"]
            if (token and x._tapes is not token) or (log is not None and log.exits):
                return slow_path(x, y)
            if dtype is not _SINGLE and dtype is not _DOUBLE:
                return slow_path(x, y)
            b, first, second = dtype.type(y), x._id, next_id()
            scalars = type(a) is not ndarray
            if not scalars and a.size >= LARGE:
                return slow_path(x, y)
        else:
            return slow_path(x, y)
        if mirrored:
            a, b, first, second = b, a, second, first
        try:
            c = apply(a, b) if scalars else on_arrays(a, b)
        except ValueError:
            return slow_path(x, y)
        value = c
        if type(c) is ndarray:
            c.setflags(False)  # type: ignore[call-arg]  # the keyword costs time
            if c.size > KEPT_ELEMENTS or (shrinks and a.size + b.size > KEPT_ELEMENTS):
                if token:
                    log = state["log"]
                    log.large_records[len(log.records)] = None
                else:
                    a, b, c = truncated(a), truncated(b), truncated(c)
        origins = state["fixed_origins"]
        if origins is None:
            frame = _frame(up)
            origin = places.get(frame.f_lasti)
            if origin is None or origin[1] is not frame.f_code:
                origin = _origin_at(op, places, frame, up, state)
            elif (scope := state["scope"]) is not None:
                origin = _in_scope(Origin, (op, origin[1], origin[2], scope))
        else:
            origin = origins.get(op)
            if origin is None or origin[3] is not state["scope"]:
                origin = origins[op] = origin_here(op, up)
        tensor = _new(Tensor)
        tensor._array = value
        tensor._id = serial = next_id()
        tensor._origin = origin
        tensor._tapes = token
        state["records"].append(
            (BinaryOpRun, serial, state["number"], origin, first, second, a, b, c, token)
        )
        return tensor

    return function


def unary_fast_path(op: Op, slow_path: Method, *, up: int = 1) -> Method:
    """The function `y = f(x, name=None)` of a tensor: the kernel on its value, or the slow path."""
    places: dict[int, Origin] = {}
    kernel, shrinks = op.kernel, _shrinks(op)

    def function(x: Value, name: str | None = None) -> Any:
        if name is not None:
            return slow_path(x, name=name)
        state = thread.__dict__
        token = state["token"]
        if type(x) is not Tensor or (token and x._tapes is not token):
            return slow_path(x)
        array = x._array
        dtype = array.dtype
        if (dtype is not _SINGLE and dtype is not _DOUBLE) or array.size >= LARGE:
            return slow_path(x)
        try:
            y = value = kernel(array)
        except ValueError:
            return slow_path(x)
        if y.dtype is not dtype:
            return slow_path(x)
        if type(y) is ndarray:
            y.setflags(False)  # type: ignore[call-arg]  # the keyword costs time
        if (array if shrinks else y).size > KEPT_ELEMENTS:
            if token:
                log = state["log"]
                log.large_records[len(log.records)] = None
            else:
                array, y = truncated(array), truncated(y)
        origins = state["fixed_origins"]
        if origins is None:
            frame = _frame(up)
            origin = places.get(frame.f_lasti)
            if origin is None or origin[1] is not frame.f_code:
                origin = _origin_at(op, places, frame, up, state)
            elif (scope := state["scope"]) is not None:
                origin = _in_scope(Origin, (op, origin[1], origin[2], scope))
        else:
            origin = origins.get(op)
            if origin is None or origin[3] is not state["scope"]:
                origin = origins[op] = origin_here(op, up)
        tensor = _new(Tensor)
        tensor._array = value
        tensor._id = serial = next_id()
        tensor._origin = origin
        tensor._tapes = token
        state["records"].append(
            (UnaryOpRun, serial, state["number"], origin, x._id, array, y, token)
        )
        return tensor

    return function


def fast_path_with_settings(op: Op, settings_of: Settings) -> Callable[[Method], Method]:
    """The fast path of a function of one tensor that takes settings, such as `reshape(x, shape)`.

    `settings_of` is given the array and the other arguments, and returns the settings of the op, or
    None where the slow path has to check them.
    """

    def fast_path(slow_path: Method) -> Method:
        places: dict[int, Origin] = {}
        kernel, shrinks = op.kernel, _shrinks(op)
        has_defaults = len(op.defaults) == len(op.settings)
        without_settings = unary_fast_path(op, slow_path, up=2) if has_defaults else None

        def function(*args: Nest, **kwargs: Nest) -> Any:
            state = thread.__dict__
            token = state["token"]
            x = args[0] if args else None
            if type(x) is not Tensor or (token and x._tapes is not token):
                return slow_path(*args, **kwargs)
            if without_settings is not None and len(args) == 1 and not kwargs:
                return without_settings(x)
            array = x._array
            dtype = array.dtype
            if (dtype is not _SINGLE and dtype is not _DOUBLE) or array.size >= LARGE:
                return slow_path(*args, **kwargs)
            try:
                settings = settings_of(array, *args[1:], **kwargs)
                if settings is None:
                    return slow_path(*args, **kwargs)
                y = value = kernel(array, **settings)
            except (TypeError, ValueError):  # the slow path raises the right error
                return slow_path(*args, **kwargs)
            if y.dtype is not dtype:
                return slow_path(*args, **kwargs)
            if type(y) is ndarray:
                y.setflags(False)  # type: ignore[call-arg]  # the keyword costs time
            if (array if shrinks else y).size > KEPT_ELEMENTS:
                if token:
                    log = state["log"]
                    log.large_records[len(log.records)] = None
                else:
                    array, y = truncated(array), truncated(y)
            origins = state["fixed_origins"]
            if origins is None:
                frame = _frame(1)
                origin = places.get(frame.f_lasti)
                if origin is None or origin[1] is not frame.f_code:
                    origin = _origin_at(op, places, frame, 1, state)
                elif (scope := state["scope"]) is not None:
                    origin = _in_scope(Origin, (op, origin[1], origin[2], scope))
            else:
                origin = origins.get(op)
                if origin is None or origin[3] is not state["scope"]:
                    origin = origins[op] = origin_here(op, 1)
            tensor = _new(Tensor)
            tensor._array = value
            tensor._id = serial = next_id()
            tensor._origin = origin
            tensor._tapes = token
            state["records"].append((
                OpRun, serial, state["number"], origin, (x._id,), (array,), serial, y, settings,
                token,
            ))  # fmt: skip
            return tensor

        return function

    return fast_path


def _are_floats_alike(x: Value, y: Value) -> bool:
    """Whether two values are ordinary floats of one dtype, the first of them not large.

    Large results are written into memory that is used again, which takes the slow path.
    """
    kind = type(x)
    if kind is not ndarray and kind is type(y):
        return kind is float32 or kind is float64
    dtype = x.dtype
    return dtype is y.dtype and (dtype is _SINGLE or dtype is _DOUBLE) and x.size < LARGE


def _shrinks(op: Op) -> bool:
    """Whether the result may be small though what went in was large."""
    return not all(rule.facts.local for rule in op.rules.values())


def _origin_at(
    op: Op, places: dict[int, Origin], frame: FrameType, up: int, state: dict[str, Any]
) -> Origin:
    """The origin of a call of an operator, kept in `places` if user code called it directly.

    Those that may be the first of a call have negative keys there. The common cases of
    `helper_calls.enter` are written out for them, which saves 0.1 µs (`record_helper` of
    benchmarks/).
    """
    origin, code = places.get(~frame.f_lasti), frame.f_code
    if origin is None or origin[1] is not code:
        origin = origin_here(op, up + 2)
        if origin[1] is code and not code.co_flags & RESUMED:
            place = origin[2] if type(origin) is Origin else ~origin[2]
            places[place] = Origin(op, code, origin[2], None)
        return origin
    log, scope = state["log"], state["scope"]
    if log is not None:
        call, key = frame.f_trace, log.key
        if call is None and (outer := frame.f_back) is not None:
            site, around, base = outer.f_code, outer.f_trace, log.base
            caller = around if type(around) is HelperCall and around.key is key else None
            if (caller is not None or site is base) and code is not base:
                frame.f_trace = new = _new(HelperCall)
                new.serial = next_id()
                new.key = key
                new.code = code
                new.caller = caller
                new.site = site
                new.instruction = outer.f_lasti
                new.direct = True
                log.calls.append(new)
            else:
                enter(log, frame)
        elif type(call) is not HelperCall or call.key is not key:
            enter(log, frame)
    return origin if scope is None else _in_scope(Origin, (op, code, origin[2], scope))
