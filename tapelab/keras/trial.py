"""Trial runs: what shape a function gives, found by running it on zeros."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from tapelab import nest
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import as_dtype
from tapelab.keras.keras_tensor import KerasTensor

_TRIALS: Final = ((2, 32), (3, 64))
"""Sizes for an unknown batch and for other unknown lengths in the two trial runs."""


@contextmanager
def without_recording() -> Iterator[None]:
    """A trial run that no tape and no log hears of."""
    before = thread.active_tapes, thread.log, thread.records, thread.tapes
    thread.active_tapes, thread.log, thread.records, thread.tapes = (), None, deque(maxlen=0), []
    try:
        yield
    finally:
        thread.active_tapes, thread.log, thread.records, thread.tapes = before


def symbolic_outputs(call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Symbolic tensors like what a function gives: found by running it on zeros, twice.

    A length that differs between two sizes of what is unknown is unknown itself.
    """
    given = args, kwargs
    with without_recording(), _unchanged(getattr(call, "__self__", None)):
        first, second = (_trial(call, given, *sizes) for sizes in _TRIALS)
    pairs = zip(nest.flatten(first), nest.flatten(second), strict=True)
    return nest.pack_sequence_as(first, [_common(one, other) for one, other in pairs])


@contextmanager
def _unchanged(owner: Any) -> Iterator[None]:
    """A trial run that leaves the variables of a layer, seeds among them, as they were."""
    held = [(each._cell, each._cell.state) for each in getattr(owner, "variables", ())]
    try:
        yield
    finally:
        for cell, state in held:
            cell.state = state


def _trial(call: Callable[..., Any], given: Any, batch: int, length: int) -> Any:
    flat = [
        _zeros(each, batch, length) if isinstance(each, KerasTensor) else each
        for each in nest.flatten(given)
    ]
    args, kwargs = nest.pack_sequence_as(given, flat)
    return call(*args, **kwargs)


def _zeros(tensor: KerasTensor, batch: int, length: int) -> Tensor:
    sizes = [
        (batch if at == 0 else length) if size is None else size
        for at, size in enumerate(tensor.shape)
    ]
    return constant_of(np.zeros(sizes, as_dtype(tensor.dtype).as_numpy_dtype)[()])


def _common(one: Any, other: Any) -> Any:
    if not isinstance(one, Tensor):
        return one
    pairs = zip(one.shape, other.shape, strict=True)
    return KerasTensor([a if a == b else None for a, b in pairs], one.dtype.name)
