"""`tf.data.Dataset`: a pipeline of elements, written as a chain of methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from tapelab.core.tensor import Tensor, constant_of
from tapelab.data import dataset_sources
from tapelab.data.dataset_elements import Element, mapped, parts_of, raw_of, rebuilt, tensors_of
from tapelab.data.element_order import OrderStage, draws
from tapelab.data.iterators import DatasetIterator, NumpyIterator
from tapelab.data.stage import INFINITE, UNKNOWN, Options, whole
from tapelab.dtypes import int64
from tapelab.errors import invalid_argument


class Dataset(OrderStage):
    """Elements, one after the other, that are made when a loop asks for them.

    The numbers are copies: no gradient leads back to what a Dataset was made from.
    """

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """One element: the tensors themselves."""
        return Dataset(*dataset_sources.whole_tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """One element for each row of the tensors, in their structure."""
        return Dataset(*dataset_sources.slices(tensors))

    @staticmethod
    def from_generator(
        generator: Any, output_types: Any = None, output_shapes: Any = None, args: Any = None,
        output_signature: Any = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """What a Python generator yields; the signature promises shapes and dtypes."""
        return Dataset(
            *dataset_sources.generated(
                generator, output_types, output_shapes, args, output_signature
            )
        )

    @staticmethod
    def range(*args: Any, output_type: Any = int64, name: str | None = None) -> Dataset:
        """The integers of a range."""
        return Dataset(*dataset_sources.numbers(args, output_type))

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None
    ) -> Dataset:
        """Integers without an end."""
        return Dataset(*dataset_sources.counting(whole(start), whole(step), dtype))

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """Random integers without an end."""
        return Dataset(*dataset_sources.chances(draws(seed)))

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """The names of the files that match a pattern, shuffled unless `shuffle` is False."""
        files = Dataset(*dataset_sources.named(file_pattern))
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
            for row in zip(*(each.start() for each in parts), strict=False):
                yield rebuilt(structure, iter(row))

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
        parts, generator = list(datasets), draws(seed)

        def start() -> Iterator[Element]:
            shares = None if weights is None else np.asarray(raw_of(weights), float)
            if shares is not None:
                shares = shares / shares.sum()
            while True:
                yield np.asarray(generator.choice(len(parts), p=shares))

        numbers = Dataset("_Choices", start, lambda: None, INFINITE)
        return Dataset.choose_from_datasets(parts, numbers, stop_on_empty_dataset)

    @staticmethod
    def choose_from_datasets(
        datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Return elements of several Datasets, from the one that each number of a Dataset names."""
        parts: list[Dataset] = list(datasets)

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
        """The settings of the pipeline."""
        return Options()

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


class TextLineDataset(Dataset):
    """The lines of text files, without their ends."""

    def __new__(
        cls, filenames: Any, compression_type: str | None = None, buffer_size: Any = None,
        num_parallel_reads: Any = None, name: str | None = None,
    ) -> Any:  # fmt: skip
        """A Dataset like any other."""
        return Dataset(*dataset_sources.lines(filenames, compression_type))
