"""Event files: records of a step, a name and a number, in the format of TensorBoard."""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab.array_ops.creation import convert_to_tensor
from tapelab.core.dispatch import public
from tapelab.dtypes import float32
from tapelab.framework.scopes import get_current_name_scope
from tapelab.io.protobuf import FIXED_64, field, varint
from tapelab.io.record_files import TFRecordWriter
from tapelab.io.serialized import pack

WALL_TIME, STEP, FILE_VERSION, SUMMARY = 1, 2, 3, 5
"""The fields of an event."""
VALUE: Final = 1
TAG, TENSOR, METADATA = 1, 8, 9
"""The fields of a value in a summary."""
SCALAR: Final = field(METADATA, field(1, field(1, "scalars")) + field(4, 1))
"""Says that a value is a point of a curve."""
_numbers: Final = count()


class _Current(threading.local):
    """The writer that is the default, and the step."""

    writer: SummaryWriter | None = None
    step: Any = None


_current: Final = _Current()


class SummaryWriter:
    """Writes events into a file."""

    def __init__(self, logdir: str, suffix: str) -> None:
        folder = Path(logdir)
        folder.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}"
        path = folder / f"{name}.{os.getpid()}.{next(_numbers)}{suffix}"
        self._records = TFRecordWriter(path)
        weakref.finalize(self, self._records.close)  # also without a call of close()
        self.write(field(FILE_VERSION, "brain.Event:2"))

    def write(self, content: bytes) -> None:
        """Write an event with the time of now."""
        now = varint(WALL_TIME << 3 | FIXED_64) + struct.pack("<d", time.time())
        self._records.write(now + content)

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Let summaries in the block go to this file, and belong to a step."""
        before = _current.writer, _current.step
        _current.writer = self
        _current.step = before[1] if step is None else step
        try:
            yield self
        finally:
            _current.writer, _current.step = before
            self.flush()

    def flush(self) -> None:
        """Write what is still in memory."""
        self._records.flush()

    def close(self) -> None:
        """Close the file."""
        self._records.close()


def create_file_writer(
    logdir: Any, max_queue: Any = None, flush_millis: Any = None,
    filename_suffix: str | None = None, name: str | None = None, **unused: Any,
) -> SummaryWriter:  # fmt: skip
    """Return a writer of a new file in a folder."""
    del max_queue, flush_millis, name, unused
    return SummaryWriter(str(logdir), ".v2" if filename_suffix is None else filename_suffix)


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> None:
    """Write a number of a step to the default writer; do nothing if there is none."""
    del description
    writer = _current.writer
    if writer is None:
        return
    step = _current.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "`writer.as_default(step)`."
        )
    scope = get_current_name_scope()
    write_scalar(writer, f"{scope}/{name}" if scope else name, data, step)


@public(effect="host")
def write_scalar(writer: SummaryWriter, tag: str, data: Any, step: Any) -> None:
    """Write a number to a file, also when a traced function runs."""
    value = np.asarray(convert_to_tensor(data).numpy(), np.float32)
    if value.ndim:
        raise ValueError(f"tf.summary.scalar takes a scalar. {tag} has the shape {value.shape}.")
    point = field(TAG, tag) + SCALAR + field(TENSOR, pack(value, float32))
    at = int(convert_to_tensor(step).numpy())
    writer.write(field(STEP, at) + field(SUMMARY, field(VALUE, point)))
