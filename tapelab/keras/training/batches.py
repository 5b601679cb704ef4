"""Batches of arrays, tensors, datasets, generators and `tf.keras.utils.PyDataset`."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from tapelab import nest
from tapelab.core.cell import Holder
from tapelab.core.convert import to_tensor
from tapelab.core.tensor import Tensor, constant_of
from tapelab.data.dataset import Dataset
from tapelab.dtypes import as_dtype
from tapelab.keras import backend
from tapelab.random.seeds import GraphSeeds, place_of
from tapelab.random.streams import Source

RAN_OUT = (
    "Your input ran out of data; interrupting training. Make sure that your dataset or generator "
    "can generate at least `steps_per_epoch * epochs` batches. You may need to use the "
    "`.repeat()` function when building your dataset."
)


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
        """The number of batches."""
        return len(self)

    def on_epoch_begin(self) -> None:
        """An epoch begins."""

    def on_epoch_end(self) -> None:
        """An epoch ends; the batches may be shuffled."""

    def batches(self, order: list[int]) -> Iterator[Any]:
        """Yield the batches in an order."""
        self.on_epoch_begin()
        for index in order:
            yield self[index]
        self.on_epoch_end()


Sequence = PyDataset


@dataclass(frozen=True)
class Batches:
    """How to start an epoch, and the number of its batches, if known."""

    start: Callable[[], Iterator[Any]]
    count: int | None = None


class EpochIterator:
    """Iterates over batches for several epochs; a given number of steps ends an epoch early."""

    def __init__(self, batches: Batches, steps: int | None) -> None:
        self._batches, self._steps = batches, steps
        self._open: Iterator[Any] | None = None

    @property
    def steps(self) -> int | None:
        """The number of steps of an epoch, if known."""
        return self._steps or self._batches.count

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """Yield the number and the batch of each step of an epoch."""
        if self._steps is None:
            yield from enumerate(self._batches.start())
            return
        if self._open is None:
            self._open = self._batches.start()
        for step in range(self._steps):
            data = next(self._open, None)
            if data is None:
                self._open = None
                warnings.warn(RAN_OUT, stacklevel=5)
                return
            yield step, data


def unpacked(data: Any) -> tuple[Any, Any, Any]:
    """Return the inputs, labels and weights of a batch; None for missing ones."""
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if len(data) > 3:
        raise ValueError(
            "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or "
            f"`(x, y, sample_weight)`, found: {data}"
        )
    return (*data, None, None)[:3]


def packed(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Return inputs, labels and weights as a batch."""
    if y is None:
        return (x,) if isinstance(x, (tuple, list)) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def batches_of(
    x: Any, y: Any = None, sample_weight: Any = None, *, batch_size: int | None = None,
    shuffle: bool = False, class_weight: dict[int, float] | None = None,
) -> Batches:  # fmt: skip
    """Return the batches of the data given to `fit`, `evaluate` or `predict`."""
    if x is None:
        raise ValueError("There is no data: give arrays, a tf.data.Dataset or a generator as `x`.")
    if isinstance(x, Dataset):
        batches = _from_dataset(x, y, sample_weight)
    elif isinstance(x, PyDataset):
        batches = _from_sequence(x, y, sample_weight, shuffle=shuffle)
    elif hasattr(x, "__next__") and hasattr(x, "send"):
        batches = _from_generator(x, y, sample_weight)
    else:
        batches = _from_arrays(x, y, sample_weight, batch_size or 32, shuffle=shuffle)
    if class_weight is None:
        return batches
    start = batches.start
    return Batches(lambda: (_class_weighted(each, class_weight) for each in start()), batches.count)


def _refuse(kind: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            what = "targets" if name == "y" else "sample weights"
            raise ValueError(
                f"When providing `x` as a {kind}, `{name}` should not be passed. Instead, the "
                f"{what} should be included as part of the {kind}."
            )


def _from_dataset(dataset: Dataset, y: Any, sample_weight: Any) -> Batches:
    _refuse("tf.data.Dataset", y=y, sample_weight=sample_weight)
    epochs = count(0 if dataset.size < 0 else 1)

    def start() -> Iterator[Any]:
        yield from dataset
        if next(epochs):  # Keras, if it knows the size, makes an iterator that it does not use
            dataset.skip_iteration()

    return Batches(start, dataset.size if dataset.size >= 0 else None)


def _from_generator(generator: Any, y: Any, sample_weight: Any) -> Batches:
    _refuse("generator", y=y, sample_weight=sample_weight)
    return Batches(lambda: (nest.map_structure(_tensor, unlisted(each)) for each in generator))


def _from_sequence(sequence: PyDataset, y: Any, sample_weight: Any, *, shuffle: bool) -> Batches:
    _refuse("PyDataset", y=y, sample_weight=sample_weight)
    count = len(sequence)

    def start() -> Iterator[Any]:
        order = list(range(count))
        if shuffle:
            random.shuffle(order)
        return (nest.map_structure(_tensor, unlisted(e)) for e in sequence.batches(order))

    return Batches(start, count)


def unlisted(data: Any) -> Any:
    """Return a batch that was yielded as a list as a tuple."""
    return tuple(data) if isinstance(data, list) else data


def _from_arrays(x: Any, y: Any, sample_weight: Any, batch_size: int, *, shuffle: bool) -> Batches:
    data = arrays_of(x, y, sample_weight)
    count = len(nest.flatten(data)[0])
    last = -(-count // batch_size)
    pair = GraphSeeds().pair(None)  # Keras shuffles in a graph, whose ops start again in each epoch

    def start() -> Iterator[Any]:
        stream = Source(None if pair is None else place_of(pair))
        order = np.array(stream.permutation(count), np.intp) if shuffle else None
        for begin in range(0, count, batch_size):
            end = begin + batch_size
            rows = slice(begin, end) if order is None else order[begin:end]
            yield nest.map_structure(lambda array, at=rows: _batch(array[at]), data)

    return Batches(start, last)


def _batch(rows: Any) -> Tensor:
    """Some rows as a tensor; a copy, since the user may change the array."""
    return constant_of(rows.copy())


def arrays_of(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Return the data as NumPy arrays in the default dtype; ValueError if their lengths differ."""
    parts = {"x": x, "y": y, "sample_weight": sample_weight}
    given = {name: part for name, part in parts.items() if part is not None}
    for name, part in given.items():
        for each in nest.flatten(part):
            if not (hasattr(each, "shape") and hasattr(each, "__array__")):
                raise ValueError(f"Unrecognized data type: {name}={part} (of type {type(part)})")
    arrays = {name: nest.map_structure(_array, part) for name, part in given.items()}
    sizes = {name: [len(each) for each in nest.flatten(part)] for name, part in arrays.items()}
    if len({size for many in sizes.values() for size in many}) > 1:
        lines = [f"'{name}' sizes: {', '.join(map(str, many))}" for name, many in sizes.items()]
        raise ValueError(
            "Data cardinality is ambiguous. Make sure all arrays contain the same number of "
            "samples." + "\n".join(lines) + "\n"
        )
    return packed(arrays["x"], arrays.get("y"), arrays.get("sample_weight"))


def _array(value: Any) -> Any:
    if isinstance(value, (Tensor, Holder)):
        value = to_tensor(value)._value
    array = np.asarray(value)
    return array.astype(backend.floatx()) if array.dtype.kind == "f" else array


def _tensor(value: Any) -> Any:
    """A tensor of data from a generator, floats in the default dtype."""
    tensor = to_tensor(value)
    if not tensor.dtype.is_floating:
        return tensor
    return backend.convert_to_tensor(tensor, as_dtype(backend.floatx()))


def split_off(data: Any, share: float) -> tuple[Any, Any]:
    """Return the first rows of all arrays for training, and the last ones for validation."""
    for each in nest.flatten(data):
        if not hasattr(each, "__array__"):
            raise ValueError(
                "Argument `validation_split` is only supported for tensors or NumPy arrays."
                f"Found incompatible type in the input: {[type(each)]}"
            )
    count = len(nest.flatten(data)[0])
    border = int(np.floor(count * (1.0 - share)))
    if border in {0, count}:
        raise ValueError(
            f"Training data contains {count} samples, which is not sufficient to split it into a "
            f"validation and training set as specified by `validation_split={share}`. Either "
            "provide more data, or a different value for the `validation_split` argument."
        )
    return (
        nest.map_structure(lambda each: each[:border], data),
        nest.map_structure(lambda each: each[border:], data),
    )


def _class_weighted(data: Any, class_weight: dict[int, float]) -> Any:
    """A batch with the weight of its class for each sample."""
    x, y, sample_weight = unpacked(data)
    if sample_weight is not None:
        raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
    labels = to_tensor(y)._value
    many = labels.ndim > 1 and labels.shape[-1] > 1
    classes = labels.argmax(-1) if many else labels.reshape(labels.shape[0], -1)[:, 0]
    weights = [class_weight.get(int(each), 1.0) for each in np.ravel(classes)]
    return packed(x, y, constant_of(np.asarray(weights, backend.floatx())))
