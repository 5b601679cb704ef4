"""Batches of elements, of equal or similar length, and batches taken apart."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

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
from tapelab.data.dataset_sources import spec_of_element
from tapelab.data.stage import UNKNOWN, Stage, counted, whole
from tapelab.data.transformations import grouped
from tapelab.errors import DataLossError, invalid_argument


def batched(stage: Stage, batch_size: Any, drop_remainder: bool, kind: str) -> Stage:
    """Consecutive elements stacked."""
    size = _batch_size(batch_size)

    def start() -> Iterator[Element]:
        return map(_batch, _groups(stage, size, drop_remainder))

    def spec_of() -> Any:
        length = size if drop_remainder else None
        return mapped(lambda each: _batched_spec(each, length), stage.element_spec)

    return stage.then(kind, start, size=_batches(stage.size, size, drop_remainder), spec_of=spec_of)


def ragged(stage: Stage, batch_size: Any, drop_remainder: bool) -> Stage:
    """Consecutive elements in rows: of a ragged tensor, where their lengths are not fixed."""

    def spec_of() -> Any:
        spec = stage.element_spec
        for element in islice(stage.start(), 2):  # a function may give rows of other lengths
            spec = mapped(common, spec, spec_of_element(element))
        return mapped(_row_spec, spec)

    def start() -> Iterator[Element]:
        spec = rows.element_spec
        return (mapped(_as_row, element, spec) for element in stage.start())

    rows = stage.then(stage.kind, start, spec_of=spec_of)
    return batched(rows, batch_size, drop_remainder, "_RaggedBatchDataset")


def _as_row(part: Any, each: Any) -> Any:
    is_row = isinstance(part, np.ndarray) and hasattr(each, "_batched")
    return marked(part) if is_row else part


def _row_spec(each: Any) -> Any:
    """The specification of rows of a ragged tensor, for tensors of an open length."""
    if not hasattr(each, "shape") or each.shape.is_fully_defined() or hasattr(each, "_batched"):
        return each
    from tapelab.ragged.ragged_spec import RaggedTensorSpec

    return RaggedTensorSpec(each.shape, each.dtype, ragged_rank=0)


def padded(
    stage: Stage, batch_size: Any, padded_shapes: Any, padding_values: Any, drop_remainder: bool
) -> Stage:
    """Consecutive elements filled up to a common shape and stacked."""
    size = _batch_size(batch_size)
    if padded_shapes is not None:
        _check_shapes(stage, padded_shapes)

    def start() -> Iterator[Element]:
        for group in _groups(stage, size, drop_remainder):
            yield _padded_batch(group, padded_shapes, padding_values)

    def spec_of() -> Any:
        length = size if drop_remainder else None
        return mapped(lambda each: _batched_spec(each, length), _filled(stage, padded_shapes))

    return stage.then(
        "_PaddedBatchDataset", start, size=_batches(stage.size, size, drop_remainder),
        spec_of=spec_of,
    )  # fmt: skip


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


def unbatched(stage: Stage) -> Stage:
    """The rows of the elements, one by one."""

    def start() -> Iterator[Element]:
        for element in stage.start():
            for index in range(row_count(parts_of(element)[0])):
                yield mapped(lambda part, at=index: row(part, at), element)

    def spec_of() -> Any:
        return mapped(shortened, stage.element_spec)

    return stage.then("_UnbatchDataset", start, size=_rows(stage), spec_of=spec_of)


def _rows(stage: Stage) -> int:
    """How many rows all elements have together, where that is known."""
    if stage.kind.startswith(("_Map", "_FlatMap", "_Scan")) or stage.size < 0:
        return UNKNOWN
    shapes = [each.shape for each in parts_of(stage.element_spec)]
    length = shapes[0][0] if shapes[0].rank else None
    return UNKNOWN if length is None else stage.size * length


def windows(stage: Stage, size: Any, shift: Any, stride: Any, drop_remainder: bool) -> Stage:
    """Datasets of consecutive elements, as elements."""
    length, step = whole(size), whole(stride)
    hop = length if shift is None else whole(shift)
    for name, value in (("size", length), ("shift", hop), ("stride", step)):
        if value < 1:
            raise invalid_argument("WindowDataset", f"Window {name} must be greater than zero.")
    reach = (length - 1) * step + 1

    def start() -> Iterator[Element]:
        held: list[Element] = []
        source = stage.start()
        while True:
            held.extend(islice(source, max(0, reach - len(held))))
            if not held or (drop_remainder and len(held) < reach):
                return
            yield _window(stage, held[:reach:step])
            if hop > len(held):
                next(islice(source, hop - len(held) - 1, hop - len(held)), None)
            held = held[hop:]

    count = counted(stage.size, lambda n: _window_count(n, reach, hop, drop_remainder))
    return stage.then("_WindowDataset", start, size=count, spec_of=lambda: _window_spec(stage))


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


def _window_spec(stage: Stage) -> Any:
    from tapelab.data.dataset_sources import DatasetSpec

    return mapped(DatasetSpec, stage.element_spec)


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


def bucketed(
    stage: Stage, element_length_func: Callable[..., Any], boundaries: list[int],
    batch_sizes: list[int], padded_shapes: Any, padding_values: Any, *, to_boundary: bool,
    drop_remainder: bool,
) -> Stage:  # fmt: skip
    """Elements gathered by length; those of one range of lengths are filled up and stacked."""
    if len(batch_sizes) != len(boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(batch_sizes)}` and "
            f"`len(bucket_boundaries)={len(boundaries)}`."
        )

    def bucket(*element: Any) -> Any:
        length = int(raw_of(call(element_length_func, raw_of(_packed(element)))))
        return constant_of(np.int64(bisect_right(boundaries, length)))

    def batch(key: Any, window: Stage) -> Stage:
        shapes = padded_shapes
        if to_boundary:
            shapes = mapped(lambda each: _up_to(each, boundaries, whole(key)), stage.element_spec)
        return padded(window, batch_sizes[whole(key)], shapes, padding_values, drop_remainder)

    return grouped(stage, bucket, batch, None, lambda key: batch_sizes[whole(key)])


def _packed(element: tuple[Any, ...]) -> Any:
    return element[0] if len(element) == 1 else element


def _up_to(each: Any, boundaries: list[int], key: int) -> list[int]:
    """A shape whose open lengths are the longest of a range."""
    if key >= len(boundaries):
        raise ValueError(
            "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
        )
    return [boundaries[key] - 1 if n is None else n for n in each.shape.as_list()]
