"""What a program leaves behind, and how the results of two libraries are compared."""

from __future__ import annotations

import linecache
import logging
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

TOLERANCES: Final = {
    "float16": 8e-3, "bfloat16": 6e-2, "float32": 2e-5, "complex64": 2e-5, "float64": 1e-9,
    "complex128": 1e-9,
}  # fmt: skip
"""How far two answers may be apart, relative to the largest number in the tensor."""

RESULT: Final = re.compile(r"[a-z]\d*")
"""The names whose values are compared; longer ones hold functions, modules and layers."""

OF_ITS_OWN: Final = (
    *map(str, range(10)),
    "From /",
    "Converting IndexedSlices",
    "Using a while_loop",
    "Conv2DBackpropFilter uses a while_loop",
    "AutoGraph could not transform",
)
"""How warnings begin that speak of what goes on inside TensorFlow: retracing, old internals, source
code that it cannot tell apart."""


@dataclass(frozen=True)
class Value:
    """A tensor, a variable or an array, for comparison."""

    kind: str
    dtype: str
    array: Any


@dataclass
class Outcome:
    """What a program gave: its values by name, what it raised, and what it warned of."""

    values: dict[str, Any] = field(default_factory=dict)
    raised: str = ""
    message: str = ""
    warned: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Difference:
    """Where two outcomes part: what differs, the name, and both sides as text."""

    what: str
    name: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        return f"{self.what} of {self.name}\n  tapelab:    {self.ours}\n  TensorFlow: {self.theirs}"


def run(tf: Any, text: str) -> Outcome:
    """Run a program on a library and keep what it leaves."""
    outcome = Outcome()
    scope = {"__name__": "__main__", "tf": tf, "np": np}
    where = "<fuzz>"
    linecache.cache[where] = (len(text), None, text.splitlines(keepends=True), where)  # AutoGraph
    with _captured_warnings(tf) as outcome.warned:
        try:
            exec(compile(text, where, "exec"), scope)
        except Exception as error:  # noqa: BLE001  whatever it raises is an answer
            outcome.raised, outcome.message = type(error).__name__, str(error)
    for name, value in scope.items():
        if RESULT.fullmatch(name):
            try:
                description = described(tf, value)
            except Exception as error:  # noqa: BLE001  a tensor that cannot be looked at
                description = {"kind": f"broken by {type(error).__name__}", "parts": str(error)}
            if description is not None:
                outcome.values[name] = description
    return outcome


@contextmanager
def _captured_warnings(tf: Any) -> Iterator[list[str]]:
    messages: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message = record.getMessage()[:40]
            if not message.startswith(OF_ITS_OWN):
                messages.append(message)

    _forget_what_was_said(tf)
    logger, collector = logging.getLogger(tf.__name__), Collector(level=logging.WARNING)
    logger.addHandler(collector)
    propagates, logger.propagate = logger.propagate, False
    others, logger.handlers = logger.handlers, [collector]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield messages
    finally:
        logger.handlers, logger.propagate = others, propagates


def _forget_what_was_said(tf: Any) -> None:
    """TensorFlow warns of some things once in a process; each program has to see the warning."""
    said = sys.modules.get(f"{tf.__name__}.python.platform.tf_logging")
    if said is not None:
        said._log_counter_per_token.clear()


def described(tf: Any, value: Any) -> Any:
    """A value in a form that can be compared; None for what is not compared, such as a tape."""
    if isinstance(value, tf.IndexedSlices):
        parts = [described(tf, part) for part in (value.indices, value.values, value.dense_shape)]
        return {"kind": "IndexedSlices", "parts": [*_in_order(*parts[:2]), parts[2]]}
    if isinstance(value, tf.Variable):
        return Value("variable", value.dtype.name, value.numpy())
    if isinstance(value, tf.Tensor):
        return Value("tensor", value.dtype.name, np.asarray(value.numpy()))
    if isinstance(value, np.ndarray | np.generic):
        return Value("array", value.dtype.name, np.asarray(value))
    if isinstance(value, list | tuple):
        return {"kind": type(value).__name__, "parts": [_entry(tf, each) for each in value]}
    if isinstance(value, dict):
        parts = [[key, _entry(tf, each)] for key, each in sorted(value.items())]
        return {"kind": "dict", "parts": parts}
    if isinstance(value, tf.TensorShape | tf.DType):
        return {"kind": type(value).__name__, "parts": repr(value)}
    if value is None or isinstance(value, str | bool | int | float | complex | bytes):
        return {"kind": type(value).__name__, "parts": repr(value)}
    return None


def _in_order(indices: Value, values: Value) -> list[Value]:
    """Slices sorted by index and value: the order in which they come says nothing."""
    if not indices.array.size:
        return [indices, values]
    columns = values.array.reshape(len(indices.array), -1).T
    order = np.lexsort([*columns, indices.array])
    return [Value(each.kind, each.dtype, each.array[order]) for each in (indices, values)]


def _entry(tf: Any, value: Any) -> Any:
    description = described(tf, value)
    return {"kind": type(value).__name__} if description is None else description


def difference(ours: Outcome, theirs: Outcome) -> Difference | None:
    """The first way in which two outcomes differ, None if they agree."""
    if ours.raised != theirs.raised:
        return Difference(
            "exception", ours.raised or theirs.raised, _summary(ours), _summary(theirs)
        )
    for name in theirs.values | ours.values:
        if name not in ours.values or name not in theirs.values:
            sides = (name in ours.values, name in theirs.values)
            return Difference("presence", name, *map(str, sides))
        mismatch = _unlike(name, ours.values[name], theirs.values[name])
        if mismatch is not None:
            return mismatch
    if not theirs.raised and set(ours.warned) != set(theirs.warned):
        return Difference("warning", "the log", str(ours.warned), str(theirs.warned))
    return None


def _summary(outcome: Outcome) -> str:
    return f"{outcome.raised or 'no error'}: {' '.join(outcome.message.split())[:500]}"


def _unlike(name: str, ours: Any, theirs: Any) -> Difference | None:
    if isinstance(ours, Value) and isinstance(theirs, Value):
        return _unlike_arrays(name, ours, theirs)
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours["kind"] == theirs["kind"]:
        mine, yours = ours.get("parts"), theirs.get("parts")
        if isinstance(mine, list) and isinstance(yours, list) and len(mine) == len(yours):
            pairs = enumerate(zip(mine, yours, strict=True))
            parts = (_unlike(f"{name}[{at}]", *pair) for at, pair in pairs)
            return next((each for each in parts if each is not None), None)
        if mine == yours:
            return None
    if ours == theirs:
        return None
    return Difference("kind", name, _brief(ours), _brief(theirs))


def _unlike_arrays(name: str, ours: Value, theirs: Value) -> Difference | None:
    sides = _brief(ours), _brief(theirs)
    if ours.kind != theirs.kind:
        return Difference("kind", name, *sides)
    if ours.dtype != theirs.dtype:
        return Difference("dtype", name, *sides)
    if np.shape(ours.array) != np.shape(theirs.array):
        return Difference("shape", name, *sides)
    return None if close(ours, theirs) else Difference("value", name, *sides)


def close(ours: Value, theirs: Value) -> bool:
    """Whether two arrays of one dtype and shape hold the same numbers, but for rounding."""
    tolerance = TOLERANCES.get(theirs.dtype)
    one, other = ours.array, theirs.array
    if tolerance is None:
        return bool(np.array_equal(one, other))
    wide: Any = np.complex128 if np.iscomplexobj(other) else np.float64
    one, other = np.asarray(one).astype(wide), np.asarray(other).astype(wide)
    finite = np.abs(other[np.isfinite(other)])
    largest = float(finite.max()) if finite.size else 0.0
    with np.errstate(all="ignore"):
        return bool(
            np.allclose(one, other, rtol=tolerance, atol=tolerance * largest, equal_nan=True)
        )


def _brief(value: Any) -> str:
    if isinstance(value, Value):
        numbers = str(np.asarray(value.array).tolist())
        return f"{value.kind} {value.dtype}{list(np.shape(value.array))} {numbers[:200]}"
    if isinstance(value, dict):
        parts = value.get("parts")
        inner = ", ".join(map(_brief, parts)) if isinstance(parts, list) else parts
        return f"{value['kind']}({inner})"[:300]
    return str(value)[:300]
