"""`tf.data.Dataset`: a pipeline of elements, written as a chain of methods."""

from __future__ import annotations

import glob
import gzip
import os
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np

from tapelab.core.tensor import Tensor, constant_of
from tapelab.data.dataset_elements import (
    Element,
    mapped,
    parts_of,
    raw_of,
    rebuilt,
    row,
    sources_in,
    spec,
    tensors_of,
)
from tapelab.data.dataset_sources import (
    checked_element,
    signature_of,
    slice_count,
    spec_of_element,
    spec_of_part,
)
from tapelab.data.element_order import OrderStage, iteration_words
from tapelab.data.iterators import DatasetIterator, NumpyIterator
from tapelab.data.stage import INFINITE, UNKNOWN, Options, whole
from tapelab.dtypes import as_dtype, int64, string
from tapelab.errors import NotFoundError, invalid_argument
from tapelab.kernels.draws import classes
from tapelab.kernels.philox import scrambled
from tapelab.ops.public import strict_operand

OPENERS: Final[dict[str, Callable[..., Any]]] = {"": open, "GZIP": gzip.open}
"""How a file is opened, by the kind of its compression."""


class Dataset(OrderStage):
    """Elements, one after the other, that are made when a loop asks for them.

    The numbers are copies: no gradient leads back to what a Dataset was made from.
    """

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """Return one element: the tensors themselves."""
        element = raw_of(tensors)
        return Dataset(
            "_TensorDataset", lambda: iter([element]), lambda: spec_of_element(element), 1,
            sources_in(tensors),
        )  # fmt: skip

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """Return one element for each row of the tensors, in their structure.

        ValueError for tensors with different numbers of rows.
        """
        arrays = None if tensors is None else raw_of(tensors)
        parts = [] if arrays is None else parts_of(arrays)
        if not parts:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        lengths = [slice_count(part) for part in parts]
        for each in lengths:
            if each != lengths[0]:
                raise ValueError(
                    f"Dimensions {lengths[0]} and {each} are not compatible: all parts need the "
                    f"same number of rows, and these have {', '.join(map(str, lengths))}."
                )

        def start() -> Iterator[Element]:
            for index in range(lengths[0]):
                yield mapped(lambda part, at=index: row(part, at), arrays)

        return Dataset(
            "_TensorSliceDataset", start, lambda: mapped(lambda p: spec_of_part(p, 1), arrays),
            lengths[0], sources_in(tensors),
        )  # fmt: skip

    @staticmethod
    def from_generator(
        generator: Any, output_types: Any = None, output_shapes: Any = None, args: Any = None,
        output_signature: Any = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Return what a Python generator yields; the signature promises shapes and dtypes."""
        if not callable(generator):
            raise TypeError(
                "`generator` must be a Python callable. Pass the generator function itself, "
                "without calling it."
            )
        if output_signature is None and output_types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the "
                "`output_signature` argument or the `output_types` argument. Try "
                "output_signature=tf.TensorSpec(shape=(), dtype=tf.float32)."
            )
        signature = output_signature
        if signature is None:
            signature = signature_of(output_types, output_shapes)
        values = tuple(tensor.numpy() for tensor in map(tensors_of, map(raw_of, args or ())))

        def start() -> Iterator[Element]:
            return (checked_element(each, signature) for each in generator(*values))

        return Dataset("_FlatMapDataset", start, lambda: signature, UNKNOWN)

    @staticmethod
    def range(*args: Any, output_type: Any = int64, name: str | None = None) -> Dataset:
        """Return the integers of a range."""
        if not 1 <= len(args) <= 3:
            raise ValueError(
                "Invalid `args`. The length of `args` should be between 1 and 3 but was "
                f"{len(args)}."
            )
        bounds = range(*(int(strict_operand(each, int64)._value) for each in args))
        kind = as_dtype(output_type)

        def start() -> Iterator[Element]:
            return (np.asarray(number, kind.as_numpy_dtype) for number in bounds)

        return Dataset("_RangeDataset", start, lambda: spec((), kind), len(bounds))

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None
    ) -> Dataset:
        """Return integers without end."""
        first, by, kind = whole(start), whole(step), as_dtype(dtype)

        def numbers() -> Iterator[Element]:
            return (np.asarray(each, kind.as_numpy_dtype) for each in count(first, by))

        return Dataset("_ScanDataset", numbers, lambda: spec((), kind), INFINITE)

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """Return random integers without end, from 0 to 2³² - 1."""
        words = iteration_words(seed, changing=bool(rerandomize_each_iteration))

        def start() -> Iterator[Element]:
            return (np.asarray(word, np.int64) for word in words())

        return Dataset("_RandomDataset", start, lambda: spec((), int64), INFINITE)

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """Return the names of the files that match a pattern, shuffled unless `shuffle` is False.

        InvalidArgumentError if there are none.
        """
        patterns = [each.decode() for each in np.ravel(raw_of(file_pattern))]
        names = sorted(path for each in patterns for path in glob.glob(each))  # noqa: PTH207 - names stay as written
        if not names:
            raise invalid_argument("Assert", f"No files matched pattern: {', '.join(patterns)}")
        files = Dataset.from_tensor_slices(names)
        return files if shuffle is False else files.shuffle(len(files), seed)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Return the elements of several Datasets side by side, until one of them ends.

        `datasets` is a nest of Datasets, and an element has its structure.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        structure = datasets
        if structure is None:
            structure = args[0] if len(args) == 1 else args
        parts = parts_of(structure)
        for each in parts:
            if not isinstance(each, Dataset):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    f"`tf.data.Dataset` objects but encountered object of type {type(each)}."
                )

        def start() -> Iterator[Element]:
            for pieces in zip(*(each.start() for each in parts), strict=False):
                yield rebuilt(structure, iter(pieces))

        sizes = [each.size for each in parts]
        finite = [size for size in sizes if size != INFINITE]
        first: Dataset = parts[0]
        return first.then(
            "_ZipDataset", start, others=tuple(parts[1:]),
            size=UNKNOWN if UNKNOWN in sizes else min(finite, default=INFINITE),
            spec_of=lambda: mapped(lambda each: each.element_spec, structure),
        )  # fmt: skip

    @staticmethod
    def sample_from_datasets(
        datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:  # fmt: skip
        """Return elements of several Datasets, each drawn at random with the given weights."""
        parts = _not_empty(datasets)
        shares = np.ones(len(parts)) if weights is None else np.asarray(raw_of(weights), float)
        if len(shares) != len(parts):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={len(shares)}` vs. `len(datasets)={len(parts)}`."
            )
        if not isinstance(weights, Tensor):
            parts = [part for part, share in zip(parts, shares, strict=True) if share > 0]
            shares = shares[shares > 0]
        if len(parts) < 2:
            return parts[0] if parts else datasets[0].take(0)
        scores = np.log(shares)[None]
        words = iteration_words(seed, changing=bool(rerandomize_each_iteration))

        def start() -> Iterator[Element]:
            numbers = words()
            for seed_pair in zip(numbers, numbers, strict=True):
                yield np.asarray(classes(scrambled(seed_pair), scores, 1)[0, 0])

        choices = Dataset("_Choices", start, lambda: None, INFINITE)
        return Dataset.choose_from_datasets(parts, choices, stop_on_empty_dataset)

    @staticmethod
    def choose_from_datasets(
        datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Return elements of several Datasets, from the one that each number of a Dataset names."""
        parts = _not_empty(datasets)

        def start() -> Iterator[Element]:
            sources: list[Iterator[Element] | None] = [each.start() for each in parts]
            for choice in choice_dataset.start():
                source = sources[int(choice)]
                element = None if source is None else next(source, None)
                if element is not None:
                    yield element
                    continue
                sources[int(choice)] = None
                if stop_on_empty_dataset or not any(sources):
                    return

        return parts[0].then(
            "_DirectedInterleaveDataset", start, size=UNKNOWN, others=tuple(parts[1:])
        )

    def save(
        self, path: Any, compression: str | None = None, shard_func: Any = None,
        checkpoint_args: Any = None,
    ) -> None:  # fmt: skip
        """Write the elements into a folder, from which `load` reads them."""
        from tapelab.data import element_files  # with tf.io, loaded where files are used

        folder, kind = Path(os.fspath(path)), compression or ""
        element_files.write_spec(folder / element_files.SPEC, self.element_spec)
        elements = folder / element_files.ELEMENTS
        element_files.write_elements(elements, self.start(), kind)

    @staticmethod
    def load(
        path: Any, element_spec: Any = None, compression: str | None = None,
        reader_func: Any = None, wait: bool = False,
    ) -> Dataset:  # fmt: skip
        """Return the elements that `save` wrote; NotFoundError if there are none."""
        from tapelab.data import element_files  # with tf.io, loaded where files are used

        folder, kind = Path(os.fspath(path)), compression or ""
        specs = element_files.read_spec(folder / element_files.SPEC)
        elements = folder / element_files.ELEMENTS
        count = sum(1 for _ in element_files.read_elements(elements, specs, kind))
        return Dataset(
            "_LoadDataset", lambda: element_files.read_elements(elements, specs, kind),
            lambda: specs, count,
        )  # fmt: skip

    def snapshot(
        self, path: Any, compression: str = "AUTO", reader_func: Any = None,
        shard_func: Any = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Write the elements into a folder in the first iteration, and read them in later ones."""
        return self.cache(os.path.join(os.fspath(path), "snapshot"))  # noqa: PTH118 - a prefix

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a running number and an element."""
        return Dataset.zip((Dataset.counter(start), self))

    def apply(self, transformation_func: Callable[[Dataset], Any], name: str | None = None) -> Any:
        """What a function makes of this Dataset."""
        return transformation_func(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """Return the only element; InvalidArgumentError if there are more, or none."""
        first = list(islice(self.start(), 2))
        if len(first) != 1:
            problem = "Dataset had more than one element." if first else "Dataset was empty."
            raise invalid_argument("DatasetToSingleElement", problem)
        return tensors_of(first[0], self.sources)

    def options(self) -> Options:
        """Return the settings of the pipeline."""
        return self.settings or Options()

    def cardinality(self) -> Tensor:
        """How many elements there are: -1 for ever, -2 where no one knows."""
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


def _not_empty(datasets: Any) -> list[Dataset]:
    """The Datasets of a list; ValueError if there are none."""
    parts: list[Dataset] = list(datasets)
    if not parts:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    return parts


class TextLineDataset(Dataset):
    """The lines of text files, without their ends."""

    def __new__(
        cls, filenames: Any, compression_type: str | None = None, buffer_size: Any = None,
        num_parallel_reads: Any = None, name: str | None = None,
    ) -> Any:  # fmt: skip
        """Return a Dataset like any other; NotFoundError when it reaches a missing file."""
        names = [each.decode() for each in np.ravel(raw_of(filenames))]
        opener = OPENERS[compression_type or ""]

        def start() -> Iterator[Element]:
            for path in names:
                try:
                    with opener(path, "rb") as file:
                        for line in file:
                            yield np.array(line.rstrip(b"\r\n"), object)
                except FileNotFoundError:
                    raise NotFoundError(
                        None,
                        "IteratorGetNext",
                        f"{path}; No such file or directory [Op:IteratorGetNext]",
                    ) from None

        return Dataset("TextLineDatasetV2", start, lambda: spec((), string), UNKNOWN)
