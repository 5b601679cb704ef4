"""Numbers that are worked out beside the tape, from those of tensors: positions, orders, counts.

They go into ops as settings. Nothing flows back through them, but they differ where the numbers
differ, and whoever writes down what a step does (a compiled function) has to know of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tapelab.engine.tensor import Tensor

Raw = Callable[..., Any]
listeners: Final[list[Callable[[Raw | None, tuple[Any, ...], Any], None]]] = []
"""Who wants to know of each such work: the function, what it took, what it returned."""


def aside(function: Raw, *given: Any) -> Any:
    """What a raw function makes of the numbers of arrays and tensors; as long for all of them."""
    result = function(*[each._value if type(each) is Tensor else each for each in given])
    for listen in listeners:
        listen(function, given, result)
    return result


def decided(*given: Any) -> None:
    """Say that what comes next goes by these numbers, in a way that differs between them."""
    for listen in listeners:
        listen(None, given, None)
