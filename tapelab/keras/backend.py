"""`tf.keras.backend`: what is true of the whole session: default dtype, names, conversion."""

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
    """The dtype of new weights, as a string."""
    return str(_settings["floatx"])


def set_floatx(value: str) -> None:
    """Give new weights another dtype."""
    if value not in _FLOATS:
        raise ValueError(f"Unknown `floatx` value: {value}. Expected one of {set(_FLOATS)}")
    _settings["floatx"] = value


def epsilon() -> float:
    """The small number that keeps divisions away from 0."""
    return float(_settings["epsilon"])


def set_epsilon(value: float) -> None:
    """Take another small number."""
    _settings["epsilon"] = value


def image_data_format() -> str:
    """Where the channels of a picture stand: always last."""
    return "channels_last"


def clear_session(free_memory: bool = True) -> None:
    """Start all automatic names again: the next Dense is called `dense`."""
    del free_memory
    name_scopes.reset_names()
    seeded_arrays.reset_shared_seed()


def get_value(x: Any) -> Any:
    """The value of a variable as an array, as older programs ask for it."""
    return x.numpy() if hasattr(x, "numpy") else x


def set_value(x: Any, value: Any) -> None:
    """Give a variable a value, such as the learning rate of an optimizer."""
    x.assign(convert_to_tensor(value, x.dtype))


@public(graph_name="Const")
def convert_to_tensor(x: Any, dtype: Any = None) -> Tensor:
    """The value as a tensor; unlike tf.convert_to_tensor it casts a tensor of another dtype."""
    wanted = None if dtype is None else as_dtype(dtype)
    if not isinstance(x, (Tensor, Holder)):
        return to_tensor(x, wanted)
    found = x if isinstance(x, Tensor) else read(x)
    return found if wanted is None or found.dtype is wanted else _in_dtype(found, wanted)


def _in_dtype(x: Tensor, dtype: DType) -> Tensor:
    made: Tensor = _cast(x, dtype=dtype._numpy)
    return made


__getattr__, __dir__ = in_module(__name__)
