"""Which steps of a sequence count: a mask goes along with a tensor from layer to layer."""

from __future__ import annotations

import weakref
from typing import Any, Final

_masks: Final[dict[int, Any]] = {}


def remember(outputs: Any, mask: Any) -> None:
    """Let an output, or the first of several, have a mask, as long as it lives."""
    if mask is not None:
        tensor = outputs[0] if isinstance(outputs, (list, tuple)) else outputs
        _masks[tensor._id] = mask
        weakref.finalize(tensor, _masks.pop, tensor._id, None)


def masks_of(tensors: Any) -> Any:
    """The mask of a tensor, or a list of those of several; None if there is none."""
    if isinstance(tensors, (list, tuple)):
        found = [masks_of(each) for each in tensors]
        return found if any(each is not None for each in found) else None
    return _masks.get(getattr(tensors, "_id", -1))
