"""PyTorch's tensors as arrays, and what makes a tensor another one: its version and its node."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

WIDENED: Final = {torch.bfloat16: torch.float32, torch.complex32: torch.complex64}
"""Dtypes that NumPy lacks, by the one that holds all their values."""


def array_of(tensor: Tensor) -> NDArray[Any]:
    """A copy of the values of a tensor of any layout, dtype and device.

    A tensor without values, such as one on the device `meta`, gives NaN.
    """
    with torch.no_grad():
        value = tensor.detach()
        if value.is_meta:
            return np.full(tuple(value.shape), np.nan, np.float32)
        if value._is_zerotensor():
            value = torch.zeros(value.shape, dtype=value.dtype)
        if value.is_quantized:
            value = value.dequantize()
        if value.layout is not torch.strided:
            value = value.to_dense()
        value = value.resolve_conj().resolve_neg().cpu()
        wide = WIDENED.get(value.dtype) or (
            torch.float32 if value.dtype.itemsize < 2 and value.is_floating_point() else None
        )
        array: NDArray[Any] = (value.to(wide) if wide else value).numpy().copy()
        return array


def version_of(tensor: Tensor) -> int:
    """How many writes in place a tensor has seen; -1 for one of `inference_mode`."""
    return -1 if tensor.is_inference() else tensor._version


def storage_of(tensor: Tensor) -> int:
    """What tells the storage of a tensor from others; 0 for a tensor without one."""
    return tensor.untyped_storage()._cdata if tensor.layout is torch.strided else 0
