"""One stage of a pipeline: how to begin again, what its elements look like, how many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Self

import numpy as np

from tapelab.core.tensor import Tensor
from tapelab.data.dataset_elements import Element
from tapelab.ops.public import strict_operand

AUTOTUNE: Final = -1
INFINITE: Final = -1
UNKNOWN: Final = -2


class Options:
    """`tf.data.Options`: settings of a pipeline; nothing here depends on them."""

    def __init__(self) -> None:
        self.deterministic: bool | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Stage:
    """A source of elements, or a stage that makes new elements of those before it.

    `start` begins an iteration over elements of raw arrays, `spec_of` tells what they look like,
    `size` is how many there are, `sources` are the tensors that they were copied from. `skips` make
    the stages that draw leave out an iteration.
    """

    kind: str
    start: Callable[[], Iterator[Element]]
    spec_of: Callable[[], Any]
    size: int
    sources: tuple[Tensor, ...] = field(default=())
    skips: tuple[Callable[[], object], ...] = field(default=())

    @cached_property
    def element_spec(self) -> Any:
        """The shapes and dtypes of an element, in its structure."""
        return self.spec_of()

    def then(
        self, kind: str, start: Callable[[], Iterator[Element]], *, size: int | None = None,
        spec_of: Callable[[], Any] | None = None, others: tuple[Stage, ...] = (),
        skips: tuple[Callable[[], object], ...] = (),
    ) -> Self:  # fmt: skip
        """The next stage; what is not said is as in this one."""
        return replace(
            self,
            kind=kind,
            start=start,
            spec_of=spec_of or (lambda: self.element_spec),
            size=self.size if size is None else size,
            sources=self.sources + tuple(s for other in others for s in other.sources),
            skips=(*self.skips, *(s for other in others for s in other.skips), *skips),
        )

    def skip_iteration(self) -> None:
        """Draw as if an iteration had begun, without its elements."""
        for skip in self.skips:
            skip()


def whole(value: Any, name: str = "") -> int:
    """An integer of the learner: a Python number or a tensor; TypeError if it is another."""
    from tapelab.dtypes import int64

    if isinstance(value, (int, np.integer)):
        return int(value)
    return int(strict_operand(value, int64)._value)


def counted(size: int, change: Callable[[int], int]) -> int:
    """A changed number of elements, where the number is known."""
    return size if size < 0 else change(size)
