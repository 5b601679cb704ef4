"""Plain values: what goes into a learner's function and comes out of it, without living objects.

A value is None, `...` (the placeholder), a str, Numbers, a list, a tuple or a dict of values, or
one of the kinds below. All of it can be written to a file and read in another process; `value_of`
makes it from live objects, `live` makes live objects of it for the learner's function.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

TENSOR: Final = "a tensor"
VARIABLE: Final = "a variable"
ARRAY: Final = "an array"
"""What numbers come in, beside `a float`, `an int` and the other types of Python and NumPy."""

DEEPEST: Final = 32
"""Lists in lists beyond this are no answer; a list that holds itself has no end."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """An array and what it came in: `a float`, `an int`, TENSOR, VARIABLE, ARRAY.

    `dtype` is the learner's; the array of a dtype that NumPy does not know, such as bfloat16, holds
    the same numbers as float32, and one of words holds text.
    """

    array: NDArray[Any]
    kind: str
    dtype: str


@dataclass(frozen=True)
class Strange:
    """Something with no plain form, called by its kind, as in `a GradientTape`."""

    kind: str


@dataclass(frozen=True)
class Code:
    """An argument that is an expression, such as a function; `tf` and `np` are known in it."""

    source: str


@dataclass(frozen=True)
class Prediction:
    """An answer to what the picture asked before it showed the step.

    `way` is `forward` or `backward`; it `asks` for a `number`, a `vector`, a `shape` or the next
    `op`, `of` what is called so in the learner's code. `said` and `truth` are as written on screen.
    """

    step: int
    way: str
    asks: str
    of: str
    said: str
    truth: str
    right: bool


@dataclass(frozen=True)
class Picture:
    """A live picture, of which only what was predicted in it is of interest."""

    predictions: tuple[Prediction, ...] = ()


Value = Any
"""A plain value, as this file's first lines list them; checks ask for its exact type."""


def fingerprint(value: Value) -> str:
    """The same text for the same value, however large; equality is never asked of the value."""
    digest = sha256()
    for each in _pieces(value):
        digest.update(each)
    return digest.hexdigest()


def _pieces(value: Value) -> Iterator[bytes]:
    if type(value) is Numbers:
        yield f"{value.kind} {value.dtype} {value.array.shape} {value.array.dtype}".encode()
        yield np.ascontiguousarray(value.array).tobytes()
    elif type(value) in (list, tuple):
        yield f"{type(value).__name__} of {len(value)}".encode()
        for each in value:
            yield from _pieces(each)
    elif type(value) is dict:
        yield f"dict of {len(value)}".encode()
        for key, each in value.items():
            yield f"{key!r}:".encode()
            yield from _pieces(each)
    else:
        yield f"{type(value).__name__} {value!r}".encode()


class Unreadable(Exception):  # noqa: N818 - no error of ours: a way to say why there are no points
    """There is nothing to judge; the message tells the learner why, `ending` tells programs."""

    ending: ClassVar[str] = "failed"


class Unsolved(Unreadable):
    """The answer, or this part of it, is still the placeholder `...`."""

    ending = "unsolved"


class Raised(Unreadable):
    """The learner's code stopped with an exception."""

    ending = "raised"
