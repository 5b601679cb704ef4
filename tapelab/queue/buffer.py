"""What is behind a queue: its elements, its capacity, who waits for whom, and the log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from time import monotonic
from typing import Any, Final

import numpy as np

from tapelab.core.op import op
from tapelab.core.tensor import Tensor, constant_of
from tapelab.errors import CancelledError, DeadlineExceededError, OutOfRangeError
from tapelab.framework.scopes import off_tape
from tapelab.ops import samples

PATIENCE: float = 10.0
"""How many seconds to wait for another thread."""
_numbers: Final = count()

Element = tuple[Any, ...]
Choose = Callable[[list[Element]], int]


def first(elements: list[Element]) -> int:
    """The place of the oldest element."""
    del elements
    return 0


def most_urgent(elements: list[Element]) -> int:
    """The place of the element with the smallest first component, the oldest of them."""
    return min(range(len(elements)), key=lambda at: int(elements[at][0].value))


def any_of(seed: int | None) -> Choose:
    """A way to choose at random."""
    random = Random(seed)  # noqa: S311 - it shuffles lessons, not secrets
    return lambda elements: random.randrange(len(elements))


class Store:
    """The elements of a queue, safe to use from several threads."""

    def __init__(self, kind: str, capacity: int, choose: Choose = first, reserve: int = 0) -> None:
        self.name = f"{kind} '{next(_numbers)}'"
        self.kind = kind
        self._capacity = capacity
        self._choose = choose
        self._reserve = reserve
        self._elements: list[Element] = []
        self._changed = threading.Condition()
        self._closed = self._cancelled = False

    @property
    def size(self) -> int:
        """How many elements wait."""
        return len(self._elements)

    @property
    def closed(self) -> bool:
        """Whether nothing more can be put in."""
        return self._closed

    def close(self, cancel: bool) -> None:
        """Take nothing more in, not even from those who wait to put if `cancel`."""
        with self._changed:
            self._closed = True
            self._cancelled = self._cancelled or cancel
            self._changed.notify_all()

    def put(self, element: Element, raw: str) -> None:
        """Put one element in, waiting for room; CancelledError if the queue is closed."""
        with self._changed:
            if self._closed:
                raise self._is_closed(raw)
            self._wait(lambda: self._has_room() or self._cancelled, "is full", "taken out", raw)
            if self._cancelled:
                raise self._is_closed(raw)
            self._elements.append(element)
            self._changed.notify_all()

    def take(self, number: int, *, up_to: bool, raw: str) -> list[Element]:
        """Take so many elements, or after the end as many as there are if `up_to`.

        OutOfRangeError if the queue is closed and has too few.
        """
        with self._changed:
            short = f"has {len(self._elements) or 'no'} elements where {number} are asked for"
            self._wait(lambda: self._has(number) or self._closed, short, "put in", raw)
            there = number if len(self._elements) >= number else len(self._elements) * up_to
            if number and not there:
                raise OutOfRangeError(
                    None, raw, f"{self.name} is closed and has insufficient elements (requested "
                    f"{number}, current size {len(self._elements)}) [Op:{raw}]",
                )  # fmt: skip
            taken = [self._elements.pop(self._choose(self._elements)) for _ in range(there)]
            self._changed.notify_all()
            return taken

    def _has_room(self) -> bool:
        return self._capacity < 0 or len(self._elements) < self._capacity

    def _has(self, number: int) -> bool:
        kept = 0 if self._closed else self._reserve
        return not number or len(self._elements) >= number + kept

    def _wait(self, ready: Callable[[], bool], state: str, wanted: str, raw: str) -> None:
        until = monotonic() + PATIENCE
        while not ready():
            left = until - monotonic()
            alone = threading.active_count() == 1
            if alone or left <= 0:
                who = "there is no other thread" if alone else f"nothing was for {PATIENCE:g} s"
                raise DeadlineExceededError(
                    None, raw, f"{self.name} {state}; TensorFlow would wait for ever until "
                    f"something is {wanted}, and {who}. Look at queue.size() first, or close() the "
                    f"queue after the last element. [Op:{raw}]",
                )  # fmt: skip
            self._changed.wait(min(left, 0.1))

    def _is_closed(self, raw: str) -> CancelledError:
        return CancelledError(None, raw, f"{self.name} is closed. [Op:{raw}]")


@dataclass(frozen=True, eq=False)
class Stored:
    """A value in a queue, and the tensor it came from."""

    value: Any
    source: Tensor


def handed(rng: np.random.Generator) -> list[samples.Sample]:
    """A tensor with the value that a queue hands out for it."""
    return [((rng.integers(0, 9, size=2),), {"value": np.array([4, 5])})]


@op(formula=r"y = \operatorname{dequeue}(x)", glyph="dequeue", raw="QueueDequeueV2",
    pattern="stateful", samples=handed)  # fmt: skip
def queue_dequeue(*x: Any, value: Any) -> Any:
    """What a queue hands out of what was put in."""
    return value


queue_dequeue.no_grad(
    "x", because="A queue stores numbers and forgets where they came from."
)  # fmt: skip


def single(stored: Stored) -> Tensor:
    """One stored value as a tensor without a history."""
    return _handed_out([stored], stored.value)


def batch(rows: Sequence[Stored], kind: Any, shape: tuple[int, ...]) -> Tensor:
    """Several stored values in one tensor, shorter ones filled up with zeros or empty text."""
    longest = [max((np.shape(row.value)[axis] for row in rows), default=0)
               for axis in range(len(shape))]  # fmt: skip
    ends = [most if length < 0 else length for length, most in zip(shape, longest, strict=True)]
    whole = np.full((len(rows), *ends), b"" if kind.kind == "O" else 0, kind)
    for at, row in enumerate(rows):
        corner: tuple[Any, ...] = tuple(slice(0, length) for length in np.shape(row.value))
        whole[(at, *corner)] = row.value[()]
    return _handed_out(rows, whole) if rows else constant_of(whole)


def _handed_out(rows: Sequence[Stored], value: Any) -> Tensor:
    sources = {row.source._id: row.source for row in rows}
    with off_tape():  # a tape does not follow what a queue hands out; the log does
        element: Tensor = queue_dequeue(*sources.values(), value=value)
    return element
