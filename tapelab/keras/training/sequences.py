"""`tf.keras.utils.PyDataset`: batches by their numbers, as a class of a learner makes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class PyDataset:
    """Batches by their numbers. A subclass writes `__len__` and `__getitem__(self, index)`."""

    def __init__(
        self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10
    ) -> None:
        self.workers, self.use_multiprocessing = workers, use_multiprocessing
        self.max_queue_size = max_queue_size

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError

    @property
    def num_batches(self) -> int | None:
        """How many batches there are."""
        return len(self)

    def on_epoch_begin(self) -> None:
        """A round begins."""

    def on_epoch_end(self) -> None:
        """A round is over; the batches may be mixed anew."""

    def batches(self, order: list[int]) -> Iterator[Any]:
        """The batches in an order."""
        self.on_epoch_begin()
        for index in order:
            yield self[index]
        self.on_epoch_end()
