"""Masks of sequences: False for steps that do not count; each belongs to a tensor."""

from __future__ import annotations

import weakref
from typing import Any, Final

_masks: Final[dict[int, Any]] = {}


def remember(outputs: Any, mask: Any) -> None:
    """Store the mask of an output, or those of several, for their lifetimes."""
    if isinstance(mask, (list, tuple)):
        for output, of_output in zip(outputs, mask, strict=False):
            remember(output, of_output)
    elif mask is not None:
        tensor = outputs[0] if isinstance(outputs, (list, tuple)) else outputs
        _masks[tensor._id] = mask
        weakref.finalize(tensor, _masks.pop, tensor._id, None)


def masks_of(tensors: Any) -> Any:
    """Return the mask of a tensor, or a list for several; None without masks."""
    if isinstance(tensors, (list, tuple)):
        masks = [masks_of(tensor) for tensor in tensors]
        return masks if any(mask is not None for mask in masks) else None
    return _masks.get(getattr(tensors, "_id", -1))
