"""Numbers written as text, and text read as numbers; neither has a gradient."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import spoken
from tapelab.dtypes import BY_NUMPY, as_dtype, float32
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.ops.public import tensor
from tapelab.ops.rules import numpy_dtype
from tapelab.strings.string_op import declared, each, text, texts

WRITTEN: Final = (
    "Text has no derivative: as_string writes a number down, and what is read back is a new "
    "constant."
)
READ: Final = "to_number reads a constant from text; text does not know what it was made from."
READABLE: Final = ("float32", "float64", "int32", "int64", "uint32", "uint64")
_HEX: Final = re.compile(rb"[+-]?0[xX][0-9a-fA-F]+\Z")
_DECIMAL: Final = re.compile(
    rb"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)\Z", re.IGNORECASE
)
_WHOLE: Final = re.compile(rb"[+-]?\d+\Z")


@declared(
    "AsString", "as_string", ((np.array([0.5, -2.25, 1e9]),), {"style": "%f"}),
    ((np.array([[1 / 3], [-7.0]]),), {"style": "%.3g"}), because=WRITTEN,
)  # fmt: skip
def _as_string(x: Any, *, style: str) -> Any:
    """Each number as text, in the style of C's printf."""
    kind = x.dtype.kind
    if kind == "c":
        return texts([f"({style % z.real},{style % z.imag})" for z in x.ravel()], x.shape)
    if kind == "b":
        return texts([style % ("true" if value else "false") for value in x.ravel()], x.shape)
    return texts([style % _plain(value) for value in x.ravel().tolist()], x.shape)


_NUMERALS: Final = (texts(["3", "-12"]),)


@declared(
    "StringToNumber", "to_number", (_NUMERALS, {"dtype": np.int32}),
    (_NUMERALS, {"dtype": np.float64}), because=READ,
)  # fmt: skip
def _to_number(x: Any, *, dtype: Any) -> Any:
    """Each text as the number it writes."""
    kind = np.dtype(dtype)
    read = _floating if kind.kind == "f" else _counting
    return each(lambda raw: read(raw, kind), x, kind)


@public(elementwise=True)
def as_string(
    input: Any, precision: int = -1, scientific: bool = False, shortest: bool = False,
    width: int = -1, fill: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """Each number as text: `3.141593`, with `scientific` `3.141593e+00`, or the `shortest` of both.

    `precision` counts decimals of floats, `width` letters; `fill` stands before what is too short.
    InvalidArgumentError where these do not go together.
    """
    x = tensor(input)
    kind = numpy_dtype(x).kind
    if scientific and shortest:
        raise invalid_argument("AsString", "Cannot select both scientific and shortest notation")
    if kind not in "fc" and (scientific or shortest):
        raise _unsupported(x, "scientific and shortest format")
    if precision > -1 and kind not in "fc":
        raise _unsupported(x, "precision")
    if len(fill) > 1:
        raise invalid_argument("AsString", "Fill string must be one or fewer characters")
    if fill not in {"", " ", "-", "0", "+"}:
        raise invalid_argument("AsString", f'Fill argument not supported: "{fill}"')
    letter = "s" if kind in "bO" else "d" if kind in "iu" else "fge"[shortest + 2 * scientific]
    flags = ("" if kind in "bO" else fill) + (str(width) if width > -1 and kind != "b" else "")
    decimals = f".{precision}" if precision > -1 else ""
    return _as_string(x, style=f"%{flags}{decimals}{letter}")


@public(elementwise=True)
def to_number(input: Any, out_type: Any = float32, name: str | None = None) -> Tensor:
    """Each text as the number it writes; InvalidArgumentError for a text that writes none."""
    wanted = as_dtype(out_type)
    if wanted.name not in READABLE:
        raise invalid_argument(
            "StringToNumber", f"Value for attr 'out_type' of {spoken(wanted.name)} is not in the "
            f"list of allowed values: {', '.join(map(spoken, READABLE))}",
        )  # fmt: skip
    return _to_number(text(input, "StringToNumber"), dtype=wanted.as_numpy_dtype)


def _plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def _unsupported(x: Tensor, what: str) -> InvalidArgumentError:
    name = BY_NUMPY[numpy_dtype(x)].name
    return invalid_argument("AsString", f"{what} not supported for datatype {spoken(name)}")


def _floating(raw: bytes, kind: Any) -> Any:
    stripped = raw.strip()
    if _HEX.match(stripped):
        return kind.type(int(stripped, 16))
    if not _DECIMAL.match(stripped):
        raise _unreadable(raw, kind)
    return kind.type(float(stripped))


def _counting(raw: bytes, kind: Any) -> int:
    stripped = raw.strip()
    limits = np.iinfo(kind)
    if not _WHOLE.match(stripped) or not limits.min <= int(stripped) <= limits.max:
        raise _unreadable(raw, kind)
    return int(stripped)


def _unreadable(raw: bytes, kind: Any) -> InvalidArgumentError:
    shown = raw.decode(errors="replace")
    return invalid_argument(
        "StringToNumber",
        f"StringToNumberOp could not correctly convert string: {shown}. It writes no {kind.name}",
    )
