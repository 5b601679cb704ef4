"""Elements from files: their names, and their lines."""

from __future__ import annotations

import glob
import gzip
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from tapelab.data.elements import Element, raw_of
from tapelab.data.reading import Made, slices
from tapelab.data.stage import UNKNOWN
from tapelab.data.structure import spec
from tapelab.dtypes import string
from tapelab.errors import NotFoundError, invalid_argument

OPENERS: Final[dict[str, Callable[..., Any]]] = {"": open, "GZIP": gzip.open}
"""How a file is opened, by the kind of its compression."""


def named(patterns: Any) -> Made:
    """The names of the files that match a pattern, or several."""
    wanted = [each.decode() for each in np.ravel(raw_of(patterns))]
    found = sorted(n for pattern in wanted for n in glob.glob(pattern))  # noqa: PTH207 - names stay as written
    if not found:
        raise invalid_argument("Assert", f"No files matched pattern: {', '.join(wanted)}")
    return slices(found)


def lines(filenames: Any, compression_type: str | None) -> Made:
    """The lines of a file, or of several one after the other, without their ends."""
    names = [each.decode() for each in np.ravel(raw_of(filenames))]
    opener = OPENERS[compression_type or ""]

    def start() -> Iterator[Element]:
        for name in names:
            try:
                with opener(name, "rb") as file:
                    for line in file:
                        yield np.array(line.rstrip(b"\r\n"), object)
            except FileNotFoundError:
                raise NotFoundError(
                    None,
                    "IteratorGetNext",
                    f"{name}; No such file or directory [Op:IteratorGetNext]",
                ) from None

    return "TextLineDatasetV2", start, lambda: spec((), string), UNKNOWN, ()
