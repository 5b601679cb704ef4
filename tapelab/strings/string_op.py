"""What the functions of strings share: how their ops are declared, how strings are converted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.op import op
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import spoken
from tapelab.dtypes import BY_NUMPY, string
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.ops import samples
from tapelab.ops.public import tensor

TEXT: Final = "Text has no derivative: a letter does not change by a little when a number does."


def declared(
    raw: str, name: str, *cases: samples.Sample, because: str = TEXT, multi: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Tensor]]:
    """Declare an op that reads or writes text, through which no gradient passes.

    The cases are samples for the generated tests; without one a row and a matrix of short texts.
    """

    def declare(kernel: Callable[..., Any]) -> Callable[..., Tensor]:
        title, first_input = name.replace("_", " "), kernel.__code__.co_varnames[0]
        glyph = title.removeprefix("string ").removeprefix("unicode ")
        string_op = op(
            name=name, raw=raw, formula=rf"y = \operatorname{{{title}}}({first_input})",
            output="y", glyph=glyph, pattern="flat", dtypes=("string",), multi=multi,
            samples=lambda _: list(cases or WORDS),
        )(kernel)  # fmt: skip
        string_op.no_grad(*string_op.inputs, because=because)
        return string_op

    return declare


@public
def texts(values: Any, shape: tuple[int, ...] | None = None) -> Any:
    """Byte strings as an array of objects; Python text among them is encoded."""
    values = [each.encode() if isinstance(each, str) else each for each in values]
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array if shape is None else array.reshape(shape)


WORDS: Final[tuple[samples.Sample, ...]] = (
    ((texts(["Ab c", "né", ""]),), {}),
    ((texts(["a", "b"], (2, 1)),), {}),
)
"""A row and a matrix of short texts."""


@public
def each(function: Callable[[bytes], Any], x: Any, dtype: Any = object) -> Any:
    """A function of one text, for every text of an array."""
    results = [function(text) for text in np.ravel(x)]
    if dtype is object:
        return texts(results, x.shape)
    return np.array(results, dtype).reshape(x.shape)[()]


@public
def text(value: Any, raw: str, position: int = 0) -> Tensor:
    """The argument as a tensor of text; InvalidArgumentError for a tensor of numbers."""
    converted = tensor(value, string)
    if converted._array.dtype.kind != "O":
        raise not_text(raw, converted._array.dtype, position)
    return converted


def not_text(raw: str, dtype: Any, position: int) -> InvalidArgumentError:
    """The error for numbers where text is needed."""
    return invalid_argument(
        raw,
        f"cannot compute {raw} as input #{position}(zero-based) was expected to be a string tensor "
        f"but is a {spoken(BY_NUMPY[np.dtype(dtype)].name)} tensor. Try tf.strings.as_string(x)",
    )


def choice(raw: str, name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """A setting that is one of a few words; InvalidArgumentError for any other."""
    given = value.decode() if isinstance(value, bytes) else value
    if given not in allowed:
        offered = ", ".join(f'"{word}"' for word in allowed)
        raise invalid_argument(
            raw, f"Value for attr '{name}' of \"{value}\" is not in the list of allowed values: "
            f"{offered}",
        )  # fmt: skip
    return str(given)


@public
def one_text(value: Any, raw: str, name: str) -> bytes:
    """A setting that is a single text; InvalidArgumentError for several."""
    array = text(value, raw, 1)._value
    if np.ndim(array):
        raise invalid_argument(
            raw, f"{name} must be a scalar, got shape: [{','.join(map(str, array.shape))}]"
        )
    return bytes(array[()])
