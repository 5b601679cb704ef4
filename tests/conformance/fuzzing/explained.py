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

Holds = Callable[[str, Difference, Outcome], bool]


@dataclass(frozen=True)
class Explained:
    """A reason why two outcomes may differ, and how it is recognised."""

    name: str
    reason: str
    holds: Holds


def _raises(ours: str, theirs: str, calls: str = "") -> Holds:
    """An exception, or none, on either side; the patterns match type and message."""

    def holds(text: str, found: Difference, outcome: Outcome) -> bool:
        known = re.match(ours, found.ours) and re.match(theirs, found.theirs)
        return found.what == "exception" and bool(known) and bool(re.search(calls, text))

    return holds


def _differs(what: str, calls: str, theirs: str = "") -> Holds:
    """A difference of some kind, in a program with a certain call."""

    def holds(text: str, found: Difference, outcome: Outcome) -> bool:
        known = re.fullmatch(what, found.what) and re.search(theirs, found.theirs)
        return bool(known) and bool(re.search(calls, text))

    return holds


def _asks_whole_numbers(text: str, found: Difference, outcome: Outcome) -> bool:
    """The last question is about a target that holds no fractions."""
    asked = re.findall(r"\.(?:gradient|jacobian|batch_jacobian)\((\w+)", text)
    target = outcome.values.get(asked[-1]) if asked else None
    kinds = {part.dtype[:3] for part in _parts(target)}
    other = bool(asked) and not kinds  # a shape, a list of nothing
    return found.what in {"kind", "exception"} and (other or bool(kinds - {"flo", "com"}))


def _parts(value: Any) -> list[Value]:
    if isinstance(value, dict):
        parts = value.get("parts")
        return [leaf for part in parts for leaf in _parts(part)] if isinstance(parts, list) else []
    return [value] if isinstance(value, Value) else []


def _seeds(text: str, found: Difference, outcome: Outcome) -> bool:
    mended = "An output gradient needs" in found.ours or "need as many output_gr" in found.ours
    refused = found.what == "exception" and re.match("no error", found.ours)
    given = re.findall(r"output_gradients=(\w+)", text)
    asked = re.findall(r"gradient\(\w+, \[?([^\])]*)", text)
    itself = found.what == "kind" and bool(set(given) & set(re.findall(r"\w+", str(asked[-1:]))))
    return "output_gradients=" in text and bool(
        mended or found.what == "shape" or refused or itself
    )


NONSENSE: Final = (
    r"None|object\(\)|'a'|\{\}|\b\d*\.?\d*j\b|tf\.float32\b(?!\))|\[\[\d+\], \[\d+, \d+\]\]|nan'"
)
"""What no argument can mean, as text in a program."""


def _nonsense(text: str, found: Difference, outcome: Outcome) -> bool:
    both = found.what == "exception" and not re.search("no error", found.ours + found.theirs)
    last = text.strip().splitlines()[-1]
    return both and bool(re.search(NONSENSE, last))


def _spoiled(ours: str, theirs: str) -> Holds:
    """A deliberate mistake in the call at the end, and what the two sides make of it."""
    raises = _raises(ours, theirs, "# spoiled: ")
    return lambda text, found, outcome: raises(text, found, outcome)


REFUSED: Final = r"\w+(Error|Exception): "
"""How a refusal of any type begins."""

TABLE: Final[tuple[Explained, ...]] = (
    Explained(
        "no kernel",
        "TensorFlow has no compiled code for this op and dtype (NotFoundError, "
        "UnimplementedError); tapelab computes it, or names the dtypes that fit.",
        _raises("", "NotFoundError|UnimplementedError"),
    ),
    Explained(
        "type of a flag",
        "TensorFlow looks at the Python type of a flag or a word before it runs; here "
        "whatever is true counts as True.",
        _raises("", "TypeError: (Expected (bool|string|int|float|list) for|Value passed to)"),
    ),
    Explained(
        "nonsense",
        "Text, None, an object or a ragged list where a number belongs is refused by both; which "
        "type of exception depends on the layer of TensorFlow that notices first.",
        _nonsense,
    ),
    Explained(
        "no list there",
        "Some functions of TensorFlow forget to convert a list (AttributeError: 'list' object has "
        "no attribute ...); here it becomes a tensor.",
        _raises(
            "",
            r"AttributeError: '(list|int|float|bool|str|complex|object|NoneType|.*ndarray)' ",
        ),
    ),
    Explained(
        "target of whole numbers",
        "A target of whole numbers or truths has no gradient: None here; TensorFlow looks for the "
        "rule of the op all the same, and now and then finds one.",
        _asks_whole_numbers,
    ),
    Explained(
        "seed of another shape",
        "TensorFlow hands a seed that does not fit on to the rule of the op, so that the shape of "
        "the gradient depends on it; here it is stretched to the target, or refused. Where a rule "
        "hands on what it gets, the gradient is the seed itself.",
        _seeds,
    ),
    Explained(
        "vectorized",
        "TensorFlow cannot vectorize the Jacobian of every op; here it is computed row by row.",
        _raises(
            ".*",
            r"ValueError: (Encountered an exception while vectorizing|Tensor's shape .* is not "
            "compatible with supplied)|ZeroDivisionError|StagingError",
            r"jacobian\(",
        ),
    ),
    Explained(
        "second order",
        "Some gradients of TensorFlow have no gradient of their own (SoftsignGrad); here all can "
        "be differentiated again.",
        _raises("no error", r"LookupError: gradient registry has no entry for: \w*Grad"),
    ),
    Explained(
        "sign of a vector",
        "Eigenvectors and singular vectors are known up to their sign, and those of equal values "
        "up to a rotation.",
        _differs("value", r"svd|eig|linalg\.qr"),
    ),
    Explained(
        "not positive definite",
        "What has no Cholesky factor gives NaN in some builds of TensorFlow, an error in others.",
        _differs("value|exception", r"cholesky|logdet", r"nan|no error"),
    ),
    Explained(
        "undefined shift",
        "A shift by less than nothing, or beyond the width of the number, is undefined.",
        _differs("value", r"_shift\("),
    ),
    Explained(
        "mistake, other type",
        "Both refuse a deliberate mistake, with exceptions of different types: TensorFlow's "
        "depends on which of its layers looks first. The frequent ones agree: fuzz_found.txt.",
        _spoiled(REFUSED, REFUSED),
    ),
    Explained(
        "mistake, taken here",
        "What can be understood is taken: one number where a row of one is meant, whole numbers of "
        "any width as positions.",
        _spoiled("no error", REFUSED),
    ),
    Explained(
        "mistake, taken there",
        "TensorFlow takes text for truths, fractions for counts and rows for numbers in places "
        "where it does not look; here they are refused.",
        _spoiled(REFUSED, "no error"),
    ),
    Explained(
        "place of one number",
        "TensorFlow's gradient of gather_nd at one index tuple asks ScatterNd for what it refuses.",
        _raises("no error", "InvalidArgumentError: .*(ScatterNd|Graph execution)", "gather_nd"),
    ),
    Explained(
        "warning of a rule",
        "TensorFlow's own gradient rules cast complex numbers, and warn of it.",
        lambda text, found, outcome: found.what == "warning" and "gradient(" in text,
    ),
    Explained(
        "end of a domain",
        "At the end of its domain a special function has several limits: igamma(0, 0), zeta at 0, "
        "the root of a matrix of zeros.",
        _differs("value", r"igamma|zeta|betainc|polygamma|matrix_square_root|sqrtm"),
    ),
    Explained(
        "truth beside numbers",
        "TensorFlow's operators turn numbers silently into truths beside a tensor of truths, which "
        "its functions refuse; here both take truths and refuse numbers.",
        _raises(
            "TypeError: Cannot convert .* dtype bool|no error",
            "no error|InvalidArgumentError: Value for attr 'T' of bool",
            r"bool|True|False",
        ),
    ),
)
"""Every difference that is left, with its reason; a smaller table is a better one."""


def explanation(tf: Any, text: str, found: Difference, ours: Outcome) -> str | None:
    """The name of the reason for a difference, None if it has none."""
    for each in TABLE:
        if each.holds(text, found, ours):
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
             for each in _parts(value) if np.asarray(each.array).dtype.kind in "fc"]  # fmt: skip
    return max((float(np.max(each, initial=0.0, where=np.isfinite(each))) for each in given),
               default=0.0)  # fmt: skip


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
