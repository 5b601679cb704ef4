"""The cell magics `%%tape` and `%%predict`: run a cell on a tape and show it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython
from IPython.display import display

from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.lab import surgery
from tapelab.lab.cells import enter
from tapelab.lab.completing import OPTION
from tapelab.lab.hints import HINTS
from tapelab.widgets.show import Picture, show


def record_cell(
    line: str, cell: str, *, magic: str = "%%tape", present: Callable[..., Picture] = show
) -> Picture:
    """Run a cell as `%%tape` does; UsageError where the names do not fit the cell.

    `present` is called as `show` is, with the tape, the target and the sources.
    """
    __tracebackhide__ = True
    shell: Any = get_ipython()
    names = line.split()
    if OPTION in names:
        names.remove(OPTION)
        HINTS.quiet = True
    for name in names:
        if not name.isidentifier():
            raise UsageError(
                f"{magic} takes names, got {name!r}. Write `{magic} z x` for the gradient of z "
                "with respect to x, both names of the cell."
            )
    first_line = f"{magic} {line}".rstrip()
    file = enter(shell, f"{first_line}\n{cell}")
    code = ast.parse("\n" + shell.transform_cell(cell), file)
    shell.user_ns.update({surgery.OPEN: GradientTape, surgery.SHOW: present})
    try:
        return _run(shell.user_ns, code, names, first_line, file)
    finally:
        for name in surgery.HIDDEN:
            shell.user_ns.pop(name, None)


def _run(
    space: dict[str, Any], code: ast.Module, names: list[str], first_line: str, file: str
) -> Picture:
    """Run the cell, on a tape of ours unless it opens its own, and show what was recorded."""
    __tracebackhide__ = True
    own, result = list(surgery.tapes_opened(code)), surgery.result_of(code.body)
    surgery.keep_last_value(code)
    whole = code if own else surgery.on_a_tape(code, first_line)
    exec(compile(whole, file, "exec"), space)  # noqa: S102 a notebook runs its cells
    if space.get(surgery.VALUE) is not None:
        display(space[surgery.VALUE])
    shown = _last_tape(space, own) if own else surgery.TAPE
    asked = _there(space, names, first_line) or [
        name for name in [result] if _can_be_asked(space.get(name))
    ]
    call = surgery.showing(shown, asked, first_line)
    picture: Picture = eval(compile(call, file, "eval"), space)  # noqa: S307 as above
    return picture


def _last_tape(space: dict[str, Any], names: list[str]) -> str:
    """The name of the last tape that the cell opened."""
    for name in reversed(names):
        if isinstance(space.get(name), GradientTape):
            return name
    raise UsageError(
        "%%tape cannot show a tape without a name. Write `with tf.GradientTape() as tape:`, or "
        "leave the tape to %%tape and write the ops alone."
    )


def _there(space: dict[str, Any], names: list[str], first_line: str) -> list[str]:
    magic, *_ = first_line.split()
    for name in names:
        if name not in space:
            raise UsageError(
                f"{first_line}: after this cell there is no {name!r}. "
                f"Name what the cell computes, as in `{magic} z` for `z = x * y`."
            )
    return names


def _can_be_asked(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype.is_differentiable
