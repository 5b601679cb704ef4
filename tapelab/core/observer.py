"""Observers of a thread: notified of every op, assignment, random draw and read of values.

The compiler turns one run of a function into a program. That is sound only if nothing escapes it:
which ops ran, which variables changed, where random numbers were drawn, and above all which values
Python code has read, because the program is valid for equal values only. Each `Observer` in
`thread.observers` is notified of all of these.

No read of values is missed: a tensor's values are read through `Tensor._value`, which notifies the
observers. Code of the engine that only hands an array on (to a kernel, to the log, to a
variable) or asks for its shape and dtype reads `Tensor._array`, which does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from tapelab.core.records import Record
from tapelab.core.value_types import Values

Tensor = Any
"""A `tensor.Tensor`, which is above the state of a thread, to which its observers belong."""
Cell = Any
"""A `cell.Cell`, which is above it likewise."""
RandomSequence = Any
"""A `tapelab.random.streams.Source`, which is above the core."""


class Observer:
    """Is notified of what happens in a thread; by default it does nothing."""

    def op_starts(self, inputs: Sequence[Any]) -> None:
        """An op is about to run on these inputs."""

    def op_recorded(self, record: Record) -> None:
        """An op ran and is about to be written to the log, with all its values."""

    def value_read(self, tensor: Tensor, frame: FrameType) -> None:
        """Code in a frame reads the values of a tensor."""

    def array_taken(self, tensor: Tensor) -> None:
        """The very array of a tensor becomes a setting of an op."""

    def host_computed(
        self, function: Callable[..., Any] | None, given: tuple[Any, ...], result: Values
    ) -> None:
        """Values were computed beside the tape; without a function, the run depends on them."""

    def assigning(self, cell: Cell) -> None:
        """A variable is about to get a new state."""

    def assigned(self, cell: Cell) -> None:
        """A variable has a new state."""

    def advanced(self, source: RandomSequence) -> None:
        """A sequence of random numbers is about to advance."""

    def drew(
        self, source: RandomSequence, steps: int, make: Callable[..., Any], result: Values
    ) -> None:
        """Something was made of the next `steps` random numbers of a sequence."""

    def requested(self, source: RandomSequence, request: tuple[Any, ...]) -> None:
        """One of the shared sequences of random numbers was asked for."""
