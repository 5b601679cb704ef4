"""From live objects to plain values and back; no method that a learner wrote takes part.

Exact types are read as they are. An instance of a subclass is read by the methods of the type it
derives from: a namedtuple is a tuple, and whatever such a class answers to `==` is never asked.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from itertools import islice
from types import GeneratorType
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable
from tapelab.exercises.figure_data import plot_of
from tapelab.exercises.predictions import predictions
from tapelab.exercises.value_text import kind_of
from tapelab.exercises.values import (
    ARRAY,
    DEEPEST,
    TENSOR,
    VARIABLE,
    Code,
    Numbers,
    Picture,
    Prediction,
    Strange,
    Value,
)

MOST_YIELDED: Final = 100_000
"""Values that are taken from a generator."""


def value_of(live: object, *, depth: int = 0) -> Value:
    """What a live object is as a plain value; what has no plain form is Strange."""
    kind = type(live)
    if kind in (Numbers, Code, Strange, Picture) or live is None or live is ...:
        return live
    if depth > DEEPEST:
        return Strange(kind_of(live))
    try:
        for base, read in _READERS:
            if issubclass(kind, base):
                return read(live, depth + 1)
        return plot_of(live) or _picture(live) or Strange(kind_of(live))
    except Exception:  # noqa: BLE001 - an object that cannot be read is strange, whatever it raises
        return Strange(kind_of(live))


def _number(base: type, zero: Any) -> Callable[[Any, int], Value]:
    """Read a Python number by the addition of its own type, which no subclass overrides."""

    def read(live: Any, _: int) -> Value:
        array = np.array(base.__add__(live, zero))  # type: ignore[operator]
        return Numbers(array, kind_of(live), array.dtype.name)

    return read


def _bool(live: Any, _: int) -> Value:
    return Numbers(np.array(live), "a bool", "bool")


def _text(live: Any, _: int) -> Value:
    return str.__str__(live)


def _scalar(live: Any, depth: int) -> Value:
    return str(live) if type(live) is np.str_ else _array(np.array(live), depth, kind_of(live))


def _array(live: Any, depth: int, kind: str = ARRAY) -> Value:
    plain = np.ndarray.view(live, np.ndarray)
    if plain.dtype == object:
        return value_of(np.ndarray.tolist(plain), depth=depth)
    return _numbers(plain, kind)


def _tensor(live: Any, _: int) -> Value:
    return _numbers(np.asarray(live._value), TENSOR)


def _variable(live: Any, _: int) -> Value:
    return _numbers(np.asarray(live._cell.state._value), VARIABLE)


def _slices(live: Any, _: int) -> Value:
    return _numbers(np.asarray(_tapelab().convert_to_tensor(live)._value), kind_of(live))


def _composite(live: Any, depth: int) -> Value:
    rows = live.to_list() if hasattr(live, "to_list") else None
    return Strange(kind_of(live)) if rows is None else value_of(rows, depth=depth)


def _numbers(array: NDArray[Any], kind: str) -> Value:
    """Numbers of a dtype that any NumPy can read back."""
    name = array.dtype.name
    if array.dtype == object:  # words of a tensor
        words = [each.decode("utf-8", "replace") for each in array.ravel().tolist()]
        return Numbers(np.array(words, dtype=np.str_).reshape(array.shape), kind, "string")
    if array.dtype.kind == "V":  # such as bfloat16
        return Numbers(array.astype(np.float32), kind, name)
    return Numbers(np.array(array), kind, name)


def _list(live: Any, depth: int) -> Value:
    return [value_of(each, depth=depth) for each in list.__iter__(live)]


def _tuple(live: Any, depth: int) -> Value:
    return tuple(value_of(each, depth=depth) for each in tuple.__iter__(live))


def _range(live: Any, depth: int) -> Value:
    return [value_of(each, depth=depth) for each in live]


def _deque(live: Any, depth: int) -> Value:
    return [value_of(each, depth=depth) for each in deque.__iter__(live)]


def _generator(live: Any, depth: int) -> Value:
    """A list of what a generator yields; Strange for more than MOST_YIELDED, it may have no end."""
    yielded = list(islice(live, MOST_YIELDED + 1))
    if len(yielded) > MOST_YIELDED:
        return Strange(kind_of(live))
    return [value_of(each, depth=depth) for each in yielded]


def _python_array(live: Any, _: int) -> Value:
    """An array of Python's module `array`; one of letters is text."""
    view = memoryview(live)
    return "".join(array.tolist(live)) if view.format in "uw" else _numbers(np.array(view), ARRAY)


def _exact_number(base: type[Fraction | Decimal]) -> Callable[[Any, int], Value]:
    """Read a number as the nearest float, by the conversion of its own type."""

    def read(live: Any, _: int) -> Value:
        return Numbers(np.array(base.__float__(live)), kind_of(live), "float64")

    return read


def _dict(live: Any, depth: int) -> Value:
    """Entries with keys of text or integers; checks cannot refer to others."""
    return {
        _key(key): value_of(each, depth=depth)
        for key, each in dict.items(live)
        if issubclass(type(key), str | int)
    }


def _key(key: Any) -> str | int:
    return str.__str__(key) if issubclass(type(key), str) else int.__add__(key, 0)


def _picture(live: Any) -> Value:
    answers = getattr(live, "predictions", None)
    return Picture(predictions(answers)) if type(answers) in (list, tuple) else None


_READERS: Final[tuple[tuple[type, Callable[[Any, int], Value]], ...]] = (
    (Tensor, _tensor),
    (Variable, _variable),
    (IndexedSlices, _slices),
    (CompositeTensor, _composite),
    (np.ndarray, _array),
    (np.generic, _scalar),
    (bool, _bool),
    (int, _number(int, 0)),
    (float, _number(float, 0.0)),
    (complex, _number(complex, 0.0)),
    (Fraction, _exact_number(Fraction)),
    (Decimal, _exact_number(Decimal)),
    (str, _text),
    (list, _list),
    (tuple, _tuple),
    (range, _range),
    (deque, _deque),
    (GeneratorType, _generator),
    (array, _python_array),
    (dict, _dict),
    (Prediction, lambda live, depth: value_of(vars(live), depth=depth)),
)
"""Which type is read in which way; the first that fits, so bool stands before int."""


def live(value: Any) -> Any:
    """A value as an argument of a learner's function, fresh each time, so that none is shared."""
    if type(value) is Numbers:
        return _LIVE.get(value.kind, _as_number)(value)
    if type(value) is Code:
        return _evaluated(value.source)
    if type(value) in (list, tuple):
        return type(value)(live(each) for each in value)
    if type(value) is dict:
        return {key: live(each) for key, each in value.items()}
    return value


def _evaluated(source: str) -> Any:
    return eval(source, {"tf": _tapelab(), "np": np})  # noqa: S307 - the teacher's own expression


def _tapelab() -> Any:
    """The public functions; they stand above this room, so they are asked for when needed."""
    return import_module("tapelab")


def _as_number(value: Numbers) -> Any:
    return value.array.item() if value.array.ndim == 0 else np.array(value.array)


def _as_tensor(value: Numbers) -> Any:
    return _tapelab().constant(value.array, dtype=value.dtype)


def _as_variable(value: Numbers) -> Any:
    return _tapelab().Variable(value.array, dtype=value.dtype)


_LIVE: Final[dict[str, Callable[[Numbers], Any]]] = {
    TENSOR: _as_tensor,
    VARIABLE: _as_variable,
    ARRAY: lambda value: np.array(value.array),
}


def tensor(values: ArrayLike, dtype: str = "float32") -> Numbers:
    """An argument that the learner's function receives as a tensor."""
    return Numbers(np.asarray(values, dtype), TENSOR, dtype)


def variable(values: ArrayLike, dtype: str = "float32") -> Numbers:
    """An argument that the learner's function receives as a variable."""
    return Numbers(np.asarray(values, dtype), VARIABLE, dtype)
