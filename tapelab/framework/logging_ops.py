"""`tf.print`: tensors without their dtype, floats in the shortest form, long ones cut short."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tapelab.core.cell import Holder
from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.variable import read


@public(effect="host", graph_name="PrintV2")
def print(*inputs: Any, **settings: Any) -> None:
    """Write tensors and anything else to the standard error stream, or to `output_stream`.

    Settings: `output_stream` (sys.stderr, sys.stdout or "file://path"), `summarize` (how many
    entries to show at each end, 3; -1 for all), `sep`, `end`, `name`.
    """
    unknown = set(settings) - {"output_stream", "summarize", "sep", "end", "name"}
    if unknown:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {sorted(unknown)}")
    ends = settings.get("summarize", 3)
    text = settings.get("sep", " ").join(
        each if isinstance(each, str) else _text_of(each, ends) for each in inputs
    )
    _write(text + settings.get("end", "\n"), settings.get("output_stream", sys.stderr))


def _write(text: str, stream: Any) -> None:
    if isinstance(stream, str) and stream.startswith("file://"):
        from pathlib import Path  # few programs print into files

        with Path(stream.removeprefix("file://")).open("a", encoding="utf-8") as file:
            file.write(text)
    elif hasattr(stream, "write"):
        stream.write(text)
        stream.flush()
    else:
        raise ValueError(
            f"Unsupported output stream, logging level, or file.{stream!r}. Supported streams are "
            "sys.stdout, sys.stderr. File needs to be in the form of 'file://<filepath>'."
        )


def _text_of(item: Any, ends: int) -> str:
    """A tensor, a nest of them, or any Python value as text."""
    if isinstance(item, Holder):
        item = read(item)
    if isinstance(item, Tensor):
        return array_text(np.asarray(item._value), ends)
    if isinstance(item, CompositeTensor):
        return item._printed(entry, ends)
    if isinstance(item, dict):
        pairs = sorted(item.items())
        return "{" + ", ".join(f"{key!r}: {_text_of(value, ends)}" for key, value in pairs) + "}"
    if isinstance(item, list):
        return "[" + ", ".join(_text_of(each, ends) for each in item) + "]"
    if isinstance(item, tuple):
        inside = ", ".join(_text_of(each, ends) for each in item)
        return f"({inside},)" if len(item) == 1 else f"({inside})"
    return repr(item)


def array_text(array: Any, ends: int, depth: int = 0, rank: int | None = None) -> str:
    """An array in brackets, only so many entries at each end of an axis; -1 for all of them."""
    if rank is None:
        rank = array.ndim
        ends = 0 if not array.size else ends if ends >= 0 else array.size
    if depth == rank:
        return entry(array[()] if isinstance(array, np.ndarray) else array)
    gap = " " if depth == rank - 1 else "\n" * (rank - 1 - depth) + " " * (depth + 1)
    count = len(array)
    first, last = min(ends, count), max(ends, count - ends)
    parts = [array_text(array[at], ends, depth + 1, rank) for at in range(first)]
    middle = [gap + "..."] if count > 2 * ends else []
    rest = [gap + array_text(array[at], ends, depth + 1, rank) for at in range(last, count)]
    return "[" + gap.join(parts) + "".join(middle + rest) + "]"


def entry(value: Any) -> str:
    """One entry: 6 digits of a float if they are enough to give it back, else as many as it has."""
    if isinstance(value, (bytes, str)):
        text = value.decode() if isinstance(value, bytes) else value
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, np.bool_):
        return str(int(value))
    if isinstance(value, np.floating):
        short, long = (15, 17) if value.dtype == np.float64 else (6, 9)
        text = f"{value:.{short}g}"
        return text if type(value)(text) == value or np.isnan(value) else f"{value:.{long}g}"
    return "?" if isinstance(value, np.complexfloating) else str(value)
