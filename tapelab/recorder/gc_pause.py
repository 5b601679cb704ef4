"""Build something large without the garbage collector looking through it again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Hold back the search for garbage that refers to itself.

    Every few hundred new objects it looks through the youngest, and in the end through all. Where
    a million objects are built that live on, that takes as long as building them.
    """
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()
