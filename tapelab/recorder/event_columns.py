"""Events and places of the code as the columns of a recording."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.recording import events as e

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tapelab.recorder.interning import Interned, Spans

HEAD: Final = 4
"""What is kept of each event beside its fields: kind, span, thread and where the fields end."""
_SPAN: Final = ("source", "line", "column", "end_line", "end_column")


class EventColumns:
    """The events of a recording in the making, packed one after the other."""

    def __init__(self) -> None:
        self._heads, self._fields = array("i"), array("i")

    def __len__(self) -> int:
        return len(self._heads) // HEAD

    def append(self, event: e.Event, span: int, thread: int) -> None:
        """Append one event."""
        self.append_packed(e.KIND_OF[type(event)], e.pack(event), span, thread)

    def append_packed(self, kind: int, fields: Sequence[int], span: int, thread: int) -> None:
        """Append one event that is packed already."""
        self._fields.extend(fields)
        self._heads.extend((kind, span, thread, len(self._fields)))

    def extend(self, kind: int, threads: Any, spans: Any, ends: Any, fields: Any) -> None:
        """Append many events of one kind, whose fields are packed already."""
        heads = np.empty((len(ends), HEAD), np.intc)
        heads[:, 0], heads[:, 1], heads[:, 2] = kind, spans, threads
        heads[:, 3] = ends + len(self._fields)
        self._heads.frombytes(heads.tobytes())
        self._fields.frombytes(fields.tobytes())

    def as_columns(self) -> dict[str, Any]:
        """The columns of the file format."""
        heads = np.array(self._heads, "<i4").reshape(-1, HEAD)
        return {
            "event.kind": heads[:, 0].astype("u1"),
            "event.span": heads[:, 1].copy(),
            "event.thread": heads[:, 2].copy(),
            "event.start": np.insert(heads[:, 3], 0, 0),
            "event.fields": np.array(self._fields, "<i4"),
        }


def span_columns(spans: Spans, strings: Interned) -> dict[str, Any]:
    """The columns of all spans, with the name of the function that each stands in, if any does."""
    rows = np.array(spans.rows, "<i4").reshape(-1, len(_SPAN))
    columns = {f"span.{name}": rows[:, at].copy() for at, name in enumerate(_SPAN)}
    if any(spans.functions):
        functions = [strings.index(name) if name else -1 for name in spans.functions]
        columns["span.function"] = np.array(functions, "<i4")
    return columns
