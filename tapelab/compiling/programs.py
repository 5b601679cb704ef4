"""One program of a traced function as it is called: beside the tapes, or while one listens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final

import numpy as np

from tapelab.compiling.capturing import captured, undone
from tapelab.compiling.deciding import decides
from tapelab.compiling.fusing import fuse
from tapelab.compiling.generating import generated
from tapelab.compiling.hearing import NOT_HEARD, Hearing, may_be_heard
from tapelab.compiling.lowered import Lowered, NotLoweredError, Place
from tapelab.compiling.lowering import lowered
from tapelab.compiling.passes import optimised
from tapelab.compiling.program import Program
from tapelab.compiling.telling import CALL, Origins
from tapelab.compiling.walking import leaves, mapped
from tapelab.compiling.worlds import fresh_state, thread_in
from tapelab.engine.log import Origin, next_id, origin_here, thread
from tapelab.engine.records import CALLED
from tapelab.engine.tensor import UNKNOWN, Tensor, wrap
from tapelab.recording.facts import KEPT_ELEMENTS

Replayed = Callable[[list[Tensor]], Any]
_new: Final = object.__new__
_ARRAY: Final = np.ndarray


def captured_program(replay: Replayed, inputs: list[Tensor]) -> tuple[Any, Compiled | str]:
    """The results of a replay, and the program that it tells, or why it tells none."""
    own = [wrap(each._value, next_id(), each._origin) for each in inputs]
    with captured() as capture:
        result = replay(own)
    try:
        return result, Compiled(lowered(capture, own, result))
    except NotLoweredError as reason:
        return result, str(reason)


def tried_out(replay: Replayed, inputs: list[Tensor]) -> Compiled | str:
    """The program of a replay that changes nothing and that nobody hears."""
    with thread_in(fresh_state()), undone():
        return captured_program(replay, inputs)[1]


class Compiled:
    """A program in the place of a replay: it reads and writes the variables and makes tensors."""

    def __init__(self, found: Lowered) -> None:
        self.program = program = fuse(optimised(found.program))
        self._run = generated(program)
        self._cells = found.cells
        self._draws = found.draws
        self.decides = decides(program)
        first = len(found.account.taken) - len(found.cells) - found.draws.count
        self._fixed = [
            (at, program.kinds[program.parameters[at]].shape)
            for at, cell in enumerate(found.cells, first) if not cell.shape.is_fully_defined()
        ]  # fmt: skip
        self._special = bool(found.draws.runs or self._fixed)
        self._outputs = _built(found.outputs)
        places = [leaf for leaf in leaves(found.outputs) if type(leaf) is Place]
        origins = [*[each.origin for each in places], *[each.origin for each in found.assignments]]
        self._origins = Origins(origins, found.account.outside)
        self._assigned = [(at, each.cell) for at, each in enumerate(found.assignments, len(places))]
        self._taken = _small(program.parameters[: len(found.account.taken)], program)
        self._given = _small(program.results, program)
        self._account = replace(found.account, small=(self._taken, self._given))
        self._hearing = None
        if may_be_heard(found):
            self._hearing = Hearing(found, self._run, self._origins)

    def __call__(self, inputs: list[Tensor]) -> Any:
        """Run it, give the variables their new states, and return the outputs."""
        given = [*inputs, *[cell.state for cell in self._cells]] if self._cells else inputs
        values = [each._value for each in given]
        if self._special:
            ids, results = self._specially(given, values)
        else:
            ids, results = [each._id for each in given], self._run(*values)
        serial, state, here = next_id(), thread.__dict__, origin_here(CALL)
        made = list(map(_tensor, results, self._origins.at(here)))
        for at, cell in self._assigned:
            cell.state = made[at]
        state["records"].append((
            CALLED, serial, state["number"], here, self._account,
            ids, [each._id for each in made],
            [values[at] for at in self._taken], [made[at]._value for at in self._given],
        ))  # fmt: skip
        return self._outputs(made)

    def heard(self, inputs: list[Tensor]) -> Any:
        """The same while a tape listens, in one record of it; NOT_HEARD where that cannot be."""
        if self._hearing is None:
            return NOT_HEARD
        made = self._hearing(inputs)
        return made if made is NOT_HEARD else self._outputs(made)

    def _specially(self, given: list[Tensor], values: list[Any]) -> tuple[list[int], Any]:
        """The ids of what is given and drawn, and the results of a call that draws.

        ValueError if a variable has changed its shape. Where the program cannot run, nothing was
        drawn.
        """
        if any(values[at].shape != shape for at, shape in self._fixed):
            raise ValueError("A variable has another shape than when this program was made.")
        with self._draws.unless_it_fails():
            drawn = self._draws.drawn()
            values += [each._value if type(each) is Tensor else each for each in drawn]
            results = self._run(*values)
        ids = [each._id if type(each) is Tensor else next_id() for each in (*given, *drawn)]
        return ids, results


def _small(slots: tuple[int, ...], program: Program) -> list[int]:
    """Which of some slots hold values that the log keeps."""
    return [at for at, slot in enumerate(slots) if program.kinds[slot].size <= KEPT_ELEMENTS]


def _tensor(value: Any, origin: Origin) -> Tensor:
    """A tensor over a raw result."""
    if type(value) is not _ARRAY or not value.ndim:
        return wrap(value, next_id(), origin)
    value.setflags(False)  # type: ignore[call-arg]  # the keyword costs time
    made = _new(Tensor)
    made._value = value
    made._id = next_id()
    made._origin = origin
    made._tapes = UNKNOWN
    return made


def _built(outputs: Any) -> Callable[[list[Tensor]], Any]:
    """A function that puts the results into the structure that the learner's function returned."""
    if outputs is None:
        return lambda made: None
    if type(outputs) is Place:
        return itemgetter(outputs.number)
    if type(outputs) in (tuple, list) and all(type(each) is Place for each in outputs):
        kind, places = type(outputs), [each.number for each in outputs]
        return lambda made: kind([made[at] for at in places])

    def nest(made: list[Tensor]) -> Any:
        return mapped(outputs, lambda leaf: made[leaf.number] if type(leaf) is Place else leaf)

    return nest
