"""Which frames are TensorFlow's, and which function the user called."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType
from typing import Any, Final

import numpy as np
from tensorflow.python.framework.errors_impl import FailedPreconditionError
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

from tapelab.core.helper_calls import user_frame
from tapelab.core.log import thread
from tapelab.foreign.tensorflow_values import raw_value

LIBRARIES: Final = ("tensorflow", "keras", "wrapt")
"""The packages whose frames are not the user's."""


WRAPPERS: Final = (
    "tensorflow.python.util.", "keras.src.utils.traceback_utils", "wrapt", "tensorflow.dtensor.",
    "tensorflow.python.ops.weak_tensor_ops", "tensorflow.python.profiler.trace",
    "tensorflow.python.framework.override_binary_operator",
)  # fmt: skip
"""Modules that wrap a function of TensorFlow's and call it."""


def frames() -> Iterator[FrameType]:
    """The frames between the recorder and the user's code, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    end = user_frame(sys._getframe(1))
    while frame is not None and frame is not end:
        yield frame
        frame = frame.f_back


def called_function() -> str:
    """The function of TensorFlow's that the user's code called."""
    name = ""
    for frame in frames():
        module = frame.f_globals.get("__name__", "")
        if module.startswith(LIBRARIES) and not module.startswith(WRAPPERS):
            name = frame.f_code.co_name
    return name


def numpy_function() -> str:
    """The function of NumPy's that took a value, as code spells it; empty if none did."""
    name = ""
    for frame in frames():
        if frame.f_globals.get("__name__", "").startswith("numpy"):
            name = f"np.{frame.f_code.co_name}"
    return name


def given_number(tensor: Any) -> Any:
    """The number of the user's that C++ made a tensor of: one that had left before."""
    exits = thread.log.exits if thread.log is not None else {}
    for frame in frames():
        if frame.f_globals.get("__name__", "").startswith("tensorflow.python.ops"):
            for value in frame.f_locals.values():
                if id(value) in exits and exits[id(value)][1] is value:
                    return value
    return None


def name_in_frames(variable: Any) -> str:
    """What the outermost function of the user's calls a variable; empty if none knows it."""
    frame: FrameType | None = user_frame(sys._getframe(1))
    name = ""
    while frame is not None:
        for names in (frame.f_locals, frame.f_globals):
            name = next((key for key, each in list(names.items()) if each is variable), name)
        frame = frame.f_back
    return name


def handle_given(tensor: Any) -> int:
    """The number of the handle of the variable that C++ read as a tensor, by copying it; or -1."""
    inner = [
        each for each in frames() if each.f_globals.get("__name__", "").startswith("tensorflow.")
    ]
    for value in (value for frame in inner for value in frame.f_locals.values()):
        is_made = isinstance(value, BaseResourceVariable) and hasattr(value, "_handle")
        if is_made and value.dtype == tensor.dtype:
            with suppress(FailedPreconditionError):  # it has no value yet
                if np.array_equal(raw_value(value)._numpy(), tensor._numpy()):
                    return int(value.handle._id)
    return -1
