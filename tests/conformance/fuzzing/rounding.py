"""Whether a difference is no more than rounding: TensorFlow's answer moves as much by itself."""

from __future__ import annotations

import ast
import re
from random import Random
from typing import Any, Final

import numpy as np

from .observing import Outcome, Value, close, run

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
    if re.search(rf"^\s*{name} = tf.cast\(.*tf\.(float64|complex128)", text, re.MULTILINE):
        step = 1e-7  # the number was rounded before it was widened
    if re.search(r"tf\.image\.(adjust_|rgb_to_gray|per_image)", text):
        step = max(step, 1e-7)  # TensorFlow changes pictures in float32
    if "float16" in text:
        step = 1e-3
    answers = [_leaf(run(tf, text), name)]
    answers += [_leaf(run(tf, _moved(text, step, salt)), name) for salt in range(8)]
    arrays = [np.asarray(each.array) for each in answers if isinstance(each, Value)]
    arrays = [each for each in arrays if each.shape == np.shape(there.array)]
    if len(arrays) < 2 or arrays[0].dtype.kind not in "fc":
        return any(np.array_equal(each, there.array) for each in arrays[1:])
    lost = 64 * step * _largest(ours)  # what is left over where large numbers cancel
    with np.errstate(all="ignore"):
        spread = np.max([np.abs(each - arrays[0]) for each in arrays[1:]], axis=0)
        apart = np.abs(there.array - arrays[0])
        near = (
            (apart <= 20 * spread) | (apart <= lost) | (np.isnan(there.array) & np.isnan(arrays[0]))
        )
        again = [close(there, Value(there.kind, there.dtype, each)) for each in arrays]
    return bool(np.all(near | (there.array == arrays[0]))) or any(again)


def _largest(outcome: Outcome) -> float:
    """The size of the largest number that a program was given."""
    given = [np.abs(each.array) for name, value in outcome.values.items() if name[0] in "xv"
             for each in parts(value) if np.asarray(each.array).dtype.kind in "fc"]  # fmt: skip
    return max((float(np.max(each, initial=0.0, where=np.isfinite(each))) for each in given),
               default=0.0)  # fmt: skip


def _leaf(outcome: Outcome, name: str) -> Any:
    base, *places = re.findall(r"[a-z]+\d*|\d+", name)
    value = outcome.values.get(base)
    for place in places:
        parts = value.get("parts") if isinstance(value, dict) else None
        if not isinstance(parts, list) or int(place) >= len(parts):
            return None
        value = parts[int(place)]
    return value


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


def parts(value: Any) -> list[Value]:
    """The arrays that stand in a value, however deep."""
    if isinstance(value, dict):
        inner = value.get("parts")
        return [leaf for part in inner for leaf in parts(part)] if isinstance(inner, list) else []
    return [value] if isinstance(value, Value) else []
