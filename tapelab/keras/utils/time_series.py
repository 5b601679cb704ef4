"""Windows of a time series as a Dataset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapelab.data.dataset import Dataset
from tapelab.data.dataset_elements import Element, raw_of, spec
from tapelab.dtypes import BY_NUMPY
from tapelab.keras.utils.class_folders import check_format, refuse_grain


def timeseries_dataset_from_array(
    data: Any, targets: Any, sequence_length: int, sequence_stride: int = 1,
    sampling_rate: int = 1, batch_size: int | None = 128, shuffle: bool = False,
    seed: int | None = None, start_index: int | None = None, end_index: int | None = None,
    format: str = "tf",
) -> Dataset:  # fmt: skip
    """Return windows of consecutive rows, with the target at the beginning of each.

    A window takes `sequence_length` rows, every `sampling_rate`th one. Windows begin every
    `sequence_stride` rows from `start_index`, and end before `end_index`.
    """
    _check_bounds(len(data), start_index, end_index)
    for name, value in (("sampling_rate", sampling_rate), ("sequence_stride", sequence_stride)):
        if value <= 0:
            raise ValueError(f"`{name}` must be higher than 0. Received: {name}={value}")
        if value >= len(data):
            raise ValueError(
                f"`{name}` must be lower than the length of the data. Received: {name}={value}, "
                f"for data of length {len(data)}"
            )
    check_format(format)
    refuse_grain(format)
    start, end = start_index or 0, len(data) if end_index is None else end_index
    rows = raw_of(data)[start:end]
    goals = None if targets is None else raw_of(targets)[start:end]
    count = end - start - (sequence_length - 1) * sampling_rate
    if targets is not None:
        count = min(count, len(targets))
    places = np.arange(0, count, sequence_stride)
    if shuffle:
        seed = int(np.random.randint(int(1e6))) if seed is None else seed  # noqa: NPY002 - as Keras draws it
        np.random.RandomState(seed).shuffle(places)
    steps = np.arange(sequence_length) * sampling_rate

    def windows() -> Iterator[Element]:
        for place in places:
            window = rows[place + steps]
            yield window if goals is None else (window, goals[place])

    def spec_of() -> Any:
        window = spec((None, *rows.shape[1:]), BY_NUMPY[rows.dtype])
        return window if goals is None else (window, spec(goals.shape[1:], BY_NUMPY[goals.dtype]))

    dataset = Dataset("_PrefetchDataset", windows, spec_of, len(places))
    if shuffle:
        dataset = dataset.shuffle((batch_size or 128) * 8, seed=seed)
    return dataset if batch_size is None else dataset.batch(batch_size)


def _check_bounds(length: int, start: int | None, end: int | None) -> None:
    if start and start < 0:
        raise ValueError(f"`start_index` must be 0 or greater. Received: start_index={start}")
    if start and start >= length:
        raise ValueError(
            "`start_index` must be lower than the length of the data. Received: "
            f"start_index={start}, for data of length {length}"
        )
    if not end:
        return
    if start and end <= start:
        raise ValueError(
            f"`end_index` must be higher than `start_index`. Received: start_index={start}, and "
            f"end_index={end} "
        )
    if end >= length:
        raise ValueError(
            f"`end_index` must be lower than the length of the data. Received: end_index={end}, "
            f"for data of length {length}"
        )
    if end <= 0:
        raise ValueError(f"`end_index` must be higher than 0. Received: end_index={end}")
