"""The execution of a traced function: by a compiled program where there is one, else by a replay.

Both give the same results; a program costs less. The first call of a kind (a list of shapes) is
replayed. The second is replayed under a capture, whose ops become a program (`compiled_program`).
From the third on the program runs, also under one simple tape (`taped_call`). Where values decided
during the capture there may be several programs, each behind its guards (`guards`). Everything
else, such as several tapes, too many guards or an error at run time, falls back to the replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tapelab.compile.call_graph import Graph
from tapelab.compile.compiled_program import Compiled, Replayed, capture_program, try_program
from tapelab.compile.eligibility import can_be_lowered, can_be_tried
from tapelab.compile.guards import GuardedPrograms, OtherWayError
from tapelab.compile.pytree import Tree
from tapelab.compile.taped_call import NOT_TAPED, has_one_simple_tape
from tapelab.core.cell import Cell
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor

Known = Compiled | GuardedPrograms[Compiled] | int | str
"""A program, or several, or how many calls there were, or why there is no program."""
_MOST_PROGRAMS: Final = 32
"""So many lists of shapes of one trace get programs of their own."""
_COMPOSITE: Final = (None,)
"""The kind of calls with ragged or sparse tensors, which are always replayed."""


class Execution:
    """What is known of the calls of one trace: how many there were, and its programs."""

    def __init__(self) -> None:
        self._tried: bool | None = None
        self._known: dict[Any, Known] = {_COMPOSITE: "it takes tensors that are made of several"}

    def known(self, inputs: Sequence[Tensor], cells: Sequence[Cell]) -> Known:
        """What there is for such a call: a program, a count of calls, or a reason why not."""
        return self._known.get(_kind(inputs, cells), 0)

    def run(
        self, graph: Graph, replay: Replayed, inputs: Sequence[Tensor], cells: Sequence[Cell]
    ) -> Any:
        """The results for some inputs: by a program if there is one, by a replay if not.

        The cells are those of variables that differ from call to call, or whose shapes do.
        """
        key = _kind(inputs, cells)
        known = self._known.get(key, 0)
        if isinstance(known, (Compiled, GuardedPrograms)):
            try:
                return known.call(inputs)
            except OtherWayError:
                pass
            except Exception:  # noqa: BLE001 - the replay raises it again, at its line
                return replay(inputs)
        elif known == 0:
            self._known[key] = 1 if len(self._known) < _MOST_PROGRAMS else "too many shapes"
        elif known == 1 and not can_be_lowered(graph):
            known = self._known[key] = "it does more than to compute and to assign"
        if known == 0 or isinstance(known, str):
            return replay(inputs)
        return self._captured(key, known, replay, inputs)

    def _captured(self, key: Tree, known: Known, replay: Replayed, inputs: Sequence[Tensor]) -> Any:
        """The results of a replay, and a program of it for the next calls."""
        self._known[key] = "being made"
        try:
            result, program = capture_program(replay, inputs)
        except BaseException:
            self._known[key] = known
            raise
        self._known[key] = _add_program(known, program)
        return result

    def run_taped(
        self, graph: Graph, replay: Replayed, inputs: Sequence[Tensor], cells: Sequence[Cell]
    ) -> Any:
        """The results for some inputs under tapes: by a program if one simple tape is active."""
        if not has_one_simple_tape():
            return replay(inputs)
        key = _kind(inputs, cells)
        known = self._known.get(key, 0)
        if type(known) is int and self._may_be_tried(graph):
            known = self._known[key] = self._known_after_call(known, replay, inputs)
        if isinstance(known, (Compiled, GuardedPrograms)):
            try:
                results = known.run_taped(inputs)
            except OtherWayError:
                self._known[key] = self._known_after_call(known, replay, inputs)
                return replay(inputs)
            except Exception:  # noqa: BLE001 - the replay raises it again, at its line
                return replay(inputs)
            if results is not NOT_TAPED:
                return results
        return replay(inputs)

    def _may_be_tried(self, graph: Graph) -> bool:
        """Whether calls under a tape may be compiled; computed once."""
        if self._tried is None:
            self._tried = can_be_tried(graph)
        return self._tried

    def _known_after_call(self, known: Known, replay: Replayed, inputs: Sequence[Tensor]) -> Known:
        """What is known after one more call under a tape: a program from the second call on.

        The call is tried out off the tape; what it changes is restored.
        """
        if known == 0:
            return 1 if len(self._known) < _MOST_PROGRAMS else "too many shapes"
        try:
            return _add_program(known, try_program(replay, inputs))
        except Exception:  # noqa: BLE001 - the replay raises it again, at its line
            return known

    @property
    def programs(self) -> list[Compiled]:
        """The programs that there are, for each kind of call and each way that numbers go."""
        guarded = [each for each in self._known.values() if isinstance(each, GuardedPrograms)]
        single = [each for each in self._known.values() if isinstance(each, Compiled)]
        return [*single, *(program for group in guarded for program in group.programs)]

    @property
    def reasons(self) -> list[str]:
        """Why calls of some kinds are replayed."""
        known = (each for kind, each in self._known.items() if kind != _COMPOSITE)
        return [each for each in known if isinstance(each, str)]


def is_unobserved() -> bool:
    """Whether no tape, trace, watcher, log or environment observes ops in this thread."""
    state = thread.__dict__
    observers = state["active_tapes"] or state["read_callbacks"] or state["batch_trace"]
    busy = observers or state["trace"]
    return not busy and state["log"] is None and state.get("environment") is None


def _kind(inputs: Sequence[Tensor], cells: Sequence[Cell]) -> tuple[Any, ...]:
    try:
        shapes = [each._array.shape for each in inputs]
    except AttributeError:
        return _COMPOSITE
    if not cells:
        return tuple(shapes)
    return (*shapes, *[(id(cell), cell.state._array.shape) for cell in cells])


def _add_program(known: Known, program: Compiled | str) -> Known:
    """What is known of calls of one kind after one more program, or a reason why there is none."""
    if isinstance(program, str):
        return program
    if isinstance(known, GuardedPrograms):
        if known.is_full:
            return "numbers decide in too many ways"
        known.add(program)
        return known
    return GuardedPrograms(program) if program.has_guards else program
