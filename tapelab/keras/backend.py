"""`tf.keras.backend`: settings of the session, such as the default dtype, and conversion."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.core.cell import Holder
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.variable import read
from tapelab.dtypes import DType, as_dtype
from tapelab.keras import name_scopes, seeded_arrays
from tapelab.namespace.missing_names import in_module
from tapelab.ops.casts import cast as _cast

_settings: Final[dict[str, Any]] = {
    "floatx": "float32", "epsilon": 1e-07, "image_data_format": "channels_last",
}  # fmt: skip
_LAYOUTS: Final = ("channels_last", "channels_first")
_OF_PYTHON: Final[dict[Any, str]] = {bool: "bool", int: "int32", float: "float32", str: "string"}
_FLOATS: Final = ("bfloat16", "float16", "float32", "float64")


def floatx() -> str:
    """Return the dtype of new weights, as a string."""
    return str(_settings["floatx"])


def set_floatx(value: str) -> None:
    """Set the dtype of new weights."""
    if value not in _FLOATS:
        raise ValueError(f"Unknown `floatx` value: {value}. Expected one of {set(_FLOATS)}")
    _settings["floatx"] = value


def epsilon() -> float:
    """Return the small number that is added to denominators."""
    return float(_settings["epsilon"])


def set_epsilon(value: float) -> None:
    """Set the small number that is added to denominators."""
    _settings["epsilon"] = value


def image_data_format() -> str:
    """Return the position of the channels in images: `channels_last` by default."""
    return str(_settings["image_data_format"])


def set_image_data_format(data_format: str) -> None:
    """Set the position of the channels in images."""
    layout = str(data_format).lower()
    if layout not in _LAYOUTS:
        raise ValueError(f"Unknown data_format: '{data_format}'. Expected one of {set(_LAYOUTS)}")
    _settings["image_data_format"] = layout


def backend() -> str:
    """Return which Keras backend this is: that of TensorFlow."""
    return "tensorflow"


def standardize_dtype(dtype: Any) -> str:
    """Return a dtype as a string: that of `float` is the default dtype of weights."""
    if dtype is None:
        return floatx()
    if dtype in _OF_PYTHON:
        return floatx() if dtype is float else _OF_PYTHON[dtype]
    try:
        return str(as_dtype(getattr(dtype, "name", dtype)).name)
    except TypeError:
        raise ValueError(f"Invalid dtype: {dtype}") from None


def is_float_dtype(dtype: Any) -> bool:
    """Return whether a dtype is one of floats."""
    return bool(as_dtype(standardize_dtype(dtype)).is_floating)


def is_int_dtype(dtype: Any) -> bool:
    """Return whether a dtype is one of integers."""
    return bool(as_dtype(standardize_dtype(dtype)).is_integer)


def result_type(*dtypes: Any) -> str:
    """Return the dtype of a result of several dtypes; that of a Python type counts less."""
    given = dtypes or ("float32",)
    strong = [as_dtype(standardize_dtype(d)) for d in given if d not in _OF_PYTHON]
    weak = [as_dtype(standardize_dtype(d)) for d in given if d in _OF_PYTHON]
    if not strong:
        return max((d.name for d in weak), key=("bool", "int32", floatx(), "string").index)
    common = strong[0]
    for other in strong[1:]:
        common = joint_dtype(common, other)
    for other in weak:
        common = joint_dtype(common, other, second_is_weak=True)
    return str(common.name)


def joint_dtype(
    one: DType, other: DType, *, first_is_weak: bool = False, second_is_weak: bool = False
) -> DType:
    """Return the dtype for two; that of a Python number counts less than that of a tensor."""
    if one == other:
        return one
    if first_is_weak != second_is_weak:
        strong, weak = (other, one) if first_is_weak else (one, other)
        exact = strong.is_floating or strong.is_complex or not weak.is_floating
        return strong if exact and not strong.is_bool else weak
    floating = [each for each in (one, other) if each.is_floating or each.is_complex]
    if len(floating) == 1:
        return floating[0]
    kinds = [each.as_numpy_dtype for each in (one, other)]
    if {one.name, other.name} == {"float16", "bfloat16"} or "uint64" in {one.name, other.name}:
        wide = np.promote_types(np.float32, np.float32) if floating else np.result_type(*kinds)
        return as_dtype("float32" if floating or np.dtype(wide).kind == "f" else wide)
    return as_dtype(np.result_type(*kinds))


def cast_to_floatx(x: Any) -> Any:
    """Return an array or a tensor in the default dtype of weights."""
    if isinstance(x, (Tensor, Holder)):
        return _cast(convert_to_tensor(x), dtype=as_dtype(floatx())._numpy)
    return np.asarray(x, dtype=floatx())


def is_keras_tensor(x: Any) -> bool:
    """Return whether it is a symbolic tensor of a functional model."""
    return hasattr(type(x), "carry_out") and hasattr(x, "history")


def clear_session(free_memory: bool = True) -> None:
    """Restart automatic names, so that the next Dense is `dense`, and the shared seed."""
    del free_memory
    name_scopes.reset_names()
    seeded_arrays.reset_shared_seed()


def get_uid(prefix: str = "") -> int:
    """Return how often a prefix was asked for."""
    return name_scopes.next_number(prefix)


def get_value(x: Any) -> Any:
    """Return the value of a variable as an array, as in Keras 2."""
    return x.numpy() if hasattr(x, "numpy") else x


def set_value(x: Any, value: Any) -> None:
    """Assign a value to a variable, such as the learning rate of an optimizer."""
    x.assign(convert_to_tensor(value, x.dtype))


@public(graph_name="Const")
def convert_to_tensor(x: Any, dtype: Any = None) -> Tensor:
    """Return the value as a tensor; a tensor of another dtype is cast, unlike in TensorFlow."""
    wanted = None if dtype is None else as_dtype(dtype)
    if not isinstance(x, (Tensor, Holder)):
        return to_tensor(x, wanted)
    tensor = x if isinstance(x, Tensor) else read(x)
    return tensor if wanted is None or tensor.dtype is wanted else _in_dtype(tensor, wanted)


def _in_dtype(x: Tensor, dtype: DType) -> Tensor:
    converted: Tensor = _cast(x, dtype=dtype._numpy)
    return converted


__getattr__, __dir__ = in_module(__name__)
