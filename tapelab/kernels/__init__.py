"""Layer 1: raw arrays in, raw arrays out.

What only large arrays need is loaded when one is met: `kernels.bulk.product_to(...)`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tapelab.kernels import bulk as bulk
    from tapelab.kernels import sine_cosine as sine_cosine

LATE: Final = ("bulk", "sine_cosine")


def __getattr__(name: str) -> Any:
    if name in LATE:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
