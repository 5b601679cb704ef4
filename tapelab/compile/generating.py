"""Running a flat program: as one Python function that is written out for it.

    def run(v0, v1):
        v3 = v0 @ c2
        v4 = add_4(v3, v1)
        return v4,

On raw values, without tensors, log or checks of dtypes. What is large is let go of after its last
use. What several ops do as NumPy's operators is written as such.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tapelab.compile.program import Instruction, Program
from tapelab.compile.spelling import NAMES, spelled

Run = Callable[..., tuple[Any, ...]]
_LARGE: Final = 1024
"""Elements from which on a value is let go of as soon as nobody needs it any more."""


def generated(program: Program) -> Run:
    """A function from the values of the parameters to those of the results."""
    names = NAMES | {f"c{slot}": value for slot, value in program.constants.items()}
    names["__name__"] = __name__  # infinities are no news: warnings of NumPy go by this name
    last = _last_uses(program)
    lines = [f"def run({', '.join(f'v{slot}' for slot in program.parameters)}):"]
    for at, each in enumerate(program.instructions):
        lines.append(f"    {_line(at, each, program, names)}")
        gone = [f"v{slot}" for slot in last.get(at, ()) if program.kinds[slot].size >= _LARGE]
        if gone:
            lines.append(f"    del {', '.join(gone)}")
    results = "".join(f"{_name(slot, program)}, " for slot in program.results)
    lines.append(f"    return ({results})")
    exec(compile("\n".join(lines), "<program>", "exec"), names)  # noqa: S102 - written right here
    run: Run = names["run"]
    return run


def _line(at: int, each: Instruction, program: Program, names: dict[str, Any]) -> str:
    inputs = [_name(slot, program) for slot in each.inputs]
    if not each.outputs:
        return _call(at, each, inputs, names)
    text = spelled(each, program.kinds, inputs)
    if text is None:
        text = _call(at, each, inputs, names)
        if not each.op.multi and not program.kinds[each.outputs[0]].shape:
            text += "[()]"
    results = ", ".join(f"v{slot}" for slot in each.outputs)
    return f"{results}{',' if each.op.multi else ''} = {text}"


def _call(at: int, each: Instruction, inputs: list[str], names: dict[str, Any]) -> str:
    """The call of the kernel; settings are written by name."""
    label = "".join(c if c.isalnum() else "_" for c in each.op.name)
    names[f"{label}_{at}"] = each.op.kernel
    given = list(inputs)
    for name, value in each.settings:
        names[f"s{at}_{name}"] = value
        given.append(f"{name}=s{at}_{name}")
    return f"{label}_{at}({', '.join(given)})"


def _name(slot: int, program: Program) -> str:
    return f"c{slot}" if slot in program.constants else f"v{slot}"


def _last_uses(program: Program) -> Mapping[int, list[int]]:
    """The slots that each instruction is the last to use."""
    last: dict[int, int] = {}
    for at, each in enumerate(program.instructions):
        last |= dict.fromkeys((*each.inputs, *each.outputs), at)
    kept = {*program.results, *program.constants}
    found: dict[int, list[int]] = {}
    for slot, at in last.items():
        if slot not in kept:
            found.setdefault(at, []).append(slot)
    return found
