"""What numba compiles of choosing between entries. Only `loader` imports it.

Both entries are read before one is taken, so that nothing depends on a branch: where a condition
holds at random, NumPy guesses wrong half of the time.
"""

from __future__ import annotations

from typing import Any

from numba import njit


@njit(cache=True, nogil=True)
def chosen(c: Any, x: Any, y: Any, z: Any) -> None:
    """Each entry from x where the condition holds, else from y."""
    for i in range(z.size):
        one, other = x[i], y[i]
        z[i] = one if c[i] else other


@njit(cache=True, nogil=True)
def chosen_or_number(y: Any, c: Any, x: Any, z: Any) -> None:
    """Each entry from x where the condition holds, else the one entry of y."""
    other = y[0]
    for i in range(z.size):
        one = x[i]
        z[i] = one if c[i] else other


@njit(cache=True, nogil=True)
def chosen_number(x: Any, c: Any, y: Any, z: Any) -> None:
    """The one entry of x where the condition holds, else each entry from y."""
    one = x[0]
    for i in range(z.size):
        other = y[i]
        z[i] = one if c[i] else other
