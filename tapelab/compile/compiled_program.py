"""A compiled program in the place of a replay, and the call that is generated for it.

`Compiled` takes a lowering result, optimises and fuses the program, and generates a call: from
tensors to raw values, and to tensors again.

    def call(inputs):
        t0, t1, = inputs
        s0 = cell0.state
        r0, = run(t0._array, t1._array, s0._array)
        ...

Most programs are small, so the code around them costs as much as they do; it is written out for
each program. Under a simple tape the call goes through `taped_call` instead.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final
from weakref import WeakValueDictionary

from tapelab.compile.abstract_evaluation import fresh_state, thread_in
from tapelab.compile.call_report import CALL, CallReport, Origins
from tapelab.compile.capture import captured, undone
from tapelab.compile.codegen import Run, generate_code
from tapelab.compile.fusion import fuse
from tapelab.compile.guards import has_guards
from tapelab.compile.lowering import Lowered, NotLoweredError, Place, lower_capture
from tapelab.compile.passes import optimise_program
from tapelab.compile.program import Program
from tapelab.compile.pytree import Leaf, Tree, leaves, mapped
from tapelab.compile.taped_call import NOT_TAPED, TapedProgram, can_be_taped
from tapelab.core import log
from tapelab.core.helper_calls import OURS, are_ours
from tapelab.core.origin import next_id
from tapelab.core.records import GradientResult, ProgramCall, record_source
from tapelab.core.tensor import UNKNOWN, Tensor, wrap
from tapelab.recording.facts import KEPT_ELEMENTS

Replayed = Callable[[Sequence[Tensor]], Any]


def capture_program(replay: Replayed, inputs: Sequence[Tensor]) -> tuple[Any, Compiled | str]:
    """The results of a replay, and the program that it tells, or why it tells none."""
    own = [wrap(each._array, next_id(), each._origin) for each in inputs]
    with captured() as capture:
        result = replay(own)
    try:
        return result, Compiled(lower_capture(capture, own, result))
    except NotLoweredError as reason:
        return result, str(reason)


def try_program(replay: Replayed, inputs: Sequence[Tensor]) -> Compiled | str:
    """The program of a replay off all tapes, whose changes are undone."""
    with thread_in(fresh_state()), undone():
        return capture_program(replay, inputs)[1]


class Compiled:
    """A program in the place of a replay: it reads and writes the variables and makes tensors."""

    def __init__(self, lowering: Lowered) -> None:
        self.program = program = fuse(optimise_program(lowering.program))
        self.has_guards = has_guards(program)
        run = generate_code(program)
        places = [leaf for leaf in leaves(lowering.outputs) if type(leaf) is Place]
        captured = [place.origin for place in places]
        captured += [change.origin for change in lowering.assignments]
        origins = Origins(captured, lowering.report.outside)
        taken = _small(program.parameters[: len(lowering.report.taken)], program)
        report = replace(lowering.report, small=(taken, _small(program.results, program)))
        self.call: Replayed = generate_call(lowering, program, run, report, origins)
        self.length = len(report.records)
        self.questions = sum(isinstance(each, GradientResult) for each in report.records)
        self._built = generate_builder(lowering.outputs)
        self._taped = TapedProgram(lowering, run, origins) if can_be_taped(lowering) else None
        programs[id(self)] = self
        for notify in on_compiled:
            notify(self)

    def run_taped(self, inputs: Sequence[Tensor]) -> Any:
        """The results on the active tape, as one record; NOT_TAPED where that is not possible."""
        if self._taped is None:
            return NOT_TAPED
        results = self._taped(inputs)
        return results if results is NOT_TAPED else self._built(results)


programs: Final[WeakValueDictionary[int, Compiled]] = WeakValueDictionary()
"""All that there are in this process, by their ids; other threads read them by `valuerefs`."""
on_compiled: Final[list[Callable[[Compiled], None]]] = []
"""Functions that are called with each new program."""


def _small(slots: tuple[int, ...], program: Program) -> list[int]:
    """Which of some slots hold values that the log keeps."""
    return [at for at, slot in enumerate(slots) if program.kinds[slot].size <= KEPT_ELEMENTS]


Call = Callable[[Sequence[Tensor]], Any]
_PLACE: Final = """\
    state = thread.__dict__
    if state["fixed_origin"] is None:
        frame = getframe(1)
        while id(frame.f_globals) in ours or is_ours(frame.f_globals):
            if frame.f_back is None:
                break
            frame = frame.f_back
        here, at = origins(frame.f_code, frame.f_lasti, state["scope"])
    else:
        here, at = origins(*origin_here(CALL)[1:])
    serial = next_id()
"""
"""Where the call stands, as `log.origin_here` finds it, and so where its results come from."""


def generate_call(
    lowering: Lowered, program: Program, run: Run, report: CallReport, origins: Origins
) -> Call:
    """A function that runs a program on tensors and variables, and writes down that it ran.

    ValueError if a variable has changed its shape. Where the program cannot run, nothing was drawn.
    """
    drawn, count = lowering.draws.count, len(program.results) - len(lowering.assignments)
    cells = [f"cell{at}" for at in range(len(lowering.cells))]
    tensors = [f"t{at}" for at in range(len(program.parameters) - len(cells) - drawn)]
    states = [f"s{at}" for at in range(len(cells))]
    given = [*tensors, *states]
    lines = ["def call(inputs):", f"    {_row(tensors)} = inputs"]
    lines += [f"    {state} = {cell}.state" for state, cell in zip(states, cells, strict=True)]
    lines += _shapes_held(lowering, program, len(tensors))
    lines += _run(program, given, drawn)
    result_lines = [
        line for at, slot in enumerate(program.results) for line in _tensor(at, slot, program)
    ]
    known = {id(each): name for each, name in zip(lowering.cells, cells, strict=True)}
    result_lines += [f"    {known[id(each.cell)]}.state = y{at}"
                     for at, each in enumerate(lowering.assignments, count)]  # fmt: skip
    result_lines += _record_lines(report, given, drawn, len(program.results))
    result_lines.append(f"    return {_built(lowering.outputs, [f'y{at}' for at in range(count)])}")
    names = _NAMES | dict(zip(cells, lowering.cells, strict=True))
    names |= {"run": run, "account": report, "origins": origins.at, "draws": lowering.draws}
    text = "\n".join(lines) + "\n" + _PLACE + "\n".join(result_lines)
    return _execute_source(f"{text}\n", "call", names | {"outputs": lowering.outputs})


def generate_builder(outputs: Tree) -> Call:
    """A function that puts results into the structure that the user's function returned."""
    count = sum(type(each) is Place for each in leaves(outputs))
    names = [f"results[{at}]" for at in range(count)]
    text = f"def built(results): return {_built(outputs, names)}"
    return _execute_source(text, "built", _NAMES | {"outputs": outputs})


def _execute_source(text: str, name: str, names: dict[str, Any]) -> Call:
    exec(compile(text, "<program>", "exec"), names)  # noqa: S102 - written right here
    call: Call = names[name]
    return call


def _row(names: list[str]) -> str:
    return f"({''.join(f'{each}, ' for each in names)})"


def _shapes_held(lowering: Lowered, program: Program, first: int) -> list[str]:
    """The lines that see to it that variables of open lengths have those of the program."""
    open_ones = [at for at, cell in enumerate(lowering.cells) if not cell.shape.is_fully_defined()]
    return [f"    hold(s{at}, {program.kinds[program.parameters[first + at]].shape})"
            for at in open_ones]  # fmt: skip


def _hold(state: Tensor, shape: tuple[int, ...]) -> None:
    if state._array.shape != shape:
        raise ValueError("A variable has another shape than when this program was made.")


def _run(program: Program, given: list[str], drawn: int) -> list[str]:
    """The lines that run the program, and draw before it what it takes."""
    values = ", ".join(f"{each}._array" for each in given)
    results = _row([f"r{at}" for at in range(len(program.results))])
    if not drawn:
        return [f"    {results} = run({values})"]
    return [
        "    with draws.unless_it_fails():",
        "        drawn = draws.drawn()",
        f"        {results} = run({values}{', ' * bool(values)}*map(raw, drawn))",
    ]


def _tensor(at: int, slot: int, program: Program) -> list[str]:
    """The lines that make a tensor over a raw result."""
    kind = program.kinds[slot]
    if not kind.shape or kind.dtype.hasobject:
        return [f"    y{at} = wrap(r{at}, next_id(), at[{at}])"]
    return [
        f"    r{at}.setflags(False)", f"    y{at} = new(Tensor)", f"    y{at}._array = r{at}",
        f"    y{at}._id = next_id()", f"    y{at}._origin = at[{at}]",
        f"    y{at}._tapes = UNKNOWN",
    ]  # fmt: skip


def _record_lines(report: CallReport, given: list[str], drawn: int, results: int) -> list[str]:
    """The line that writes down the call: who went in and out, and the small ones' numbers."""
    taken = [f"{each}._array" for each in given] + [f"raw(drawn[{at}])" for at in range(drawn)]
    result_names = [f"y{at}" for at in range(results)]
    small_inputs, small_results = report.small
    ids = [*[f"{each}._id" for each in given], *["*map(number, drawn)"] * bool(drawn)]
    record = record_source(
        ProgramCall, serial="serial", thread="state['number']", origin="here", report="account",
        input_ids=_list(ids), result_ids=_list([f"{each}._id" for each in result_names]),
        inputs=_list([taken[at] for at in small_inputs]),
        results=_list([f"{result_names[at]}._array" for at in small_results]),
    )  # fmt: skip
    return [f"    state['records'].append({record})"]


def _list(parts: list[str]) -> str:
    return f"[{', '.join(parts)}]"


def _built(outputs: Tree, names: list[str]) -> str:
    """What puts results of some names into the structure of the outputs."""
    if outputs is None:
        return "None"
    if type(outputs) is Place:
        return names[outputs.number]
    if type(outputs) in (tuple, list) and all(type(each) is Place for each in outputs):
        return f"{type(outputs).__name__}({_row([names[each.number] for each in outputs])})"
    return f"nest(outputs, {_row(names)})"


def _nest(outputs: Tree, tensors: tuple[Tensor, ...]) -> Any:
    return mapped(outputs, lambda leaf: tensors[leaf.number] if type(leaf) is Place else leaf)


def _raw(drawn: Leaf) -> Any:
    return drawn._array if type(drawn) is Tensor else drawn


def _number(drawn: Leaf) -> int:
    return drawn._id if type(drawn) is Tensor else next_id()


_NAMES: Final[dict[str, Any]] = {
    "__name__": __name__, "getframe": sys._getframe, "ours": OURS, "is_ours": are_ours,
    "thread": log.thread, "next_id": next_id, "origin_here": log.origin_here, "CALL": CALL,
    "ProgramCall": ProgramCall, "new": object.__new__, "Tensor": Tensor, "UNKNOWN": UNKNOWN,
    "wrap": wrap, "hold": _hold, "nest": _nest, "raw": _raw, "number": _number,
}  # fmt: skip
