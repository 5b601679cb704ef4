"""Values that are computed from those of tensors off the tape: positions, orders, counts.

They become settings of ops, and no gradient passes them. But they depend on the values of tensors,
so a compiled function has to compute them again in each call: the observers of the thread are
notified.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab.core.log import thread
from tapelab.core.tensor import Tensor
from tapelab.core.value_types import Value

Raw = Callable[..., Any]


def compute_on_host(function: Raw, *given: Value) -> Any:
    """The result of a function of the raw values; its shape must not depend on the values."""
    result = function(*[each._array if type(each) is Tensor else each for each in given])
    for observer in thread.__dict__["observers"]:
        observer.host_computed(function, given, result)
    return result


def depends_on(*given: Value) -> None:
    """Tell the observers that the code which follows depends on these values."""
    for observer in thread.__dict__["observers"]:
        observer.host_computed(None, given, None)


def as_setting(tensor: Tensor) -> Any:
    """The array of a tensor, which becomes a setting of an op."""
    for observer in thread.__dict__["observers"]:
        observer.array_taken(tensor)
    return tensor._array
