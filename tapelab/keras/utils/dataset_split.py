"""Two Datasets from one: the first and the last elements of arrays or of a Dataset."""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np

from tapelab import nest
from tapelab.data.dataset import Dataset

BATCHES: Final = frozenset(["_BatchDataset", "_ParallelBatchDataset"])
"""The kinds of the stages that make batches."""


def split_dataset(
    dataset: Any, left_size: Any = None, right_size: Any = None, shuffle: bool = False,
    seed: int | None = None, preferred_backend: str | None = None,
) -> tuple[Dataset, Dataset]:  # fmt: skip
    """Return the first and the last elements of a Dataset, an array, or a list of arrays.

    A size is a number of elements, or a share of them. All elements are held in memory.
    """
    if preferred_backend == "torch":
        raise ValueError("tapelab splits Datasets of TensorFlow. Try preferred_backend=None.")
    if not isinstance(dataset, (Dataset, list, tuple, np.ndarray)):
        raise TypeError(f"Unsupported dataset type: {type(dataset)}")
    if left_size is None and right_size is None:
        raise ValueError(
            "At least one of the `left_size` or `right_size` must be specified. Received: "
            "left_size=None and right_size=None"
        )
    samples = _samples_of(dataset)
    if shuffle:
        random.seed(random.randint(0, int(1e6)) if seed is None else seed)  # noqa: S311 - as Keras
        random.shuffle(samples)
    left, right = _sizes(left_size, right_size, len(samples))
    size = _batch_size(dataset)
    first, last = (_dataset_of(part, size) for part in (samples[:left], samples[-right:]))
    return first, last


def _samples_of(dataset: Any) -> list[Any]:
    """The elements as nests of arrays; ValueError if there are none, or their shapes differ."""
    if isinstance(dataset, (list, tuple)):
        _check_arrays(dataset)
        return list(zip(*dataset, strict=True))
    if isinstance(dataset, Dataset):
        rows = dataset if _batch_size(dataset) is None else dataset.unbatch()
        samples = list(rows.as_numpy_iterator())
    else:
        samples = list(dataset)
    if not samples:
        raise ValueError(
            "Received an empty dataset. Argument `dataset` must be a non-empty list/tuple of "
            "`numpy.ndarray` objects or `tf.data.Dataset` objects."
        )
    if not nest.is_nested(samples[0]):
        first = np.shape(samples[0])
        for at, sample in enumerate(samples[1:]):
            if np.shape(sample) != first:
                raise ValueError(
                    f"All `dataset` samples must have same shape, Expected shape: {first} "
                    f"Received shape: {np.shape(sample)} at index {at}."
                )
    return samples


def _batch_size(dataset: Any) -> int | None:
    """The length of the first batch, if the last stage of a Dataset makes batches."""
    if not isinstance(dataset, Dataset) or dataset.kind not in BATCHES:
        return None
    first = next(iter(dataset.as_numpy_iterator()), None)
    return None if first is None else len(nest.flatten(first)[0])


def _check_arrays(dataset: Any) -> None:
    kind = type(dataset).__name__
    if not dataset:
        raise ValueError(
            f"Received an empty list dataset. Please provide a non-empty {kind} of arrays."
        )
    for at, array in enumerate(dataset):
        if not isinstance(array, np.ndarray):
            raise ValueError(
                f"Expected a {kind} of `numpy.ndarray` objects,Received: {type(array)} at index "
                f"{at}."
            )
        if len(array) != len(dataset[0]):
            raise ValueError(
                f"Received a {kind} of NumPy arrays with different lengths.Mismatch found at index "
                f"{at}, Expected shape={dataset[0].shape} Received shape={array.shape}.Please "
                f"provide a {kind} of NumPy arrays of the same length."
            )


def _sizes(left: Any, right: Any, total: int) -> tuple[int, int]:
    """The numbers of elements of both parts, from numbers and shares."""
    _check_types(left, right)
    if left == 0 and right == 0:
        raise ValueError(
            "Both `left_size` and `right_size` are zero. At least one of the split sizes must be "
            "non-zero."
        )
    for name, size in (("left_size", left), ("right_size", right)):
        limit = 1 if isinstance(size, float) else total
        if size is not None and not 0 < size < limit:
            raise ValueError(
                f"`{name}` should be either a positive integer {'and ' * (name[0] == 'r')}smaller "
                f"than {total}{',' * (name[0] == 'l')} or a float within the range `[0, 1]`. "
                f"Received: {name}={size}"
            )
    if isinstance(left, float) and isinstance(right, float) and left + right > 1:
        raise ValueError(
            "The sum of `left_size` and `right_size` is greater than 1. It must be less than or "
            "equal to 1."
        )
    first, last = (round(s * total) if isinstance(s, float) else s for s in (left, right))
    first = total - last if first is None else first
    last = total - first if last is None else last
    if first + last > total:
        raise ValueError(
            f"The sum of `left_size` and `right_size` should be smaller than the {total}. "
            f"Received: left_size + right_size = {first + last}and total_length = {total}"
        )
    for side, size in (("left", first), ("right", last)):
        if size == 0:
            raise ValueError(
                f"With `dataset` of length={total}, `left_size`={first} and `right_size`={last}."
                f"Resulting {side} side dataset split will be empty. Adjust any of the "
                "aforementioned parameters"
            )
    return first, last


def _check_types(left: Any, right: Any) -> None:
    kinds = (type(None), int, float)
    wrong = [type(size) not in kinds for size in (left, right)]
    if all(wrong):
        raise TypeError(
            "Invalid `left_size` and `right_size` Types. Expected: integer or float or None, "
            f"Received: type(left_size)={type(left)} and type(right_size)={type(right)}"
        )
    if wrong[0]:
        raise TypeError(
            "Invalid `left_size` Type. Expected: int or float or None, Received: "
            f"type(left_size)={type(left)}.  "
        )
    if wrong[1]:
        raise TypeError(
            "Invalid `right_size` Type. Expected: int or float or None,Received: "
            f"type(right_size)={type(right)}."
        )


def _dataset_of(samples: list[Any], batch_size: int | None) -> Dataset:
    """A Dataset of elements, in batches if the one that they are from has batches."""
    structure = samples[0]
    flat = zip(*(nest.flatten(sample) for sample in samples), strict=True)
    stacked = nest.pack_sequence_as(structure, [np.array(column) for column in flat])
    dataset = Dataset.from_tensor_slices(stacked)
    return dataset if batch_size is None else dataset.batch(batch_size)
