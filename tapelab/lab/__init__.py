"""Layer 6: what tapelab adds to a running notebook.

The docstrings of the magics are their help texts, as `%tape?` shows them.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from tapelab.core.traceback_filter import hide_internals
from tapelab.lab import completion, gradient_hints, live, notebook_cells
from tapelab.lab.notebook_cells import title_of_cell
from tapelab.recording import source


def attach(shell: Any = None) -> None:
    """Give a notebook its magics and cells their titles; nothing outside of IPython."""
    ipython = sys.modules.get("IPython")
    shell = shell or (ipython and ipython.get_ipython())
    if shell is None:
        return
    if title_of_cell not in source.titles:
        source.titles.append(title_of_cell)
    shell.register_magic_function(tape, "line_cell", "tape")
    shell.register_magic_function(why, "line", "why")
    shell.register_magic_function(predict, "cell", "predict")
    if not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), show_error)
    completion.attach(shell)
    notebook_cells.attach(shell)
    gradient_hints.attach(shell)
    live.attach(shell)


def show_error(
    shell: Any, kind: type[BaseException], error: BaseException, trace: TracebackType,
    tb_offset: int | None = None,
) -> None:  # fmt: skip
    """Show an error as the notebook does, with a traceback that ends at the user's line."""
    shown = kind, error, hide_internals(error, trace)
    shell.showtraceback(shown, tb_offset=tb_offset, running_compiled_code=True)


def tape(line: str, cell: str | None = None) -> Any:
    """Record a cell on a tape and show it, or all cells between `%tape on` and `%tape off`.

    %%tape              the backward pass from what the last line assigns
    %%tape z            the backward pass from z to all that is watched
    %%tape z x y        the backward pass from z to x and y
    %%tape --no-hints   without the line about gradients that look wrong

    In a cell that opens tapes itself, the last of them is shown.

    %tape on            record from here on, over as many cells as you like
    %tape off           stop, and show what was recorded
    %tape off z x       the same, with the backward pass from z to x
    %tape               say whether it records

    Between `on` and `off` every op keeps what its gradient needs: that takes memory and time.
    """
    __tracebackhide__ = True
    if cell is None:
        from tapelab.lab.line_magics import switch

        return switch(line)
    from tapelab.lab.cell_magics import record_cell

    return record_cell(line, cell)


def why(line: str) -> Any:
    """Say why a gradient is None, only a part, zero or NaN, and what to write instead.

    %why            the last gradient that was asked for, as tf.why() does
    %why z          the gradient of z with respect to all that its tape watches
    %why z x y      the gradient of z with respect to x and y
    """
    __tracebackhide__ = True
    from tapelab.lab.line_magics import ask_why

    return ask_why(line)


def predict(line: str, cell: str) -> Any:
    """Record a cell as `%%tape` does, and let you say first what the gradients will be.

    %%predict z x y     what are dz/dx and dz/dy?
    %%predict z         what is dz/d… for all that is watched?
    %%predict           the same for what the last line assigns

    An answer may be 1 % off; `3/4` and `-0,5` are numbers too, and None is an answer. Press Enter
    alone to see the answer at once.
    """
    __tracebackhide__ = True
    from tapelab.lab.cell_magics import predict_cell

    return predict_cell(line, cell)
