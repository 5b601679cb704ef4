"""Numbers that are worked out beside the tape, from those of tensors: positions, orders, counts.

They go into ops as settings. Nothing flows back through them, but they differ where the numbers
differ, and whoever writes down what a step does (a compiled function) has to know of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab.core.log import thread
from tapelab.core.tensor import Tensor

Raw = Callable[..., Any]


def compute_on_host(function: Raw, *given: Any) -> Any:
    """What a raw function makes of the numbers of arrays and tensors; as long for all of them."""
    result = function(*[each._array if type(each) is Tensor else each for each in given])
    for observer in thread.__dict__["observers"]:
        observer.host_computed(function, given, result)
    return result


def depends_on(*given: Any) -> None:
    """Say that what comes next goes by these numbers, in a way that differs between them."""
    for observer in thread.__dict__["observers"]:
        observer.host_computed(None, given, None)


def as_setting(tensor: Tensor) -> Any:
    """The very array of a tensor, to be a setting of an op."""
    for observer in thread.__dict__["observers"]:
        observer.array_taken(tensor)
    return tensor._array
