"""What the recipes that are written by hand share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from .writer import Writer

Drawn = tuple[list[str], dict[str, str]]
ByHand = Callable[[Writer], Drawn]
FLOATING: Final = ("float32", "float32", "float32", "float64")


def floating(w: Writer) -> str:
    """The name of a floating dtype, mostly float32."""
    return w.rng.choice(FLOATING)


def one_axis(w: Writer, rank: int) -> int:
    """An axis, counted from the front or from the end."""
    return w.rng.randint(-rank, rank - 1)


def listed(w: Writer, values: Sequence[int]) -> str:
    """Integers as a list or, now and then, as a tensor."""
    text = repr(list(values))
    return f"tf.constant({text}, tf.int32)" if w.chance(0.2) else text
