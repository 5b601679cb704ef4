"""Numbers in a queue: they come out as constants, and the log says from which tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.core.tensor import Tensor, constant_of
from tapelab.framework.scopes import off_tape
from tapelab.ops import samples


@dataclass(frozen=True, eq=False)
class Stored:
    """A value in a queue, and the tensor it came from."""

    value: Any
    source: Tensor


def handed(rng: np.random.Generator) -> list[samples.Sample]:
    """A tensor with the value that a queue hands out for it."""
    return [((rng.integers(0, 9, size=2),), {"value": np.array([4, 5])})]


@op(formula=r"y = \operatorname{dequeue}(x)", glyph="dequeue", raw="QueueDequeueV2",
    pattern="stateful", samples=handed)  # fmt: skip
def queue_dequeue(*x: Any, value: Any) -> Any:
    """What a queue hands out of what was put in."""
    return value


queue_dequeue.no_grad(
    "x", because="A queue stores numbers and forgets where they came from."
)  # fmt: skip


def single(stored: Stored) -> Tensor:
    """One stored value as a tensor without a history."""
    return _handed_out([stored], stored.value)


def batch(rows: Sequence[Stored], kind: Any, shape: tuple[int, ...]) -> Tensor:
    """Several stored values in one tensor, shorter ones filled up with zeros or empty text."""
    longest = [max((np.shape(row.value)[axis] for row in rows), default=0)
               for axis in range(len(shape))]  # fmt: skip
    ends = [most if length < 0 else length for length, most in zip(shape, longest, strict=True)]
    whole = np.full((len(rows), *ends), b"" if kind.kind == "O" else 0, kind)
    for at, row in enumerate(rows):
        corner: tuple[Any, ...] = tuple(slice(0, length) for length in np.shape(row.value))
        whole[(at, *corner)] = row.value[()]
    return _handed_out(rows, whole) if rows else constant_of(whole)


def _handed_out(rows: Sequence[Stored], value: Any) -> Tensor:
    sources = {row.source._id: row.source for row in rows}
    with off_tape():  # a tape does not follow what a queue hands out; the log does
        made: Tensor = queue_dequeue(*sources.values(), value=value)
    return made
