"""Calls of a traced function by its program: the same answers as its replay, at less cost.

The first call of a kind is replayed. The second is replayed under a capture, whose ops become a
program; from the third on the program runs, also where a tape listens outside (see `hearing`).
Whatever stands in the way (several tapes outside, a random number drawn in an unusual way, a
decision by numbers, an error at run time) leads back to the replay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final

import numpy as np

from tapelab.compiling.admission import computes_alone, may_be_lowered
from tapelab.compiling.capturing import captured
from tapelab.compiling.fusing import fuse
from tapelab.compiling.generating import generated
from tapelab.compiling.graph import Graph
from tapelab.compiling.hearing import NOT_HEARD, Hearing, heard_by_one, may_be_heard
from tapelab.compiling.lowered import Lowered, NotLoweredError, Place
from tapelab.compiling.lowering import lowered
from tapelab.compiling.passes import optimised
from tapelab.compiling.program import Program
from tapelab.compiling.walking import leaves, mapped
from tapelab.compiling.worlds import fresh_state, thread_in, world_here
from tapelab.engine.cell import Cell
from tapelab.engine.log import Origin, next_id, origin_here, thread
from tapelab.engine.records import CALLED
from tapelab.engine.tensor import UNKNOWN, Tensor, wrap
from tapelab.recording.facts import KEPT_ELEMENTS

Replayed = Callable[[list[Tensor]], Any]
_MOST_PROGRAMS: Final = 32
"""So many lists of shapes of one trace get programs of their own."""
_COMPOSITE: Final = (None,)
"""The kind of calls with ragged or sparse tensors, which are always replayed."""
_new: Final = object.__new__
_ARRAY: Final = np.ndarray


class Execution:
    """What is known of the calls of one trace: how many there were, and its programs."""

    def __init__(self) -> None:
        self._known: dict[Any, Compiled | int | str] = {
            _COMPOSITE: "it takes tensors that are made of several"
        }

    def known(self, inputs: list[Tensor], cells: Sequence[Cell]) -> Compiled | int | str:
        """What there is for such a call: a program, a count of calls, or a reason why not."""
        return self._known.get(_kind(inputs, cells), 0)

    def run(
        self, graph: Graph, replay: Replayed, inputs: list[Tensor], cells: Sequence[Cell]
    ) -> Any:
        """The results for some inputs: by a program if there is one, by a replay if not.

        The cells are those of variables that differ from call to call, or whose shapes do.
        """
        key = _kind(inputs, cells)
        found = self._known.get(key, 0)
        if type(found) is Compiled:
            try:
                return found(inputs)
            except Exception:  # noqa: BLE001 - the replay meets it again, and tells it at its line
                return replay(inputs)
        if found == 0:
            self._known[key] = 1 if len(self._known) < _MOST_PROGRAMS else "too many shapes"
        if found == 1 and not may_be_lowered(graph):
            found = self._known[key] = "it does more than to compute and to assign"
        if found != 1:
            return replay(inputs)
        self._known[key] = "being made"
        try:
            result, self._known[key] = _made(replay, inputs)
        except BaseException:
            self._known[key] = 1
            raise
        return result

    def heard(
        self, graph: Graph, replay: Replayed, inputs: list[Tensor], cells: Sequence[Cell]
    ) -> Any:
        """The results for some inputs while somebody listens: by a program if one tape does."""
        if not heard_by_one():
            return replay(inputs)
        key = _kind(inputs, cells)
        found = self._known.get(key, 0)
        if type(found) is int and computes_alone(graph):
            found = self._known[key] = self._learnt(found, replay, inputs)
        if type(found) is Compiled:
            try:
                made = found.heard(inputs)
            except Exception:  # noqa: BLE001 - the replay meets it again, and tells it at its line
                return replay(inputs)
            if made is not NOT_HEARD:
                return made
        return replay(inputs)

    def _learnt(self, calls: int, replay: Replayed, inputs: list[Tensor]) -> Compiled | int | str:
        """What is known after one more call that is heard: a program from the second on."""
        if not calls:
            return 1 if len(self._known) < _MOST_PROGRAMS else "too many shapes"
        try:
            with thread_in(fresh_state()):
                return _made(replay, inputs)[1]
        except Exception:  # noqa: BLE001 - the replay meets it again, and tells it at its line
            return 1

    @property
    def programs(self) -> list[Compiled]:
        """The programs that there are, one for each kind of call."""
        return [each for each in self._known.values() if type(each) is Compiled]

    @property
    def reasons(self) -> list[str]:
        """Why calls of some kinds are replayed."""
        found = (each for kind, each in self._known.items() if kind != _COMPOSITE)
        return [each for each in found if isinstance(each, str)]


def unheard() -> bool:
    """Whether nobody listens in this thread to what is computed: no tape, no trace, no world."""
    state = thread.__dict__
    listening = state["listening"] or state["watchers"] or state["lanes"] or state["trace"]
    return not listening and state["log"] is None and world_here() is None


def _kind(inputs: list[Tensor], cells: Sequence[Cell]) -> tuple[Any, ...]:
    try:
        shapes = [each._value.shape for each in inputs]
    except AttributeError:
        return _COMPOSITE
    if not cells:
        return tuple(shapes)
    return (*shapes, *[(id(cell), cell.state._value.shape) for cell in cells])


def _made(replay: Replayed, inputs: list[Tensor]) -> tuple[Any, Compiled | str]:
    """The results of a replay, and the program that it tells, or why it tells none."""
    own = [wrap(each._value, next_id(), each._origin) for each in inputs]
    with captured() as capture:
        result = replay(own)
    try:
        return result, Compiled(lowered(capture, own, result))
    except NotLoweredError as reason:
        return result, str(reason)


class Compiled:
    """A program in the place of a replay: it reads and writes the variables and makes tensors."""

    def __init__(self, found: Lowered) -> None:
        self.program = program = fuse(optimised(found.program))
        self._run = generated(program)
        self._cells = found.cells
        self._draws = found.draws
        first = len(found.account.taken) - len(found.cells)
        self._fixed = [
            (at, program.kinds[program.parameters[at]].shape)
            for at, cell in enumerate(found.cells, first) if not cell.shape.is_fully_defined()
        ]  # fmt: skip
        self._special = bool(found.draws or self._fixed)
        self._outputs = _built(found.outputs)
        places = [leaf for leaf in leaves(found.outputs) if type(leaf) is Place]
        self._origins = [each.origin for each in places]
        self._origins += [each.origin for each in found.assignments]
        self._assigned = [(at, each.cell) for at, each in enumerate(found.assignments, len(places))]
        self._here = origin_here()
        self._taken = _small(program.parameters[: len(found.account.taken)], program)
        self._given = _small(program.results, program)
        self._account = replace(found.account, small=(self._taken, self._given))
        self._hearing = Hearing(found, self._run) if may_be_heard(found) else None

    def __call__(self, inputs: list[Tensor]) -> Any:
        """Run it, give the variables their new states, and return the outputs."""
        given = [*inputs, *[cell.state for cell in self._cells]] if self._cells else inputs
        values = [each._value for each in given]
        if self._special:
            values += self._drawn(values)
        results = self._run(*values)
        serial, state = next_id(), thread.__dict__
        made = list(map(_tensor, results, self._origins))
        for at, cell in self._assigned:
            cell.state = made[at]
        state["records"].append((
            CALLED, serial, state["number"], self._here, self._account,
            [each._id for each in given], [each._id for each in made],
            [values[at] for at in self._taken], [made[at]._value for at in self._given],
        ))  # fmt: skip
        return self._outputs(made)

    def heard(self, inputs: list[Tensor]) -> Any:
        """The same while a tape listens, in one record of it; NOT_HEARD where that cannot be."""
        if self._hearing is None:
            return NOT_HEARD
        made = self._hearing(inputs)
        return made if made is NOT_HEARD else self._outputs(made)

    def _drawn(self, values: list[Any]) -> list[Any]:
        """The random numbers of a call; ValueError if a variable has changed its shape."""
        if any(values[at].shape != shape for at, shape in self._fixed):
            raise ValueError("A variable has another shape than when this program was made.")
        return [each._value for draw in self._draws for each in leaves(draw())]


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
