"""The differences that have a reason: what TensorFlow leaves open, and what is meant to differ."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import numpy as np

from .observing import Difference, Outcome, Value, close, run


@dataclass(frozen=True)
class Explained:
    """A reason why two outcomes may differ, and how it is recognised."""

    name: str
    reason: str
    holds: Callable[[str, Difference], bool]


def _raises(ours: str, theirs: str, *, calls: str = "") -> Callable[[str, Difference], bool]:
    """An exception of one type where TensorFlow has another, or none."""

    def holds(text: str, found: Difference) -> bool:
        sides = found.ours.partition(":")[0], found.theirs.partition(":")[0]
        known = re.fullmatch(ours, sides[0]) and re.fullmatch(theirs, sides[1])
        return found.what == "exception" and bool(known) and bool(re.search(calls, text))

    return holds


TABLE: Final[tuple[Explained, ...]] = ()
"""Every difference that is left, with its reason; a smaller table is a better one."""


def explanation(tf: Any, text: str, found: Difference, ours: Outcome) -> str | None:
    """The name of the reason for a difference, None if it has none."""
    for each in TABLE:
        if each.holds(text, found):
            return each.name
    if found.what == "value" and rounding_explains(tf, text, found.name, ours):
        return ROUNDING
    return None


ROUNDING: Final = "rounding"
ROUNDING_REASON: Final = (
    "TensorFlow's own answer moves by as much when the inputs move in their last digit."
)
STEPS: Final = {"float16": 1e-3, "float64": 1e-15, "complex128": 1e-15}


def rounding_explains(tf: Any, text: str, name: str, ours: Outcome) -> bool:
    """Whether TensorFlow's answers to slightly moved inputs lie as far apart as the two sides."""
    there = _leaf(ours, name)
    if not isinstance(there, Value):
        return False
    step = STEPS.get(there.dtype, 1e-7)
    if "float16" in text:
        step = 1e-3
    answers = [_leaf(run(tf, text), name)]
    answers += [_leaf(run(tf, _moved(text, step, salt)), name) for salt in range(8)]
    arrays = [np.asarray(each.array) for each in answers if isinstance(each, Value)]
    arrays = [each for each in arrays if each.shape == np.shape(there.array)]
    if len(arrays) < 2 or arrays[0].dtype.kind not in "fc":
        return any(np.array_equal(each, there.array) for each in arrays[1:])
    with np.errstate(all="ignore"):
        spread = np.max([np.abs(each - arrays[0]) for each in arrays[1:]], axis=0)
        apart = np.abs(there.array - arrays[0])
        near = (apart <= 20 * spread) | (np.isnan(there.array) & np.isnan(arrays[0]))
        again = [close(there, Value(there.kind, there.dtype, each)) for each in arrays]
    return bool(np.all(near | (there.array == arrays[0]))) or any(again)


def _leaf(outcome: Outcome, name: str) -> Any:
    base, *places = re.findall(r"[a-z]+\d*|\d+", name)
    found = outcome.values.get(base)
    for place in places:
        parts = found.get("parts") if isinstance(found, dict) else None
        if not isinstance(parts, list) or int(place) >= len(parts):
            return None
        found = parts[int(place)]
    return found


def _moved(text: str, step: float, salt: int) -> str:
    """The program with its drawn numbers moved a little; round numbers stay what they are."""
    rng = Random(salt)

    class Mover(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.Constant:
            value = node.value
            if isinstance(value, float) and abs(value * 2) % 1:
                return ast.Constant(value * (1 + step * rng.uniform(-2, 2)))
            return node

    return ast.unparse(Mover().visit(ast.parse(text)))
