"""What a program goes by: the numbers that decided while its replay was captured.

A branch of the function, a length, or a row that is picked by a number may be others at another
call. The program asks whether they are the same; where they are not, another program of the same
function runs, one that was captured when they decided so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from tapelab.compile.program import Fused, Instruction, Program

if TYPE_CHECKING:
    from tapelab.core.tensor import Tensor

LARGEST: Final = 8
"""Numbers of more entries than these hardly ever are the same again."""
MOST_GUARDS: Final = 16
"""What decides more often than that has too many ways to go."""
_MOST_WAYS: Final = 8


class Runnable(Protocol):
    """A program that can be called."""

    def call(self, inputs: Sequence[Tensor]) -> Any:
        """The results for some inputs."""

    def heard(self, inputs: Sequence[Tensor]) -> Any:
        """The same while a tape listens."""


P = TypeVar("P", bound=Runnable)


class OtherWayError(Exception):
    """Numbers decide otherwise than when a program was made."""


class Guard(Fused):
    """Raises OtherWayError where numbers are others than those that decided."""


def guard(expected: Any) -> Guard:
    """Raises OtherWayError where numbers are others than these."""
    same = expected.tobytes()

    def hold(value: Any) -> None:
        if value.tobytes() != same:
            raise OtherWayError

    return Guard("guard", hold)


def decides(program: Program) -> bool:
    """Whether there are calls that a program is not for."""
    return any(isinstance(each.op, Guard) for each in program.instructions)


def guarded(slot: int, value: Any) -> Instruction:
    """The instruction that asks whether numbers are the same as now."""
    return Instruction(guard(value), (slot,), (), ())


class Ways(Generic[P]):
    """Programs of one function for calls of one kind, the one that ran last being the first."""

    def __init__(self, first: P) -> None:
        self.programs = [first]

    @property
    def is_full(self) -> bool:
        """Whether there are as many programs as there may be."""
        return len(self.programs) >= _MOST_WAYS

    def add(self, program: P) -> None:
        """Add a program for other numbers; it is tried first from now on."""
        self.programs.insert(0, program)

    def call(self, inputs: Sequence[Tensor]) -> Any:
        """Run the program that is for these numbers; OtherWayError if there is none yet."""
        return self._first(inputs, heard=False)

    def heard(self, inputs: Sequence[Tensor]) -> Any:
        """The same while a tape listens; NOT_HEARD where that cannot be."""
        return self._first(inputs, heard=True)

    def _first(self, inputs: Sequence[Tensor], *, heard: bool) -> Any:
        for each in tuple(self.programs):
            try:
                result = each.heard(inputs) if heard else each.call(inputs)
            except OtherWayError:
                continue
            if each is not self.programs[0]:
                self.programs = [each, *(other for other in self.programs if other is not each)]
            return result
        raise OtherWayError
