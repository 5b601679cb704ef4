"""How values and things are spelled in a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.locales import say, sentence
from tapelab.recording.schema import Role, TensorFacts
from tapelab.views.number_format import format_shape, format_values

SHOWN_ELEMENTS: Final = 8


def spelled(array: NDArray[Any]) -> str:
    """An array in one line, its numbers written as in every picture; a large one by its shape."""
    if array.dtype.kind in "US":
        return str(array.tolist())
    if array.size > SHOWN_ELEMENTS:
        shape = format_shape(array.shape)
        return say("{dtype} of shape {shape}", dtype=array.dtype, shape=shape)
    facts = TensorFacts(
        index=-1, role=Role.CONSTANT, shape=array.shape, dtype=array.dtype.name,
        name="", named=False, variable=-1, span=-1, value=array,
    )  # fmt: skip
    return format_values(facts) or ""


def both_spelled(expected: NDArray[Any], got: NDArray[Any]) -> tuple[str, str]:
    """Two arrays in one line each; of large ones the place at which they differ most."""
    texts = spelled(expected), spelled(got)
    if expected.shape != got.shape or expected.size <= SHOWN_ELEMENTS:
        return texts
    far = np.abs(np.subtract(expected, got, dtype=complex))
    far[np.isnan(far)] = np.inf  # one of two is no number
    place = np.unravel_index(int(far.argmax()), far.shape)
    where = ", ".join(map(str, place))
    one, other = (spelled(np.asarray(each[place])) for each in (expected, got))
    at = sentence("{value} at [{place}]")
    return say(at, value=one, place=where), say(at, value=other, place=where)


def kind_of(value: object) -> str:
    """The type of a thing with its article, as in "a list"."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


def kind_text(value: object) -> str:
    """What a value, or what it was made of, is called in a sentence, as in "a list"."""
    kind = getattr(value, "kind", None)
    return kind if type(kind) is str else kind_of(value)


def listed(names: Sequence[str]) -> str:
    """Names as prose: `x`, `y` and `z`."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > 1:
        return say("{names} and {last}", names=", ".join(quoted[:-1]), last=quoted[-1])
    return quoted[0] if quoted else say("nothing")
