"""One program of a traced function as it is called: beside the tapes, or while one listens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final
from weakref import WeakValueDictionary

from tapelab.compile.capture import captured, undone
from tapelab.compile.entering import built, entered
from tapelab.compile.fusion import fuse
from tapelab.compile.generating import generated
from tapelab.compile.guards import decides
from tapelab.compile.lowered import Lowered, NotLoweredError, Place
from tapelab.compile.lowering import lowered
from tapelab.compile.passes import optimised
from tapelab.compile.program import Program
from tapelab.compile.taped_call import NOT_HEARD, TapedProgram, may_be_heard
from tapelab.compile.telling import Origins
from tapelab.compile.walking import leaves
from tapelab.compile.worlds import fresh_state, thread_in
from tapelab.core.origin import next_id
from tapelab.core.records import GradientResult
from tapelab.core.tensor import Tensor, wrap
from tapelab.recording.facts import KEPT_ELEMENTS

Replayed = Callable[[Sequence[Tensor]], Any]


def captured_program(replay: Replayed, inputs: Sequence[Tensor]) -> tuple[Any, Compiled | str]:
    """The results of a replay, and the program that it tells, or why it tells none."""
    own = [wrap(each._array, next_id(), each._origin) for each in inputs]
    with captured() as capture:
        result = replay(own)
    try:
        return result, Compiled(lowered(capture, own, result))
    except NotLoweredError as reason:
        return result, str(reason)


def tried_out(replay: Replayed, inputs: Sequence[Tensor]) -> Compiled | str:
    """The program of a replay that changes nothing and that nobody hears."""
    with thread_in(fresh_state()), undone():
        return captured_program(replay, inputs)[1]


class Compiled:
    """A program in the place of a replay: it reads and writes the variables and makes tensors."""

    def __init__(self, found: Lowered) -> None:
        self.program = program = fuse(optimised(found.program))
        self.decides = decides(program)
        run = generated(program)
        places = [leaf for leaf in leaves(found.outputs) if type(leaf) is Place]
        captured = [*[each.origin for each in places], *[each.origin for each in found.assignments]]
        origins = Origins(captured, found.account.outside)
        taken = _small(program.parameters[: len(found.account.taken)], program)
        account = replace(found.account, small=(taken, _small(program.results, program)))
        self.call: Replayed = entered(found, program, run, account, origins)
        self.length = len(account.records)
        self.questions = sum(isinstance(each, GradientResult) for each in account.records)
        self._built = built(found.outputs)
        self._taped = TapedProgram(found, run, origins) if may_be_heard(found) else None
        programs[id(self)] = self
        for tell in listeners:
            tell(self)

    def heard(self, inputs: Sequence[Tensor]) -> Any:
        """The same while a tape listens, in one record of it; NOT_HEARD where that cannot be."""
        if self._taped is None:
            return NOT_HEARD
        made = self._taped(inputs)
        return made if made is NOT_HEARD else self._built(made)


programs: Final[WeakValueDictionary[int, Compiled]] = WeakValueDictionary()
"""All that there are in this process, by their ids; other threads read them by `valuerefs`."""
listeners: Final[list[Callable[[Compiled], None]]] = []
"""Who is told of each program that is made."""


def _small(slots: tuple[int, ...], program: Program) -> list[int]:
    """Which of some slots hold values that the log keeps."""
    return [at for at, slot in enumerate(slots) if program.kinds[slot].size <= KEPT_ELEMENTS]
