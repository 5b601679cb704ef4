"""Queues: first in first out, padded, by priority, at random; put elements in, take out, close."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapelab.core.convert import to_tensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.text_forms import spoken
from tapelab.core.type_spec import TensorSpec
from tapelab.core.variable import Variable, read
from tapelab.dtypes import DType, as_dtype, bool_, int32, int64
from tapelab.errors import invalid_argument
from tapelab.ops.integer_arguments import number
from tapelab.queue.buffer import Element, Store, Stored, any_of, batch, most_urgent, single


def _spec_of(method: str) -> Callable[..., Any]:
    """What a method of a queue returns, as specs, from its arguments."""

    def result_spec(queue: QueueBase, n: Any = None, name: str | None = None) -> Any:
        return queue._answer_spec(method, n)

    return result_spec


class QueueBase:
    """A line of elements that wait, each of one or several tensors.

    What comes out has no gradient: a queue stores numbers, not where they came from. Where
    TensorFlow would wait for ever, DeadlineExceededError is raised.
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Store) -> None:
        self._dtypes = [as_dtype(each) for each in _listed(dtypes)]
        self._shapes = _shapes(shapes, self._dtypes)
        self._names = _names(names, self._dtypes)
        self._store = queue_ref
        self._name = queue_ref.kind

    @staticmethod
    def from_list(index: Any, queues: Sequence[QueueBase]) -> QueueBase:
        """One of several queues by its place; they must have the same dtypes."""
        if not all(isinstance(each, QueueBase) for each in queues):
            raise TypeError("A list of queues expected")
        if any(each.dtypes != queues[0].dtypes for each in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        at = number(index, "GatherV2")
        if not 0 <= at < len(queues):
            raise invalid_argument("GatherV2", f"indices = {at} is not in [0, {len(queues)})")
        return queues[at]

    @property
    def name(self) -> str:
        """What the queue is called."""
        return self._name

    @property
    def dtypes(self) -> list[DType]:
        """The dtype of each component of an element."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shape of each component of an element, unknown where it is free."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, if elements are dictionaries."""
        return self._names

    @property
    def queue_ref(self) -> Store:
        """What stands behind the queue."""
        return self._store

    @public(effect="host")
    def enqueue(self, vals: Any, name: str | None = None) -> None:
        """Put one element in: a tensor, a list of components, or a dictionary of named ones."""
        tensors = self._components(vals, "QueueEnqueueV2")
        for tensor, shape in zip(tensors, self._shapes, strict=True):
            tensor.shape.assert_is_compatible_with(shape)
        self._store.put(tuple(Stored(t._value, t) for t in tensors), "QueueEnqueueV2")

    @public(effect="host")
    def enqueue_many(self, vals: Any, name: str | None = None) -> None:
        """Put one element in for each row of the components."""
        tensors = self._components(vals, "QueueEnqueueManyV2")
        for tensor, shape in zip(tensors, self._shapes, strict=True):
            if not tensor.ndim:
                raise ValueError("Shape () must have rank at least 1")
            tensor.shape[1:].assert_is_compatible_with(shape)
        rows = {len(tensor._value) for tensor in tensors}
        if len(rows) > 1:
            raise ValueError(f"Dimensions {' and '.join(map(str, rows))} are not compatible")
        for at in range(rows.pop()):
            row = tuple(Stored(_row(tensor._value, at), tensor) for tensor in tensors)
            self._store.put(row, "QueueEnqueueManyV2")

    @public(effect="host", result_spec=_spec_of("dequeue"))
    def dequeue(self, name: str | None = None) -> Any:
        """Take one element out."""
        (element,) = self._store.take(1, up_to=False, raw="QueueDequeueV2")
        return self._packed([single(each) for each in element])

    @public(effect="host", result_spec=_spec_of("dequeue_many"))
    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Take so many elements out, stacked along a new first axis."""
        return self._several("QueueDequeueManyV2", "DequeueManyOp", n, up_to=False)

    @public(effect="host", result_spec=_spec_of("dequeue_up_to"))
    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Take so many elements out, or what is left once the queue is closed."""
        return self._several("QueueDequeueUpToV2", "DequeueUpToOp", n, up_to=True)

    @public(effect="host")
    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """Take nothing more in; what is in the queue can still be taken out."""
        self._store.close(bool(cancel_pending_enqueues))

    @public(effect="host", result_spec=_spec_of("is_closed"))
    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether the queue is closed, as a tensor."""
        return constant_of(np.bool_(self._store.closed))

    @public(effect="host", result_spec=_spec_of("size"))
    def size(self, name: str | None = None) -> Tensor:
        """How many elements are in the queue, as a tensor."""
        return constant_of(np.int32(self._store.size))

    def _answer_spec(self, method: str, n: Any) -> Any:
        """What a method will return, for a graph in which it is called later."""
        if method in {"size", "is_closed"}:
            return TensorSpec((), int32 if method == "size" else bool_)
        rows = n if isinstance(n, int) and method == "dequeue_many" else None
        lead = [] if method == "dequeue" else [rows]
        return self._packed(
            [
                TensorSpec(None if shape.rank is None else [*lead, *shape], dtype)
                for shape, dtype in zip(self._shapes, self._dtypes, strict=True)
            ]
        )

    def _several(self, raw: str, caller: str, n: Any, *, up_to: bool) -> Any:
        count = number(n, raw)
        if count < 0:
            raise invalid_argument(raw, f"{caller} requested {count} < 0 elements")
        if not all(shape.rank is not None for shape in self._shapes):
            raise invalid_argument(
                raw, f"{self._store.kind}'s DequeueMany and DequeueUpTo require the components to "
                "have specified shapes. Try shapes=[…] when the queue is made",
            )  # fmt: skip
        rows = self._store.take(count, up_to=up_to, raw=raw)
        return self._packed([self._stacked(rows, at) for at in range(len(self._dtypes))])

    def _stacked(self, rows: list[Element], at: int) -> Tensor:
        lengths = tuple(-1 if n is None else n for n in self._shapes[at])
        kind = np.dtype(self._dtypes[at].as_numpy_dtype)
        return batch([row[at] for row in rows], kind, lengths)

    def _packed(self, tensors: list[Any]) -> Any:
        if self._names is not None:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else tensors

    def _components(self, vals: Any, raw: str) -> list[Tensor]:
        """The components of what is put in, in order, as tensors of the queue's dtypes."""
        if self._names is None and isinstance(vals, dict):
            raise ValueError("Queue must have names to enqueue a dictionary")
        if self._names is not None:
            vals = self._by_name(vals, self._names)
        given = vals if isinstance(vals, (list, tuple)) else [vals]
        if len(given) < len(self._dtypes):
            have = ", ".join(spoken(kind.name) for kind in self._dtypes[: len(given)])
            expected = ", ".join(spoken(kind.name) for kind in self._dtypes)
            raise invalid_argument(
                raw, f"Signature mismatch, have: resource, {have}-> expected: resource, {expected}"
                f"->. An element of this queue has {len(self._dtypes)} components",
            )  # fmt: skip
        pairs = enumerate(zip(given, self._dtypes, strict=False))
        return [_component(value, kind, at) for at, (value, kind) in pairs]

    def _by_name(self, vals: Any, names: list[str]) -> list[Any]:
        if not isinstance(vals, dict):
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        if sorted(vals) != sorted(names):
            raise ValueError(
                "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                f"{sorted(vals)},Queue: {sorted(names)}"
            )
        return [vals[name] for name in names]


def _component(value: Any, kind: DType, at: int) -> Tensor:
    try:
        return to_tensor(read(value) if isinstance(value, Variable) else value, kind)
    except ValueError as error:
        raise ValueError(f"component_{at}: {error}") from None


def _row(array: Any, at: int) -> Any:
    row = array[at]
    return np.array(row, object) if isinstance(row, bytes) else row


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _shapes(shapes: Any, dtypes: list[DType]) -> list[TensorShape]:
    if shapes is None:
        return [TensorShape(None)] * len(dtypes)
    converted = [TensorShape(each) for each in _listed(shapes)]
    if len(converted) != len(dtypes):
        kinds = ", ".join(spoken(kind.name) for kind in dtypes)
        raise invalid_argument(
            "FIFOQueueV2", f"Different number of component types.  Types: {kinds}, Shapes: "
            f"[{', '.join(str(list(shape)) for shape in converted)}]",
        )  # fmt: skip
    return converted


def _names(names: Any, dtypes: list[DType]) -> list[str] | None:
    if not names:
        return None
    listed = _listed(names)
    if len(listed) != len(dtypes):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(listed)},len(dtypes)={len(dtypes)}"
        )
    return listed


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
