"""`tf.data.Dataset`: a pipeline of elements, written as a chain of methods."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, NoReturn, Self

from tapelab.data import batching, buckets, files, mapping, picking, reading
from tapelab.data.iterating import DatasetIterator, NumpyIterator
from tapelab.data.options import Options
from tapelab.data.shuffling import draws, shuffled
from tapelab.data.stage import INFINITE, UNKNOWN, Stage, whole
from tapelab.data.structure import parts_of
from tapelab.dtypes import int64
from tapelab.engine.tensor import Tensor, constant_of

AUTOTUNE: Final = -1


class Dataset(Stage):
    """Elements, one after the other, that are made when a loop asks for them.

    The numbers are copies: no gradient leads back to what a Dataset was made from.
    """

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """One element: the tensors themselves."""
        return Dataset(*reading.whole_tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """One element for each row of the tensors, in their structure."""
        return Dataset(*reading.slices(tensors))

    @staticmethod
    def from_generator(
        generator: Any, output_types: Any = None, output_shapes: Any = None, args: Any = None,
        output_signature: Any = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """What a Python generator yields; the signature promises shapes and dtypes."""
        return Dataset(
            *reading.generated(generator, output_types, output_shapes, args, output_signature)
        )

    @staticmethod
    def range(*args: Any, output_type: Any = int64, name: str | None = None) -> Dataset:
        """The whole numbers of a range."""
        return Dataset(*reading.numbers(args, output_type))

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None
    ) -> Dataset:
        """Whole numbers without an end."""
        return Dataset(*reading.counting(whole(start), whole(step), dtype))

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """Random whole numbers without an end."""
        return Dataset(*reading.chances(draws(seed)))

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """The names of the files that match a pattern, shuffled unless told otherwise."""
        found = Dataset(*files.named(file_pattern))
        return found if shuffle is False else found.shuffle(len(found), seed)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Elements of several Datasets side by side, as long as each has one."""
        structure = picking.structure_of(args, datasets)
        stages = parts_of(structure)
        for each in stages:
            if not isinstance(each, Dataset):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    f"`tf.data.Dataset` objects but encountered object of type {type(each)}."
                )
        return _dataset(picking.zipped(structure, stages))

    @staticmethod
    def sample_from_datasets(
        datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:  # fmt: skip
        """Elements of several Datasets, from one that chance picks each time."""
        many = list(datasets)
        chance = draws(seed)
        numbers = Dataset(
            "_Choices", lambda: picking.choices(chance, len(many), weights), lambda: None, INFINITE
        )
        return _dataset(picking.chosen(many, numbers, stop_on_empty=stop_on_empty_dataset))

    @staticmethod
    def choose_from_datasets(
        datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Elements of several Datasets, from the one that a Dataset of numbers names each time."""
        return _dataset(
            picking.chosen(list(datasets), choice_dataset, stop_on_empty=stop_on_empty_dataset)
        )

    def batch(
        self, batch_size: Any, drop_remainder: bool = False, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """Consecutive elements stacked to one; the last may be shorter."""
        kind = "_BatchDataset" if num_parallel_calls is None else "_ParallelBatchDataset"
        return self._as_self(batching.batched(self, batch_size, bool(drop_remainder), kind))

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None,
        drop_remainder: bool = False, name: str | None = None,
    ) -> Self:  # fmt: skip
        """As `batch`, for elements of different lengths, which are filled up."""
        return self._as_self(
            batching.padded(self, batch_size, padded_shapes, padding_values, bool(drop_remainder))
        )

    def ragged_batch(
        self, batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = int64,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """As `batch`, for elements of different lengths, which become rows of a ragged tensor."""
        return self._as_self(batching.ragged(self, batch_size, bool(drop_remainder)))

    def unbatch(self, name: str | None = None) -> Self:
        """The rows of the elements, one by one."""
        return self._as_self(batching.unbatched(self))

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
        return self._as_self(batching.windows(self, size, shift, stride, bool(drop_remainder)))

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Self:  # fmt: skip
        """What a function gives for each element; the parts of a tuple are its arguments."""
        kind = "_MapDataset" if num_parallel_calls is None else "_ParallelMapDataset"
        return self._as_self(mapping.applied(self, map_func, kind))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Self:
        """The elements of the Datasets that a function gives, one Dataset after the other."""
        return self._as_self(mapping.flattened(self, map_func))

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: Any = None, block_length: Any = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """As `flat_map`, with several Datasets open at once, which take turns."""
        kind = "_InterleaveDataset" if num_parallel_calls is None else "_ParallelInterleaveDataset"
        cycle = -1 if cycle_length is None else whole(cycle_length)
        block = 1 if block_length is None else whole(block_length)
        cycle = (os.cpu_count() or 1) if cycle == AUTOTUNE else cycle
        return self._as_self(mapping.interleaved(self, map_func, cycle, block, kind))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements for which a function says True."""
        return self._as_self(mapping.kept(self, predicate))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements up to the first for which a function says False."""
        return self._as_self(mapping.kept_while(self, predicate))

    def scan(
        self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> Self:
        """What a function gives for each element and a state that it hands on."""
        return self._as_self(mapping.scanned(self, initial_state, scan_func))

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """The last state, after a function took each element into it."""
        return mapping.reduced(self, initial_state, reduce_func)

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[..., Any],
        window_size: Any = None, window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """The elements gathered by key; a function makes a Dataset of each full group."""
        return self._as_self(
            mapping.grouped(self, key_func, reduce_func, window_size, window_size_func)
        )

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: list[int],
        bucket_batch_sizes: list[int], padded_shapes: Any = None, padding_values: Any = None,
        pad_to_bucket_boundary: bool = False, drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """Batches of elements of similar length, filled up to the longest of the batch."""
        return self._as_self(
            buckets.bucketed(
                self, element_length_func, list(bucket_boundaries), list(bucket_batch_sizes),
                padded_shapes, padding_values, to_boundary=pad_to_bucket_boundary,
                drop_remainder=drop_remainder,
            )
        )  # fmt: skip

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Self:
        """The elements that can be made without an error."""
        return self._as_self(picking.unfailing(self))

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """The elements in a random order, drawn from a buffer of so many elements."""
        return self._as_self(shuffled(self, buffer_size, seed, reshuffle_each_iteration))

    def repeat(self, count: Any = None, name: str | None = None) -> Self:
        """The elements again and again; without a number for ever."""
        return self._as_self(picking.repeated(self, count))

    def take(self, count: Any, name: str | None = None) -> Self:
        """The first elements; -1 takes all."""
        return self._as_self(picking.first(self, count))

    def skip(self, count: Any, name: str | None = None) -> Self:
        """What follows the first elements; -1 skips all."""
        return self._as_self(picking.rest(self, count))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Self:
        """Every so many-th element, from a place on."""
        return self._as_self(picking.part(self, num_shards, index))

    def unique(self, name: str | None = None) -> Self:
        """Each element once, when it comes first."""
        return self._as_self(picking.distinct(self))

    def cache(self, filename: str = "", name: str | None = None) -> Self:
        """The elements, kept in memory from the first complete round on."""
        return self._as_self(picking.remembered(self))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Self:
        """The same elements; here nothing is made in advance."""
        return self._as_self(self.then("_PrefetchDataset", self.start))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Self:
        """The elements of this Dataset, then those of another."""
        return self._as_self(picking.joined(self, dataset))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a running number and an element."""
        return Dataset.zip((Dataset.counter(start), self))

    def apply(self, transformation_func: Callable[[Dataset], Any], name: str | None = None) -> Any:
        """What a function makes of this Dataset."""
        return transformation_func(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element; an error if there are more, or none."""
        return mapping.single(self)

    def options(self) -> Options:
        """The settings of the pipeline."""
        return Options()

    def with_options(self, options: Options, name: str | None = None) -> Self:
        """The same elements; here no setting changes them."""
        return self._as_self(self.then("_OptionsDataset", self.start))

    def cardinality(self) -> Tensor:
        """How many elements there are: -1 for ever, -2 where nobody knows."""
        return constant_of(int64.as_numpy_dtype(self.size))

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over elements whose parts are NumPy data."""
        return NumpyIterator(iter(self))

    def __iter__(self) -> DatasetIterator:
        return DatasetIterator(self)

    def __len__(self) -> int:
        if self.size == INFINITE:
            raise TypeError("The dataset is infinite.")
        if self.size == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return self.size

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: Any) -> NoReturn:
        raise TypeError(
            f"'{self.kind}' object is not subscriptable: its elements are made one after the "
            "other. Try next(iter(dataset.skip(n)))."
        )

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"'{self.kind}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<{self.kind} element_spec={self.element_spec!r}>"

    def _as_self(self, stage: Stage) -> Self:
        assert isinstance(stage, type(self))
        return stage


def _dataset(stage: Stage) -> Dataset:
    assert isinstance(stage, Dataset)
    return stage


class TextLineDataset(Dataset):
    """The lines of text files, without their ends."""

    def __new__(
        cls, filenames: Any, compression_type: str | None = None, buffer_size: Any = None,
        num_parallel_reads: Any = None, name: str | None = None,
    ) -> Any:  # fmt: skip
        """A Dataset like any other."""
        return Dataset(*files.lines(filenames, compression_type))
