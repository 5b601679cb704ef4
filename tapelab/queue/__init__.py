"""`tf.queue`: lines of elements that wait to be taken out; no gradient passes through them."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.queue.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]

__getattr__, __dir__ = in_module(__name__)
