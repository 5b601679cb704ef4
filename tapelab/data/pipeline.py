"""The stages of a pipeline, as methods that give the next one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, Self

from tapelab.data import dataset_batches, element_order, transformations
from tapelab.data.dataset_elements import parts_of
from tapelab.data.element_order import shuffled
from tapelab.data.options import Options
from tapelab.data.stage import Stage, whole
from tapelab.dtypes import int64

AUTOTUNE: Final = -1


class Pipeline(Stage):
    """What can follow in a pipeline; each method gives a new one and leaves this as it is."""

    def batch(
        self, batch_size: Any, drop_remainder: bool = False, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """Consecutive elements stacked to one; the last may be shorter."""
        kind = "_BatchDataset" if num_parallel_calls is None else "_ParallelBatchDataset"
        return self._as_self(dataset_batches.batched(self, batch_size, bool(drop_remainder), kind))

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None,
        drop_remainder: bool = False, name: str | None = None,
    ) -> Self:  # fmt: skip
        """As `batch`, for elements of different lengths, which are filled up."""
        return self._as_self(
            dataset_batches.padded(
                self, batch_size, padded_shapes, padding_values, bool(drop_remainder)
            )
        )

    def ragged_batch(
        self, batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = int64,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """As `batch`, for elements of different lengths, which become rows of a ragged tensor."""
        return self._as_self(dataset_batches.ragged(self, batch_size, bool(drop_remainder)))

    def unbatch(self, name: str | None = None) -> Self:
        """The rows of the elements, one by one."""
        return self._as_self(dataset_batches.unbatched(self))

    def rebatch(
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Self:
        """The rows of the elements in batches of another size."""
        for each in parts_of(self.element_spec):
            if each.shape.rank == 0:
                raise ValueError(
                    "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset "
                    "with scalar elements. Fix the issue by adding the `batch` transformation to "
                    "the dataset."
                )
        return self.unbatch().batch(batch_size, drop_remainder)

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """Datasets of consecutive elements, as elements."""
        return self._as_self(
            dataset_batches.windows(self, size, shift, stride, bool(drop_remainder))
        )

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Self:  # fmt: skip
        """What a function gives for each element; the parts of a tuple are its arguments."""
        kind = "_MapDataset" if num_parallel_calls is None else "_ParallelMapDataset"
        return self._as_self(transformations.applied(self, map_func, kind))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Self:
        """The elements of the Datasets that a function gives, one Dataset after the other."""
        return self._as_self(transformations.flattened(self, map_func))

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: Any = None, block_length: Any = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """As `flat_map`, with several Datasets open at once, which take turns."""
        kind = "_InterleaveDataset" if num_parallel_calls is None else "_ParallelInterleaveDataset"
        cycle = -1 if cycle_length is None else whole(cycle_length)
        block = 1 if block_length is None else whole(block_length)
        cycle = (os.cpu_count() or 1) if cycle == AUTOTUNE else cycle
        return self._as_self(transformations.interleaved(self, map_func, cycle, block, kind))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements for which a function says True."""
        return self._as_self(transformations.kept(self, predicate))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements up to the first for which a function says False."""
        return self._as_self(transformations.kept_while(self, predicate))

    def scan(
        self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> Self:
        """What a function gives for each element and a state that it passes on."""
        return self._as_self(transformations.scanned(self, initial_state, scan_func))

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """The last state, after a function took each element into it."""
        return transformations.reduced(self, initial_state, reduce_func)

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[..., Any],
        window_size: Any = None, window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """The elements gathered by key; a function makes a Dataset of each full group."""
        return self._as_self(
            transformations.grouped(self, key_func, reduce_func, window_size, window_size_func)
        )

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: list[int],
        bucket_batch_sizes: list[int], padded_shapes: Any = None, padding_values: Any = None,
        pad_to_bucket_boundary: bool = False, drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """Batches of elements of similar length, filled up to the longest of the batch."""
        return self._as_self(
            dataset_batches.bucketed(
                self, element_length_func, list(bucket_boundaries), list(bucket_batch_sizes),
                padded_shapes, padding_values, to_boundary=pad_to_bucket_boundary,
                drop_remainder=drop_remainder,
            )
        )  # fmt: skip

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Self:
        """The elements that can be made without an error."""
        return self._as_self(element_order.unfailing(self))

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """The elements in a random order, drawn from a buffer of so many elements."""
        return self._as_self(shuffled(self, buffer_size, seed, reshuffle_each_iteration))

    def repeat(self, count: Any = None, name: str | None = None) -> Self:
        """The elements again and again; without a number for ever."""
        return self._as_self(element_order.repeated(self, count))

    def take(self, count: Any, name: str | None = None) -> Self:
        """The first elements; -1 takes all."""
        return self._as_self(element_order.first(self, count))

    def skip(self, count: Any, name: str | None = None) -> Self:
        """What follows the first elements; -1 skips all."""
        return self._as_self(element_order.rest(self, count))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Self:
        """Every so many-th element, from a place on."""
        return self._as_self(element_order.part(self, num_shards, index))

    def unique(self, name: str | None = None) -> Self:
        """Each element once, when it comes first."""
        return self._as_self(element_order.distinct(self))

    def cache(self, filename: str = "", name: str | None = None) -> Self:
        """The elements, kept in memory from the first complete round on."""
        return self._as_self(element_order.remembered(self))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Self:
        """The same elements; here nothing is made in advance."""
        return self._as_self(self.then("_PrefetchDataset", self.start))

    def concatenate(self, dataset: Stage, name: str | None = None) -> Self:
        """The elements of this Dataset, then those of another."""
        return self._as_self(element_order.joined(self, dataset))

    def with_options(self, options: Options, name: str | None = None) -> Self:
        """The same elements; here no setting changes them."""
        return self._as_self(self.then("_OptionsDataset", self.start))

    def _as_self(self, stage: Stage) -> Self:
        assert isinstance(stage, type(self))
        return stage
