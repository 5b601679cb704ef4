"""Compiled kernels, fetched when an array is first large enough to be worth it.

`import tapelab` never imports numba, and neither does work on small arrays: it costs a third of a
second, and the first compilation of a kernel on a machine about one second more. Whatever goes
wrong on the way (no numba, nowhere to keep the compiled code, a damaged entry there) costs speed
only: the caller then does the work with NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

_given_up: Final[set[str]] = set()


def ran(name: str, *arrays: Any) -> bool:
    """Run a compiled kernel, which writes into its last array; False if NumPy must do the work."""
    if name in _given_up:
        return False
    try:
        getattr(import_module("tapelab.kernels.compiled"), name)(*arrays)
    except Exception:  # noqa: BLE001 - a compiler can fail in any way, and none is the learner's
        _given_up.add(name)
        return False
    return True
