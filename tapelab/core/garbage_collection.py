"""Python's garbage collector while tapes are open, and while recordings are built.

A tape keeps all that is recorded, so a search for garbage finds none in it, and every search walks
through the whole tape again. While a tape is open the collector therefore runs less often.
"""

from __future__ import annotations

import gc
from _thread import allocate_lock  # `threading.Lock` without the rest of `threading`
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SELDOM: Final = 100_000
"""After so many new objects Python searches for garbage while a tape is open."""

_lock: Final = allocate_lock()
_before: Final[list[tuple[int, int, int]]] = []


def relax_gc() -> None:
    """Let Python search seldom, from here to the matching `restore_gc`."""
    with _lock:
        before = gc.get_threshold()
        _before.append(before)
        if 0 < before[0] < SELDOM:
            gc.set_threshold(SELDOM, before[1], before[2])


def restore_gc() -> None:
    """Let Python search as often as before the first tape that is still open."""
    with _lock:
        before = _before.pop()
        if not _before and gc.get_threshold()[0] == SELDOM:
            gc.set_threshold(*before)


@contextmanager
def gc_relaxed() -> Iterator[None]:
    """Let Python search seldom for the length of a block."""
    relax_gc()
    try:
        yield
    finally:
        restore_gc()


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
