"""Which steps of a sequence count: a mask goes along with a tensor from layer to layer."""

from __future__ import annotations

import weakref
from typing import Any, Final

_masks: Final[dict[int, Any]] = {}


def remember(tensor: Any, mask: Any) -> None:
    """Let a tensor have a mask, as long as it lives."""
    if mask is not None:
        _masks[tensor._id] = mask
        weakref.finalize(tensor, _masks.pop, tensor._id, None)


def mask_of(tensor: Any) -> Any:
    """The mask of a tensor, or None."""
    return _masks.get(getattr(tensor, "_id", None))  # type: ignore[arg-type]
