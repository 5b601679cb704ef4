"""Values that leave for NumPy or Python, and come back as constants: no gradient follows them.

The log notes each exit with the object that left, weakly if it is large. When a constant is made of
that very object, the log notes the re-entry, and the diagnosis can say which call broke the path.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from tapelab.core.large_values import truncated
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import next_id
from tapelab.core.records import write_exit, write_reentry
from tapelab.core.value_types import Nest, Value, Values
from tapelab.recording.facts import KEPT_ELEMENTS


def record_exit(tensor: int, how: str, result: Values) -> None:
    """Note that the value of a tensor left, and remember the object that it left as."""
    log = thread.log
    if log is None:
        return
    held, serial = _reference_to(result), next_id()
    write_exit(thread.__dict__, serial, origin_here(None, 2), tensor=tensor, how=how, result=held)
    if held is not None:
        log.exits[id(result)] = (serial, held)


def _reference_to(result: Values) -> Any:
    """A small object itself, or a weak reference to a large array: either identifies it later."""
    if isinstance(result, np.ndarray):
        return result if result.size <= KEPT_ELEMENTS else weakref.ref(result)
    if isinstance(result, (np.generic, float, complex)):
        return result
    return None


def record_reentry(source: Nest, number: int, value: Value) -> None:
    """Note that a value which had left became a constant again, if `source` is such a value."""
    log = thread.log
    if log is None or not log.exits:
        return
    while source is not None:
        serial, held = log.exits.get(id(source), (0, None))
        if held is not None and (held is source or _refers_to(held, source)):
            write_reentry(
                thread.__dict__, next_id(), origin_here(None, 2), exit=serial, tensor=number,
                value=truncated(value),
            )  # fmt: skip
            return
        source = getattr(source, "base", None)


def _refers_to(held: Value, source: Nest) -> bool:
    return isinstance(held, weakref.ref) and held() is source
