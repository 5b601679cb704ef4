"""The garbage collector paused while something large is built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the search for reference cycles.

    Every few hundred new objects it walks through the youngest, and in the end through all. Where
    a million objects are built that live on, that takes as long as building them.
    """
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()
