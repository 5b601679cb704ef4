"""Guards: the values that decided while a replay was captured, and checks that they are the same.

A branch, a length, or a row chosen by a value may differ in another call. A program checks its
guards while it runs. If a guard fails, another program of the same function is tried, one that was
captured when the values were these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from tapelab.compile.program import Fused, Instruction, Program
from tapelab.compile.pytree import Leaf

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

    def run_taped(self, inputs: Sequence[Tensor]) -> Any:
        """The same on the active tape."""


P = TypeVar("P", bound=Runnable)


class OtherWayError(Exception):
    """Numbers decide otherwise than when a program was made."""


class Guard(Fused):
    """Raises OtherWayError where numbers are others than those that decided."""


def guard(expected: Any) -> Guard:
    """Raises OtherWayError where numbers are others than these."""
    same = expected.tobytes()

    def hold(value: Leaf) -> None:
        if value.tobytes() != same:
            raise OtherWayError

    return Guard("guard", hold)


def has_guards(program: Program) -> bool:
    """Whether there are calls that a program is not for."""
    return any(isinstance(each.op, Guard) for each in program.instructions)


def guard_instruction(slot: int, value: Leaf) -> Instruction:
    """The instruction that asks whether numbers are the same as now."""
    return Instruction(guard(value), (slot,), (), ())


class GuardedPrograms(Generic[P]):
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
        return self._first(inputs, is_taped=False)

    def run_taped(self, inputs: Sequence[Tensor]) -> Any:
        """The same on the active tape; NOT_TAPED where that is not possible."""
        return self._first(inputs, is_taped=True)

    def _first(self, inputs: Sequence[Tensor], *, is_taped: bool) -> Any:
        for each in tuple(self.programs):
            try:
                result = each.run_taped(inputs) if is_taped else each.call(inputs)
            except OtherWayError:
                continue
            if each is not self.programs[0]:
                self.programs = [each, *(other for other in self.programs if other is not each)]
            return result
        raise OtherWayError
