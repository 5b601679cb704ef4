"""Calls of a traced function by its program: the same answers as its replay, at less cost.

The first call of a kind is replayed. The second is replayed under a capture, whose ops become a
program; from the third on the program runs. Whatever stands in the way (a tape that is open
outside, a random number, a decision by numbers, an error at run time) leads back to the replay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tapelab.compiling.capturing import captured
from tapelab.compiling.generating import generated
from tapelab.compiling.lowering import Lowered, NotLoweredError, Place, lowered
from tapelab.compiling.passes import optimised
from tapelab.compiling.walking import leaves, mapped
from tapelab.engine.cell import Cell
from tapelab.engine.log import ASSIGNED, next_id, small, thread
from tapelab.engine.tensor import Tensor, wrap

Replayed = Callable[[list[Tensor]], Any]
Shapes = tuple[tuple[int, ...], ...]
_MOST_PROGRAMS: Final = 32
"""So many lists of shapes of one trace get programs of their own."""


class Execution:
    """What is known of the calls of one trace: how many there were, and its programs."""

    def __init__(self) -> None:
        self._known: dict[Any, Compiled | int | str] = {}

    def run(self, replay: Replayed, inputs: list[Tensor], cells: Sequence[Cell]) -> Any:
        """The results for some inputs: by a program if there is one, by a replay if not.

        The cells are those of variables whose shapes are not fixed.
        """
        key = (
            *[each._value.shape for each in inputs],
            *[cell.state._value.shape for cell in cells],
        )
        found = self._known.get(key, 0)
        if type(found) is Compiled:
            try:
                return found(inputs)
            except Exception:  # noqa: BLE001 - the replay meets it again, and tells it at its line
                return replay(inputs)
        if found == 0:
            self._known[key] = 1 if len(self._known) < _MOST_PROGRAMS else "too many shapes"
        if found != 1:
            return replay(inputs)
        self._known[key] = "being made"
        result, self._known[key] = _made(replay, inputs)
        return result


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
        self.program = optimised(found.program)
        self._run = generated(self.program)
        self._cells = found.cells
        self._assignments = found.assignments
        self._outputs = found.outputs
        self._count = sum(type(leaf) is Place for leaf in leaves(found.outputs))

    def __call__(self, inputs: list[Tensor]) -> Any:
        """Run it, give the variables their new states, and return the outputs."""
        values = [each._value for each in inputs]
        values += [cell.state._value for cell in self._cells]
        results = self._run(*values)
        if self._assignments:
            self._assign(results)

        def output(leaf: Any) -> Any:
            if type(leaf) is Place:
                return wrap(results[leaf.number], next_id(), leaf.origin)
            return leaf

        return mapped(self._outputs, output)

    def _assign(self, results: tuple[Any, ...]) -> None:
        records, number = thread.records, thread.number
        for at, (cell, how, origin) in enumerate(self._assignments, self._count):
            cell.state = state = wrap(results[at], next_id(), origin)
            records.append(
                (ASSIGNED, next_id(), number, origin, cell.identity, how, -1, state._id,
                 small(state._value))
            )  # fmt: skip
