"""`tf.keras.backend`: settings of the session, such as the default dtype, and conversion."""

from __future__ import annotations

from typing import Any, Final

from tapelab.core.cell import Holder
from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.variable import read
from tapelab.dtypes import DType, as_dtype
from tapelab.keras import name_scopes, seeded_arrays
from tapelab.namespace.missing_names import in_module
from tapelab.ops.casts import cast as _cast

_settings: Final[dict[str, Any]] = {"floatx": "float32", "epsilon": 1e-07}
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
    """Return the position of the channels in images: always last."""
    return "channels_last"


def clear_session(free_memory: bool = True) -> None:
    """Restart automatic names, so that the next Dense is `dense`, and the shared seed."""
    del free_memory
    name_scopes.reset_names()
    seeded_arrays.reset_shared_seed()


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
