"""TensorFlow's tensors and variables as arrays, and where their values lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import record
from tensorflow.python.framework import ops
from tensorflow.python.ops import gen_resource_variable_ops
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

from tapelab.core.variable import Variable


def has_values(tensor: Any) -> bool:
    """Whether a tensor holds values, and is not a handle."""
    return tensor.dtype not in (tf.resource, tf.variant)


def state_of(end: Any) -> Any:
    """The tensor that the twin of a variable holds at present; another twin itself."""
    return end._cell.state if isinstance(end, Variable) else end


def is_differentiable(value: Any) -> bool:
    """Whether a value is a tensor or a variable of real or complex numbers."""
    is_known = isinstance(value, (ops.EagerTensor, BaseResourceVariable))
    return is_known and bool(value.dtype.is_floating or value.dtype.is_complex)


def plain(end: Any) -> Any:
    """The variable of TensorFlow's in one of Keras."""
    value = getattr(end, "_value", None) if not isinstance(end, ops.EagerTensor) else None
    return value if isinstance(value, BaseResourceVariable) else end


def array_of(value: Any) -> Any:
    """A copy of the values of a tensor; slices are spread out."""
    if value is None:
        return None
    if isinstance(value, (np.ndarray, np.generic)):
        return value
    dense = value if isinstance(value, ops.EagerTensor) else tf.convert_to_tensor(value)
    array = np.array(dense._numpy())
    return array if array.ndim else array[()] if array.dtype.kind != "O" else array


def raw_value(variable: Any) -> Any:
    """The value of a variable in its own memory, read behind the back of TensorFlow's tapes."""
    with record.stop_recording():
        return gen_resource_variable_ops.read_variable_op(variable.handle, variable.dtype)


def value_of(variable: Any) -> Any:
    """A copy of the value of a variable."""
    return array_of(raw_value(variable))


def address_of(tensor: Any) -> int:
    """Where the values of a tensor lie in memory."""
    return int(np.asarray(memoryview(tensor)).__array_interface__["data"][0])
