"""The line magics: `%tape on` and `%tape off` around as many cells as you like, and `%why`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython

from tapelab.core.cell import Holder
from tapelab.core.log import thread
from tapelab.core.origin import Origin
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.diagnosis import Explanation, explain, why
from tapelab.lab.notebook_cells import number_of_cell
from tapelab.locales import say
from tapelab.widgets.show import Picture, show

HELP: Final = "Write `%tape on`, then run cells, then `%tape off`, or `%tape off z x`."
_on: Final[list[GradientTape]] = []
"""The tape that records from cell to cell, if any."""


def switch(line: str) -> Picture | None:
    """Carry out `%tape on` or `%tape off`; UsageError where that is impossible."""
    __tracebackhide__ = True
    word, *names = line.split() or [""]
    if word == "off":
        return _off(names)
    if word == "on" and not names:
        _begin()
    elif word:
        raise UsageError(f"%tape takes `on` or `off`, got {line!r}. {HELP}")
    else:
        status = say("A tape records.") if _is_on() else say("No tape records.")
        print(f"{status} {HELP}")
    return None


def _is_on() -> bool:
    return bool(_on) and _on[0]._recording


def _begin() -> None:
    if _is_on():
        raise UsageError("%tape is on already. Write `%tape off` to see what it recorded.")
    with _from_the_cell():
        _on[:] = [GradientTape()]
        _on[0].__enter__()


def _off(names: list[str]) -> Picture:
    __tracebackhide__ = True
    if not _is_on():
        _on.clear()
        raise UsageError(f"%tape is not on. {HELP}")
    target, *sources = _things("%tape off", names) or [None]
    with _from_the_cell():
        tape = _on.pop()
        tape.__exit__()
        return show(tape, target, sources or None)


def ask_why(line: str) -> Explanation:
    """Carry out `%why`; UsageError where a name is unknown or no tape exists."""
    __tracebackhide__ = True
    names = line.split()
    if not names:
        return why()
    target, *sources = _things("%why", names)
    tape = _tape_of(target)
    return explain(tape, target, sources or tape._all_watched())


def _things(magic: str, names: list[str]) -> list[Any]:
    """The tensors and variables of the notebook with these names."""
    space: dict[str, Any] = get_ipython().user_ns  # type: ignore[union-attr]  # IPython runs this
    for name in names:
        if name not in space:
            raise UsageError(f"{magic} {' '.join(names)}: there is no {name!r} in this notebook.")
        if not isinstance(space[name], (Tensor, Holder)):
            kind = type(space[name]).__name__
            raise UsageError(
                f"{magic} {' '.join(names)}: {name!r} is neither a tensor nor a variable, it is of "
                f"type {kind}."
            )
    return [space[name] for name in names]


def _tape_of(target: Tensor | Holder) -> GradientTape:
    """The newest tape of the notebook that recorded a target; else the newest of all."""
    space: dict[str, Any] = get_ipython().user_ns  # type: ignore[union-attr]  # IPython runs this
    tapes = [each for each in space.values() if isinstance(each, GradientTape)]
    if not tapes:
        raise UsageError(
            "%why found no tape in this notebook: give it a name, "
            "`with tf.GradientTape() as tape:`."
        )
    number = getattr(target, "_id", None)
    return max(tapes, key=lambda tape: (number in tape._tracked, tape._serial))


@contextmanager
def _from_the_cell() -> Iterator[None]:
    """Record ops at the line of the magic, not inside IPython."""
    before, frame = thread.fixed_origin, _calling_cell()
    if frame is not None:
        thread.fixed_origin = Origin(None, frame.f_code, frame.f_lasti, None)
    try:
        yield
    finally:
        thread.fixed_origin = before


def _calling_cell() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and number_of_cell(frame.f_code.co_filename) is None:
        frame = frame.f_back
    return frame
