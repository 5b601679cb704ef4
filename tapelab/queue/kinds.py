"""The kinds of queues: by age, padded, by urgency, and at random."""

from __future__ import annotations

from typing import Any

from tapelab.dtypes import int64
from tapelab.errors import invalid_argument
from tapelab.ops.settings import number
from tapelab.queue.base import QueueBase
from tapelab.queue.store import Store, any_of, most_urgent


class FIFOQueue(QueueBase):
    """A queue that hands out its oldest element first."""

    def __init__(
        self, capacity: Any, dtypes: Any, shapes: Any = None, names: Any = None,
        shared_name: str | None = None, name: str = "fifo_queue",
    ) -> None:  # fmt: skip
        super().__init__(dtypes, shapes, names, Store("FIFOQueue", _limit(capacity)))
        if any(shape.rank is not None and None in shape for shape in self.shapes):
            raise ValueError(
                f"All shapes must be fully defined: {self.shapes}. Try tf.queue.PaddingFIFOQueue."
            )
        self._name = name


class PaddingFIFOQueue(QueueBase):
    """A queue of elements of different lengths, which `dequeue_many` fills up with zeros."""

    def __init__(
        self, capacity: Any, dtypes: Any, shapes: Any, names: Any = None,
        shared_name: str | None = None, name: str = "padding_fifo_queue",
    ) -> None:  # fmt: skip
        if shapes is None:
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        super().__init__(dtypes, shapes, names, Store("PaddingFIFOQueue", _limit(capacity)))
        self._name = name


class PriorityQueue(QueueBase):
    """A queue that hands out the element with the smallest first component, an int64, first."""

    def __init__(
        self, capacity: Any, types: Any, shapes: Any = None, names: Any = None,
        shared_name: str | None = None, name: str = "priority_queue",
    ) -> None:  # fmt: skip
        kinds = list(types) if isinstance(types, (list, tuple)) else [types]
        known = [None] * len(kinds) if shapes is None else list(shapes)
        store = Store("PriorityQueue", _limit(capacity), most_urgent)
        super().__init__([int64, *kinds], [(), *known], names, store)
        self._name = name


class RandomShuffleQueue(QueueBase):
    """A queue that hands out any of its elements, as long as enough others stay in it."""

    def __init__(
        self, capacity: Any, min_after_dequeue: Any, dtypes: Any, shapes: Any = None,
        names: Any = None, seed: int | None = None, shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:  # fmt: skip
        limit, least = _limit(capacity), number(min_after_dequeue, "RandomShuffleQueueV2")
        if least < 0 or 0 <= limit <= least:
            rule = ">= 0" if least < 0 else f"< capacity {limit}"
            raise invalid_argument(
                "RandomShuffleQueueV2", f"min_after_dequeue {least} must be {rule}"
            )
        store = Store("RandomShuffleQueue", limit, any_of(seed), least)
        super().__init__(dtypes, shapes, names, store)
        self._name = name


def _limit(capacity: Any) -> int:
    return number(capacity, "FIFOQueueV2")
