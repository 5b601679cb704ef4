"""`tf.data.experimental`: older names of what a Dataset does by itself now."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final

from tapelab.core.tensor import Tensor
from tapelab.data.dataset import Dataset
from tapelab.data.stage import AUTOTUNE as TUNED
from tapelab.data.stage import INFINITE, UNKNOWN
from tapelab.dtypes import int64
from tapelab.errors import FailedPreconditionError, OutOfRangeError, UnimplementedError
from tapelab.namespace.missing_names import in_module
from tapelab.ops.integer_arguments import number

AUTOTUNE = TUNED
INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN

Transformation = Callable[[Dataset], Dataset]


def cardinality(dataset: Dataset) -> Tensor:
    """How many elements there are: -1 for ever, -2 where no one knows."""
    return dataset.cardinality()


_WITH_RANDOM_ACCESS: Final = frozenset(
    {
        *("_BatchDataset", "_ConcatenateDataset", "_MapDataset", "_OptionsDataset"),
        *("_ParallelBatchDataset", "_ParallelMapDataset", "_PrefetchDataset"),
        *("_RaggedBatchDataset", "_RangeDataset", "_RepeatDataset", "_ShardDataset"),
        *("_SkipDataset", "_TakeDataset", "_TensorDataset", "_TensorSliceDataset"),
        *("_UnbatchDataset", "_ZipDataset", "CacheDataset", "ShardDataset"),
    }
)
"""The kinds of datasets whose elements have numbers."""


def at(dataset: Dataset, index: Any) -> Any:
    """The element with a number, for datasets whose order is known beforehand.

    OutOfRangeError beyond the last one, UnimplementedError for a dataset that filters or shuffles.
    """
    place, kind, size = number(index, "GetElementAtIndex"), dataset.kind, dataset.size
    if kind not in _WITH_RANDOM_ACCESS:
        raise UnimplementedError(
            None, None, f"Random access is not implemented for dataset {kind}. Try "
            "next(iter(dataset.skip(n))).",
        )  # fmt: skip
    if size < 0:
        count = "infinite" if size == INFINITE else "unknown"
        raise FailedPreconditionError(
            None, None, f"Dataset of type {kind} has {count} cardinality, which does not support "
            "random access. Try dataset.take(n).",
        )  # fmt: skip
    if not 0 <= place < size:
        raise OutOfRangeError(None, None, f"Index out of range [0, {size}):{place}")
    return next(iter(dataset.skip(place)))


def assert_cardinality(expected_cardinality: int) -> Transformation:
    """The same elements, with a number of them that the caller promises."""
    return lambda dataset: dataset.then(
        "_AssertCardinalityDataset", dataset.start, size=int(expected_cardinality)
    )


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Pairs of a running number and an element."""
    return lambda dataset: dataset.enumerate(start)


def get_single_element(dataset: Dataset) -> Any:
    """The only element; an error if there are more, or none."""
    return dataset.get_single_element()


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The elements up to the first for which a function says False."""
    return lambda dataset: dataset.take_while(predicate)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """What a function gives for each element and a state that it passes on."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def unbatch() -> Transformation:
    """The rows of the elements, one by one."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """Each element once, when it comes first."""
    return lambda dataset: dataset.unique()


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = int64
) -> Transformation:
    """Return a transformation into batches of ragged tensors."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def ignore_errors(log_warning: bool = False) -> Transformation:
    """Return a transformation into the elements that can be computed without an error."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def map_and_batch(
    map_func: Callable[..., Any], batch_size: Any, num_parallel_batches: Any = None,
    drop_remainder: bool = False, num_parallel_calls: Any = None,
) -> Transformation:  # fmt: skip
    """Return a transformation that applies a function, then batches."""
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


def group_by_window(
    key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:  # fmt: skip
    """Return a transformation of the groups of elements with one key."""
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any], bucket_boundaries: list[int],
    bucket_batch_sizes: list[int], padded_shapes: Any = None, padding_values: Any = None,
    pad_to_bucket_boundary: bool = False, no_padding: bool = False, drop_remainder: bool = False,
) -> Transformation:  # fmt: skip
    """Return a transformation into batches of elements of similar length."""
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes,
        padding_values, pad_to_bucket_boundary, no_padding, drop_remainder,
    )  # fmt: skip


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Return a transformation into shuffled elements, repeated."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """Return a transformation into the same elements: there is one device."""
    return lambda dataset: dataset.prefetch(1)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Return a transformation into the same elements: there is one device."""
    return lambda dataset: dataset.prefetch(1)


def parallel_interleave(
    map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1, sloppy: bool = False,
    buffer_output_elements: Any = None, prefetch_input_elements: Any = None,
) -> Transformation:  # fmt: skip
    """Return a transformation into the elements of several Datasets in turn."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = int64) -> Dataset:  # noqa: N802 - TensorFlow's name
    """Return integers without end."""
    return Dataset.counter(start, step, dtype)


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Return elements of several Datasets, each drawn at random with the given weights."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(
    datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Return elements of several Datasets, from the one that each number of a Dataset names."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def save(dataset: Dataset, path: Any, compression: Any = None, shard_func: Any = None) -> None:
    """Write the elements of a Dataset into a folder."""
    dataset.save(path, compression)


def load(
    path: Any, element_spec: Any = None, compression: Any = None, reader_func: Any = None
) -> Dataset:
    """Return the elements that `save` wrote."""
    return Dataset.load(path, element_spec, compression)


def snapshot(
    path: Any, compression: str = "AUTO", reader_func: Any = None, shard_func: Any = None
) -> Transformation:
    """Return a transformation that keeps the elements in a folder."""
    return lambda dataset: dataset.snapshot(path, compression)


class AutoShardPolicy(IntEnum):
    """How a Dataset is divided among workers; here there is one."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


def get_structure(dataset_or_iterator: Any) -> Any:
    """The shapes and dtypes of an element, in its structure."""
    return dataset_or_iterator.element_spec


__getattr__, __dir__ = in_module(__name__)
