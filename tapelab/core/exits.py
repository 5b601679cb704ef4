"""The border of the engine: values that leave for NumPy or Python, and come back as constants."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from tapelab.core.large_values import truncated
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import next_id
from tapelab.core.records import write_exit, write_reentry
from tapelab.recording.facts import KEPT_ELEMENTS


def record_exit(tensor: int, how: str, result: Any) -> None:
    """Note that the value of a tensor left, and remember the object that it left as."""
    log = thread.log
    if log is None:
        return
    held, serial = _hold(result), next_id()
    write_exit(thread.__dict__, serial, origin_here(None, 2), tensor=tensor, how=how, result=held)
    if held is not None:
        log.exits[id(result)] = (serial, held)


def _hold(result: Any) -> Any:
    """A small object itself, a weak reference to a large array; either proves its identity."""
    if isinstance(result, np.ndarray):
        return result if result.size <= KEPT_ELEMENTS else weakref.ref(result)
    if isinstance(result, (np.generic, float, complex)):
        return result
    return None


def record_reentry(source: Any, number: int, value: Any) -> None:
    """Write down that an object which had left became a constant again, if it did."""
    log = thread.log
    if log is None or not log.exits:
        return
    while source is not None:
        serial, held = log.exits.get(id(source), (0, None))
        if held is not None and (held is source or _same(held, source)):
            write_reentry(
                thread.__dict__, next_id(), origin_here(None, 2), exit=serial, tensor=number,
                value=truncated(value),
            )  # fmt: skip
            return
        source = getattr(source, "base", None)


def _same(held: Any, source: Any) -> bool:
    return isinstance(held, weakref.ref) and held() is source
