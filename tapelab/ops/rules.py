"""Small words for gradient rules: they work on raw arrays and on tensors alike."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.core.tensor import Tensor

FLOATS: Final = "f"
CONTINUOUS: Final = "fc"
REALS: Final = "fiu"
NUMBERS: Final = "fciu"
SIGNED: Final = "fci"

_SINGLE: Final = np.dtype(np.float32)
FLAT: Final = "{} is flat almost everywhere, so its derivative tells the model nothing."
WHOLE: Final = "{} returns integers, and those do not change when x changes a little."
PREDICATE: Final = "{} answers true or false, and that does not change when x changes a little."


def numpy_dtype(x: Any) -> np.dtype[Any]:
    """The NumPy dtype of a raw array or a tensor."""
    dtype: np.dtype[Any] = (x._array if type(x) is Tensor else x).dtype
    return dtype


def flat(x: Any) -> Any:
    """The entries of a raw array in one row."""
    return np.reshape(x, -1)


def is_complex(x: Any) -> bool:
    """Whether the entries are complex numbers."""
    kind = type(x)
    if kind is np.float32 or kind is np.float64:  # directly, for rules that run often
        return False
    dtype = (x._array if kind is Tensor else x).dtype
    return dtype is not _SINGLE and bool(dtype.kind == "c")
