"""Batches of elements of equal or similar length, and batches split again, as methods."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Any, Self

import numpy as np

from tapelab.core.tensor import constant_of
from tapelab.core.tensor_shape import TensorShape
from tapelab.data.dataset_elements import (
    Element,
    are_ragged,
    call,
    common,
    is_structure,
    joined,
    lengthened,
    mapped,
    marked,
    parts_of,
    raw_of,
    rebuilt,
    row,
    row_count,
    shortened,
    stacked,
)
from tapelab.data.dataset_elements import spec as tensor_spec
from tapelab.data.dataset_sources import DatasetSpec, spec_of_element
from tapelab.data.stage import UNKNOWN, Stage, counted, whole
from tapelab.data.transformations import FunctionStage
from tapelab.dtypes import int64
from tapelab.errors import DataLossError, invalid_argument


class BatchStage(FunctionStage):
    """A stage whose elements can be batched, and whose batches can be split again."""

    def batch(
        self, batch_size: Any, drop_remainder: bool = False, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """Stack consecutive elements along a new first axis; the last batch may be shorter.

        InvalidArgumentError for elements of different shapes.
        """
        kind = "_BatchDataset" if num_parallel_calls is None else "_ParallelBatchDataset"
        return self._batched(batch_size, bool(drop_remainder), kind)

    def _batched(self, batch_size: Any, drop_remainder: bool, kind: str) -> Self:
        size = _batch_size(batch_size)

        def start() -> Iterator[Element]:
            return map(_batch, _groups(self, size, drop_remainder))

        def spec_of() -> Any:
            length = size if drop_remainder else None
            return mapped(lambda each: _batched_spec(each, length), self.element_spec)

        count = _batches(self.size, size, drop_remainder)
        return self.then(kind, start, size=count, spec_of=spec_of)

    def ragged_batch(
        self, batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = int64,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """As `batch`, for elements of different lengths, which become rows of a ragged tensor."""

        def spec_of() -> Any:
            spec = self.element_spec
            for element in islice(self.start(), 2):  # a function may give rows of other lengths
                spec = mapped(common, spec, spec_of_element(element))
            return mapped(_row_spec, spec)

        def start() -> Iterator[Element]:
            spec = rows.element_spec
            return (mapped(_as_row, element, spec) for element in self.start())

        rows = self.then(self.kind, start, spec_of=spec_of)
        return rows._batched(batch_size, bool(drop_remainder), "_RaggedBatchDataset")

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None,
        drop_remainder: bool = False, name: str | None = None,
    ) -> Self:  # fmt: skip
        """As `batch`, for elements of different lengths, which are padded at their ends.

        They get the longest shape of the batch, or `padded_shapes`, in which -1 and None stand for
        the longest. DataLossError for an element that is longer than these.
        """
        size, drop_remainder = _batch_size(batch_size), bool(drop_remainder)
        if padded_shapes is not None:
            _check_shapes(self, padded_shapes)

        def start() -> Iterator[Element]:
            for group in _groups(self, size, drop_remainder):
                yield _padded_batch(group, padded_shapes, padding_values)

        def spec_of() -> Any:
            length = size if drop_remainder else None
            return mapped(lambda each: _batched_spec(each, length), _filled(self, padded_shapes))

        count = _batches(self.size, size, drop_remainder)
        return self.then("_PaddedBatchDataset", start, size=count, spec_of=spec_of)

    def unbatch(self, name: str | None = None) -> Self:
        """Return the rows of the elements, one by one."""

        def start() -> Iterator[Element]:
            for element in self.start():
                for index in range(row_count(parts_of(element)[0])):
                    yield mapped(lambda part, at=index: row(part, at), element)

        def spec_of() -> Any:
            return mapped(shortened, self.element_spec)

        return self.then("_UnbatchDataset", start, size=_rows(self), spec_of=spec_of)

    def rebatch(
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Self:
        """Return the rows of the elements in batches of another size."""
        for each in parts_of(self.element_spec):
            if each.shape.rank == 0:
                raise ValueError(
                    "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset "
                    "with scalar elements. Fix the issue by adding the `batch` transformation to "
                    "the dataset."
                )
        sizes = np.ravel(raw_of(batch_size)).tolist()
        if len(sizes) == 1:
            return self.unbatch().batch(sizes[0], drop_remainder)
        rows = self.unbatch()

        def start() -> Iterator[Element]:
            source = rows.start()
            for size in cycle(sizes):
                group = list(islice(source, size))
                if not group or (drop_remainder and len(group) < size):
                    return
                yield _batch(group)

        def spec_of() -> Any:
            return mapped(lambda each: _batched_spec(each, None), rows.element_spec)

        return self.then("_RebatchDataset", start, size=UNKNOWN, spec_of=spec_of)

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """Return Datasets of `size` consecutive elements, as elements.

        A window starts `shift` elements after the last one and takes every `stride`-th element.
        """
        length, step, drop_remainder = whole(size), whole(stride), bool(drop_remainder)
        hop = length if shift is None else whole(shift)
        for title, value in (("size", length), ("shift", hop), ("stride", step)):
            if value < 1:
                raise invalid_argument(
                    "WindowDataset", f"Window {title} must be greater than zero."
                )
        reach = (length - 1) * step + 1

        def start() -> Iterator[Element]:
            held: list[Element] = []
            source = self.start()
            while True:
                held.extend(islice(source, max(0, reach - len(held))))
                if not held or (drop_remainder and len(held) < reach):
                    return
                yield _window(self, held[:reach:step])
                if hop > len(held):
                    next(islice(source, hop - len(held) - 1, hop - len(held)), None)
                held = held[hop:]

        count = counted(self.size, lambda n: _window_count(n, reach, hop, drop_remainder))
        return self.then(
            "_WindowDataset", start, size=count,
            spec_of=lambda: mapped(DatasetSpec, self.element_spec),
        )  # fmt: skip

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: list[int],
        bucket_batch_sizes: list[int], padded_shapes: Any = None, padding_values: Any = None,
        pad_to_bucket_boundary: bool = False, no_padding: bool = False,
        drop_remainder: bool = False, name: str | None = None,
    ) -> Self:  # fmt: skip
        """Return batches of elements of similar length, padded to the longest of the batch.

        `element_length_func` returns the length of an element, which decides its bucket. With
        `no_padding`, for sparse elements and those of equal length, they are batched as they are.
        """
        boundaries, batch_sizes = list(bucket_boundaries), list(bucket_batch_sizes)
        if len(batch_sizes) != len(boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(boundaries)}`."
            )

        def bucket(*element: Any) -> Any:
            packed = element[0] if len(element) == 1 else element
            length = int(raw_of(call(element_length_func, raw_of(packed))))
            return constant_of(np.int64(bisect_right(boundaries, length)))

        def batch(key: Any, window: BatchStage) -> BatchStage:
            if no_padding:
                return window.batch(batch_sizes[whole(key)], drop_remainder)
            shapes = padded_shapes
            if pad_to_bucket_boundary:
                shapes = mapped(
                    lambda each: _up_to(each, boundaries, whole(key)), self.element_spec
                )
            return window.padded_batch(
                batch_sizes[whole(key)], shapes, padding_values, drop_remainder
            )

        return self.group_by_window(bucket, batch, None, lambda key: batch_sizes[whole(key)])


def _as_row(part: Any, each: Any) -> Any:
    is_row = isinstance(part, np.ndarray) and hasattr(each, "_batched")
    return marked(part) if is_row else part


def _row_spec(each: Any) -> Any:
    """The specification of rows of a ragged tensor, for tensors of an open length."""
    if not hasattr(each, "shape") or each.shape.is_fully_defined() or hasattr(each, "_batched"):
        return each
    from tapelab.ragged.ragged_spec import RaggedTensorSpec

    return RaggedTensorSpec(each.shape, each.dtype, ragged_rank=0)


def _check_shapes(stage: Stage, padded_shapes: Any) -> None:
    for each, shape in zip(
        parts_of(stage.element_spec), _matching(stage.element_spec, padded_shapes), strict=True
    ):
        wanted = TensorShape(shape)
        if each.shape.rank is not None and each.shape.rank != wanted.rank:
            raise ValueError(
                f"The padded shape {wanted} is not compatible with the shape {each.shape} of the "
                "corresponding input component."
            )


def _filled(stage: Stage, padded_shapes: Any) -> Any:
    if padded_shapes is None:
        return stage.element_spec
    shapes = iter(_matching(stage.element_spec, padded_shapes))
    return mapped(
        lambda each: tensor_spec(_open(next(shapes)), each.dtype),
        stage.element_spec,
    )


def _open(shape: Any) -> list[int | None]:
    """A padded shape in which -1 stands for the longest."""
    return [None if n in {None, -1} else int(n) for n in _lengths(shape)]


def _lengths(shape: Any) -> list[Any]:
    if isinstance(shape, TensorShape):
        return list(shape.as_list())
    return list(np.asarray(shape)) if hasattr(shape, "dtype") else list(shape)


def _matching(element: Any, given: Any) -> list[Any]:
    """One setting for each part of an element: of a structure its parts, else the same for all."""
    if not is_structure(element):
        return [given]
    if isinstance(element, dict):
        return [each for key in sorted(element) for each in _matching(element[key], given[key])]
    return [each for one, of in zip(element, given, strict=True) for each in _matching(one, of)]


def _padded_batch(group: list[Element], padded_shapes: Any, padding_values: Any) -> Element:
    columns = zip(*map(parts_of, group), strict=True)
    like = group[0]
    count = len(parts_of(like))
    shapes = [None] * count if padded_shapes is None else _matching(like, padded_shapes)
    if padding_values is None or not is_structure(padding_values):
        fillings = [padding_values] * count
    else:
        fillings = _matching(like, padding_values)
    padded = [
        _padded_rows(rows, shape, filling)
        for rows, shape, filling in zip(columns, shapes, fillings, strict=True)
    ]
    return rebuilt(like, iter(padded))


def _padded_rows(rows: tuple[Any, ...], shape: Any, filling: Any) -> Any:
    longest = np.max([each.shape for each in rows], axis=0).astype(int).tolist()
    wanted = _open(shape) if shape is not None else [None] * len(longest)
    lengths = [n if fixed is None else fixed for n, fixed in zip(longest, wanted, strict=True)]
    for need, have in zip(longest, lengths, strict=True):
        if need > have:
            raise DataLossError(
                None,
                "IteratorGetNext",
                "Attempted to pad to a smaller size than the input element: an element has the "
                f"shape {rows[0].shape} and padded_shapes asks for {lengths}.",
            )
    kind = rows[0].dtype
    empty: Any = b"" if kind.kind == "O" else 0
    fill = empty if filling is None else raw_of(filling)[()]
    whole_batch = np.full((len(rows), *lengths), fill, kind)
    for place, each in zip(whole_batch, rows, strict=True) if lengths else ():
        place[tuple(slice(n) for n in each.shape)] = each
    return whole_batch if lengths else stacked(list(rows))


def _rows(stage: Stage) -> int:
    """How many rows all elements have together, where that is known."""
    if stage.kind.startswith(("_Map", "_FlatMap", "_Scan")) or stage.size < 0:
        return UNKNOWN
    shapes = [each.shape for each in parts_of(stage.element_spec)]
    length = shapes[0][0] if shapes[0].rank else None
    return UNKNOWN if length is None else stage.size * length


def _window_count(elements: int, reach: int, hop: int, drop_remainder: bool) -> int:
    if drop_remainder:
        return max(0, (elements - reach) // hop + 1)
    return -(-elements // hop)


def _window(stage: Stage, elements: list[Element]) -> Element:
    """One Dataset for each part of the elements."""
    columns = [list(column) for column in zip(*map(parts_of, elements), strict=True)]
    specs = parts_of(stage.element_spec)
    windows = [_held(stage, column, each) for column, each in zip(columns, specs, strict=True)]
    return rebuilt(elements[0], iter(windows))


def _held(stage: Stage, parts: list[Any], each: Any) -> Stage:
    return stage.then("_VariantDataset", lambda: iter(parts), size=len(parts), spec_of=lambda: each)


def _batch_size(given: Any) -> int:
    size = whole(given)
    if size < 1:
        raise invalid_argument("BatchDatasetV2", "Batch size must be greater than zero.")
    return size


def _batches(elements: int, size: int, drop_remainder: bool) -> int:
    return counted(elements, lambda n: n // size if drop_remainder else -(-n // size))


def _groups(stage: Stage, size: int, drop_remainder: bool) -> Iterator[list[Element]]:
    source = stage.start()
    while group := list(islice(source, size)):
        if len(group) == size or not drop_remainder:
            yield group


def _batch(group: list[Element]) -> Element:
    columns = list(zip(*map(parts_of, group), strict=True))
    for number, rows in enumerate(columns):
        for index, each in enumerate(() if are_ragged(rows) else rows):
            if each.shape != rows[0].shape:
                raise invalid_argument(
                    "IteratorGetNext",
                    f"Cannot batch tensors with different shapes in component {number}. First "
                    f"element had shape {list(rows[0].shape)} and element {index} had shape "
                    f"{list(each.shape)}. Try padded_batch.",
                )
    batched = (joined(rows) if are_ragged(rows) else stacked(list(rows)) for rows in columns)
    return rebuilt(group[0], batched)


def _batched_spec(each: Any, length: int | None) -> Any:
    return lengthened(getattr(each, "element_spec", each), length)


def _up_to(each: Any, boundaries: list[int], key: int) -> list[int]:
    """A shape whose open lengths are the longest of a range."""
    if key >= len(boundaries):
        raise ValueError(
            "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
        )
    return [boundaries[key] - 1 if n is None else n for n in each.shape.as_list()]
